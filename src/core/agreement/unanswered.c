#include "core/agreement/unanswered.h"

enum { UNANSWERED_MAX = 2 }; /* one may be lost */

static void forget(struct core *core)
{
    core->unanswered = (struct unanswered){.count = 0};
}

void unanswered_note(struct core *core)
{
    struct unanswered *unanswered = &core->unanswered;
    const uint64_t pause_ms = UINT64_C(2) * core->timing.flap_ms;

    if (core->now_ms >= unanswered->spell.said_ms + pause_ms) {
        forget(core);
    }
    spell_note(&unanswered->spell, core->now_ms, pause_ms);
    if (unanswered->count < UNANSWERED_MAX) {
        unanswered->count++;
    }
}

bool unanswered_gives_way(const struct core *core)
{
    const struct unanswered *unanswered = &core->unanswered;
    const uint64_t patience_ms = core_is_coordinator(core) || core_is_strict(core)
                                     ? core->timing.stall_ms
                                     : 0;

    return core_is_member(core) && unanswered->count >= UNANSWERED_MAX &&
           spell_lasted(&unanswered->spell, patience_ms);
}

void unanswered_on_view_installed(struct core *core)
{
    forget(core);
}

void unanswered_reset(struct core *core)
{
    forget(core);
}
