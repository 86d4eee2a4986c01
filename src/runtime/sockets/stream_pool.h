/* Outgoing streams for messages that are too long for a datagram, to addresses without an open
 * lifeline: one stream for each address and life, opened when there is something to send and closed
 * after it was idle for a while. */
#ifndef RUNTIME_STREAM_POOL_H
#define RUNTIME_STREAM_POOL_H

#include <stdint.h>

#include "runtime/frames/outgoing.h"
#include "runtime/sockets/chain.h"
#include "runtime/sockets/stream.h"

enum { STREAM_POOL_MAX = 256 };

struct stream_pool {
    struct streams *streams;
    struct chain all;
    uint32_t count;
};

void stream_pool_open(struct stream_pool *pool, struct streams *streams);
void stream_pool_close(struct stream_pool *pool);

/* Sends the message to the address `to`; the HELLO in front names `hop`. A message that cannot be
 * sent is counted. */
void stream_pool_send(struct stream_pool *pool, const struct outgoing *outgoing);

#endif
