/* What goes into the core: a message, a moment, news of a connection, addresses, a command. */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/id.h"
#include "core/model/move.h"
#include "core/model/role.h"

struct message;
struct tags;
struct rules_wish;

enum event_type {
    EVENT_TICK,      /* a deadline passed, or nothing in particular */
    EVENT_MESSAGE,   /* decoded whole, of our cluster, to us or to whoever lives here */
    EVENT_LINK,      /* what a socket or the kernel tells about one member */
    EVENT_ADDRESSES, /* the answer to EFFECT_RESOLVE, or addresses remembered from another life */
    EVENT_LEAVE,     /* the operator wants this node to go in good order */
    EVENT_SYNCED,    /* the answer to EFFECT_SYNC */
    EVENT_MOVE,      /* the operator wants something moved, which the coordinator is to do */
    EVENT_WITHDRAWN, /* the answer to EFFECT_WITHDRAW */
    EVENT_ROLE,      /* what a client of this node wants of a role, or has done */
    EVENT_TAGS,      /* the operator wants this node to have these tags, and no others (E8) */
    EVENT_TERMS,     /* the operator wants the cluster to have these terms (A1) */
};

/* News of the lifeline to one member, one stream connection that this node holds open to it. */
enum link_news {
    LINK_OPENED,   /* connected, and that very life answered HELLO */
    LINK_CLOSED,   /* an open one was closed or reset by the other end; it is being tried again */
    LINK_REFUSED,  /* the host answered that nobody listens there */
    LINK_STRANGER, /* somebody listens there, under another id */
    LINK_FAILED,   /* no answer, or the network says it cannot be reached: says nothing of death */
    LINK_KERNEL,   /* answer to EFFECT_KERNEL_ASK: the host's kernel acknowledged */
};

struct link_event {
    struct node_id peer;
    enum link_news news;
};

enum address_source {
    ADDRESSES_SEEDS,      /* all that the seeds resolve to now; replaces the former answer */
    ADDRESSES_REMEMBERED, /* from the state directory: this node has been a member before */
};

struct addresses_event {
    enum address_source source;
    const struct address *addresses; /* borrowed; this node's own may be among them */
    uint32_t count;
};

struct synced_event {
    uint64_t number; /* of an EFFECT_SYNC: it and all before it */
    bool ok;         /* false: the record could not be written, or nobody knows whether it was */
};

struct event {
    enum event_type type;
    uint64_t now_ms; /* monotonic, never lower than in the event before */
    union {
        const struct message *message;
        struct link_event link;
        struct addresses_event addresses;
        struct synced_event synced;
        struct move move;
        const struct role_command *role; /* borrowed */
        const struct tags *tags;         /* borrowed; sound, as in a JOIN */
        const struct rules_wish *wish;   /* borrowed; its rules are sound */
    };
};

#endif
