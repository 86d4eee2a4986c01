/* The guard: may this part of the cluster act? Functions of plain numbers (rules G1 to G3). */
#ifndef CORE_QUORUM_H
#define CORE_QUORUM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/limits.h"

/* On the wire: append only. */
enum guard_policy {
    GUARD_NONE = 1,
    GUARD_COUNT = 2,    /* at least `count` members heard lately */
    GUARD_MAJORITY = 3, /* more than half of `count`, the stated size of the whole cluster */
    GUARD_STRICT = 4,   /* more than half of the voters have leased to one coordinator (Z2) */
};

struct guard {
    enum guard_policy policy;
    /* 0 of GUARD_NONE; else 1 or more. Of GUARD_STRICT as many as a node is started to found with,
     * but in terms and rules the target of voters, or 0 (Z17). */
    uint32_t count;
};

/* The names of the voters, in the order in which they were given: the first of them founds (Z8).
 * None but under GUARD_STRICT. */
struct voters {
    uint8_t count;
    char names[VOTERS_MAX][NAME_BYTES_MAX + 1];
};

#define VOTER_NONE UINT8_MAX

/* Position of the name among the voters, or VOTER_NONE. */
uint8_t voters_find(const struct voters *voters, const char *name);

/* The same names in the same order? */
bool voters_equal(const struct voters *a, const struct voters *b);

/* What a guard asks for, as numbers. */
struct guard_asks {
    uint32_t needed; /* at least so many fresh members, oneself included (H31); 0: none, as of
                        GUARD_STRICT, which asks voters */
    /* Members the cluster may have: a majority means something only of the size that was stated
     * (G1). UINT32_MAX for no bound. */
    uint32_t size_max;
    uint32_t count_min;
    uint32_t count_max; /* of the guard itself; the capacity may leave less */
    uint64_t heartbeat_ms_max;
    bool advisory; /* it only narrows the window in which two sides act, without closing it (G3) */
};

struct guard_asks guard_asks(const struct guard *guard);

bool guard_is_strict(const struct guard *guard);

/* A4a: may a cluster under the one come to the other while it runs? From and to strict never. */
bool guard_may_become(const struct guard *from, const struct guard *to);

bool guard_equal(const struct guard *a, const struct guard *b);

/* More than half of `size`? */
bool quorum_is_majority(uint32_t count, uint32_t size);

/* How many others it takes beside oneself: as many as a guard asks for, and of several members one
 * at least, or one that nobody hears would act for ever. */
uint32_t quorum_of_others(uint32_t guarded, uint32_t members);

/* So many are asked where so many are needed: a fifth more, rounded up. */
uint32_t quorum_with_spares(uint32_t needed);

#endif
