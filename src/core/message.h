/* What crosses the wire between two nodes, as plain structs. proto/wire.md has the bytes. */
#ifndef CORE_MESSAGE_H
#define CORE_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/quorum.h"
#include "core/timing.h"
#include "core/view.h"

/* On the wire: append only. */
enum message_type {
    MESSAGE_HEARTBEAT = 1,
    MESSAGE_PULL = 2,          /* send me your view (V5) */
    MESSAGE_VIEW = 3,          /* an installed view */
    MESSAGE_PREPARE = 4,       /* a proposed view (U1) */
    MESSAGE_ACK = 5,           /* accepted it */
    MESSAGE_NACK = 6,          /* promised a higher epoch (U2) */
    MESSAGE_NOT_FOLLOWING = 7, /* my coordinator is another one and fresh (V4) */
    MESSAGE_COMMIT = 8,        /* the proposed view holds */
    MESSAGE_CLAIM = 9,         /* let me take over (C1) */
    MESSAGE_GRANT = 10,
    MESSAGE_CLAIM_REFUSED = 11,
    MESSAGE_JOIN = 12,
    MESSAGE_OFFER = 13,
    MESSAGE_READY = 14,
    MESSAGE_JOIN_REFUSED = 15,
    MESSAGE_LEAVE = 16,
    MESSAGE_HANDOVER = 17, /* make the view without me (E2) */
    MESSAGE_PING = 18,
    MESSAGE_PONG = 19,
    MESSAGE_PING_REQUEST = 20, /* ask that suspect for me (R1) */
    MESSAGE_PROBE = 21,        /* are you another part of this cluster? (M1) */
    MESSAGE_HELLO = 22,        /* first message on a stream, and its answer: who is here */
    MESSAGE_TYPE_COUNT,
};

/* A suspicion as a heartbeat tells it: whose age, in the sender's view, and which verdict. */
struct suspicion {
    uint64_t age;
    enum verdict verdict;
};

struct heartbeat {
    struct view_id view;
    uint64_t view_hash;
    bool late;   /* the sender's own loop was late lately: its word counts for little (D4) */
    bool acting; /* the sender is coordinator and may act */
    uint8_t suspect_count;
    struct suspicion suspects[SUSPECTS_MAX];
};

/* Who names a view without carrying it: ACK, NACK, COMMIT, NOT_FOLLOWING. */
struct view_reference {
    struct view_id view;
    uint64_t view_hash;
    uint64_t promised; /* NACK: the epoch the sender is bound to; else 0 */
};

/* VIEW, PREPARE, CLAIM, GRANT, HANDOVER. The view is borrowed; who receives it may have its
 * index table rebuilt, nothing else. */
struct view_carrier {
    struct view *view;          /* GRANT: NULL unless the voter accepted a higher one */
    uint64_t epoch;             /* CLAIM, GRANT: the epoch asked for; else 0 */
    struct node_id handover_by; /* PREPARE of a hand-over: the leaver's id; else none */
};

/* On the wire: append only. */
enum claim_refusal {
    CLAIM_REFUSED_FRESH = 1, /* an older member was heard lately; wait_ms tells when that lapses */
    CLAIM_REFUSED_EPOCH = 2, /* that epoch or a higher one is promised to another */
    CLAIM_REFUSED_BUSY = 3,  /* phase forbids it */
};

struct claim_refused {
    uint64_t epoch; /* the claim's */
    enum claim_refusal reason;
    uint64_t wait_ms;
    uint64_t promised;
};

/* What all nodes of one cluster must share (J2), and what a refusal quotes. */
struct terms {
    struct guard guard;
    enum profile profile;
    uint64_t heartbeat_ms;
    uint64_t lost_ms;
};

/* JOIN and READY: all there is to know of a joiner. */
struct joiner {
    struct member member; /* its age is 0: the coordinator gives it */
    struct terms terms;
    bool may_found; /* F2: two of these must not both found */
    uint64_t nonce; /* READY: the OFFER's; JOIN: 0 */
    uint8_t hops;   /* JOIN: 0 from the joiner, 1 handed on by a member (J1) */
};

/* On the wire: append only. */
enum join_refusal {
    JOIN_REFUSED_TERMS = 1, /* guard, profile or timings differ; `terms` quotes the cluster's */
    JOIN_REFUSED_NAME = 2,  /* the name belongs to a live member at `address` */
    JOIN_REFUSED_FULL = 3,  /* no room; `limit` quotes the capacity */
};

struct join_refused {
    enum join_refusal reason;
    struct terms terms;
    struct address address;
    uint32_t limit;
};

struct offer {
    uint64_t nonce;
};

struct ping {
    uint64_t nonce;
    struct node_id subject; /* whose sign of life it is about */
    struct node_id origin;  /* who wants to know: a helper hands the PONG on to it */
};

/* A part of the cluster, as two coordinators compare them (M2). */
struct probe {
    struct view_id view;
    uint64_t view_hash;
    uint32_t holders; /* members that hold this view, the sender's knowledge */
    uint64_t oldest_age;
    bool guard_met;
    bool answer;                /* do not answer this one */
    bool seed;                  /* the receiver's address is among the sender's seeds (I3) */
    struct address coordinator; /* where to ask about this part */
};

struct message {
    enum message_type type;
    struct node_id from; /* the life that sent it */
    uint64_t number;     /* rises with every message of that life (D6) */

    /* Of one copy: an outgoing message is shared by its receivers, so the effect that sends it
     * says these, and they count in a received message only. */
    struct node_id to;     /* the life it is meant for; none: whoever lives at that address */
    bool fellow;           /* the sender's view holds the receiver: a sign of life (D2) */
    struct address source; /* where it came from; filled in on receipt, not on the wire */

    union {
        struct heartbeat heartbeat;
        struct view_reference reference; /* ACK, NACK, COMMIT, NOT_FOLLOWING */
        struct view_carrier carrier;     /* VIEW, PREPARE, CLAIM, GRANT, HANDOVER */
        struct claim_refused claim_refused;
        struct joiner joiner; /* JOIN, READY */
        struct join_refused join_refused;
        struct offer offer;
        struct ping ping; /* PING, PONG, PING_REQUEST */
        struct probe probe;
    };
};

#endif
