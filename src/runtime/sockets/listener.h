/* The inbound streams: other nodes' lifelines, and messages that are too long for a datagram. The
 * other end says HELLO first and gets this node's HELLO; after that it may send messages, or stay
 * silent for ever. */
#ifndef RUNTIME_LISTENER_H
#define RUNTIME_LISTENER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "runtime/frames/frame_reader.h"
#include "runtime/sockets/chain.h"
#include "runtime/sockets/guests.h"
#include "runtime/sockets/stream.h"

/* A frame that came by stream, after HELLO; `context` is that of the stream's streams. It is valid
 * for the call; `from` is the other end of the connection, and nobody listens on its port. Returns
 * false for a frame that is malformed, or a second HELLO: that ends the connection. */
typedef bool listener_on_frame(void *context, struct bytes frame, const struct address *from);

struct listener {
    uv_tcp_t server;
    bool open;
    struct streams *streams;
    struct chain inbound;
    uint32_t inbound_count;
    uint32_t inbound_max;
    struct guests guests;   /* those of them that have not said HELLO */
    struct chain strangers; /* that said it for a life that was no member's, the oldest first */
    listener_on_frame *on_frame;
};

/* Binds to `listen`. `listener` is zeroed, and stays where it is until the latch is free. Returns
 * 0, or libuv's error code; then too, listener_close is to be called. */
int listener_open(struct listener *listener, struct streams *streams, const struct address *listen,
                  uint32_t inbound_max);

/* Accepts streams from now on. Returns 0, or libuv's error code. */
int listener_start(struct listener *listener, listener_on_frame *on_frame);

/* Closes all inbound streams of these. When a life ends, the nodes that hold a stream to it must
 * notice. */
void listener_close_inbound(struct listener *listener, const struct streams *streams);

void listener_close(struct listener *listener);

#endif
