#include "runtime/sockets/link.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "runtime/host/clock.h"

enum {
    CONNECT_MS_MAX = 2000, /* the SYN and one repetition */

    /* A stopped process does not answer HELLO. Its connection is kept all the same, so that its
     * kernel can be asked: each new connection would fill the queue that the process does not
     * empty. */
    GREETING_MS_MAX = 10000,

    /* Attempts begin at least this far apart, doubling with each failure. The first pause is short:
     * the kernel of a process that dies may close our stream a moment before the listening socket.
     * Then the next connection is still made and reset, and only the one after it is refused. */
    RETRY_MS_MIN = 2,
    RETRY_MS_MAX = 1000,

    /* A lifeline that was up for this long has been useful, and begins again with the shortest
     * pause. */
    PROVEN_MS = 1000,

    /* When to check for the kernel's answer: after 5, 10, 20 ... ms. */
    ASK_MS_MIN = 5,
    ASK_MS_MAX = 500,

    /* When the core asks again after connecting for this long, the SYN probably was lost. */
    RECONNECT_MS = 100,

    /* How long a lifeline that is not held stays open after the last question. */
    UNHELD_MS = 5000,
};

/* The life of a lifeline, and the news it brings:
 *
 *            +----------------------------- pause over ------------------------------+
 *            v                                                                        |
 *       CONNECTING ---- refused: REFUSED; no answer: FAILED -----------------> WAITING
 *            |                                                                   ^  ^
 *            | connected (KERNEL, if that was asked)                             |  |
 *            v                                                                   |  |
 *        GREETING ----- another id: STRANGER; closed or no HELLO: FAILED --------+  |
 *            |                                                                      |
 *            | HELLO of the peer: OPENED                                            |
 *            v                                                                      |
 *           UP -------- closed or reset: CLOSED; the network fails: FAILED ---------+
 *
 * A new lifeline is WAITING without a pause. The pause counts from the beginning of the last
 * attempt, so that one which was UP for a while is tried again at once: if the process is dead,
 * REFUSED follows CLOSED within a millisecond. */
enum lifeline_state {
    LIFELINE_WAITING,
    LIFELINE_CONNECTING,
    LIFELINE_GREETING,
    LIFELINE_UP,
};

struct lifeline {
    struct chain link;      /* in links.all */
    struct chain asked;     /* in links.asked, while the kernel's answer is awaited */
    struct lifeline *below; /* the next in the same bucket */
    struct links *links;
    struct node_id peer;
    struct address address;
    enum lifeline_state state;
    bool held; /* by links_hold; else only for a question, until unheld_ms */
    bool closed;
    bool kernel_wanted;    /* becoming connected will be the answer */
    struct stream *stream; /* NULL while WAITING */
    uv_timer_t timer;      /* the pause while WAITING; when unheld, also its end */
    uint64_t attempt_ms;   /* when the last attempt began; 0: none yet */
    uint64_t failures;     /* failed attempts in a row */
    uint64_t down_ms;      /* not up since; 0: it is, or has not failed yet */
    int error;             /* why the last attempt did not connect; 0: it did, or there was none */
    uint64_t unheld_ms;
    uint64_t asked_ms;
    uint64_t look_ms; /* when to check for the kernel's answer next */
};

static void lifeline_attempt(struct lifeline *lifeline);

/* --- The table --- */

static struct lifeline **bucket_of(const struct links *links, const struct node_id *peer)
{
    uint64_t hash = hash_finish(hash_bytes(HASH_START, peer->bytes, sizeof peer->bytes));
    return &links->buckets[hash & links->bucket_mask];
}

static struct lifeline *lifeline_find(const struct links *links, const struct node_id *peer)
{
    struct lifeline *at = *bucket_of(links, peer);

    while (at != NULL && !id_equal(&at->peer, peer)) {
        at = at->below;
    }
    return at;
}

static void table_remove(struct links *links, struct lifeline *lifeline)
{
    struct lifeline **at = bucket_of(links, &lifeline->peer);

    while (*at != lifeline) {
        assert(*at != NULL);
        at = &(*at)->below;
    }
    *at = lifeline->below;
    chain_remove(&lifeline->link);
}

/* --- One lifeline --- */

static void on_lifeline_closed(uv_handle_t *handle)
{
    struct lifeline *lifeline = handle->data;
    struct latch *latch = lifeline->links->streams->latch;

    free(lifeline);
    latch_release(latch);
}

static void lifeline_drop_stream(struct lifeline *lifeline)
{
    if (lifeline->state == LIFELINE_UP) {
        lifeline->links->streams->traffic->lifelines_up--;
    }
    if (lifeline->stream != NULL) {
        stream_close(lifeline->stream);
        lifeline->stream = NULL;
    }
    chain_remove(&lifeline->asked);
    lifeline->state = LIFELINE_WAITING;
}

