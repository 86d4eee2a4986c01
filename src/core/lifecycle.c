#include "core/lifecycle.h"

#include <assert.h>
#include <string.h>

#include "core/book.h"
#include "core/detector.h"
#include "core/join.h"
#include "core/outbox.h"
#include "core/plant.h"

/*                founded, admitted              leave asked
 *    JOINING ------------------------> MEMBER -------------> LEAVING
 *      |  ^                              |                       |
 *      |  +------------------------------+ removed, left alone,  | done, or timed out
 *      | leave asked                       name taken            v
 *      +-----------------------------------------------------> STOPPED
 *
 * A leaver that finds itself removed has reached what it wanted and stops. */
static bool move_is_allowed(enum phase from, enum phase to)
{
    switch (from) {
    case PHASE_JOINING:
        return to == PHASE_MEMBER || to == PHASE_STOPPED;
    case PHASE_MEMBER:
        return to == PHASE_JOINING || to == PHASE_LEAVING;
    case PHASE_LEAVING:
        return to == PHASE_STOPPED;
    case PHASE_STOPPED:
        return false;
    }
    return false;
}

void lifecycle_enter(struct core *core, enum phase phase, enum phase_reason reason)
{
    assert(move_is_allowed(core->phase, phase));

    core->phase = phase;
    struct notice *notice = outbox_notice_of(core, NOTICE_PHASE, &core->self);
    notice->phase = phase;
    notice->reason = reason;
}

/* I1: nothing that names the former life concerns this one. */
static void renew_identity(struct core *core)
{
    if (PLANTED(ID_KEPT)) {
        return;
    }
    core->self.id = id_draw(&core->random);
    core->self.incarnation++;
    core->number = 0;
    core->version_used = 0;
    outbox_store(core);
}

void lifecycle_renew(struct core *core)
{
    assert(core->phase == PHASE_JOINING);

    renew_identity(core);
    view_clear(&core->pending);
    core->asking.said_ready = false;
    core->asking.pause_ms = core->timing.retry_ms_min;
    core->asking.next_ms = core->now_ms;
}

void lifecycle_start_over(struct core *core, enum phase_reason reason)
{
    assert(core_is_member(core));

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct member *member = &core->view.members[i];
        if (!id_equal(&member->id, &core->self.id)) {
            outbox_link(core, EFFECT_LINK_CLOSE, member);
            book_remember(core, &member->address);
        }
    }
    outbox_forget_sends(core); /* They speak for the life that ends here. */
    renew_identity(core);
    view_clear(&core->view);
    view_clear(&core->pending);
    memset(&core->change, 0, sizeof core->change);
    memset(&core->claim, 0, sizeof core->claim);
    memset(&core->merge, 0, sizeof core->merge);
    memset(&core->promise, 0, sizeof core->promise);
    view_clear(&core->best);
    core->joins.count = 0;
    core->bump_epoch = false;
    core->bump_version = false;
    core->heartbeat_ms = NEVER_MS;
    core->detect_ms = NEVER_MS;
    core->batch_ms = NEVER_MS;
    core->probe_ms = NEVER_MS;
    core->verify_ms = NEVER_MS;
    core->backoff_ms = 0;
    core->late_last_ms = 0;
    core->late_until_ms = 0;
    core->late_since_ms = 0;
    memset(core->wake_questions, 0, sizeof core->wake_questions);
    lifecycle_enter(core, PHASE_JOINING, reason);
    join_start(core, true);
}
