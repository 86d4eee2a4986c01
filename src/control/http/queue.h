/* Requests that wait for a later turn of the loop: one turn makes only a few documents, so that a
 * flood of requests cannot hold up the node's own work. */
#ifndef CONTROL_QUEUE_H
#define CONTROL_QUEUE_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

enum { RENDERINGS_PER_TURN = 8 };

/* One request's place in the queue. All zero but for `connection` is not in it. */
struct waiter {
    struct MHD_Connection *connection;
    struct waiter *next;
    bool called; /* has waited, and has a rendering of this turn reserved */
};

/* All zero is an empty queue in a turn whose share is used up. */
struct queue {
    uint32_t renderings_left;
    struct waiter *first;
    struct waiter *last;
};

/* Begins a turn and resumes the connections that have waited longest, as many as it can serve.
 * Returns whether there were any: the daemons have to be run. */
bool queue_turn(struct queue *queue);

/* May this request make a document in this turn? If so, it counts. */
bool queue_admits(struct queue *queue, struct waiter *waiter);

/* Lets the request wait for a later turn: suspends its connection. */
void queue_wait(struct queue *queue, struct waiter *waiter);

/* To be called for a new request, and for one that was answered without rendering. */
void queue_forget(struct waiter *waiter);

/* Resumes all waiting requests, however many. */
void queue_end(struct queue *queue);

#endif