static void lifeline_close(struct lifeline *lifeline)
{
    assert(!lifeline->closed);
    lifeline->closed = true;
    lifeline_drop_stream(lifeline);
    table_remove(lifeline->links, lifeline);
    uv_close((uv_handle_t *)&lifeline->timer, on_lifeline_closed);
}

static bool lifeline_is_cut(const struct lifeline *lifeline)
{
    return lifeline->links->is_cut(lifeline->links->context, &lifeline->peer, &lifeline->address);
}

/* Reports the news. Returns false when the lifeline was closed in response; it may still be read
 * then, because its memory stays until a later turn of the loop. */
static bool lifeline_tell(struct lifeline *lifeline, enum link_news news)
{
    struct links *links = lifeline->links;
    struct node_id peer = lifeline->peer;

    if (news != LINK_OPENED && lifeline_is_cut(lifeline)) {
        news = LINK_FAILED;
    }
    links->on_news(links->context, &peer, news);
    return !lifeline->closed;
}

static void on_pause_over(uv_timer_t *timer)
{
    struct lifeline *lifeline = timer->data;

    if (!lifeline->held && clock_ms() >= lifeline->unheld_ms) {
        lifeline_close(lifeline);
    } else if (lifeline->state == LIFELINE_WAITING) {
        lifeline_attempt(lifeline);
    } else if (!lifeline->held) {
        clock_start_timer(&lifeline->timer, on_pause_over, lifeline->unheld_ms);
    }
}

static uint64_t next_attempt_ms(const struct lifeline *lifeline)
{
    uint64_t pause_ms = RETRY_MS_MIN;

    for (uint64_t i = 1; i < lifeline->failures && pause_ms < RETRY_MS_MAX; i++) {
        pause_ms *= 2;
    }
    return lifeline->attempt_ms + (pause_ms < RETRY_MS_MAX ? pause_ms : RETRY_MS_MAX);
}

static void lifeline_wait(struct lifeline *lifeline)
{
    assert(lifeline->state == LIFELINE_WAITING);
    clock_start_timer(&lifeline->timer, on_pause_over, next_attempt_ms(lifeline));
}

/* The attempt has failed. */
static void lifeline_fail(struct lifeline *lifeline, enum link_news news)
{
    lifeline_drop_stream(lifeline);
    lifeline->kernel_wanted = false;
    lifeline->failures++;
    lifeline->down_ms = lifeline->down_ms == 0 ? lifeline->attempt_ms : lifeline->down_ms;
    lifeline_wait(lifeline);
    (void)lifeline_tell(lifeline, news);
}

static void on_connected(void *owner)
{
    struct lifeline *lifeline = owner;

    assert(lifeline->state == LIFELINE_CONNECTING);
    lifeline->state = LIFELINE_GREETING;
    lifeline->error = 0;
    stream_expect(lifeline->stream, GREETING_MS_MAX);
    stream_send_hello(lifeline->stream, &lifeline->peer);
    if (!lifeline->held) {
        clock_start_timer(&lifeline->timer, on_pause_over, lifeline->unheld_ms);
    }
    if (lifeline->kernel_wanted) {
        lifeline->kernel_wanted = false;
        (void)lifeline_tell(lifeline, LINK_KERNEL);
    }
}

static void on_frame(void *owner, const uint8_t *bytes, size_t length)
{
    struct lifeline *lifeline = owner;
    struct streams *streams = lifeline->links->streams;
    struct message message;

    enum wire_error error = wire_decode(streams->wire, bytes, length, &message);
    if (error != WIRE_OK) {
        traffic_count_refused(streams->traffic, error);
    }
    if (lifeline->state != LIFELINE_GREETING || error != WIRE_OK || message.type != MESSAGE_HELLO) {
        streams->traffic->streams_refused++; /* Only one HELLO may come back. */
        lifeline_fail(lifeline, lifeline->state == LIFELINE_UP ? LINK_CLOSED : LINK_FAILED);
        return;
    }
    if (!id_equal(&message.from, &lifeline->peer)) {
        lifeline_fail(lifeline, LINK_STRANGER);
        return;
    }
    lifeline->state = LIFELINE_UP;
    lifeline->down_ms = 0;
    streams->traffic->lifelines_up++;
    stream_expect(lifeline->stream, 0);
    (void)lifeline_tell(lifeline, LINK_OPENED);
}

/* Did the other end close the stream, or did the network fall silent? */
static bool was_closed(int error)
{
    return error == UV_EOF || error == UV_ECONNRESET || error == UV_EPIPE;
}

