/* The datagram socket sends and receives what fits DATAGRAM_BYTES_MAX, and longer probes of what
 * passes (runtime/node/measure.h). A datagram that the socket does not accept at once is lost, like
 * any datagram: the protocol repeats what matters.
 *
 * Beats can have a socket of their own that wakes nobody (decision 34). While very many of them
 * come it is read as they come all the same. */
#ifndef RUNTIME_UDP_H
#define RUNTIME_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <uv.h>

#include "core/model/id.h"
#include "core/model/limits.h"
#include "runtime/frames/traffic.h"
#include "runtime/sockets/beat_socket.h"
#include "runtime/sockets/latch.h"

/* One datagram, complete, borrowed for the call. It came at `arrived_ms`, of clock.h, or, if that
 * is UDP_JUST_NOW, as it is read. */
#define UDP_JUST_NOW UINT64_MAX
typedef void udp_on_datagram(void *context, const uint8_t *bytes, size_t length,
                             const struct address *source, uint64_t arrived_ms);

/* There is something to read, by which the loop was woken: now is the time to read the beats. */
typedef void udp_on_turn(void *context);

enum {
    UDP_BYTES_MAX = 1472,    /* of a packet of 1500 bytes */
    UDP_BATCH = 16,          /* datagrams received by one system call */
    UDP_BEATS_MANY = 64,     /* read at once: several times what neighbours send meanwhile */
    UDP_BEATS_AT_ONCE = 128, /* at most */
    UDP_BEATS_EAGER_MS =
        5000 /* after so many, or one that was dropped, they are read as they come */
};

struct udp {
    uv_poll_t poll;
    bool open;
    bool receiving; /* the datagrams below are being handed on */
    int fd;
    int family;
    struct latch *latch;
    struct node_traffic *traffic;
    udp_on_datagram *on_datagram;
    udp_on_turn *on_turn;
    void *context;

    /* Of the beats. */
    uv_poll_t beats_poll;
    int beats_fd;
    bool has_beats;   /* the two above are open */
    bool tried_beats; /* to open them, at least */
    bool polls_beats;
    bool lazy;               /* they are to be read when somebody asks */
    uint64_t eager_until_ms; /* but not before this time */
    uint32_t dropped;        /* as the kernel said last */

    struct mmsghdr messages[UDP_BATCH]; /* they point to what follows */
    struct iovec parts[UDP_BATCH];
    struct sockaddr_storage sources[UDP_BATCH];
    _Alignas(struct cmsghdr) uint8_t control[UDP_BATCH][BEAT_SOCKET_CONTROL_BYTES];
    uint8_t inbox[UDP_BATCH][UDP_BYTES_MAX];
};

/* Binds to `listen`; udp_start begins to receive. The wildcard of IPv6 accepts IPv4 as well. `udp`
 * is zeroed and stays where it is until the latch is free. Returns 0, or libuv's error code;
 * udp_close must be called even then. */
int udp_open(struct udp *udp, uv_loop_t *loop, struct latch *latch, struct node_traffic *traffic,
             const struct address *listen);

/* Begins to receive datagrams. Returns 0, or libuv's error code. */
int udp_start(struct udp *udp, udp_on_datagram *on_datagram, udp_on_turn *on_turn, void *context);

/* From now on beats wait until udp_read_beats, if the system has what that takes; or no more. */
void udp_set_lazy(struct udp *udp, bool lazy);

/* Hands on the beats that have come, in the order in which they did; none from inside
 * `on_datagram`.
 */
void udp_read_beats(struct udp *udp);

/* Must not be called from inside `on_datagram`. */
void udp_close(struct udp *udp);

/* Sends the datagram now, or counts it as failed. Returns 0, or libuv's error code. */
int udp_send(struct udp *udp, const struct address *to, const uint8_t *bytes, size_t length);

#endif
