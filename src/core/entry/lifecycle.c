#include "core/entry/lifecycle.h"

#include <assert.h>

#include "base/hash.h"
#include "core/state/announce.h"
#include "core/state/outbox.h"

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
    case PHASE_WITNESS:
        return false;
    }
    return false;
}

void lifecycle_enter(struct core *core, enum phase phase, enum phase_reason reason)
{
    assert(move_is_allowed(core->life.phase, phase));

    core->life.phase = phase;
    struct notice *notice = outbox_notice_of(core, NOTICE_PHASE, &core->life.self);
    notice->phase = phase;
    notice->reason = reason;
}

void lifecycle_draw_id(struct core *core)
{
    const struct node_id id = id_draw(&core->random);

    core->life.self.id = id;
    core->life.salt = hash_bytes(hash_u64(HASH_START, core->secret), id.bytes, sizeof id.bytes);
}

void lifecycle_renew_identity(struct core *core)
{
    lifecycle_draw_id(core);
    core->life.self.incarnation++;
    outbox_start_life(core);
    outbox_store(core);
}

static void start_over(struct core *core, enum phase_reason reason)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct member *member = &core->view.members[i];
        if (!core_is_self(core, i)) {
            outbox_link(core, EFFECT_LINK_CLOSE, member);
            book_remember(&core->book, &member->address);
        }
    }
    outbox_forget_sends(core); /* They speak for the life that ends here. */
    lifecycle_renew_identity(core);
    announce_life_over(core);
    lifecycle_enter(core, PHASE_JOINING, reason);
}

void lifecycle_end_life(struct core *core, enum phase_reason reason)
{
    assert(core_is_member(core));

    if (core->life.phase == PHASE_LEAVING) {
        lifecycle_enter(core, PHASE_STOPPED, REASON_LEAVE_DONE);
    } else {
        start_over(core, reason);
    }
}

void lifecycle_set_tags(struct core *core, const struct tags *tags)
{
    tags_copy(&core->life.tags, tags);
}

void lifecycle_on_view_installed(struct core *core)
{
    lifecycle_set_tags(core, member_tags(&core->view.members[core->position]));
    if (core->life.phase == PHASE_JOINING) {
        lifecycle_enter(core, PHASE_MEMBER,
                        core->view.cause == CAUSE_FOUND ? REASON_FOUNDED : REASON_ADMITTED);
    }
}
