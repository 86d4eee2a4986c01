#include "lifeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "strain.h"

enum {
    CONNECT_TIMEOUT_MS = 1000,
    PAUSE_MS_MIN = 50,
    PAUSE_MS_MAX = 1000,
    FIN_RESEND_MS = 200, /* the kernel of an ended process repeats what a cut swallowed */
};

void lifelines_deinit(struct lifelines *lifelines)
{
    free(lifelines->slots);
    memset(lifelines, 0, sizeof *lifelines);
}

void lifelines_drop(struct lifelines *lifelines)
{
    lifelines->count = 0;
}

static struct lifeline *find(const struct lifelines *lifelines, const struct node_id *peer)
{
    for (uint32_t i = 0; i < lifelines->count; i++) {
        struct lifeline *lifeline = &lifelines->slots[i];
        if (lifeline->state != LIFELINE_FREE && id_equal(&lifeline->peer, peer)) {
            return lifeline;
        }
    }
    return NULL;
}

static struct lifeline *add(struct lifelines *lifelines)
{
    for (uint32_t i = 0; i < lifelines->count; i++) {
        if (lifelines->slots[i].state == LIFELINE_FREE) {
            return &lifelines->slots[i];
        }
    }
    if (lifelines->count == lifelines->capacity) {
        lifelines->capacity = lifelines->capacity == 0 ? 16 : 2 * lifelines->capacity;
        lifelines->slots = realloc(lifelines->slots,
                                   lifelines->capacity * sizeof *lifelines->slots);
        assert(lifelines->slots != NULL);
    }
    return &lifelines->slots[lifelines->count++];
}

/* Enters a state whose next step is due `us` from now. */
static void enter(struct sim *sim, struct host *host, struct lifeline *lifeline,
                  enum lifeline_state state, uint64_t us)
{
    lifeline->state = state;
    lifeline->ticket = ++sim->tickets;

    struct pending *pending = queue_take(&sim->queue);
    pending->type = PENDING_LIFELINE;
    pending->host = host_index(sim, host);
    pending->process = host->process;
    pending->slot = (uint32_t)(lifeline - host->lifelines.slots);
    pending->ticket = lifeline->ticket;
    queue_push(&sim->queue, sim->now_us + us, pending);
}

/* Enters a state that only the other end can end. */
static void enter_for_good(struct sim *sim, struct lifeline *lifeline, enum lifeline_state state)
{
    lifeline->state = state;
    lifeline->ticket = ++sim->tickets;
}

static uint64_t round_trip_us(struct sim *sim, uint32_t a, uint32_t b)
{
    return network_latency_us(&sim->network, &sim->random, a) +
           network_latency_us(&sim->network, &sim->random, b);
}

static bool reachable(struct sim *sim, const struct host *host, const struct host *other)
{
    return other != NULL && other->up &&
           network_connects(&sim->network, host_index(sim, host), host_index(sim, other));
}

static void connect_now(struct sim *sim, struct host *host, struct lifeline *lifeline)
{
    struct host *other = host_at(sim, &lifeline->address);

    lifeline->hopeless = !reachable(sim, host, other);
    enter(sim, host, lifeline, LIFELINE_CONNECTING,
          lifeline->hopeless ? CONNECT_TIMEOUT_MS * UINT64_C(1000)
                             : round_trip_us(sim, host_index(sim, host), host_index(sim, other)));
}

static void tell(struct sim *sim, struct host *host, const struct node_id *peer,
                 enum link_news news)
{
    struct event event = {.type = EVENT_LINK, .link = {.peer = *peer, .news = news}};
    host_step(sim, host, &event);
}

/* The try came to nothing: the next one after a pause that grows. The step comes last, for it may
 * close this very lifeline. */
