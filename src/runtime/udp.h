/* The datagram socket sends and receives what fits DATAGRAM_BYTES_MAX. A datagram that the socket
 * does not accept at once is lost, like any datagram: the protocol repeats what matters. */
#ifndef RUNTIME_UDP_H
#define RUNTIME_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "core/model/id.h"
#include "core/model/limits.h"
#include "runtime/latch.h"
#include "runtime/traffic.h"

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

/* Binds to `listen`; udp_start begins to receive. The wildcard of IPv6 accepts IPv4 as well. `udp`
 * is zeroed and stays where it is until the latch is free. Returns 0, or libuv's error code;
 * udp_close must be called even then. */
int udp_open(struct udp *udp, uv_loop_t *loop, struct latch *latch, struct node_traffic *traffic,
             const struct address *listen);

/* Begins to receive datagrams. Returns 0, or libuv's error code. */
int udp_start(struct udp *udp, udp_on_datagram *on_datagram, void *context);

/* Must not be called from inside `on_datagram`: libuv 1.44 goes on to use a handle that its receive
 * callback has closed. */
void udp_close(struct udp *udp);

/* Sends the datagram now, or counts it as failed. Returns 0, or libuv's error code. */
int udp_send(struct udp *udp, const struct address *to, const uint8_t *bytes, size_t length);

#endif
