/* What is not done again before a pause is over. All zero: it may be done at once. */
#ifndef CORE_PAUSE_H
#define CORE_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

struct pause {
    uint64_t over_ms;
};

static inline void pause_begin(struct pause *pause, uint64_t now_ms, uint64_t length_ms)
{
    pause->over_ms = now_ms + length_ms;
}

static inline bool pause_is_over(const struct pause *pause, uint64_t now_ms)
{
    return now_ms >= pause->over_ms;
}

/* May it be done now? If so, it is, and the next pause begins. */
static inline bool pause_pass(struct pause *pause, uint64_t now_ms, uint64_t length_ms)
{
    if (!pause_is_over(pause, now_ms)) {
        return false;
    }
    pause_begin(pause, now_ms, length_ms);
    return true;
}

#endif
