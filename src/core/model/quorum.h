/* The guard: may this part of the cluster act? Functions of plain numbers (rules G1 to G3). */
#ifndef CORE_QUORUM_H
#define CORE_QUORUM_H

#include <stdbool.h>
#include <stdint.h>

/* On the wire: append only. */
enum guard_policy {
    GUARD_NONE = 1,
    GUARD_COUNT = 2,    /* at least `count` members heard lately */
    GUARD_MAJORITY = 3, /* more than half of `count`, the stated size of the whole cluster */
};

struct guard {
    enum guard_policy policy;
    uint32_t count; /* for GUARD_COUNT and GUARD_MAJORITY, at least 1 */
};

/* How many fresh members, oneself included, the guard asks for; 0 where it asks for nothing. */
uint32_t guard_needed(const struct guard *guard);

bool guard_met(const struct guard *guard, uint32_t fresh);

/* How many members the cluster may have under this guard: a majority means something only of the
 * size that was stated (G1). UINT32_MAX for no bound. */
uint32_t guard_size_max(const struct guard *guard);

/* Does the guard only narrow the window in which two sides act, without closing it (G3)? */
bool guard_is_advisory(const struct guard *guard);

bool guard_equal(const struct guard *a, const struct guard *b);

/* More than half of `size`? */
bool quorum_is_majority(uint32_t count, uint32_t size);

#endif
