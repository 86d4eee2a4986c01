#include "runtime/sockets/stream_pool.h"

#include <stdlib.h>

/* The limit for connecting, and for being idle. */
enum { IDLE_MS_MAX = 2000 };

struct pooled_stream {
    struct chain link;
    struct stream_pool *pool;
    struct stream *stream;
    struct address to;
    struct node_id life; /* all its frames go to this one; may be none, for whoever is there */
};

void stream_pool_open(struct stream_pool *pool, struct streams *streams)
{
    pool->streams = streams;
    pool->count = 0;
    chain_init(&pool->all);
}

static void pooled_stream_free(struct pooled_stream *pooled)
{
    chain_remove(&pooled->link);
    pooled->pool->count--;
    free(pooled);
}

static void pooled_stream_dismiss(struct pooled_stream *pooled)
{
    stream_close(pooled->stream);
    pooled_stream_free(pooled);
}

static void on_connected(void *owner)
{
    struct pooled_stream *pooled = owner;

    stream_send_hello(pooled->stream, &pooled->life);
    stream_expect(pooled->stream, IDLE_MS_MAX);
}

/* This is the answer to HELLO. It does not matter who answers: messages name the life that they are
 * meant for. */
static void on_frame(void *owner, const uint8_t *bytes, size_t length)
{
    (void)owner;
    (void)bytes;
    (void)length;
}

static void on_end(void *owner, int error)
{
    struct pooled_stream *pooled = owner;

    (void)error;
    pooled_stream_free(pooled);
}

static const struct stream_handler pooled_stream_handler = {
    .on_connected = on_connected,
    .on_frame = on_frame,
    .on_end = on_end,
};

/* A frame that is sealed for another life than the one that is there ends its stream, and what is
 * behind it is lost. */
static struct pooled_stream *pooled_stream_find(struct stream_pool *pool,
                                                const struct outgoing *outgoing)
{
    for (struct chain *at = pool->all.next; at != &pool->all; at = at->next) {
        struct pooled_stream *pooled = CHAIN_ITEM(at, struct pooled_stream, link);
        if (address_equal(&pooled->to, outgoing->to) && id_equal(&pooled->life, outgoing->hop)) {
            return pooled;
        }
    }
    return NULL;
}

static struct pooled_stream *pooled_stream_new(struct stream_pool *pool,
                                               const struct outgoing *outgoing)
{
    struct pooled_stream *pooled = NULL;
    int error;

    if (pool->count < STREAM_POOL_MAX) {
        pooled = calloc(1, sizeof *pooled);
    }
    if (pooled == NULL) {
        return NULL;
    }
    pooled->pool = pool;
    pooled->to = *outgoing->to;
    pooled->life = *outgoing->hop;
    pooled->stream = stream_connect(pool->streams, outgoing->to, &pooled_stream_handler, pooled,
                                    &error);
    if (pooled->stream == NULL) {
        free(pooled);
        return NULL;
    }
    chain_insert(&pool->all, &pooled->link);
    pool->count++;
    return pooled;
}

void stream_pool_send(struct stream_pool *pool, const struct outgoing *outgoing)
{
    struct pooled_stream *pooled = pooled_stream_find(pool, outgoing);

    if (pooled == NULL) {
        pooled = pooled_stream_new(pool, outgoing);
    }
    if (pooled == NULL) {
        pool->streams->traffic->send_failed++;
        return;
    }
    (void)stream_send(pooled->stream, outgoing);
    stream_expect(pooled->stream, IDLE_MS_MAX);
}

void stream_pool_close(struct stream_pool *pool)
{
    while (pool->all.next != NULL && !chain_is_empty(&pool->all)) {
        pooled_stream_dismiss(CHAIN_ITEM(chain_pop_first(&pool->all), struct pooled_stream, link));
    }
}
