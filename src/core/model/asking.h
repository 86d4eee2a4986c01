/* What is asked for again and again, until it is so or the time for it is over. */
#ifndef CORE_ASKING_H
#define CORE_ASKING_H

#include <stdbool.h>
#include <stdint.h>

struct asking {
    uint64_t again_ms; /* the next time */
    uint64_t until_ms; /* not any more then */
    uint8_t chances;   /* how often that was put off, so that what waits in the sockets is read */
};

/* Anew, with all its chances. */
static inline void asking_begin(struct asking *asking, uint64_t from_ms, uint64_t length_ms)
{
    *asking = (struct asking){.again_ms = from_ms, .until_ms = from_ms + length_ms};
}

/* It is not over before that, with all its chances. */
static inline void asking_prolong(struct asking *asking, uint64_t until_ms)
{
    asking->until_ms = until_ms > asking->until_ms ? until_ms : asking->until_ms;
    asking->chances = 0;
}

static inline bool asking_is_due(const struct asking *asking, uint64_t now_ms)
{
    return now_ms >= asking->again_ms;
}

static inline bool asking_is_over(const struct asking *asking, uint64_t now_ms)
{
    return now_ms >= asking->until_ms;
}

/* Is it over for good? The first time the end comes it is put off by `batch_ms`, in which the
 * answers that wait are read; and so it is each time that this node's own loop comes later to the
 * end than that, `chances_max` times in all. */
static inline bool asking_ends(struct asking *asking, uint64_t now_ms, uint64_t batch_ms,
                               uint8_t chances_max)
{
    const bool late = now_ms > asking->until_ms + batch_ms;
    const bool waits = asking->chances == 0 || (late && asking->chances < chances_max);

    if (asking_is_over(asking, now_ms) && waits) {
        asking->chances++;
        asking->until_ms = now_ms + batch_ms;
    }
    return asking_is_over(asking, now_ms);
}

/* D4: this node's loop was late by that, but it did not sleep; for the end that has not come yet.
 */
static inline void asking_on_late(struct asking *asking, uint64_t late_ms)
{
    asking->until_ms += asking->chances == 0 ? late_ms : 0;
}

/* Whichever comes first. */
static inline uint64_t asking_deadline_ms(const struct asking *asking)
{
    return asking->again_ms < asking->until_ms ? asking->again_ms : asking->until_ms;
}

#endif