static void on_end(void *owner, int error)
{
    struct lifeline *lifeline = owner;
    enum lifeline_state was = lifeline->state;

    lifeline->stream = NULL; /* The stream has closed itself. */
    if (was == LIFELINE_CONNECTING) {
        bool refused = error == UV_ECONNREFUSED || error == UV_ECONNRESET;
        lifeline->error = error;
        lifeline_fail(lifeline, refused ? LINK_REFUSED : LINK_FAILED);
        return;
    }
    if (was == LIFELINE_GREETING) {
        lifeline_fail(lifeline, LINK_FAILED);
        return;
    }
    if (error == UV_ETIMEDOUT) { /* Its kernel has not answered ours for so long. */
        lifeline->down_ms = clock_ms() - STREAM_UNHEARD_MS;
    }
    lifeline->failures = clock_ms() - lifeline->attempt_ms >= PROVEN_MS ? 0
                                                                        : lifeline->failures + 1;
    lifeline_drop_stream(lifeline);
    lifeline_wait(lifeline);
    if (lifeline_tell(lifeline, was_closed(error) ? LINK_CLOSED : LINK_FAILED) &&
        lifeline->state == LIFELINE_WAITING && clock_ms() >= next_attempt_ms(lifeline)) {
        lifeline_attempt(lifeline); /* At once: this delay is part of the detection time. */
    }
}

static const struct stream_handler lifeline_handler = {
    .on_connected = on_connected,
    .on_frame = on_frame,
    .on_end = on_end,
};

/* Called in a turn of its own, because the failure may be reported at once. */
static void lifeline_attempt(struct lifeline *lifeline)
{
    int error = 0;

    assert(lifeline->state == LIFELINE_WAITING && lifeline->stream == NULL);
    (void)uv_timer_stop(&lifeline->timer);
    lifeline->attempt_ms = clock_ms();
    if (!lifeline_is_cut(lifeline)) {
        lifeline->stream = stream_connect(lifeline->links->streams, &lifeline->address,
                                          &lifeline_handler, lifeline, &error);
    }
    if (lifeline->stream == NULL) {
        lifeline->error = error;
        lifeline_fail(lifeline, LINK_FAILED);
        return;
    }
    lifeline->state = LIFELINE_CONNECTING;
    stream_expect(lifeline->stream, CONNECT_MS_MAX);
}

static struct lifeline *lifeline_new(struct links *links, const struct node_id *peer,
                                     const struct address *address)
{
    struct lifeline *lifeline = calloc(1, sizeof *lifeline);
    struct lifeline **bucket = bucket_of(links, peer);

    if (lifeline == NULL) {
        return NULL;
    }
    lifeline->links = links;
    lifeline->peer = *peer;
    lifeline->address = *address;
    lifeline->below = *bucket;
    *bucket = lifeline;
    chain_insert(&links->all, &lifeline->link);
    chain_init(&lifeline->asked);
    (void)uv_timer_init(links->streams->loop, &lifeline->timer); /* cannot fail */
    lifeline->timer.data = lifeline;
    latch_acquire(links->streams->latch);
    clock_start_timer(&lifeline->timer, on_pause_over, 0);
    return lifeline;
}

/* --- Asking the kernel --- */

static void on_ask_timer(uv_timer_t *timer);

static void asks_arm(struct links *links)
{
    uint64_t soonest_ms = NEVER_MS;

    for (struct chain *at = links->asked.next; at != &links->asked; at = at->next) {
        const struct lifeline *lifeline = CHAIN_ITEM(at, struct lifeline, asked);
        soonest_ms = lifeline->look_ms < soonest_ms ? lifeline->look_ms : soonest_ms;
    }
    if (soonest_ms != NEVER_MS) {
        clock_start_timer(&links->ask_timer, on_ask_timer, soonest_ms);
    }
}

/* Removes from the list the lifelines that need no further check; those whose kernel has answered
 * go to `answered`. */
static void asks_look(struct links *links, struct chain *answered)
{
    uint64_t now_ms = clock_ms();
    struct chain *at = links->asked.next;

    while (at != &links->asked) {
        struct lifeline *lifeline = CHAIN_ITEM(at, struct lifeline, asked);
        uint64_t since_ms = now_ms - lifeline->asked_ms;

        at = at->next;
        if (now_ms < lifeline->look_ms) {
            continue;
        }
        if (stream_is_acknowledged(lifeline->stream, since_ms)) {
            chain_remove(&lifeline->asked);
            chain_insert(answered, &lifeline->asked);
        } else if (since_ms >= ASK_MS_MAX) {
            chain_remove(&lifeline->asked);
        } else {
            uint64_t next_ms = 2 * since_ms < ASK_MS_MAX ? 2 * since_ms : ASK_MS_MAX;
            lifeline->look_ms = lifeline->asked_ms + next_ms;
        }
    }
}

