#include "queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_PENDINGS = 256 };

/* Pendings are allocated by the block and go round for the whole run. */
struct queue_block {
    struct queue_block *next;
    struct pending pendings[BLOCK_PENDINGS];
};

void queue_init(struct queue *queue)
{
    memset(queue, 0, sizeof *queue);
}

void queue_deinit(struct queue *queue)
{
    while (queue->blocks != NULL) {
        struct queue_block *next = queue->blocks->next;
        free(queue->blocks);
        queue->blocks = next;
    }
    free(queue->heap);
}

static void add_block(struct queue *queue)
{
    struct queue_block *block = malloc(sizeof *block);
    assert(block != NULL);
    block->next = queue->blocks;
    queue->blocks = block;
    for (size_t i = 0; i < BLOCK_PENDINGS; i++) {
        queue_release(queue, &block->pendings[i]);
    }
}

struct pending *queue_take(struct queue *queue)
{
    if (queue->spare == NULL) {
        add_block(queue);
    }
    struct pending *pending = queue->spare;
    queue->spare = pending->next;
    memset(pending, 0, sizeof *pending);
    return pending;
}

void queue_release(struct queue *queue, struct pending *pending)
{
    pending->next = queue->spare;
    queue->spare = pending;
}

static bool entry_before(const struct queue_entry *a, const struct queue_entry *b)
{
    return a->at_us != b->at_us ? a->at_us < b->at_us : a->sequence < b->sequence;
}

void queue_push(struct queue *queue, uint64_t at_us, struct pending *pending)
{
    if (queue->count == queue->capacity) {
        queue->capacity = queue->capacity == 0 ? 1024 : 2 * queue->capacity;
        queue->heap = realloc(queue->heap, queue->capacity * sizeof *queue->heap);
        assert(queue->heap != NULL);
    }

    struct queue_entry entry = {at_us, queue->sequence++, pending};
    size_t at = queue->count++;
    while (at > 0 && entry_before(&entry, &queue->heap[(at - 1) / 2])) {
        queue->heap[at] = queue->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    queue->heap[at] = entry;
}

uint64_t queue_next_us(const struct queue *queue)
{
    return queue->count == 0 ? UINT64_MAX : queue->heap[0].at_us;
}

struct pending *queue_pop(struct queue *queue)
{
    assert(queue->count > 0);
    struct pending *pending = queue->heap[0].pending;
    struct queue_entry last = queue->heap[--queue->count];

    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= queue->count) {
            break;
        }
        if (child + 1 < queue->count &&
            entry_before(&queue->heap[child + 1], &queue->heap[child])) {
            child++;
        }
        if (!entry_before(&queue->heap[child], &last)) {
            break;
        }
        queue->heap[at] = queue->heap[child];
        at = child;
    }
    if (queue->count > 0) {
        queue->heap[at] = last;
    }
    return pending;
}

static void call_nothing(struct sim *sim, uint32_t a, uint32_t b)
{
    (void)sim;
    (void)a;
    (void)b;
}

void queue_forget_calls(struct queue *queue)
{
    for (size_t i = 0; i < queue->count; i++) {
        if (queue->heap[i].pending->type == PENDING_CALL) {
            queue->heap[i].pending->call = call_nothing;
        }
    }
}
