/* What is asked for again and again, until it is so or the time for it is over. */
#ifndef CORE_ASKING_H
#define CORE_ASKING_H

#include <stdbool.h>
#include <stdint.h>

struct asking {
    uint64_t again_ms; /* the next time */
    uint64_t until_ms; /* not any more then */
};

static inline void asking_begin(struct asking *asking, uint64_t from_ms, uint64_t length_ms)
{
    *asking = (struct asking){.again_ms = from_ms, .until_ms = from_ms + length_ms};
}

static inline bool asking_is_due(const struct asking *asking, uint64_t now_ms)
{
    return now_ms >= asking->again_ms;
}

static inline bool asking_is_over(const struct asking *asking, uint64_t now_ms)
{
    return now_ms >= asking->until_ms;
}

/* Whichever comes first. */
static inline uint64_t asking_deadline_ms(const struct asking *asking)
{
    return asking->again_ms < asking->until_ms ? asking->again_ms : asking->until_ms;
}

#endif
