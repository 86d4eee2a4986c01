/* What this node has bound itself to: the epoch that it granted or accepted, and to whom (C2, U2);
 * the highest epoch that it has seen; and the pause before it asks for one itself (C5).
 *
 *     base, at the beginning of T_stall           base + 2^31          base + 2^32
 *     |--------------------------------------------|--------------------|------->  epoch
 *       taken                                        taken of what is     leaps: dropped, or
 *                                                    proposed or claimed  come near to (V7)
 *
 * Under guard strict the middle one is base + 3/4 of 2^32, for a voter also of a claim or proposal.
 */
#ifndef CORE_PROMISE_H
#define CORE_PROMISE_H

#include "core/state/state.h"

/* That epoch, or the highest towards it that this node may go to now: half of a leap above the base
 * (V7c). */
uint64_t promise_within_reach(const struct core *core, uint64_t epoch);

/* V7c: one whose word counts names an epoch that leaps. What is seen comes as near to it as it may
 * in this T_stall. */
void promise_near_epoch(struct core *core, uint64_t epoch);

/* V7c: one whose word counts shows a view of which a number leaps. All its numbers are come near to
 * in the same way. */
void promise_near_view(struct core *core, const struct view *view);

/* Somebody in this cluster knows of that epoch (V2). */
void promise_saw_epoch(struct core *core, uint64_t epoch);

/* The same, of a proposal that this node accepts. */
void promise_saw_proposal(struct core *core, uint64_t epoch);

/* An epoch above all that this node has seen. */
uint64_t promise_new_epoch(const struct core *core);

/* The epoch to claim next: one that does not leap (V7), whatever was seen. */
uint64_t promise_epoch_to_claim(const struct core *core);

/* The same of voters (V7c): they take one that leaps after a T_stall only. At first they need not
 * have seen what this node saw. What was seen is not forgotten, so that the next one is above it.
 */
uint64_t promise_epoch_to_ask(const struct core *core);

/* Binds this node to `epoch`, asked for by `to`, until then. */
void promise_give(struct core *core, uint64_t epoch, const struct node_id *to, uint64_t until_ms);

/* V7: how high the numbers of a view may be at present; how high those of one that its maker does
 * not show itself, of a member's view; and is that epoch, which is only said, higher? */
struct leap_base promise_numbers_max(const struct core *core);
struct leap_base promise_said_max(const struct core *core);
bool promise_epoch_leaps(const struct core *core, uint64_t epoch);

/* Is any of the view's numbers above those? */
bool promise_is_above(const struct view *view, const struct leap_base *max);

/* Z2j: the same for one who is no member here, and has not proved where it is. */
bool promise_epoch_leaps_for_stranger(const struct core *core, uint64_t epoch);

/* Nothing came of it within its time (C5). */
void promise_forget(struct core *core);

/* No claim of this node before `until_ms`; or for a random time, after one that came to nothing. */
void promise_pause(struct core *core, uint64_t until_ms);
void promise_back_off(struct core *core);

/* When the pause is over, the evidence is judged again. */
void promise_end_pause(struct core *core);
uint64_t promise_deadline_ms(const struct core *core);

void promise_on_view_installed(struct core *core, const struct installed *before);
void promise_reset(struct core *core);

#endif
