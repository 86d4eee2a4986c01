/* The datagram socket sends and receives what fits DATAGRAM_BYTES_MAX. A datagram that the socket
 * does not accept at once is lost, like any datagram: the protocol repeats what matters. */
#ifndef RUNTIME_UDP_H
#define RUNTIME_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <uv.h>

#include "core/model/id.h"
#include "core/model/limits.h"
#include "runtime/latch.h"
#include "runtime/traffic.h"

/* One datagram, complete, borrowed for the call. */
typedef void udp_on_datagram(void *context, const uint8_t *bytes, size_t length,
                             const struct address *source);

enum { UDP_BATCH = 16 }; /* datagrams received by one system call */

struct udp {
    uv_poll_t poll;
    bool open;
    int fd;
    int family;
    struct latch *latch;
    struct node_traffic *traffic;
    udp_on_datagram *on_datagram;
    void *context;
    struct mmsghdr messages[UDP_BATCH]; /* they point to what follows */
    struct iovec parts[UDP_BATCH];
    struct sockaddr_storage sources[UDP_BATCH];
    uint8_t inbox[UDP_BATCH][DATAGRAM_BYTES_MAX];
};

/* Binds to `listen`; udp_start begins to receive. The wildcard of IPv6 accepts IPv4 as well. `udp`
 * is zeroed and stays where it is until the latch is free. Returns 0, or libuv's error code;
 * udp_close must be called even then. */
int udp_open(struct udp *udp, uv_loop_t *loop, struct latch *latch, struct node_traffic *traffic,
             const struct address *listen);

/* Begins to receive datagrams. Returns 0, or libuv's error code. */
int udp_start(struct udp *udp, udp_on_datagram *on_datagram, void *context);

/* Must not be called from inside `on_datagram`. */
void udp_close(struct udp *udp);

/* Sends the datagram now, or counts it as failed. Returns 0, or libuv's error code. */
int udp_send(struct udp *udp, const struct address *to, const uint8_t *bytes, size_t length);

#endif
