/* Counts what the loop still holds of a node: each handle takes the latch when it is initialised
 * and drops it in its close callback. When nothing holds it any more, the memory may go. */
#ifndef RUNTIME_LATCH_H
#define RUNTIME_LATCH_H

#include <assert.h>
#include <stdint.h>

struct latch {
    uint32_t held;
    void (*on_free)(void *context); /* called once, by the last latch_drop */
    void *context;
};

static inline void latch_take(struct latch *latch)
{
    assert(latch->held < UINT32_MAX);
    latch->held++;
}

static inline void latch_drop(struct latch *latch)
{
    assert(latch->held > 0);
    if (--latch->held == 0) {
        latch->on_free(latch->context);
    }
}

#endif
