#include "election/roster.h"

#include <assert.h>

size_t roster_find(const struct roster *roster, uint64_t age)
{
    size_t low = 0;
    size_t high = roster->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (roster->members[middle].age < age) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < roster->count && roster->members[low].age == age ? low : roster->count;
}

bool roster_has(const struct roster *roster, uint64_t age)
{
    return roster_find(roster, age) < roster->count;
}

bool roster_better(const struct roster *roster, uint64_t a, uint64_t b)
{
    const size_t place_a = roster_find(roster, a);
    const size_t place_b = roster_find(roster, b);

    if (place_a == roster->count || place_b == roster->count) {
        return place_a != roster->count;
    }
    const uint64_t priority_a = roster->members[place_a].priority;
    const uint64_t priority_b = roster->members[place_b].priority;
    if (priority_a != priority_b) {
        return priority_a > priority_b;
    }
    return roster->newest_is_best ? a > b : a < b;
}

uint64_t roster_best(const struct roster *roster)
{
    uint64_t best = NOBODY;

    for (size_t i = 0; i < roster->count; i++) {
        if (roster_better(roster, roster->members[i].age, best)) {
            best = roster->members[i].age;
        }
    }
    return best;
}

bool roster_is_newer(const struct roster *a, const struct roster *b)
{
    return a->epoch != b->epoch ? a->epoch > b->epoch : a->version > b->version;
}

void roster_set_add(struct roster_set *set, size_t place)
{
    assert(place < ROSTER_MAX);
    set->bits[place / 64] |= UINT64_C(1) << place % 64;
}

bool roster_set_has(const struct roster_set *set, size_t place)
{
    return place < ROSTER_MAX && (set->bits[place / 64] >> place % 64 & 1) != 0;
}

size_t roster_set_count(const struct roster_set *set)
{
    size_t count = 0;

    for (size_t place = 0; place < ROSTER_MAX; place++) {
        count += roster_set_has(set, place);
    }
    return count;
}
