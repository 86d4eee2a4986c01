/* The right to act as a lease that echoes give (D8, G2). Each message echoes the number of the
 * latest sign of life that its sender had of its receiver; a heartbeat does so only where it
 * answers one that asks. By these a coordinator gets its leases (D8c), and otherwise by PING, whose
 * PONG is the echo (D8f); under strict that says besides whether the voter has leased (Z6b). This
 * node keeps the times at which it reached its numbers; so an echo tells when the message was sent
 * that the other is known to have heard, and from that moment on the other cannot find this node
 * lost for T_lost. Gray and Cheriton's leases, counted from the sending of the question: no two
 * clocks are compared.
 *
 *     marks      number 800 at 10.0 s | 806 at 10.1 s | 812 at 10.2 s     what this node has sent
 *     answer     echo 809                              what its sender has heard of this node
 *     lease      from 10.1 s, the last mark before what is echoed, for T_lost
 */
#ifndef CORE_LEASE_H
#define CORE_LEASE_H

#include "core/state/state.h"

/* Notes that the next message has that number now, unless that was noted a moment ago. Called
 * before each heartbeat and each question for leases; what is sent in between counts as sent then.
 */
void lease_mark(struct core *core);

/* Takes the echo in a sign of life of the member at `position`. */
void lease_on_echo(struct core *core, uint32_t position, uint32_t echo);

/* The member answered what was first asked at `asked_ms`, which counts as an echo of that. */
void lease_on_answer(struct core *core, uint32_t position, uint64_t asked_ms);

/* Until when the member at `position` cannot find this node lost; 0: that is not known. Not under
 * strict. */
uint64_t lease_of(const struct core *core, uint32_t position);

/* For how long a lease counts that this node asks for now. */
uint64_t lease_span_ms(const struct core *core);

/* Do so many count at that time as it takes to act: of each list of the view's voters more than
 * half (Z10c), or outside strict as many as it takes with this node's own (D8c, G2a)? */
bool lease_is_enough(const struct core *core, uint64_t at_ms);

/* Do voters lease to this reign, so many that nobody else can win another one at that time? */
bool lease_is_exclusive(const struct core *core, uint64_t at_ms);

/* Until when so many leases count; 0: they do not now. No later than a lease that begins now would
 * last. O(asked). */
uint64_t lease_acts_until(const struct core *core, uint64_t now_ms);

/* Until when `count` leases count outside strict, this node's own, given at its last question or
 * heartbeat, among them, and those of members that follow this node and are not suspected. 0: they
 * do not now. O(asked). */
uint64_t lease_until(const struct core *core, uint32_t count, uint64_t now_ms);

/* Under strict: of the list that lacks most, how many leases count at that time, and how many it
 * takes. */
struct voter_count lease_of_voters(const struct core *core, uint64_t at_ms);

/* How many leases of members count at that time. O(asked). */
uint32_t lease_holders(const struct core *core, uint64_t at_ms);

/* D8f: asks for the leases of `count` others: of the oldest who follow this node and are not
 * suspected, or under strict of voters. Who did not answer the last question is asked again, and
 * another one besides. O(asked). */
void lease_ask(struct core *core, uint32_t count);

/* --- Under guard strict (Z6) --- */

/* Takes the answer of the member at `position` to this coordinator's question, which its voter may
 * have answered, too. */
void lease_on_said(struct core *core, const struct message *pong, uint32_t position);

/* T_hold as far as every voter whose lease counts has been told of it (Z15c). O(voters). */
uint64_t lease_hold_ms(const struct core *core);

/* The durations may be others now than `before`: from now on questions ask for leases of the length
 * of now. */
void lease_on_timing(struct core *core, const struct timing *before);

/* The voter that the view names with that record, or that is about to become one; or NULL. */
const struct listed_voter *lease_voter(const struct core *core, const struct node_id *record);

/* Until when the voter of that record leases to this reign; 0: it does not. */
uint64_t lease_voter_until(const struct core *core, const struct node_id *record);

/* Until when it leased last, to whichever reign of this life; 0: it did not. */
uint64_t lease_voter_last_ms(const struct core *core, const struct node_id *record);

/* Until when those who are members lease so that they suffice, without the others; 0: they do not.
 */
uint64_t lease_members_until(const struct core *core);

/* Takes the lease of a voter that has said one, in answer to what it was asked then, for so long;
 * not that of an older copy (Z14), as far as was noted before. */
void lease_take(struct core *core, const struct lease_said *said, uint64_t asked_ms,
                uint64_t lease_ms);

/* Notes what a voter has said, with a lease or without: to which epoch it is bound, and how often
 * its record was written. */
void lease_note_said(struct core *core, const struct lease_said *said);

/* Notes that this node's own voter leases to it now. */
void lease_grant_own(struct core *core);

void lease_reset(struct core *core);

#endif
