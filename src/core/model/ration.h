/* How often something was done in a span of time that begins with the first time after the span
 * before. All zero: it was not done. */
#ifndef CORE_RATION_H
#define CORE_RATION_H

#include <stdint.h>

struct ration {
    uint64_t since_ms;
    uint32_t taken;
};

/* How often in the present span, which is that long. */
static inline uint32_t ration_taken(const struct ration *ration, uint64_t now_ms, uint64_t span_ms)
{
    return now_ms < ration->since_ms + span_ms ? ration->taken : 0;
}

/* Once more; returns how often it was before, in the same span. */
static inline uint32_t ration_take(struct ration *ration, uint64_t now_ms, uint64_t span_ms)
{
    const uint32_t before = ration_taken(ration, now_ms, span_ms);

    if (before == 0) {
        ration->since_ms = now_ms;
    }
    ration->taken = before + 1;
    return before;
}

#endif
