/* What firewalls do to the ways to others. Tells a stopped process from datagrams that are dropped
 * on the way: when this node finds a member
 * stalled, it says HELLO to it once, by a connection of its own. The process of a member that
 * answers runs; if no datagram of it comes then either, a firewall drops them. For the operator
 * alone: it changes nothing else. */
#ifndef RUNTIME_WAYS_H
#define RUNTIME_WAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sockets/stream.h"

enum {
    WAYS_MAX = 32, /* the one that was asked longest ago is lost */
    WAYS_PATIENCE_MS = 1000,
    BANS_MAX = 32,
    BAN_SAID_MS = 60000, /* a ban that comes and goes is logged once in so long */
};

struct ways;

/* The way to one life. */
struct way {
    struct ways *ways;
    struct node_id life; /* none: a free place */
    struct address address;
    struct stream *stream; /* NULL: no question is under way */
    uint64_t asked_ms;
    bool answered;
    bool without_udp; /* it answered by TCP, and no datagram has come since */
};

/* The kernel forbids this process to send datagrams there (EPERM): a rule of its own firewall. */
struct ban {
    struct address to;
    bool holds; /* nothing could be sent since */
    uint64_t said_ms;
};

/* No datagram of that life comes, though its process answers by TCP. */
typedef void ways_on_found(void *context, const struct node_id *life,
                           const struct address *address);

struct ways {
    struct streams *streams;
    ways_on_found *on_found;
    void *context;
    uint32_t count; /* places that were ever in use; */
    uint32_t held;  /* of them, so many are */
    struct way items[WAYS_MAX];
    uint32_t ban_count; /* of those, so many were ever in use */
    uint32_t bans_held; /* of them hold now */
    struct ban bans[BANS_MAX];
};

/* `ways` is zeroed and stays where it is until the latch is free. */
void ways_open(struct ways *ways, struct streams *streams, ways_on_found *on_found, void *context);

/* Ends the questions under way. */
void ways_close(struct ways *ways);

/* Asks the life by TCP, unless it was asked. Something is found only if after its answer no
 * datagram of it comes for WAYS_PATIENCE_MS, or for three heartbeats if that is longer. */
void ways_ask(struct ways *ways, const struct node_id *life, const struct address *address);

/* A datagram of that life came. */
void ways_heard(struct ways *ways, const struct node_id *life);

/* Does it answer by TCP, and not by UDP? As far as this node looked. */
bool ways_lack_udp(const struct ways *ways, const struct node_id *life);

/* Sending a datagram there was forbidden. Returns whether that is to be logged. More than BANS_MAX
 * are not kept: the first are enough to find the rule. */
bool ways_forbidden(struct ways *ways, const struct address *to, uint64_t now_ms);

/* A datagram was sent there. */
void ways_permitted(struct ways *ways, const struct address *to);

/* Is it forbidden to send there? `to` NULL: anywhere. Returns the ban, or NULL. */
const struct ban *ways_ban(const struct ways *ways, const struct address *to);

#endif