static void on_ask_timer(uv_timer_t *timer)
{
    struct links *links = timer->data;
    struct chain answered;

    chain_init(&answered);
    asks_look(links, &answered);
    asks_arm(links);
    /* The report may close any lifeline, which then removes itself from the list. */
    while (!chain_is_empty(&answered)) {
        (void)lifeline_tell(CHAIN_ITEM(chain_pop_first(&answered), struct lifeline, asked),
                            LINK_KERNEL);
    }
}

static void lifeline_ask(struct lifeline *lifeline)
{
    struct links *links = lifeline->links;

    if (!chain_is_empty(&lifeline->asked)) {
        return; /* It was asked already, and TCP repeats the question by itself. */
    }
    stream_nudge(lifeline->stream);
    lifeline->asked_ms = clock_ms();
    lifeline->look_ms = lifeline->asked_ms + ASK_MS_MIN;
    chain_insert(&links->asked, &lifeline->asked);
    asks_arm(links);
}

void links_ask_kernel(struct links *links, const struct node_id *peer,
                      const struct address *address)
{
    struct lifeline *lifeline = lifeline_find(links, peer);

    if (lifeline == NULL) {
        lifeline = lifeline_new(links, peer, address);
        if (lifeline == NULL) {
            return;
        }
    }
    lifeline->unheld_ms = clock_ms() + UNHELD_MS;
    uint64_t since_attempt_ms = clock_ms() - lifeline->attempt_ms;
    switch (lifeline->state) {
    case LIFELINE_UP:
    case LIFELINE_GREETING:
        lifeline_ask(lifeline);
        return;
    case LIFELINE_CONNECTING:
        if (since_attempt_ms >= RECONNECT_MS) {
            lifeline_drop_stream(lifeline);
            clock_start_timer(&lifeline->timer, on_pause_over, 0);
        }
        break;
    case LIFELINE_WAITING:
        if (since_attempt_ms >= RECONNECT_MS) {
            clock_start_timer(&lifeline->timer, on_pause_over, 0);
        }
        break;
    }
    lifeline->kernel_wanted = true;
}

/* --- For the node --- */

bool links_open(struct links *links, struct streams *streams, uint32_t capacity,
                links_on_news *on_news, links_is_cut *is_cut, void *context)
{
    uint32_t bucket_count = 8;

    while (bucket_count < capacity) {
        bucket_count *= 2;
    }
    links->buckets = calloc(bucket_count, sizeof *links->buckets);
    if (links->buckets == NULL) {
        return false;
    }
    links->bucket_mask = bucket_count - 1;
    links->streams = streams;
    links->on_news = on_news;
    links->is_cut = is_cut;
    links->context = context;
    chain_init(&links->all);
    chain_init(&links->asked);
    (void)uv_timer_init(streams->loop, &links->ask_timer); /* cannot fail */
    links->ask_timer.data = links;
    links->open = true;
    latch_acquire(streams->latch);
    return true;
}

static void on_ask_timer_closed(uv_handle_t *handle)
{
    struct links *links = handle->data;

    latch_release(links->streams->latch);
}

void links_close(struct links *links)
{
    if (!links->open) {
        return;
    }
    links->open = false;
    while (!chain_is_empty(&links->all)) {
        lifeline_close(CHAIN_ITEM(chain_pop_first(&links->all), struct lifeline, link));
    }
    uv_close((uv_handle_t *)&links->ask_timer, on_ask_timer_closed);
}

void links_free(struct links *links)
{
    free(links->buckets);
    links->buckets = NULL;
}

void links_hold(struct links *links, const struct node_id *peer, const struct address *address)
{
    struct lifeline *lifeline = lifeline_find(links, peer);

    if (lifeline != NULL && !lifeline->held) {
        lifeline_close(lifeline); /* Its news came before anybody had asked for them. */
        lifeline = NULL;
    }
    if (lifeline == NULL) {
        lifeline = lifeline_new(links, peer, address);
    }
    if (lifeline != NULL) {
        lifeline->held = true;
    }
}

void links_release(struct links *links, const struct node_id *peer)
{
    struct lifeline *lifeline = lifeline_find(links, peer);

    if (lifeline != NULL) {
        lifeline_close(lifeline);
    }
}

int links_error(const struct links *links, const struct node_id *peer, uint64_t *since_ms)
{
    const struct lifeline *lifeline = lifeline_find(links, peer);

    if (lifeline == NULL || lifeline->down_ms == 0) {
        return 0;
    }
    *since_ms = lifeline->down_ms;
    return lifeline->error;
}

bool links_send(struct links *links, const struct outgoing *outgoing)
{
    struct lifeline *lifeline = id_is_none(outgoing->hop) ? NULL
                                                          : lifeline_find(links, outgoing->hop);

    if (lifeline == NULL || lifeline->state != LIFELINE_UP) {
        return false;
    }
    (void)stream_send(lifeline->stream, outgoing);
    return true;
}
