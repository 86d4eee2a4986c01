#include "runtime/listener.h"

#include <stdlib.h>

#include "runtime/address_text.h"

enum {
    BACKLOG = 1024,
    HELLO_MS_MAX = 2000,
};

struct guest {
    struct chain link;
    struct listener *listener;
    struct stream *stream;
    struct address from;
    bool greeted;
};

static void guest_free(struct guest *guest)
{
    chain_remove(&guest->link);
    guest->listener->guest_count--;
    free(guest);
}

static void guest_dismiss(struct guest *guest)
{
    stream_close(guest->stream);
    guest_free(guest);
}

static void guest_refuse(struct guest *guest)
{
    guest->listener->streams->traffic->streams_refused++;
    guest_dismiss(guest);
}

static void guest_on_frame(void *owner, const uint8_t *bytes, size_t length)
{
    struct guest *guest = owner;
    struct listener *listener = guest->listener;
    struct streams *streams = listener->streams;
    struct message message;

    enum wire_error error = wire_decode(streams->wire, bytes, length, &message);
    if (error != WIRE_OK) {
        streams->traffic->malformed[error]++;
        guest_refuse(guest);
        return;
    }
    if ((message.type == MESSAGE_HELLO) == guest->greeted) {
        guest_refuse(guest); /* Something before HELLO, or a second one. */
        return;
    }
    if (!guest->greeted) {
        guest->greeted = true;
        stream_expect(guest->stream, 0);
        stream_greet(guest->stream, &message.from);
        return;
    }
    listener->on_message(listener->context, &message, &guest->from);
}

static void guest_on_end(void *owner, int error)
{
    struct guest *guest = owner;

    if (error == UV_ETIMEDOUT || error == UV_EPROTO || error == UV_ENOBUFS) {
        guest->listener->streams->traffic->streams_refused++;
    }
    guest_free(guest);
}

static const struct stream_handler guest_handler = {
    .on_frame = guest_on_frame,
    .on_end = guest_on_end,
};

static void on_connection(uv_stream_t *server, int status)
{
    struct listener *listener = server->data;
    struct streams *streams = listener->streams;
    int error = status;

    if (error != 0) {
        streams_note_starved(streams, error);
        return;
    }
    struct guest *guest = calloc(1, sizeof *guest);
    if (guest == NULL) {
        return;
    }
    chain_init(&guest->link);
    guest->listener = listener;
    listener->guest_count++;
    guest->stream = stream_accept(streams, server, &guest_handler, guest, &guest->from, &error);
    if (guest->stream == NULL) {
        streams_note_starved(streams, error);
        guest_free(guest);
        return;
    }
    chain_insert(&listener->guests, &guest->link);
    if (listener->guest_count > listener->guest_count_max) {
        guest_refuse(guest);
        return;
    }
    stream_expect(guest->stream, HELLO_MS_MAX);
}

int listener_open(struct listener *listener, struct streams *streams, const struct address *listen,
                  uint32_t guest_count_max)
{
    struct sockaddr_storage name;
    int family = address_family(listen);

    listener->streams = streams;
    listener->guest_count_max = guest_count_max;
    chain_init(&listener->guests);
    int error = uv_tcp_init_ex(streams->loop, &listener->server, (unsigned)family);
    if (error != 0) {
        return error;
    }
    listener->open = true;
    listener->server.data = listener;
    latch_take(streams->latch);

    /* As with datagrams: the wildcard of IPv6 takes IPv4 as well. */
    bool only_ipv6 = family == AF_INET6 && !address_is_wildcard(listen);
    (void)address_to_sockaddr(listen, family, &name);
    return uv_tcp_bind(&listener->server, (const struct sockaddr *)&name,
                       only_ipv6 ? UV_TCP_IPV6ONLY : 0);
}

int listener_start(struct listener *listener, listener_on_message *on_message, void *context)
{
    listener->on_message = on_message;
    listener->context = context;
    return uv_listen((uv_stream_t *)&listener->server, BACKLOG, on_connection);
}

void listener_dismiss_guests(struct listener *listener)
{
    while (!chain_is_empty(&listener->guests)) {
        guest_dismiss(CHAIN_ITEM(listener->guests.next, struct guest, link));
    }
}

static void on_closed(uv_handle_t *handle)
{
    struct listener *listener = handle->data;

    latch_drop(listener->streams->latch);
}

void listener_close(struct listener *listener)
{
    if (!listener->open) {
        return;
    }
    listener->open = false;
    uv_close((uv_handle_t *)&listener->server, on_closed);
    listener_dismiss_guests(listener);
}
