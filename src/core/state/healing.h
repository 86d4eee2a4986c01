/* What the room healing keeps: the search for other parts, and the merge with one. */
#ifndef CORE_STATE_HEALING_H
#define CORE_STATE_HEALING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/asking.h"
#include "core/model/id.h"
#include "core/model/limits.h"
#include "core/model/pause.h"

/* probe: looking for other parts. */
struct probing {
    struct address seed_coordinator; /* whom a seed of ours, in another part, follows */
    struct pause other_terms; /* watchers are not told of another part with other terms before */
    uint32_t round;
    uint64_t due_ms; /* NEVER_MS when this node does not coordinate */
};

/* merge: this part asked another to absorb it, and does not act meanwhile. */
struct merge {
    bool yielding;
    bool acked; /* the merged view was accepted */
    uint64_t number;
    struct node_id to; /* the other part's coordinator */
    struct address address;
    struct asking asking;
    uint32_t failures;    /* tries that came to nothing, one after the other */
    struct pause backoff; /* not again before */
};

/* merge: the numbers of those that asked us, the oldest lost. */
struct merge_log {
    uint64_t numbers[MERGES_KEPT];
    uint32_t count;
};

#endif
