#include "core/agreement/behind.h"

#include "core/model/quorum.h"

void behind_note(struct core *core, uint32_t position)
{
    struct behind *behind = &core->behind;
    const uint64_t pause_ms = 2 * core->timing.fresh_ms;
    const bool anew = !spell_is_on(&behind->higher) ||
                      core->now_ms > behind->higher.said_ms + pause_ms;

    if (anew && position != 0) {
        behind->higher.since_ms = 0;
        return; /* The word of others only bears out the coordinator's. */
    }
    spell_note(&behind->higher, core->now_ms, pause_ms);
    behind->elsewhere = !anew && (behind->elsewhere || position == VIEW_NONE);
}

void behind_forget(struct core *core)
{
    core->behind.higher.since_ms = 0;
    core->behind.elsewhere = false;
}

void behind_note_stranger(struct core *core, const struct message *heartbeat)
{
    const struct view_id *theirs = &heartbeat->heartbeat.view;
    const struct view_id ours = view_id_of(&core->view);

    if (theirs->lineage == ours.lineage && view_id_compare(theirs, &ours) > 0) {
        behind_note(core, VIEW_NONE);
    }
}

bool behind_is_on(const struct core *core)
{
    return core_is_member(core) && spell_lasted(&core->behind.higher, core->timing.fresh_ms);
}

/* C1d: are those whom it does not suspect, and who hold no higher view, more than half of its view?
 */
static bool followers_are_majority(const struct core *core)
{
    const struct view_id ours = view_id_of(&core->view);
    uint32_t count = 0;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct peer *peer = &core->peers[i];
        count += core_is_self(core, i) || (peer->charge.verdict == VERDICT_NONE &&
                                           view_id_compare(&peer->signs.view, &ours) <= 0);
    }
    return quorum_is_majority(count, core->view.member_count);
}

bool behind_may_lead(const struct core *core)
{
    const struct behind *behind = &core->behind;

    if (!spell_is_on(&behind->higher)) {
        return true;
    }
    if (!behind_is_on(core)) { /* Whoever holds that view says so again, or nobody holds it. */
        return core->now_ms >= behind->higher.said_ms + core->timing.fresh_ms;
    }
    return !behind->elsewhere && followers_are_majority(core);
}

bool behind_was_left(const struct core *core)
{
    return behind_is_on(core) && !core_is_coordinator(core) &&
           core->now_ms >= core->behind.higher.since_ms + core->timing.stall_ms * 3 / 2;
}
