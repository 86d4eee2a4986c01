#include "runtime/courier.h"

#include <stdlib.h>

/* Connecting, and then doing nothing, may take so long each. */
enum { IDLE_MS_MAX = 2000 };

struct courier {
    struct chain link;
    struct couriers *couriers;
    struct stream *stream;
    struct address to;
    struct node_id peer; /* whom we expect there; may be none */
};

void couriers_open(struct couriers *couriers, struct streams *streams)
{
    couriers->streams = streams;
    couriers->count = 0;
    chain_init(&couriers->all);
}

static void courier_free(struct courier *courier)
{
    chain_remove(&courier->link);
    courier->couriers->count--;
    free(courier);
}

static void courier_dismiss(struct courier *courier)
{
    stream_close(courier->stream);
    courier_free(courier);
}

static void on_connected(void *owner)
{
    struct courier *courier = owner;

    stream_greet(courier->stream, &courier->peer);
    stream_expect(courier->stream, IDLE_MS_MAX);
}

/* The answer to HELLO. Whoever it is: messages name the life that they are meant for. */
static void on_frame(void *owner, const uint8_t *bytes, size_t length)
{
    (void)owner;
    (void)bytes;
    (void)length;
}

static void on_end(void *owner, int error)
{
    struct courier *courier = owner;

    (void)error;
    courier_free(courier);
}

static const struct stream_handler courier_handler = {
    .on_connected = on_connected,
    .on_frame = on_frame,
    .on_end = on_end,
};

static struct courier *courier_find(struct couriers *couriers, const struct address *to)
{
    for (struct chain *at = couriers->all.next; at != &couriers->all; at = at->next) {
        struct courier *courier = CHAIN_ITEM(at, struct courier, link);
        if (address_equal(&courier->to, to)) {
            return courier;
        }
    }
    return NULL;
}

static struct courier *courier_new(struct couriers *couriers, const struct node_id *peer,
                                   const struct address *to)
{
    struct courier *courier = NULL;
    int error;

    if (couriers->count < COURIERS_MAX) {
        courier = calloc(1, sizeof *courier);
    }
    if (courier == NULL) {
        return NULL;
    }
    courier->couriers = couriers;
    courier->to = *to;
    courier->peer = *peer;
    courier->stream = stream_connect(couriers->streams, to, &courier_handler, courier, &error);
    if (courier->stream == NULL) {
        free(courier);
        return NULL;
    }
    chain_insert(&couriers->all, &courier->link);
    couriers->count++;
    return courier;
}

void couriers_send(struct couriers *couriers, const struct node_id *peer, const struct address *to,
                   enum message_type type, const uint8_t *bytes, size_t length)
{
    struct courier *courier = courier_find(couriers, to);

    if (courier == NULL) {
        courier = courier_new(couriers, peer, to);
    }
    if (courier == NULL) {
        couriers->streams->traffic->send_failed++;
        return;
    }
    (void)stream_send(courier->stream, type, bytes, length);
    stream_expect(courier->stream, IDLE_MS_MAX);
}

void couriers_close(struct couriers *couriers)
{
    while (couriers->all.next != NULL && !chain_is_empty(&couriers->all)) {
        courier_dismiss(CHAIN_ITEM(couriers->all.next, struct courier, link));
    }
}
