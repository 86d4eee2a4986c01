/* A second datagram socket at the address of a first one, to which the kernel gives the beats and
 * nothing else (decision 34). It is for who does not want to be woken by them. */
#ifndef RUNTIME_BEAT_SOCKET_H
#define RUNTIME_BEAT_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { BEAT_SOCKET_CONTROL_BYTES = 128 }; /* room for what the kernel says beside a datagram */

/* Opens one beside the bound socket `first`, which from then on gets no beats but those of who says
 * that its loop was late. Returns its descriptor, or -1 where the system has no such thing: then
 * all is as it was. */
int beat_socket_open(int first);

/* What the kernel says beside a datagram that came there. */
struct beat_socket_note {
    uint64_t stamp_ns; /* when it came, by the wall clock */
    uint32_t dropped;  /* since the socket was opened, for want of room */
    bool has_stamp;
    bool has_dropped;
};

struct beat_socket_note beat_socket_note(struct msghdr *header);

#endif
