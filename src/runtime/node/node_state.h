/* The inside of a node, for node_open.c, which builds and closes it, node.c, which runs it,
 * node_owner.c, which has what its owner wants and asks, and node_user.c, which has the messages
 * between programs, node_roles.c, node_election.c, node_partitions.c and node_faults.c. No other
 * file includes this. */
#ifndef RUNTIME_NODE_STATE_H
#define RUNTIME_NODE_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "runtime/disk/recorder.h"
#include "runtime/disk/recording_ring.h"
#include "runtime/disk/store.h"
#include "runtime/disk/voter_store.h"
#include "runtime/frames/frame_reader.h"
#include "runtime/frames/outgoing.h"
#include "runtime/frames/traffic.h"
#include "runtime/leases/lease_page.h"
#include "runtime/leases/role_clients.h"
#include "runtime/node/node_end.h"
#include "runtime/node/refusals.h"
#include "runtime/sealing/admission.h"
#include "runtime/sealing/gate.h"
#include "runtime/services/elector.h"
#include "runtime/services/inquiry.h"
#include "runtime/services/partitioner.h"
#include "runtime/services/user_post.h"
#include "runtime/sockets/faults.h"
#include "runtime/sockets/latch.h"
#include "runtime/sockets/link.h"
#include "runtime/sockets/listener.h"
#include "runtime/sockets/own_address.h"
#include "runtime/sockets/resolver.h"
#include "runtime/sockets/seed_check.h"
#include "runtime/sockets/stream.h"
#include "runtime/sockets/stream_pool.h"
#include "runtime/sockets/udp.h"
#include "runtime/sockets/ways.h"

enum {
    VERSION_NOT_SAID = UINT8_MAX, /* no view was installed yet */
    ASKED_MAX = 3,                /* a move, tags and terms: each once */
};

/* What every turn of the loop has use for comes first: a node at rest finds its memory cold. */
struct node {
    uv_loop_t *loop;
    const struct config *config;
    struct wire *wire;
    struct core *core;
    struct journal *journal;
    struct recorder *recorder;   /* NULL: nothing is recorded to a file */
    struct recording_ring *ring; /* NULL: nor in memory, of which there was too little */
    bool started;
    bool stepping;
    bool catching_up;      /* node_catch_up is at work */
    uint64_t stepped_ms;   /* the time that the core was given last */
    uint64_t slept_for_ms; /* while catching up: its deadline when the loop woke */
    bool was_joining;      /* after the last step */
    bool leave_asked;
    bool withdraw_asked;  /* the core waits until nobody goes by its right to act any more */
    uint32_t asked_count; /* of `asked` */
    bool ended;           /* on_end was called */
    uint64_t said_terms;  /* the number of the terms that the log told last */
    uint8_t said_version; /* of the protocol, in which members are written to, or this: */
    bool said_families;   /* a member of another address family was logged */
    bool closing;
    struct lease_page lease;
    struct role_clients roles;
    struct gate gate;

    struct log *log;
    node_on_end *on_end;
    void *context;
    struct store *store;             /* NULL: volatile */
    struct stored remembered;        /* of earlier lives */
    struct voter_store *voter_store; /* NULL: no voter */

    struct latch latch;
    struct streams streams;
    struct listener listener;
    struct links links;
    struct stream_pool stream_pool;
    struct seed_checker seed_checker;
    struct ways ways;
    struct resolver resolver;
    struct faults faults;
    struct own_address own_address;
    struct user_post user_post;
    struct elector elector;
    struct partitioner partitioner;
    struct node_traffic traffic;
    struct admission admission;
    struct refusals refusals;
    struct inquiry inquiry;

    uv_timer_t timer; /* the core's next deadline */
    uv_timer_t join_timer;
    uv_timer_t closer;
    struct event asked[ASKED_MAX]; /* what the operator wants, in the order of asking */
    struct tags tags;              /* of an EVENT_TAGS among them */
    struct rules_wish wish;        /* of an EVENT_TERMS */
    void (*on_closed)(void *context);
    void *on_closed_context;

    uint8_t inbox[STREAM_INBOX_BYTES]; /* of streams */
    struct udp udp;                    /* with room for many datagrams, last */
};

/* node_catch_up, for sockets: before what else has come. All that may step the core does this
 * first.
 */
void node_on_turn(void *context);

/* The callbacks of a node's parts; `context` is the node. Each may step the core, and is called in
 * a turn of its own, never from inside a step. */
void node_on_timer(uv_timer_t *timer);
void node_on_join_timer(uv_timer_t *timer);
void node_on_datagram(void *context, const uint8_t *bytes, size_t length,
                      const struct address *source, uint64_t arrived_ms);
bool node_on_stream_frame(void *context, struct bytes frame, const struct address *from);
void node_on_link_news(void *context, const struct node_id *peer, enum link_news news);
void node_on_way_found(void *context, const struct node_id *life, const struct address *address);
void node_on_synced(void *context, uint64_t number, bool ok);
void node_on_resolved(void *context, const struct address *addresses, uint32_t count);

/* A datagram was sent there (0), or could not be, for libuv's reason. */
void node_note_sent(struct node *node, const struct address *to, int error);

/* A member is found stalled: does its process answer by TCP? */
void node_look_at_way(struct node *node, const struct notice *notice);

/* Is it the only member of a cluster that it founded, or that the others left? */
bool node_is_alone(const struct node *node);

/* Does an injected fault drop everything between this node and that one? */
bool node_is_cut(void *context, const struct node_id *peer, const struct address *address);

/* Sends the bytes as a datagram, as they are. */
void node_send_note(void *context, const struct address *to, const uint8_t *bytes, size_t length);

/* Sends the message by datagram, lifeline or stream pool, as its length demands. */
void node_transmit(void *context, const struct outgoing *outgoing);

/* Puts it into the journal and the log; one that is only counted stands in neither. */
void node_tell(struct node *node, const struct notice *notice, uint64_t now_ms);

/* One of this node's clients wants something of a role, or has done it. */
void node_on_role_command(void *context, const struct role_command *command);

/* Sends a frame that is none of the core's, unless a fault drops it. False: the socket does not
 * take it now. */
bool node_send_frame(struct node *node, const struct outgoing *outgoing);

/* The frames below are none of the core's. Whoever takes one returns false for what is malformed.
 */

/* A frame of an election, and a leader of which clients are told; neither changes the core. */
bool node_on_election_frame(struct node *node, struct bytes frame, const struct address *source);
void node_send_election(void *context, const struct outgoing *outgoing);
void node_on_leader(void *context, const struct member *leader);

/* For own_address: somebody on another host; and what is told of what it found. */
bool node_find_other(void *context, struct address *to);
void node_on_own_address(void *context);

/* A frame about partitions, and a new table; neither changes the core. */
bool node_on_partition_frame(struct node *node, struct bytes frame, const struct address *source);
bool node_on_own_frame(struct node *node, struct bytes frame, const struct address *source);
void node_send_partitions(void *context, const struct outgoing *outgoing);
void node_on_partitions(void *context, const struct keeper_news *news);
void node_on_owners(void *context, enum owner_news news, uint32_t count, uint32_t held);

/* A frame that is one of a program's messages; it changes nothing of the core. */
bool node_on_user_frame(struct node *node, struct bytes frame, const struct address *source);

#endif
