/* A set of partitions. */
#ifndef PARTITION_SET_H
#define PARTITION_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "partition/place.h"

enum { PARTITION_SET_WORDS = PARTITIONS_MAX / 64 };

struct partition_set {
    uint64_t words[PARTITION_SET_WORDS];
};

static inline bool set_has(const struct partition_set *set, uint32_t partition)
{
    return (set->words[partition / 64] >> partition % 64 & 1) != 0;
}

static inline void set_add(struct partition_set *set, uint32_t partition)
{
    set->words[partition / 64] |= UINT64_C(1) << partition % 64;
}

static inline void set_remove(struct partition_set *set, uint32_t partition)
{
    set->words[partition / 64] &= ~(UINT64_C(1) << partition % 64);
}

static inline bool set_is_empty(const struct partition_set *set)
{
    uint64_t any = 0;

    for (uint32_t i = 0; i < PARTITION_SET_WORDS; i++) {
        any |= set->words[i];
    }
    return any == 0;
}

static inline bool set_equal(const struct partition_set *a, const struct partition_set *b)
{
    uint64_t differs = 0;

    for (uint32_t i = 0; i < PARTITION_SET_WORDS; i++) {
        differs |= a->words[i] ^ b->words[i];
    }
    return differs == 0;
}

static inline uint32_t set_count(const struct partition_set *set)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < PARTITION_SET_WORDS; i++) {
        for (uint64_t left = set->words[i]; left != 0; left &= left - 1) {
            count++;
        }
    }
    return count;
}

#endif
