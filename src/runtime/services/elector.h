/* What drives this node's participant of the cluster's elections (docs/elections.md): views of the
 * core and messages of other members go in, messages and a leader come out. The core knows nothing
 * of it. With --election oldest nothing is sent: the leader is read off the view.
 *
 * The leader is advice: two parts of a network have one each. */
#ifndef RUNTIME_ELECTOR_H
#define RUNTIME_ELECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "core/core.h"
#include "election/participant.h"
#include "election/registry.h"
#include "proto/election_frame.h"
#include "runtime/frames/outgoing.h"
#include "runtime/options/config.h"
#include "runtime/process/log.h"
#include "runtime/sealing/strangers.h"
#include "runtime/sockets/latch.h"

enum {
    ELECTION_TAKEN_PER_S = 1000, /* messages from each member */
    LEADERS_TOLD_PER_S = 10,     /* a liar must not fill the journal */
};

/* All of it is borrowed for the elector's life. */
struct elector_options {
    const struct config *config;
    const struct core *core;
    const struct wire *wire;
    struct log *log;
    /* Sends a datagram. Never called from inside a step of the core. */
    void (*send)(void *context, const struct outgoing *outgoing);
    /* The leader is another one now; NULL: there is none. */
    void (*on_leader)(void *context, const struct member *leader);
    void *context;
};

/* What another member, or this one, said last of itself. */
struct elector_state {
    struct node_id life;
    bool known;
    struct election_round round;
    struct node_id leader; /* none: it knows none */
    uint64_t heard_ms;
    struct per_second taken;
};

struct elector {
    struct elector_options options;
    struct participant *participant;
    struct registry *registry; /* what this node would answer if it were the coordinator */
    struct election_out *out;
    struct elector_state *states; /* ROSTER_MAX, by position in the view */
    struct view_id view;          /* that was installed last */
    struct node_id life;          /* of this node then; none: it is in no election */
    uint64_t age;
    bool resigned;
    bool said_other;     /* that a member elects by another rule */
    bool said_large;     /* that the view is too large */
    uint64_t beat_ms;    /* when to tell all members round and leader again */
    struct node_id told; /* the leader that on_leader was told last */
    uint64_t tell_ms; /* when to tell it, of another or none; ELECTION_NEVER_MS: nothing to tell */
    struct per_second telling;
    struct latch *latch;
    uv_timer_t timer;
    bool open;
};

/* `elector` is zeroed and stays where it is until the latch is free. False: no memory. */
bool elector_open(struct elector *elector, uv_loop_t *loop, struct latch *latch,
                  const struct elector_options *options);

/* Stops the timer; elector_free when the latch is free. Both are harmless without elector_open. */
void elector_close(struct elector *elector);
void elector_free(struct elector *elector);

/* To be called after each step of the core. */
void elector_on_step(struct elector *elector, uint64_t now_ms);

/* A message of an election that came. */
void elector_take(struct elector *elector, const struct election_frame *frame, uint64_t now_ms);

/* Begins a new round; nothing in no view. */
void elector_elect(struct elector *elector, uint64_t now_ms);

/* Stands no more, or again, and begins a new round. False: the algorithm does not allow it. */
bool elector_stand(struct elector *elector, bool stands, uint64_t now_ms);
bool elector_stands(const struct elector *elector);

/* The leader, borrowed from the view; NULL while there is none. */
const struct member *elector_leader(const struct elector *elector);

/* The round that this node is in, or that its leader is of. */
struct election_round elector_round(const struct elector *elector);

/* What the member at that position said last; NULL: nothing yet. */
const struct elector_state *elector_state_of(const struct elector *elector, uint32_t position);

/* What elections compare before age: the number in the member's tag `priority`, else 0. */
uint64_t elector_priority(const struct member *member);

/* "bully", as on the command line. */
const char *elector_algorithm_text(enum election_kind algorithm);

#endif
