/* The proposer's side of a change: what it proposes, to whom it sends that and how often, and until
 * when it waits for answers (U1).
 *
 *     PREPARE at 0, then after T_prepare/25, twice as long each time, up to T_prepare/3
 *             to all who have not answered; with a hand-over to the one who stands down last (E5c)
 */
#ifndef CORE_CHANGE_PROPOSE_H
#define CORE_CHANGE_PROPOSE_H

#include "core/state/state.h"

/* Proposes a view that was begun by next_view_begin. Gives it version and hash; the rest is the
 * caller's. No claim of this node may be under way. */
void change_propose(struct core *core, struct view *next, const struct proposal *proposal);

/* This node founds a cluster: its first view, which nobody else has to agree to (F1). */
void change_found(struct core *core);

/* The coordinator proposes the next view when it is due. */
void change_start_next(struct core *core);

/* Sends it again to those who have not answered. Z5e: to its own voter too, which may have been
 * bound to another since. */
void change_ask_again(struct core *core);

/* V5a; and Z11i: who asks as a stranger is shown what is proposed, too. */
void change_on_pull(struct core *core, const struct message *message);

/* E5c: asks the one who stands down, once all others have answered, or are late. It acts until it
 * is asked, and then only its answer is waited for. Returns whether it was asked now. */
bool change_asks_the_former(struct core *core, bool late);

/* Has the time for answers passed? The first time there is a little more (U1b). */
bool change_is_late(struct core *core);

/* There is as much time for answers again. */
void change_wait_on(struct core *core);

/* The change goes on with the next step. */
void change_wait_a_step(struct core *core);

/* D4: this node's loop was late, but it did not sleep: what is under way has as much more time. */
void change_on_late(struct core *core, uint64_t late_ms);

/* At the beginning of each step. */
void change_begin_step(struct core *core);

#endif