static void try_later(struct sim *sim, struct host *host, struct lifeline *lifeline,
                      enum link_news news)
{
    enter(sim, host, lifeline, LIFELINE_WAITING, lifeline->pause_ms * 1000);
    lifeline->pause_ms = 2 * lifeline->pause_ms;
    if (lifeline->pause_ms > PAUSE_MS_MAX) {
        lifeline->pause_ms = PAUSE_MS_MAX;
    }
    struct node_id peer = lifeline->peer;
    tell(sim, host, &peer, news);
}

static void greet(struct sim *sim, struct host *host, struct lifeline *lifeline,
                  const struct host *other)
{
    struct node_id peer = lifeline->peer;

    if (!id_equal(&core_self(other->core)->id, &peer)) {
        try_later(sim, host, lifeline, LINK_STRANGER);
        return;
    }
    lifeline->process = other->process;
    lifeline->pause_ms = PAUSE_MS_MIN;
    enter_for_good(sim, lifeline, LIFELINE_OPEN);
    tell(sim, host, &peer, LINK_OPENED);
}

static void on_answer(struct sim *sim, struct host *host, struct lifeline *lifeline)
{
    struct host *other = host_at(sim, &lifeline->address);

    if (lifeline->hopeless || !reachable(sim, host, other)) {
        try_later(sim, host, lifeline, LINK_FAILED);
        return;
    }
    if (!other->running || strain_refuses(sim, host, other)) {
        try_later(sim, host, lifeline, LINK_REFUSED);
        return;
    }
    if (other->paused) {
        struct node_id peer = lifeline->peer;
        lifeline->process = other->process;
        enter_for_good(sim, lifeline, LIFELINE_ACCEPTED);
        tell(sim, host, &peer, LINK_KERNEL);
        return;
    }
    greet(sim, host, lifeline, other);
}

static void on_greeting(struct sim *sim, struct host *host, struct lifeline *lifeline)
{
    struct host *other = host_at(sim, &lifeline->address);

    if (!other->running || other->process != lifeline->process) {
        connect_now(sim, host, lifeline);
        return;
    }
    if (other->paused) {
        enter_for_good(sim, lifeline, LIFELINE_ACCEPTED);
        return;
    }
    greet(sim, host, lifeline, other);
}

static void on_closing(struct sim *sim, struct host *host, struct lifeline *lifeline)
{
    const struct host *other = host_at(sim, &lifeline->address);

    if (!other->up ||
        !network_connects(&sim->network, host_index(sim, other), host_index(sim, host))) {
        enter(sim, host, lifeline, LIFELINE_CLOSING, FIN_RESEND_MS * UINT64_C(1000));
        return;
    }
    bool greeted = lifeline->greeted;
    struct node_id peer = lifeline->peer;
    lifeline->pause_ms = PAUSE_MS_MIN;
    connect_now(sim, host, lifeline);
    if (greeted) {
        tell(sim, host, &peer, LINK_CLOSED);
    }
}

static void close_soon(struct sim *sim, struct host *host, struct lifeline *lifeline,
                       const struct host *other)
{
    lifeline->greeted = lifeline->state == LIFELINE_OPEN;
    enter(sim, host, lifeline, LIFELINE_CLOSING,
          network_latency_us(&sim->network, &sim->random, host_index(sim, other)));
}

void lifeline_open(struct sim *sim, struct host *host, const struct node_id *peer,
                   const struct address *address)
{
    if (find(&host->lifelines, peer) != NULL) {
        return;
    }
    struct lifeline *lifeline = add(&host->lifelines);
    *lifeline = (struct lifeline){.peer = *peer, .address = *address, .pause_ms = PAUSE_MS_MIN};
    connect_now(sim, host, lifeline);
}

void lifeline_close(struct host *host, const struct node_id *peer)
{
    struct lifeline *lifeline = find(&host->lifelines, peer);
    if (lifeline != NULL) {
        lifeline->state = LIFELINE_FREE;
    }
}

