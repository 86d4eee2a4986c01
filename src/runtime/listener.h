/* The streams that others open to this node: their lifelines, and messages that are too long for
 * a datagram. A guest says HELLO first and is told who lives here; after that it may send
 * messages, or stay and say nothing for ever. */
#ifndef RUNTIME_LISTENER_H
#define RUNTIME_LISTENER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "runtime/chain.h"
#include "runtime/frame_reader.h"
#include "runtime/stream.h"

/* A message that came by stream, and the frame it was in. Both are valid for the call; `from` is
 * the connection's other end, whose port is nobody's listening port. */
typedef void listener_on_message(void *context, struct message *message, struct bytes frame,
                                 const struct address *from);

struct listener {
    uv_tcp_t server;
    bool open;
    struct streams *streams;
    struct chain guests;
    uint32_t guest_count;
    uint32_t guest_count_max;
    listener_on_message *on_message;
    void *context;
};

/* Binds to `listen`. `listener` is zeroed, and stays where it is until the latch is free. Returns
 * 0, or libuv's error code; then too, listener_close is to be called. */
int listener_open(struct listener *listener, struct streams *streams, const struct address *listen,
                  uint32_t guest_count_max);

/* Takes guests from now on. Returns 0, or libuv's error code. */
int listener_start(struct listener *listener, listener_on_message *on_message, void *context);

/* This life is over, another begins: whoever holds a stream to the old one is to notice. */
void listener_dismiss_guests(struct listener *listener);

void listener_close(struct listener *listener);

#endif
