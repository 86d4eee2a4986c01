#include "core/quorum.h"

#include <assert.h>

uint32_t guard_needed(const struct guard *guard)
{
    switch (guard->policy) {
    case GUARD_NONE:
        return 0;
    case GUARD_COUNT:
        return guard->count;
    }
    assert(!"a guard that is not in the enum");
    return UINT32_MAX;
}

bool guard_met(const struct guard *guard, uint32_t fresh)
{
    return fresh >= guard_needed(guard); /* At least, not more than (H31). */
}

bool guard_equal(const struct guard *a, const struct guard *b)
{
    return a->policy == b->policy && guard_needed(a) == guard_needed(b);
}

bool quorum_is_majority(uint32_t count, uint32_t size)
{
    return 2 * (uint64_t)count > size;
}
