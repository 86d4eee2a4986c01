/* The datagram socket: what fits DATAGRAM_BYTES_MAX goes out and comes in here. What the socket
 * does not take at once is lost, like any datagram: the protocol repeats what matters. */
#ifndef RUNTIME_UDP_H
#define RUNTIME_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "core/id.h"
#include "core/limits.h"
#include "runtime/latch.h"
#include "runtime/node.h"

/* One datagram, complete, borrowed for the call. */
typedef void udp_on_datagram(void *context, const uint8_t *bytes, size_t length,
                             const struct address *source);

struct udp {
    uv_udp_t handle;
    bool open;
    int family;
    struct latch *latch;
    struct node_traffic *traffic;
    udp_on_datagram *on_datagram;
    void *context;
    uint8_t inbox[DATAGRAM_BYTES_MAX];
};

/* Binds to `listen`; udp_start begins to receive. The wildcard of IPv6 takes IPv4 as well. `udp` is
 * zeroed, and stays where it is until the latch is free. Returns 0, or libuv's error code; then
 * too, udp_close is to be called. */
int udp_open(struct udp *udp, uv_loop_t *loop, struct latch *latch, struct node_traffic *traffic,
             const struct address *listen);

/* Datagrams are handed over from now on. Returns 0, or libuv's error code. */
int udp_start(struct udp *udp, udp_on_datagram *on_datagram, void *context);

/* Never from inside `on_datagram`: libuv 1.44 goes on to use a handle that its receive callback
 * has closed. */
void udp_close(struct udp *udp);

/* Sends it now, or counts it as failed. */
void udp_send(struct udp *udp, const struct address *to, const uint8_t *bytes, size_t length);

#endif
