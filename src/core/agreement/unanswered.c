#include "core/agreement/unanswered.h"

enum { UNANSWERED_MAX = 2 }; /* one may be lost */

static void forget(struct core *core)
{
    core->unanswered.count = 0;
}

void unanswered_note(struct core *core)
{
    struct unanswered *unanswered = &core->unanswered;

    if (core->now_ms >= unanswered->last_ms + UINT64_C(2) * core->timing.flap_ms) {
        forget(core);
    }
    if (unanswered->count == 0) {
        unanswered->since_ms = core->now_ms;
    }
    unanswered->last_ms = core->now_ms;
    if (unanswered->count < UNANSWERED_MAX) {
        unanswered->count++;
    }
}

bool unanswered_gives_way(const struct core *core)
{
    const struct unanswered *unanswered = &core->unanswered;
    const uint64_t patience_ms = core_is_coordinator(core) ? core->timing.stall_ms : 0;

    return core_is_member(core) && unanswered->count >= UNANSWERED_MAX &&
           unanswered->last_ms >= unanswered->since_ms + patience_ms;
}

void unanswered_on_view_installed(struct core *core)
{
    forget(core);
}

void unanswered_reset(struct core *core)
{
    forget(core);
}
