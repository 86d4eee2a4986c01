#include "core/entry/terms.h"

#include "core/agreement/next_view.h"
#include "core/detection/route.h"
#include "core/state/outbox.h"

void terms_on_command(struct core *core, const struct rules_wish *wish)
{
    struct bargaining *bargaining = &core->bargaining;

    bargaining->wish = *wish;
    bargaining->on = true;
    asking_begin(&bargaining->asking, core->now_ms, core->timing.leave_ms);
}

static void ask_coordinator(struct core *core)
{
    struct bargaining *bargaining = &core->bargaining;

    bargaining->asking.again_ms = core->now_ms + core->timing.prepare_ms / 3;
    if (core_is_coordinator(core)) {
        if (core->life.phase == PHASE_MEMBER) {
            (void)next_view_want_rules(core, &bargaining->wish);
        }
        return;
    }
    struct message *message = outbox_message(core, MESSAGE_WISH);
    if (message != NULL) {
        message->wish.kind = WISH_TERMS;
        message->wish.terms = bargaining->wish;
    }
    route_send(core, message, 0);
}

/* With another number they were changed, as was wanted here or by somebody else. */
static bool is_done(const struct core *core, const struct rules_wish *wish)
{
    return wish->voters.count > 0 ? core->view.voters.number != wish->voters.number
                                  : core->agreed.number != wish->number;
}

bool terms_tick(struct core *core)
{
    struct bargaining *bargaining = &core->bargaining;

    if (bargaining->on &&
        (asking_is_over(&bargaining->asking, core->now_ms) || is_done(core, &bargaining->wish))) {
        bargaining->on = false;
    }
    if (bargaining->on && core_is_member(core) &&
        asking_is_due(&bargaining->asking, core->now_ms)) {
        ask_coordinator(core);
    }
    return bargaining->on;
}

uint64_t terms_deadline_ms(const struct core *core)
{
    const struct bargaining *bargaining = &core->bargaining;

    if (!bargaining->on) {
        return NEVER_MS;
    }
    return core_is_member(core) ? asking_deadline_ms(&bargaining->asking)
                                : bargaining->asking.until_ms;
}
