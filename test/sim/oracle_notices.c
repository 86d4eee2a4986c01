/* What a process tells those who watch it, against what has changed (S16). */
#include "oracle_parts.h"

/* S16: what was told is what changed. */
void oracle_check_notices(struct sim *sim, const struct host *host, const struct effects *effects,
                          uint32_t joined, uint32_t gone)
{
    uint32_t views = 0;
    for (uint32_t i = 0; i < effects->count; i++) {
        const struct effect *effect = &effects->items[i];
        if (effect->type != EFFECT_NOTICE) {
            continue;
        }
        views += effect->notice->type == NOTICE_VIEW;
        joined -= effect->notice->type == NOTICE_JOINED;
        gone -= effect->notice->type == NOTICE_GONE;
    }
    if (views == 0) {
        oracle_fail(sim, host, "S16: a view was installed and nobody was told");
    }
    if (views == 1 && (joined != 0 || gone != 0)) {
        oracle_fail(sim, host, "S16: the notices do not add up to the change of the view");
    }
}
