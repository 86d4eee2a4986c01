#include "core/model/quorum.h"

#include <assert.h>

#include "base/text.h"

enum { SPARE_PART = 5 }; /* so much more than are needed is asked for: one fifth */

uint32_t guard_needed(const struct guard *guard)
{
    switch (guard->policy) {
    case GUARD_NONE:
        return 0;
    case GUARD_COUNT:
        return guard->count;
    case GUARD_MAJORITY:
    case GUARD_STRICT:
        return guard->count / 2 + 1;
    }
    assert(!"a guard that is not in the enum");
    return UINT32_MAX;
}

bool guard_met(const struct guard *guard, uint32_t fresh)
{
    return fresh >= guard_needed(guard); /* At least, not more than (H31). */
}

uint32_t guard_size_max(const struct guard *guard)
{
    return guard->policy == GUARD_MAJORITY ? guard->count : UINT32_MAX;
}

bool guard_is_advisory(const struct guard *guard)
{
    switch (guard->policy) {
    case GUARD_NONE:
    case GUARD_COUNT:
    case GUARD_MAJORITY:
        return true;
    case GUARD_STRICT:
        return false;
    }
    assert(!"a guard that is not in the enum");
    return true;
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
    return a->policy == b->policy && (a->policy == GUARD_NONE || a->count == b->count);
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
