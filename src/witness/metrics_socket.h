/* Serves the metrics of a witness to Prometheus: GET /metrics over HTTP, one answer for each
 * connection, and nothing else. A process of a megabyte has no room for a library that can do more.
 */
#ifndef WITNESS_METRICS_SOCKET_H
#define WITNESS_METRICS_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <uv.h>

#include "core/model/id.h"
#include "runtime/sockets/chain.h"
#include "runtime/sockets/latch.h"

/* Writes the metrics of the moment. */
typedef void metrics_write(const void *context, FILE *to);

enum {
    METRICS_REQUEST_MAX = 2048, /* bytes up to the empty line */
    METRICS_CONNECTIONS_MAX = 16,
    METRICS_MS_MAX = 5000, /* from connecting to the end of the answer */
};

struct metrics_socket {
    uv_tcp_t server;
    bool open;
    struct latch *latch;
    metrics_write *write;
    const void *context;
    struct chain connections; /* the oldest first, which goes when there is one too many */
    uint32_t connection_count;
};

/* `socket` is zeroed and stays where it is until the latch is free. Returns 0, or libuv's error
 * code; metrics_socket_close is to be called then, too. */
int metrics_socket_open(struct metrics_socket *socket, uv_loop_t *loop, struct latch *latch,
                        const struct address *listen, metrics_write *write, const void *context);
void metrics_socket_close(struct metrics_socket *socket);

#endif
