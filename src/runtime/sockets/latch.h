/* Counts the handles that the loop still holds for a node: each handle acquires the latch when it
 * is initialised and releases it in its close callback. When the count is zero, the memory may be
 * freed. */
#ifndef RUNTIME_LATCH_H
#define RUNTIME_LATCH_H

#include <assert.h>
#include <stdint.h>

struct latch {
    uint32_t held;
    void (*on_free)(void *context); /* called once, by the last latch_release */
    void *context;
};

static inline void latch_acquire(struct latch *latch)
{
    assert(latch->held < UINT32_MAX);
    latch->held++;
}

static inline void latch_release(struct latch *latch)
{
    assert(latch->held > 0);
    if (--latch->held == 0) {
        latch->on_free(latch->context);
    }
}

#endif
