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
    struct queue_block *block = aligned_alloc(_Alignof(struct queue_block), sizeof *block);
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
    pending->woken = false;
    return pending;
}

void queue_release(struct queue *queue, struct pending *pending)
{
    pending->next = queue->spare;
    queue->spare = pending;
}

static bool entry_before(const struct queue_entry *a, const struct queue_entry *b)
{
    return a->at_us != b->at_us ? a->at_us < b->at_us : a->pending->sequence < b->pending->sequence;
}

static void heap_push(struct queue *queue, struct queue_entry entry)
{
    if (queue->count == queue->capacity) {
        queue->capacity = queue->capacity == 0 ? 1024 : 2 * queue->capacity;
        queue->heap = realloc(queue->heap, queue->capacity * sizeof *queue->heap);
        assert(queue->heap != NULL);
    }

    size_t at = queue->count++;
    while (at > 0 && entry_before(&entry, &queue->heap[(at - 1) / 2])) {
        queue->heap[at] = queue->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    queue->heap[at] = entry;
}

static struct queue_entry heap_pop(struct queue *queue)
{
    struct queue_entry first = queue->heap[0];
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
    return first;
}

/* The entry is the newest of all: it comes behind those that are due at the same moment. */
static void near_insert(struct queue *queue, struct queue_entry entry)
{
    size_t at = queue->near_count++;

    while (at > 0 && queue->near[at - 1].at_us <= entry.at_us) {
        queue->near[at] = queue->near[at - 1];
        at--;
    }
    queue->near[at] = entry;
}

/* Makes room by giving the latest one to the heap. */
static void near_give(struct queue *queue)
{
    heap_push(queue, queue->near[0]);
    queue->near_count--;
    memmove(&queue->near[0], &queue->near[1], queue->near_count * sizeof queue->near[0]);
}

/* Takes the next ones from the heap; leaves room for what will be pushed among them. */
static void near_refill(struct queue *queue)
{
    size_t count = queue->count < QUEUE_NEAR_MAX / 2 ? queue->count : QUEUE_NEAR_MAX / 2;

    for (size_t i = count; i > 0; i--) {
        queue->near[i - 1] = heap_pop(queue);
    }
    queue->near_count = count;
}

void queue_push(struct queue *queue, uint64_t at_us, struct pending *pending)
{
    struct queue_entry entry = {at_us, pending};
    bool full = queue->near_count == QUEUE_NEAR_MAX;
    bool before_some = queue->near_count > 0 && at_us < queue->near[0].at_us;

    pending->sequence = queue->sequence++;
    if (!before_some && (full || queue->count > 0)) {
        heap_push(queue, entry);
        return;
    }
    if (full) {
        near_give(queue);
    }
    near_insert(queue, entry);
}

bool queue_is_empty(const struct queue *queue)
{
    return queue->near_count == 0 && queue->count == 0;
}

uint64_t queue_next_us(const struct queue *queue)
{
    if (queue->near_count > 0) {
        return queue->near[queue->near_count - 1].at_us;
    }
    return queue->count == 0 ? UINT64_MAX : queue->heap[0].at_us;
}

struct pending *queue_pop(struct queue *queue)
{
    assert(!queue_is_empty(queue));
    if (queue->near_count == 0) {
        near_refill(queue);
    }
    return queue->near[--queue->near_count].pending;
}

static void call_nothing(struct sim *sim, uint32_t a, uint32_t b)
{
    (void)sim;
    (void)a;
    (void)b;
}

static void forget_calls(struct queue_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (entries[i].pending->type == PENDING_CALL) {
            entries[i].pending->call = call_nothing;
        }
    }
}

void queue_forget_calls(struct queue *queue)
{
    forget_calls(queue->near, queue->near_count);
    forget_calls(queue->heap, queue->count);
}
