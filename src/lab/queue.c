#include "lab/queue.h"

#include <stdlib.h>

static bool is_sooner(const struct happening *a, const struct happening *b)
{
    if (a->at_ms != b->at_ms) {
        return a->at_ms < b->at_ms;
    }
    return a->kind != b->kind ? a->kind < b->kind : a->number < b->number;
}

static void swap(struct happening *a, struct happening *b)
{
    const struct happening kept = *a;

    *a = *b;
    *b = kept;
}

bool queue_put(struct queue *queue, const struct happening *happening)
{
    if (queue->count == queue->capacity) {
        const size_t capacity = 2 * queue->capacity + 64;
        struct happening *heap = realloc(queue->heap, capacity * sizeof *heap);
        if (heap == NULL) {
            return false;
        }
        queue->heap = heap;
        queue->capacity = capacity;
    }
    size_t at = queue->count++;
    queue->heap[at] = *happening;
    queue->heap[at].number = queue->number++;
    while (at > 0 && is_sooner(&queue->heap[at], &queue->heap[(at - 1) / 2])) {
        swap(&queue->heap[at], &queue->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    return true;
}

bool queue_take(struct queue *queue, struct happening *next)
{
    if (queue->count == 0) {
        return false;
    }
    *next = queue->heap[0];
    queue->heap[0] = queue->heap[--queue->count];
    for (size_t at = 0;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < queue->count; child++) {
            if (is_sooner(&queue->heap[child], &queue->heap[least])) {
                least = child;
            }
        }
        if (least == at) {
            return true;
        }
        swap(&queue->heap[at], &queue->heap[least]);
        at = least;
    }
}

void queue_deinit(struct queue *queue)
{
    free(queue->heap);
    *queue = (struct queue){0};
}
