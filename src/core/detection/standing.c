#include "core/detection/standing.h"

#include <string.h>

#include "core/detection/follow.h"
#include "core/state/outbox.h"

/* Members really heard within T_fresh, this node included. For a coordinator, those who follow it:
 * whoever is heard but follows another is counted over there. */
static uint32_t fresh_count(const struct core *core, uint64_t now_ms)
{
    uint32_t count = 1; /* This node, which never hears itself. */
    bool leads = core_is_coordinator(core);

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct peer *peer = &core->peers[i];
        bool follows = !leads || id_equal(&peer->signs.view.coordinator, &core->life.self.id);
        count += peer->signs.heard_ms != 0 &&
                 now_ms < peer->signs.heard_ms + core->timing.fresh_ms &&
                 peer->charge.verdict == VERDICT_NONE && follows;
    }
    return count;
}

struct guard_state standing_guard(const struct core *core, uint64_t now_ms)
{
    struct guard_state state = {.guard = core->terms.guard,
                                .needed = guard_needed(&core->terms.guard)};

    if (core_is_member(core)) {
        state.fresh = fresh_count(core, now_ms);
        state.met = core->terms.guard.policy != GUARD_STRICT && /* Nobody leases yet (Z2). */
                    guard_met(&core->terms.guard, state.fresh);
    }
    return state;
}

bool standing_is_awake(const struct core *core)
{
    if (core->detector.late_since_ms == 0 || core->view.member_count == 1) {
        return true;
    }
    uint32_t heard = 1;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct peer_signs *signs = &core->peers[i].signs;
        /* What is heard so long after we woke did not wait in a socket. */
        bool since = signs->heard_ms >= core->detector.late_until_ms &&
                     id_equal(&signs->view.coordinator, &core->view.members[0].id);
        heard += core->now_ms < signs->awake_until_ms || since;
    }
    return core->terms.guard.policy == GUARD_NONE
               ? heard > 1
               : quorum_is_majority(heard, core->view.member_count);
}

/* Does it act, given that its guard is met or not? */
static bool acts_if(const struct core *core, bool guard_met)
{
    return guard_met && core->life.phase == PHASE_MEMBER && core_is_coordinator(core) &&
           !core->merge.yielding && standing_is_awake(core);
}

bool standing_is_acting(const struct core *core, uint64_t now_ms)
{
    bool guarded = core->terms.guard.policy != GUARD_NONE;

    return acts_if(core, true) && (!guarded || standing_guard(core, now_ms).met);
}

bool standing_is_settled(const struct core *core)
{
    /* Whoever has not been heard in all the time a detection takes is silent, not slow. */
    bool waited = core->now_ms >= core->detector.late_until_ms + core->timing.lost_ms;
    if (core->now_ms < core->detector.late_until_ms || (!waited && !standing_is_awake(core))) {
        return false;
    }
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (follow_is_undecided(core, i)) {
            return false;
        }
    }
    return true;
}

/* Guard and acting are told when they change; both follow from who was heard lately. */
static void tell_guard_and_acting(struct core *core)
{
    struct guard_state guard = standing_guard(core, core->now_ms);
    bool acting = acts_if(core, guard.met);

    if (guard.guard.policy != GUARD_NONE && guard.met != core->standing.told_guard_met) {
        core->standing.told_guard_met = guard.met;
        struct notice *notice = outbox_notice_of(core, NOTICE_GUARD, &core->life.self);
        notice->on = guard.met;
        notice->count = guard.fresh;
        notice->needed = guard.needed;
    }
    if (acting != core->standing.told_acting) {
        core->standing.told_acting = acting;
        struct notice *notice = outbox_notice_of(core, NOTICE_ACTING, &core->life.self);
        notice->on = acting;
        notice->count = guard.fresh;
        notice->needed = guard.needed;
    }
}

void standing_tell(struct core *core)
{
    bool guarded = core->terms.guard.policy != GUARD_NONE;

    if (guarded || acts_if(core, true) != core->standing.told_acting) {
        tell_guard_and_acting(core);
    }
    if (view_is_empty(&core->view) && !id_is_none(&core->standing.told_coordinator)) {
        memset(&core->standing.told_coordinator, 0, sizeof core->standing.told_coordinator);
        outbox_notice(core, NOTICE_COORDINATOR);
    }
}

void standing_tell_coordinator(struct core *core)
{
    const struct member *coordinator = view_coordinator(&core->view);

    if (!id_equal(&coordinator->id, &core->standing.told_coordinator)) {
        core->standing.told_coordinator = coordinator->id;
        outbox_notice_of(core, NOTICE_COORDINATOR, coordinator);
    }
}
