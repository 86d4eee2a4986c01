#include "core/entry/tag.h"

#include "core/agreement/next_view.h"
#include "core/detection/route.h"
#include "core/entry/lifecycle.h"
#include "core/state/outbox.h"

static bool view_has_them(const struct core *core)
{
    return tags_equal(member_tags(&core->view.members[core->position]), &core->tagging.tags);
}

static void ask_from(struct core *core, uint64_t from_ms)
{
    struct tagging *tagging = &core->tagging;

    tagging->on = true;
    tagging->told = false;
    asking_begin(&tagging->asking, from_ms, core->timing.leave_ms + TAGS_PAUSE_MS);
}

void tag_start(struct core *core)
{
    core->tagging.on = false; /* Behind CORE_CLEARED. */
    core->tagging.pause.over_ms = 0;
    tags_copy(&core->tagging.tags, &core->life.tags);
}

void tag_on_command(struct core *core, const struct tags *tags)
{
    struct tagging *tagging = &core->tagging;

    tags_copy(&tagging->tags, tags);
    ask_from(core, core->now_ms);
    if (!core_is_member(core)) {
        lifecycle_set_tags(core, tags);
    }
}

static void ask_coordinator(struct core *core)
{
    struct tagging *tagging = &core->tagging;

    tagging->told = true;
    tagging->asking.again_ms = core->now_ms + core->timing.prepare_ms / 3;
    if (core_is_coordinator(core)) {
        if (core->life.phase == PHASE_MEMBER) {
            (void)next_view_want_tags(core, 0, &tagging->tags);
        }
        return;
    }
    struct message *message = outbox_message(core, MESSAGE_WISH);
    if (message != NULL) {
        message->wish.kind = WISH_TAGS;
        tags_copy(&message->wish.tags, &tagging->tags);
    }
    route_send(core, message, 0);
}

/* E8c: others were asked for in its name, or those that it wants in vain. */
bool tag_look(struct core *core)
{
    struct tagging *tagging = &core->tagging;

    if (core_is_member(core) && !tagging->on && !view_has_them(core)) {
        ask_from(core, larger(tagging->pause.over_ms, core->now_ms));
    }
    return tagging->on;
}

/* Asks at least once, and goes on watching when the view has them: an earlier wish may still be on
 * its way. */
bool tag_tick(struct core *core)
{
    struct tagging *tagging = &core->tagging;

    if (tagging->on && asking_is_over(&tagging->asking, core->now_ms)) {
        tagging->on = false;
        pause_begin(&tagging->pause, core->now_ms, core->timing.stall_ms);
        tag_look(core);
    }
    if (tagging->on && asking_is_due(&tagging->asking, core->now_ms) &&
        (!tagging->told || !view_has_them(core))) {
        ask_coordinator(core);
    }
    return tagging->on;
}

uint64_t tag_deadline_ms(const struct core *core)
{
    const struct tagging *tagging = &core->tagging;

    if (!tagging->on) {
        return NEVER_MS;
    }
    return tagging->told && view_has_them(core) ? tagging->asking.until_ms
                                                : asking_deadline_ms(&tagging->asking);
}

void tag_reset(struct core *core)
{
    core->tagging.on = false;
    lifecycle_set_tags(core, &core->tagging.tags);
}
