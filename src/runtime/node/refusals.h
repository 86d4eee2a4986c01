/* The last refusals of a node, by who sent what was refused: evidence for `doyen why`. A flood from
 * one sender takes the place of its own refusals alone; all who are no members share one place. */
#ifndef RUNTIME_REFUSALS_H
#define RUNTIME_REFUSALS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/effect.h"

enum {
    REFUSALS_PER_PEER = 4, /* of different type or reason; the oldest lost */
    REFUSING_PEERS_MAX = 64,
    REFUSALS_LOGGED_PER_S = 10,
};

struct kept_refusal {
    struct refused_message refused; /* the latest of its type and reason */
    uint64_t count;                 /* of them, one after the other; 0: the place is free */
    uint64_t last_ms;
};

struct peer_refusals {
    struct node_id id; /* none: of strangers, or a free place */
    uint64_t last_ms;
    struct kept_refusal items[REFUSALS_PER_PEER];
};

/* All zero is an empty memory. */
struct refusals {
    struct peer_refusals strangers;
    struct peer_refusals peers[REFUSING_PEERS_MAX]; /* the one without news for longest is lost */

    /* The log. */
    uint64_t second_ms; /* the running second began then */
    uint32_t logged;    /* lines in it */
    uint64_t left_out;  /* since the last line */
};

/* `is_member`: the view holds its sender, or did. */
void refusals_note(struct refusals *refusals, const struct refused_message *refused, bool is_member,
                   uint64_t now_ms);

/* Those of one life, or NULL for none. */
const struct peer_refusals *refusals_of(const struct refusals *refusals, const struct node_id *id);

/* May one more line be logged now? Says in `*left_out` how many were not since the last. */
bool refusals_may_log(struct refusals *refusals, uint64_t now_ms, uint64_t *left_out);

#endif
