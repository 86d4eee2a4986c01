/* The candidates of the program itself (doyen_node_campaign), and what each is to be told: the
 * steps of the core note it here, and candidates_tell tells it outside of them. */
#ifndef NODE_CANDIDATES_H
#define NODE_CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>

#include "client/allocator.h"
#include "doyen/node.h"
#include "runtime/node/node.h"

struct doyen_candidate {
    struct role_client client;
    struct doyen_candidate *next;
    void (*on_role)(void *user, const struct doyen_role_event *event);
    void *user;
    uint64_t told_number;
    uint64_t told_token; /* of the grant that it was told of; 0: of none, or of its loss, too */
    bool lost;           /* since */
    bool ended;          /* it stands for nothing any more */
    bool gone;           /* out of the node; to be freed */
    enum role_end why;   /* it lost, or ended */
};

struct candidates {
    struct doyen_candidate *first;
};

/* One that stands for what `body` says, as for POST /v1/campaign. NULL, with `why` filled in and
 * `*code`: DOYEN_E_USAGE or DOYEN_E_MEMORY. */
struct doyen_candidate *candidates_add(struct candidates *candidates, struct node *node,
                                       const struct allocator *memory, const char *body, int *code,
                                       char why[DOYEN_NODE_WHY]);

/* It stands no more, is told nothing any more, and is freed by candidates_sweep. Harmless when
 * repeated before that. */
void candidate_remove(struct doyen_candidate *candidate, struct node *node);
void candidates_remove_all(struct candidates *candidates, struct node *node);

/* Tells what there is to tell. The callbacks may add and remove candidates, and close the node:
 * `*closing` ends the telling. */
void candidates_tell(struct candidates *candidates, struct node *node, const bool *closing);

void candidates_sweep(struct candidates *candidates, const struct allocator *memory);

#endif
