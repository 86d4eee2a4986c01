#include "core/model/quorum.h"

#include <assert.h>

#include "base/text.h"
#include "core/model/timing.h"

enum { SPARE_PART = 5 }; /* so much more than are needed is asked for: one fifth */

struct guard_asks guard_asks(const struct guard *guard)
{
    struct guard_asks asks = {.size_max = UINT32_MAX,
                              .count_min = 1,
                              .count_max = UINT32_MAX,
                              .heartbeat_ms_max = RULES_HEARTBEAT_MS_MAX,
                              .advisory = true};

    switch (guard->policy) {
    case GUARD_NONE:
        asks.count_min = 0;
        asks.count_max = 0;
        return asks;
    case GUARD_COUNT:
        asks.needed = guard->count;
        return asks;
    case GUARD_MAJORITY:
        asks.needed = guard->count / 2 + 1;
        asks.size_max = guard->count;
        return asks;
    case GUARD_STRICT:
        asks.count_min = 0; /* In rules it is the target (Z17). */
        asks.count_max = VOTERS_MAX;
        asks.heartbeat_ms_max = LEASE_MS_MAX / 3; /* Z15a: the longest lease is three of them. */
        asks.advisory = false;
        return asks;
    }
    assert(!"a guard that is not in the enum");
    return asks;
}

bool guard_is_strict(const struct guard *guard)
{
    return guard->policy == GUARD_STRICT;
}

bool guard_may_become(const struct guard *from, const struct guard *to)
{
    return guard_is_strict(from) == guard_is_strict(to);
}

bool guard_equal(const struct guard *a, const struct guard *b)
{
    return a->policy == b->policy && a->count == b->count;
}

uint8_t voters_find(const struct voters *voters, const char *name)
{
    for (uint8_t i = 0; i < voters->count; i++) {
        if (text_equal(voters->names[i], name)) {
            return i;
        }
    }
    return VOTER_NONE;
}

bool voters_equal(const struct voters *a, const struct voters *b)
{
    bool equal = a->count == b->count;

    for (uint8_t i = 0; equal && i < a->count; i++) {
        equal = text_equal(a->names[i], b->names[i]);
    }
    return equal;
}

bool quorum_is_majority(uint32_t count, uint32_t size)
{
    return 2 * (uint64_t)count > size;
}

uint32_t quorum_of_others(uint32_t guarded, uint32_t members)
{
    const uint32_t others = guarded == 0 ? 0 : guarded - 1;

    return others == 0 && members > 1 ? 1 : others;
}

uint32_t quorum_with_spares(uint32_t needed)
{
    return needed + (needed + SPARE_PART - 1) / SPARE_PART;
}
