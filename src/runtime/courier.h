/* Carries what is too long for a datagram to where no lifeline is up: one stream for each address,
 * opened when there is something to carry and closed when there has been nothing for a while. */
#ifndef RUNTIME_COURIER_H
#define RUNTIME_COURIER_H

#include <stddef.h>
#include <stdint.h>

#include "core/message.h"
#include "runtime/chain.h"
#include "runtime/stream.h"

enum { COURIERS_MAX = 256 };

struct couriers {
    struct streams *streams;
    struct chain all;
    uint32_t count;
};

void couriers_open(struct couriers *couriers, struct streams *streams);
void couriers_close(struct couriers *couriers);

/* Sends a message to whoever lives at `to`, in particular `peer` (may be none); what cannot be
 * sent is counted. */
void couriers_send(struct couriers *couriers, const struct node_id *peer, const struct address *to,
                   enum message_type type, const uint8_t *bytes, size_t length);

#endif
