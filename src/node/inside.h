/* What doyend does with a node of doyen/node.h, and a program of somebody else cannot: it starts it
 * with a configuration and a log of its own, looks inside, and is told the end while the node is
 * still there. */
#ifndef NODE_INSIDE_H
#define NODE_INSIDE_H

#include "doyen/node.h"
#include "runtime/node/node.h"
#include "runtime/options/config.h"
#include "runtime/process/log.h"
#include "seal/keyring.h"
#include "words/whole.h"

struct node_inside {
    const struct config *config; /* borrowed, as the log is, until on_stopped */
    const struct keyring *ring;  /* copied */
    struct log *log;

    /* In a turn of its own, when the node has come to its end by itself: before it closes. */
    void (*on_ending)(void *user, enum node_end end);
};

/* As doyen_node_start. Of the options the callbacks and `user` count, and `control`: whether there
 * is to be a socket. A hand-over does not wait for callbacks. The log says why it fails. */
int node_start_inside(struct doyen_node **out, uv_loop_t *loop,
                      const struct doyen_node_options *options, const struct node_inside *inside);

/* The member behind the handle; NULL: it is closing, or `node` is NULL. */
struct node *node_inside(const struct doyen_node *node);

/* The state of the whole as its control socket tells it. Returns false where there is none. */
bool node_inside_whole(const struct doyen_node *node, struct whole *whole);

#endif
