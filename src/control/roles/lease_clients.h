/* The clients that were lent the lease page: each has a connection that was HTTP once, on which it
 * is told that the page has changed, and says that it has stopped (include/doyen/lease.h). */
#ifndef CONTROL_LEASE_CLIENTS_H
#define CONTROL_LEASE_CLIENTS_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "runtime/node/node.h"

enum { LEASE_CLIENTS_MAX = 64 };

#define LEASE_PROTOCOL "doyen-lease" /* in the header Upgrade */

struct lease_client;

/* All zero but for `loop` and `node` is a set without clients. */
struct lease_clients {
    uv_loop_t *loop;
    struct node *node;
    struct lease_client *first;
    uint32_t count;
    uint64_t notified; /* the page's change when they were last told */
    bool woken;        /* a connection was ended: the daemons have to be run */
};

/* Returns the response that turns the connection into a client's, for status 101, or NULL when
 * there are too many clients, the node has no page to lend, or memory ran out. */
struct MHD_Response *lease_clients_response(struct lease_clients *clients);

/* Tells all clients when the page says something else than a later end of the same right. */
void lease_clients_notify(struct lease_clients *clients);

/* Ends all connections. The daemons have to be run after it. */
void lease_clients_close(struct lease_clients *clients);

#endif
