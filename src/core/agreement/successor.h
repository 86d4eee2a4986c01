/* Who may take over what a coordinator hands it while all is well (E4).
 *
 *     fit: not drained, not leaving, not suspected, fresh, hears us, follows us, is not behind
 *     the next oldest of these; rather one whose loop was not late (E7c)
 */
#ifndef CORE_SUCCESSOR_H
#define CORE_SUCCESSOR_H

#include "core/state/state.h"

/* What stands against the member at `position`, in this node's eyes; UNFIT_NOT: nothing. */
enum unfit successor_unfit(const struct core *core, uint32_t position);

/* The oldest member after the coordinator that is fit, of those who were not late lately if there
 * are any (E7c); or VIEW_NONE. */
uint32_t successor_next(const struct core *core);

/* Is a hand-over to one who was found fit under way? This node then proposes nothing itself. */
static inline bool successor_is_awaited(const struct core *core)
{
    return core->moving.step > STAND_DOWN_SOON;
}

/* Everybody older than this node in `next`, and who hands over among them, becomes younger than all
 * others. */
void successor_overtake(const struct core *core, struct view *next);

/* Starts handing over to the member at `position`, by HANDOVER. */
void successor_ask(struct core *core, uint32_t position);

#endif
