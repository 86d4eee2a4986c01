/* What is still to happen in a trial, soonest first; at one time messages before timers, and what
 * was put in earlier before what was put in later. */
#ifndef LAB_QUEUE_H
#define LAB_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "election/message.h"

/* At one time, in this order. */
enum happening_kind {
    HAPPENING_VIEW,
    HAPPENING_START,
    HAPPENING_MESSAGE,
    HAPPENING_TICK,
    HAPPENING_HEARTBEAT,
};

struct happening {
    uint64_t at_ms;
    enum happening_kind kind;
    uint64_t number; /* set by the queue */
    size_t node;
    struct election_message message;
};

struct queue {
    struct happening *heap; /* allocated */
    size_t count;
    size_t capacity;
    uint64_t number;
};

/* Returns false, and changes nothing, when memory ran out. */
bool queue_put(struct queue *queue, const struct happening *happening);

/* Takes the next out; false when there is none. */
bool queue_take(struct queue *queue, struct happening *next);

void queue_deinit(struct queue *queue);

#endif
