#include "runtime/sockets/listener.h"

#include <stdlib.h>

#include "runtime/sockets/segments.h"
#include "words/address_text.h"

enum {
    BACKLOG = 1024,
    HELLO_MS_MAX = 2000,
};

struct inbound {
    struct chain link;
    struct listener *listener;
    struct stream *stream;
    struct address from;
    struct guest guest; /* until it is greeted */
    bool greeted;
    struct chain stranger; /* from then on, unless its life was a member's */
    struct node_id life;
};

static void inbound_free(struct inbound *inbound)
{
    chain_remove(&inbound->link);
    chain_remove(&inbound->stranger);
    guests_remove(&inbound->listener->guests, &inbound->guest);
    inbound->listener->inbound_count--;
    free(inbound);
}

static void inbound_close(struct inbound *inbound)
{
    stream_close(inbound->stream);
    inbound_free(inbound);
}

static void inbound_refuse(struct inbound *inbound)
{
    inbound->listener->streams->traffic->streams_refused++;
    inbound_close(inbound);
}

static bool is_member(const struct inbound *inbound, const struct node_id *life)
{
    const struct view *view = core_view(stream_streams(inbound->stream)->core);

    return !view_is_empty(view) && view_has(view, life);
}

static void inbound_greet(struct inbound *inbound, const struct node_id *life)
{
    struct listener *listener = inbound->listener;

    inbound->greeted = true;
    inbound->life = *life;
    guests_remove(&listener->guests, &inbound->guest);
    if (!is_member(inbound, life)) {
        chain_insert(&listener->strangers, &inbound->stranger);
    }
    stream_expect(inbound->stream, 0);
    stream_send_hello(inbound->stream, life);
}

static void inbound_on_frame(void *owner, const uint8_t *bytes, size_t length)
{
    struct inbound *inbound = owner;
    struct listener *listener = inbound->listener;
    struct streams *streams = stream_streams(inbound->stream);
    struct message message;

    if (inbound->greeted) {
        if (!listener->on_frame(streams->context, (struct bytes){.at = bytes, .length = length},
                                &inbound->from)) {
            inbound_refuse(inbound);
        }
        return;
    }
    enum wire_error error = wire_decode(streams->wire, bytes, length, &message);
    if (error != WIRE_OK) {
        traffic_count_refused(streams->traffic, error);
        inbound_refuse(inbound);
        return;
    }
    if (message.type != MESSAGE_HELLO) {
        inbound_refuse(inbound); /* A message before HELLO. */
        return;
    }
    inbound_greet(inbound, &message.from);
}

static void inbound_on_end(void *owner, int error)
{
    struct inbound *inbound = owner;

    if (error == UV_ETIMEDOUT || error == UV_EPROTO || error == UV_ENOBUFS) {
        inbound->listener->streams->traffic->streams_refused++;
    }
    inbound_free(inbound);
}

static const struct stream_handler inbound_handler = {
    .on_frame = inbound_on_frame,
    .on_end = inbound_on_end,
};

/* Beyond the cap for those who have not said HELLO, one of them goes: perhaps this very one. */
static void admit_guest(struct inbound *inbound)
{
    struct guests *guests = &inbound->listener->guests;

    guests_add(guests, &inbound->guest, &inbound->from);
    stream_expect(inbound->stream, HELLO_MS_MAX);
    struct guest *excess = guests_excess(guests);
    if (excess != NULL) {
        inbound_refuse(CHAIN_ITEM(excess, struct inbound, guest));
    }
}

/* There are more than there may be. The oldest of those who said HELLO in the name of no member
 * goes; members, which have few, are not kept out by them. Without such a one it is the newest. */
static struct inbound *one_too_many(struct listener *listener, struct inbound *newest)
{
    while (!chain_is_empty(&listener->strangers)) {
        struct inbound *oldest = CHAIN_ITEM(chain_pop_first(&listener->strangers), struct inbound,
                                            stranger);
        if (!is_member(oldest, &oldest->life)) {
            return oldest;
        }
    }
    return newest;
}

static void on_connection(uv_stream_t *server, int status)
{
    struct listener *listener = server->data;
    struct streams *streams = listener->streams;
    int error = status;

    if (error != 0) {
        streams_note_starved(streams, error);
        return;
    }
    struct inbound *inbound = calloc(1, sizeof *inbound);
    if (inbound == NULL) {
        return;
    }
    chain_init(&inbound->link);
    chain_init(&inbound->stranger);
    inbound->listener = listener;
    listener->inbound_count++;
    inbound->stream = stream_accept(streams, server, &inbound_handler, inbound, &inbound->from,
                                    &error);
    if (inbound->stream == NULL) {
        streams_note_starved(streams, error);
        inbound_free(inbound);
        return;
    }
    chain_insert(&listener->inbound, &inbound->link);
    if (listener->inbound_count > listener->inbound_max) {
        struct inbound *out = one_too_many(listener, inbound);
        inbound_refuse(out);
        if (out == inbound) {
            return;
        }
    }
    admit_guest(inbound);
}

int listener_open(struct listener *listener, struct streams *streams, const struct address *listen,
                  uint32_t inbound_max)
{
    struct sockaddr_storage name;
    int family = address_family(listen);
    uv_os_fd_t fd;

    listener->streams = streams;
    listener->inbound_max = inbound_max;
    chain_init(&listener->inbound);
    chain_init(&listener->strangers);
    guests_init(&listener->guests);
    int error = uv_tcp_init_ex(streams->loop, &listener->server, (unsigned)family);
    if (error != 0) {
        return error;
    }
    listener->open = true;
    listener->server.data = listener;
    latch_acquire(streams->latch);
    if (uv_fileno((const uv_handle_t *)&listener->server, &fd) == 0) {
        segments_keep_small(fd);
    }

    /* As for datagrams, the wildcard of IPv6 accepts IPv4 as well. */
    bool only_ipv6 = family == AF_INET6 && !address_is_wildcard(listen);
    (void)address_to_sockaddr(listen, family, &name);
    return uv_tcp_bind(&listener->server, (const struct sockaddr *)&name,
                       only_ipv6 ? UV_TCP_IPV6ONLY : 0);
}

int listener_start(struct listener *listener, listener_on_frame *on_frame)
{
    listener->on_frame = on_frame;
    return uv_listen((uv_stream_t *)&listener->server, BACKLOG, on_connection);
}

void listener_close_inbound(struct listener *listener, const struct streams *streams)
{
    for (struct chain *at = listener->inbound.next; at != &listener->inbound;) {
        struct inbound *inbound = CHAIN_ITEM(at, struct inbound, link);
        at = at->next;
        if (stream_streams(inbound->stream) == streams) {
            inbound_close(inbound);
        }
    }
}

static void on_closed(uv_handle_t *handle)
{
    struct listener *listener = handle->data;

    latch_release(listener->streams->latch);
}

void listener_close(struct listener *listener)
{
    if (!listener->open) {
        return;
    }
    listener->open = false;
    uv_close((uv_handle_t *)&listener->server, on_closed);
    while (!chain_is_empty(&listener->inbound)) {
        inbound_close(CHAIN_ITEM(chain_pop_first(&listener->inbound), struct inbound, link));
    }
}
