/* Changing the keys of a running node: what the file says is taken up only when nobody is left
 * behind by it, so that a cluster goes from one key to another without losing a member. */
#ifndef RUNTIME_ROTATION_H
#define RUNTIME_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "runtime/options/value.h"
#include "seal/seal.h"

enum rotation_kind {
    ROTATION_RELOAD, /* take up the file as it is */
    ROTATION_USE,    /* make a key of the file the first, that seals */
    ROTATION_REMOVE, /* take a key out of the file */
};

/* What is wanted, and of which key. */
struct rotation {
    enum rotation_kind kind;
    uint16_t fingerprint; /* USE, REMOVE */
    uint64_t since_ms;    /* who is gone, but was heard since then, counts as if it were there */
};

/* What is known of one key of the ring. */
struct key_state {
    uint16_t fingerprint;
    bool seals;        /* this node seals with it */
    uint32_t held;     /* members, this node among them, that hold it as far as they said */
    uint32_t members;  /* of the view */
    uint64_t used_ms;  /* when a frame of another life under it was opened last; 0: never */
    struct node_id by; /* whose that was */
};

struct key_state rotation_state(const struct seal *seal, const struct core *core, uint32_t index);

/* Reads the file, changes the keys as wanted, and, if nobody is left behind, writes the file where
 * that differs and gives the seal its new ring. Returns false with the complaint set and nothing
 * changed. */
bool rotation_apply(struct seal *seal, const struct core *core, const char *path,
                    const struct rotation *rotation, struct complaint *complaint);

#endif
