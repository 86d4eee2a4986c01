/* What is still to happen in a simulation, in the order of its virtual time. Things due at the
 * same microsecond come out in the order in which they went in, so a run repeats exactly. */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache.h"
#include "core/model/id.h"
#include "core/model/message.h"
#include "core/model/move.h"

struct packet;
struct record_write;
struct sim;

enum pending_type {
    PENDING_PACKET,    /* a datagram or a frame of a stream reaches a host */
    PENDING_TICK,      /* a node's timer */
    PENDING_LIFELINE,  /* the next step of one connection that a node holds */
    PENDING_KERNEL,    /* the answer to a question put to another host's kernel */
    PENDING_RESOLVED,  /* the answer of the resolver */
    PENDING_SYNCED,    /* a voter's record is on its disk */
    PENDING_LEAVE,     /* a signal: leave in good order */
    PENDING_WITHDRAWN, /* nobody goes by the right to act any more */
    PENDING_MOVE,      /* an operator wants something moved */
    PENDING_TAGS,      /* an operator wants its node to have other tags */
    PENDING_TERMS,     /* an operator wants the cluster to have other terms */
    PENDING_ROLE,      /* a client does something about a role */
    PENDING_CALL,      /* a story or a fault goes on */
};

typedef void sim_call(struct sim *sim, uint32_t a, uint32_t b);

/* It begins with a line of a cache, which is all that most of them use. */
struct pending {
    _Alignas(CACHE_LINE) enum pending_type type;
    uint32_t host;        /* where it happens; of no meaning to a call */
    uint32_t process;     /* for which process of that host; of no meaning to a packet or a call */
    bool woken;           /* has already waited for a slow host's next turn */
    uint64_t sequence;    /* rises with every push */
    struct pending *next; /* in the pool, or among what waits for a paused process */
    union {
        struct packet *packet; /* one reference, the pending's own */
        struct {
            uint32_t slot;   /* LIFELINE: which of the host's */
            uint64_t ticket; /* LIFELINE, TICK: outdated unless it is still the same; ROLE:
                                which client */
        };
        struct record_write *write; /* SYNCED: the pending's own */
        struct node_id peer;        /* KERNEL: about whom the question was */
        struct move move;           /* MOVE */
        const char *tags;           /* TAGS: borrowed, of static storage */
        struct rules_wish wish;     /* TERMS */
        struct {
            sim_call *call;
            uint32_t a;
            uint32_t b;
        };
    };
};

struct queue_entry {
    uint64_t at_us;
    struct pending *pending;
};

struct queue_block;

enum { QUEUE_NEAR_MAX = 32 };

/* Most of what is pushed is due soon, and in a small cluster little is pending at all: so the next
 * ones stand in order, where they are cheap to put and to take, and the others in a heap. */
struct queue {
    struct queue_entry near[QUEUE_NEAR_MAX]; /* the latest first; all before those in the heap */
    size_t near_count;
    struct queue_entry *heap;
    size_t count; /* in the heap */
    size_t capacity;
    uint64_t sequence;
    struct pending *spare;
    struct queue_block *blocks;
};

void queue_init(struct queue *queue);

/* Frees what the queue holds. Packets still under way are the caller's: take them out first. */
void queue_deinit(struct queue *queue);

/* A pending from the pool, for the caller to fill in; goes back by queue_release, or into the
 * queue. */
struct pending *queue_take(struct queue *queue);
void queue_release(struct queue *queue, struct pending *pending);

void queue_push(struct queue *queue, uint64_t at_us, struct pending *pending);

bool queue_is_empty(const struct queue *queue);

/* Calls that are still to come come to nothing. */
void queue_forget_calls(struct queue *queue);

/* When the next one is due; UINT64_MAX when nothing is. */
uint64_t queue_next_us(const struct queue *queue);

/* Takes the next one out; never on an empty queue. The caller releases it or pushes it again. */
struct pending *queue_pop(struct queue *queue);

#endif
