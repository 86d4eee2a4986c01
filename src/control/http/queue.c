#include "control/http/queue.h"

#include <stddef.h>

static void call_first(struct queue *queue)
{
    struct waiter *waiter = queue->first;

    queue->first = waiter->next;
    if (queue->first == NULL) {
        queue->last = NULL;
    }
    waiter->called = true;
    MHD_resume_connection(waiter->connection);
}

bool queue_turn(struct queue *queue)
{
    const bool any = queue->first != NULL;

    queue->renderings_left = RENDERINGS_PER_TURN;
    while (queue->renderings_left > 0 && queue->first != NULL) {
        call_first(queue);
        queue->renderings_left--;
    }
    return any;
}

bool queue_admits(struct queue *queue, struct waiter *waiter)
{
    if (waiter->called) {
        waiter->called = false; /* Its share was reserved when it was called. */
        return true;
    }
    if (queue->renderings_left == 0) {
        return false;
    }
    queue->renderings_left--;
    return true;
}

void queue_wait(struct queue *queue, struct waiter *waiter)
{
    waiter->next = NULL;
    if (queue->last != NULL) {
        queue->last->next = waiter;
    } else {
        queue->first = waiter;
    }
    queue->last = waiter;
    MHD_suspend_connection(waiter->connection);
}

void queue_forget(struct waiter *waiter)
{
    waiter->called = false;
}

void queue_end(struct queue *queue)
{
    while (queue->first != NULL) {
        call_first(queue);
    }
}
