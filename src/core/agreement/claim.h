/* Take-over: the oldest of those who are left asks the others, and follows only if none of them
 * still hears anybody older (C1 to C5). */
#ifndef CORE_CLAIM_H
#define CORE_CLAIM_H

#include "core/state/state.h"

/* C1: would this node take over now? A leaver does not, though it is its turn (E3). */
bool claim_is_ours(const struct core *core);

/* The same of one that has begun to ask: it does not matter any more who else hears those older. */
bool claim_goes_on(const struct core *core);

/* The evidence has changed: a candidate starts to claim, or ends its claim if one of the older ones
 * was heard again. */
void claim_on_evidence(struct core *core);

void claim_on_claim(struct core *core, const struct message *message);
void claim_on_grant(struct core *core, const struct message *message);
void claim_on_refused(struct core *core, const struct message *message);

/* C4: a view above ours was accepted, or refused. A joiner may have been told that it is in by that
 * view, so this node's next claim builds on the highest of them (H14). It is kept until a view is
 * installed, whatever becomes of a claim, or nothing has come of it (U2e). The view, of the
 * message, must be sound. */
void claim_consider(struct core *core, const struct message *message);

/* U2e: forgets such a view if a member's heartbeat still names a lower one. */
void claim_compare(struct core *core, const struct message *heartbeat, uint32_t position);

/* Ends a claim of this node: it slept meanwhile (D4), or accepted a proposal (U2). */
void claim_drop(struct core *core);

/* D4: this node's loop was late, but it did not sleep: what is under way has as much more time. */
void claim_on_late(struct core *core, uint64_t late_ms);

/* Voter: answers a claim that it held back (C5), forgets a promise. Candidate: asks again, decides.
 */
void claim_tick(struct core *core);

/* When claim_tick has something to do next. */
uint64_t claim_deadline_ms(const struct core *core);

/* Called before promise_on_view_installed. */
void claim_on_view_installed(struct core *core);
void claim_reset(struct core *core);

#endif
