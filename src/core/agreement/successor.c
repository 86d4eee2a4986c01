#include "core/agreement/successor.h"

#include "core/detection/follow.h"
#include "core/detection/hearing.h"
#include "core/detection/route.h"

/* Does the member say that it does not hear this coordinator? Then it would not hear that it is to
 * follow. */
static bool is_deaf(const struct core *core, uint32_t position)
{
    const uint64_t unheard_ms = core->peers[position].signs.unheard_ms;

    return core_is_coordinator(core) && unheard_ms != 0 &&
           core->now_ms < unheard_ms + core->timing.fresh_ms;
}

enum unfit successor_unfit(const struct core *core, uint32_t position)
{
    if (position >= core->view.member_count) {
        return UNFIT_STRANGER;
    }
    const struct peer_charge *charge = &core->peers[position].charge;
    if (core->view.members[position].drained) {
        return UNFIT_DRAINED;
    }
    if (core_is_self(core, position)) {
        return core->life.phase == PHASE_LEAVING ? UNFIT_LEAVING : UNFIT_NOT;
    }
    if (charge->leaves) {
        return UNFIT_LEAVING;
    }
    if (charge->verdict != VERDICT_NONE) {
        return UNFIT_SUSPECTED;
    }
    if (follow_has_moved(core, position)) {
        return UNFIT_MOVED;
    }
    if (follow_is_behind(core, position)) {
        return UNFIT_BEHIND;
    }
    if (!hearing_is_fresh(core, position)) {
        return UNFIT_SILENT;
    }
    return is_deaf(core, position) ? UNFIT_DEAF : UNFIT_NOT;
}

uint32_t successor_next(const struct core *core)
{
    uint32_t late = VIEW_NONE;

    for (uint32_t i = 1; i < core->view.member_count; i++) {
        if (successor_unfit(core, i) != UNFIT_NOT) {
            continue;
        }
        if (!hearing_was_late(core, i)) {
            return i;
        }
        late = late == VIEW_NONE ? i : late;
    }
    return late; /* Better than nobody, where somebody asks for it. */
}

void successor_overtake(const struct core *core, struct view *next)
{
    view_put_behind(next, view_find(next, &core->life.self.id));
    view_put_drained_behind(next);
}

void successor_ask(struct core *core, uint32_t position)
{
    struct message *message = outbox_message(core, MESSAGE_HANDOVER);

    if (message != NULL) {
        message->carrier.view = &core->view;
        message->carrier.stays = true;
    }
    route_send(core, message, position);
}
