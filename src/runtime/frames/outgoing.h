/* One encoded message to be sent, as every means of sending needs it. */
#ifndef RUNTIME_OUTGOING_H
#define RUNTIME_OUTGOING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/effect.h"
#include "core/model/message.h"
#include "proto/wire.h"

/* Everything is borrowed for the call that gets it. */
struct outgoing {
    const struct node_id *peer; /* the receiver; none: whoever lives at `to` */
    const struct address *to;
    const struct node_id *hop; /* who lives there, as far as is known: the receiver, or the relay */
    enum message_type type;    /* zero: none of the core's */
    const uint8_t *bytes;      /* the frame */
    size_t length;
    bool as_datagram; /* whatever its length: it is to show what passes */
};

/* Encodes what an EFFECT_SEND is about; the bytes are the codec's. `again`: the message is the one
 * that was encoded last, of which only what differs is written. */
struct outgoing outgoing_encode(struct wire *wire, const struct effect *effect, bool again);

#endif
