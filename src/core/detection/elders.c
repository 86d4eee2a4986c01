#include "core/detection/elders.h"

#include "core/detection/follow.h"
#include "core/detection/hearing.h"

bool elders_coordinator_has_handed_over(const struct core *core)
{
    const struct peer_signs *signs = &core->peers[0].signs;

    return signs->handed_over && signs->view.epoch == core->view.epoch &&
           id_equal(&signs->view.coordinator, &core->view.members[0].id);
}

/* C1: a member that follows another coordinator, or is behind (L5b), will not claim here, and does
 * not answer a claim. Two of the former, each next in line in the view of the other, would wait for
 * each other for ever. */
bool elders_are_passed_over(const struct core *core, uint32_t position)
{
    if (position == 0 && elders_coordinator_has_handed_over(core)) {
        return true;
    }
    return position > 0 && (follow_has_moved(core, position) || follow_is_behind(core, position));
}

uint64_t elders_are_fresh_for_ms(const struct core *core, uint32_t claimant,
                                 const struct node_id *but)
{
    uint64_t wait_ms = 0;

    for (uint32_t i = 0; i < claimant && i < core->view.member_count; i++) {
        if (elders_are_passed_over(core, i) || id_equal(&core->view.members[i].id, but)) {
            continue;
        }
        uint64_t fresh_ms = core_is_self(core, i) ? core->timing.fresh_ms
                                                  : hearing_fresh_for_ms(core, i);
        wait_ms = fresh_ms > wait_ms ? fresh_ms : wait_ms;
    }
    return wait_ms;
}
