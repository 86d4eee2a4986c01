#include "core/entry/wish.h"

#include "core/agreement/next_view.h"
#include "core/detection/route.h"
#include "core/entry/leave.h"
#include "core/entry/move.h"
#include "core/entry/tag.h"
#include "core/entry/terms.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

/* --- What this node's operator wants --- */

void wish_on_move_command(struct core *core, const struct move *move)
{
    core->wishing.on = true;
    core->wishing.move = *move;
    asking_begin(&core->wishing.asking, core->now_ms, core->timing.leave_ms);
}

void wish_on_tags_command(struct core *core, const struct tags *tags)
{
    core->wishing.on = true;
    tag_on_command(core, tags);
}

void wish_on_terms_command(struct core *core, const struct rules_wish *wish)
{
    core->wishing.on = true;
    terms_on_command(core, wish);
}

static void ask_coordinator(struct core *core)
{
    const struct move *move = &core->wishing.move;

    core->wishing.asking.again_ms = core->now_ms + core->timing.prepare_ms / 3;
    if (core_is_coordinator(core)) {
        (void)move_want(core, move);
        return;
    }
    struct message *message = outbox_message(core, MESSAGE_WISH);
    if (message != NULL) {
        message->wish.kind = WISH_MOVE;
        message->wish.move = *move;
    }
    route_send(core, message, 0);
}

/* Returns whether there is anything left to ask for. */
static bool ask_for_the_move(struct core *core)
{
    struct wishing *wishing = &core->wishing;

    if (move_is_done(core, &wishing->move) || asking_is_over(&wishing->asking, core->now_ms)) {
        wishing->move.kind = MOVE_NONE;
        return false;
    }
    if (asking_is_due(&wishing->asking, core->now_ms)) {
        ask_coordinator(core);
    }
    return true;
}

void wish_tick(struct core *core)
{
    if (!core_is_member(core) || !core->wishing.on) {
        return;
    }
    bool on = ask_for_the_move(core);
    on |= tag_tick(core);
    on |= terms_tick(core);
    core->wishing.on = on;
}

uint64_t wish_deadline_ms(const struct core *core)
{
    const struct wishing *wishing = &core->wishing;

    if (!wishing->on) {
        return leave_deadline_ms(core);
    }
    uint64_t move_ms = wishing->move.kind == MOVE_NONE ? NEVER_MS
                                                       : asking_deadline_ms(&wishing->asking);
    uint64_t due_ms = earlier(tag_deadline_ms(core), terms_deadline_ms(core));
    return earlier(earlier(move_ms, due_ms), leave_deadline_ms(core));
}

void wish_on_view_installed(struct core *core)
{
    core->wishing.on |= tag_look(core);
}

void wish_reset(struct core *core)
{
    core->wishing.move.kind = MOVE_NONE;
    tag_reset(core); /* Tags stay asked for. */
}

/* --- What a member wants of this node --- */

/* Does it count, of a member's operator (E1b)? A move is not overtaken: it names what it is to end
 * in. */
static enum refusal why_not(const struct core *core, const struct wish *wish, bool newer)
{
    if (!newer && wish->kind != WISH_MOVE) {
        return REFUSED_OVERTAKEN;
    }
    if (!core_is_coordinator(core)) {
        return REFUSED_NOT_COORDINATOR;
    }
    return core->life.phase != PHASE_MEMBER ? REFUSED_LEAVING : REFUSED_NOT;
}

static enum refusal carry_out(struct core *core, uint32_t sender, const struct wish *wish)
{
    switch (wish->kind) {
    case WISH_LEAVE:
        break;
    case WISH_MOVE:
        return move_want(core, &wish->move);
    case WISH_TAGS:
        return next_view_want_tags(core, sender, &wish->tags);
    case WISH_TERMS:
        return next_view_want_rules(core, &wish->terms);
    }
    return REFUSED_NOT;
}

void wish_on_wish(struct core *core, const struct message *message, uint32_t sender,
                  enum number number)
{
    const struct wish *wish = &message->wish;

    if (sender == VIEW_NONE) {
        refuse(core, message, REFUSED_OF_STRANGER);
        return;
    }
    if (wish->kind == WISH_LEAVE) { /* Who does not coordinate remembers it (E3b). */
        leave_on_wish(core, sender);
        return;
    }
    enum refusal against = why_not(core, wish, number == NUMBER_NEWER);
    if (against == REFUSED_NOT) {
        against = carry_out(core, sender, wish);
    }
    if (against != REFUSED_NOT) {
        refuse(core, message, against);
    }
}
