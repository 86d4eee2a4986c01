#include "runtime/sockets/faults.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/host/clock.h"

struct held {
    struct chain link;
    uint64_t due_ms;
    struct node_id peer;
    struct address to;
    struct node_id hop;
    enum message_type type;
    size_t length;
    uint8_t bytes[];
};

static void on_timer(uv_timer_t *timer);

static void arm_timer(struct faults *faults)
{
    if (!chain_is_empty(&faults->held)) {
        const struct held *first = CHAIN_ITEM(faults->held.next, struct held, link);
        clock_start_timer(&faults->timer, on_timer, first->due_ms);
    }
}

static struct held *pop_first(struct faults *faults)
{
    struct held *held = CHAIN_ITEM(chain_pop_first(&faults->held), struct held, link);

    faults->held_count--;
    faults->held_bytes -= held->length;
    return held;
}

static void release_due(struct faults *faults, uint64_t now_ms)
{
    while (!chain_is_empty(&faults->held) &&
           CHAIN_ITEM(faults->held.next, struct held, link)->due_ms <= now_ms) {
        struct held *held = pop_first(faults);

        const struct outgoing outgoing = {.peer = &held->peer,
                                          .to = &held->to,
                                          .hop = &held->hop,
                                          .type = held->type,
                                          .bytes = held->bytes,
                                          .length = held->length};

        faults->on_release(faults->context, &outgoing);
        free(held);
    }
}

static void on_timer(uv_timer_t *timer)
{
    struct faults *faults = timer->data;

    release_due(faults, clock_ms());
    arm_timer(faults);
}

void faults_open(struct faults *faults, uv_loop_t *loop, struct latch *latch,
                 faults_on_release *on_release, void *context)
{
    faults->latch = latch;
    faults->on_release = on_release;
    faults->context = context;
    faults->open = true;
    chain_init(&faults->held);
    (void)uv_timer_init(loop, &faults->timer); /* cannot fail */
    faults->timer.data = faults;
    latch_acquire(latch);
}

static void on_closed(uv_handle_t *handle)
{
    struct faults *faults = handle->data;

    latch_release(faults->latch);
}

void faults_close(struct faults *faults)
{
    if (!faults->open) {
        return;
    }
    faults->open = false;
    while (!chain_is_empty(&faults->held)) {
        free(pop_first(faults));
    }
    uv_close((uv_handle_t *)&faults->timer, on_closed);
}

struct fault *faults_of(struct faults *faults, const struct node_id *id,
                        const struct address *address, const char *name)
{
    for (uint32_t i = 0; i < faults->count; i++) {
        if (address_equal(&faults->items[i].address, address)) {
            return &faults->items[i];
        }
    }
    if (faults->count == FAULTS_MAX) {
        return NULL;
    }
    struct fault *fault = &faults->items[faults->count++];
    *fault = (struct fault){.id = *id, .address = *address};
    (void)text_set(fault->name, sizeof fault->name, name, strlen(name));
    return fault;
}

void faults_clear(struct faults *faults)
{
    faults->count = 0;
    release_due(faults, NEVER_MS);
}

const struct fault *faults_find(const struct faults *faults, const struct node_id *id,
                                const struct address *address)
{
    for (uint32_t i = 0; i < faults->count; i++) {
        const struct fault *fault = &faults->items[i];

        if (address_equal(&fault->address, address) ||
            (!id_is_none(id) && id_equal(&fault->id, id))) {
            return fault;
        }
    }
    return NULL;
}

bool faults_delay(struct faults *faults, const struct outgoing *outgoing, uint64_t delay_ms)
{
    const size_t length = outgoing->length;
    struct held *held = NULL;

    if (faults->held_count < HELD_FRAMES_MAX && faults->held_bytes + length <= HELD_BYTES_MAX) {
        held = malloc(sizeof *held + length);
    }
    if (held == NULL) {
        return false;
    }
    held->due_ms = clock_ms() + delay_ms;
    held->peer = *outgoing->peer;
    held->to = *outgoing->to;
    held->hop = *outgoing->hop;
    held->type = outgoing->type;
    held->length = length;
    memcpy(held->bytes, outgoing->bytes, length);

    struct chain *at = faults->held.previous;
    while (at != &faults->held && CHAIN_ITEM(at, struct held, link)->due_ms > held->due_ms) {
        at = at->previous;
    }
    chain_insert(at->next, &held->link);
    faults->held_count++;
    faults->held_bytes += length;
    arm_timer(faults);
    return true;
}
