/* Every change of the view goes in two phases: proposed to all, acknowledged, committed (U1, U2).
 * One at a time; what arrives meanwhile goes into the next (J5). */
#ifndef CORE_CHANGE_H
#define CORE_CHANGE_H

#include "core/state/state.h"

/* Proposes a view that was begun by next_view_begin. Gives it version and hash; the rest is the
 * caller's. No claim of this node may be under way. */
void change_propose(struct core *core, struct view *next, const struct proposal *proposal);

/* This node founds a cluster: its first view, which nobody else has to agree to (F1). */
void change_found(struct core *core);

/* A proposal as what it is for a voter alone (Z5). Returns whether it is sound, and its maker's. */
bool change_asks_voter(struct core *core, const struct message *message);

/* Returns whether the proposal was accepted: it supersedes whatever this node had under way. */
bool change_on_prepare(struct core *core, const struct message *message);

void change_on_ack(struct core *core, const struct message *message);
/* Z5: too many voters are bound to a higher epoch than that of the view. */
bool change_is_overtaken(const struct core *core);

/* V4j: a member holds that view, which is higher, in the name of this node, and not made by it. The
 * next one of this node will be above it, and is due at once where it coordinates. False: another
 * was outdone a moment ago. */
bool change_outdo(struct core *core, const struct view *forged);

/* What counts under the epoch of the coordinator's view is used up, so it takes another one; once
 * in T_fresh, those for forged views counted in (K4f). */
void change_outgrow(struct core *core);

/* U2g: gives up what was accepted if the heartbeat of the own coordinator shows that nothing came
 * of it. */
void change_compare(struct core *core, const struct message *heartbeat, uint32_t position);

/* U2g: has nothing come of that view, which this node has known for so long? */
bool change_is_in_vain(const struct core *core, const struct message *heartbeat, uint32_t position,
                       const struct view *higher, uint64_t since_ms);

/* A voter's answer, or that of our own, to what we propose (Z5). */
void change_on_vote(struct core *core, const struct message *vote);

/* A voter's word that it holds another view than this coordinator's, or one above it, of the same
 * epoch (Z2l): under the next epoch it gives that up. */
void change_on_disagreement(struct core *core, const struct message *vote);

void change_on_nack(struct core *core, const struct message *message);
void change_on_not_following(struct core *core, const struct message *message);

/* Returns whether what was accepted is installed by it. */
bool change_on_commit(struct core *core, const struct message *message);

/* Ends a proposal of this node in favour of another's, and puts off its next claim. */
void change_drop_own(struct core *core);

/* Gives up the proposal that is out, to build it anew on what holds then: this node slept meanwhile
 * (D4), or whom it removes was heard (U1). */
void change_restart(struct core *core);

/* Forgets the proposal that is out, or that was accepted. */
void change_forget(struct core *core);

/* D4: this node's loop was late, but it did not sleep: what is under way has as much more time. */
void change_on_late(struct core *core, uint64_t late_ms);

/* At the beginning of each step. */
void change_begin_step(struct core *core);

/* When change_tick has something to do for what was proposed or accepted; NEVER_MS: for nothing. */
uint64_t change_deadline_ms(const struct core *core);

/* Continues the proposal that is out; starts the next one when it is due. */
void change_tick(struct core *core);
void change_start_next(struct core *core);

void change_on_view_installed(struct core *core, const struct installed *before);
void change_reset(struct core *core);

#endif