void lifeline_ask_kernel(struct sim *sim, struct host *host, const struct node_id *peer,
                         const struct address *address)
{
    struct host *other = host_at(sim, address);
    struct lifeline *lifeline = find(&host->lifelines, peer);

    if (!reachable(sim, host, other)) {
        return;
    }
    if (lifeline != NULL && lifeline->state == LIFELINE_OPEN &&
        (!other->running || other->process != lifeline->process)) {
        close_soon(sim, host, lifeline, other); /* A kernel that knows no such connection: reset. */
        return;
    }
    struct pending *pending = queue_take(&sim->queue);
    pending->type = PENDING_KERNEL;
    pending->host = host_index(sim, host);
    pending->process = host->process;
    pending->peer = *peer;
    queue_push(&sim->queue, sim->now_us + round_trip_us(sim, pending->host, host_index(sim, other)),
               pending);
}

void lifeline_on_pending(struct sim *sim, struct host *host, const struct pending *pending)
{
    if (pending->type == PENDING_KERNEL) {
        tell(sim, host, &pending->peer, LINK_KERNEL);
        return;
    }
    if (pending->slot >= host->lifelines.count) {
        return;
    }
    struct lifeline *lifeline = &host->lifelines.slots[pending->slot];
    if (lifeline->ticket != pending->ticket) {
        return;
    }
    switch (lifeline->state) {
    case LIFELINE_WAITING:
        connect_now(sim, host, lifeline);
        break;
    case LIFELINE_CONNECTING:
        on_answer(sim, host, lifeline);
        break;
    case LIFELINE_GREETING:
        on_greeting(sim, host, lifeline);
        break;
    case LIFELINE_CLOSING:
        on_closing(sim, host, lifeline);
        break;
    case LIFELINE_FREE:
    case LIFELINE_ACCEPTED:
    case LIFELINE_OPEN:
        break;
    }
}

/* Calls back for every connection that ends at this host's present process. */
static void each_to(struct sim *sim, struct host *host,
                    void (*act)(struct sim *, struct host *, struct lifeline *, struct host *))
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        struct host *holder = &sim->hosts[i];
        for (uint32_t k = 0; holder->running && k < holder->lifelines.count; k++) {
            struct lifeline *lifeline = &holder->lifelines.slots[k];
            if (lifeline->process == host->process &&
                address_equal(&lifeline->address, &host->address)) {
                act(sim, holder, lifeline, host);
            }
        }
    }
}

static void end_one(struct sim *sim, struct host *holder, struct lifeline *lifeline,
                    struct host *host)
{
    if (lifeline->state == LIFELINE_OPEN || lifeline->state == LIFELINE_ACCEPTED ||
        lifeline->state == LIFELINE_GREETING) {
        close_soon(sim, holder, lifeline, host);
    }
}

void lifeline_on_end(struct sim *sim, struct host *host)
{
    each_to(sim, host, end_one);
    network_end_streams(&sim->network, host_index(sim, host));
    strain_end_streams(sim, host_index(sim, host));
}

bool lifeline_is_open(const struct host *host, const struct address *to)
{
    for (uint32_t i = 0; i < host->lifelines.count; i++) {
        const struct lifeline *lifeline = &host->lifelines.slots[i];
        if (lifeline->state == LIFELINE_OPEN && address_equal(&lifeline->address, to)) {
            return true;
        }
    }
    return false;
}

void lifeline_reset(struct sim *sim, struct host *host, struct host *other)
{
    for (uint32_t i = 0; host->running && i < host->lifelines.count; i++) {
        struct lifeline *lifeline = &host->lifelines.slots[i];
        if (address_equal(&lifeline->address, &other->address)) {
            end_one(sim, host, lifeline, other);
        }
    }
}

static void resume_one(struct sim *sim, struct host *holder, struct lifeline *lifeline,
                       struct host *host)
{
    if (lifeline->state == LIFELINE_ACCEPTED) {
        enter(sim, holder, lifeline, LIFELINE_GREETING,
              network_latency_us(&sim->network, &sim->random, host_index(sim, host)));
    }
}

void lifeline_on_resume(struct sim *sim, struct host *host)
{
    each_to(sim, host, resume_one);
}
