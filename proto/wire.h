/* The codec: struct message <-> bytes, as wire.md says. Refuses what wire.md does not have; what
 * it accepts is within every bound of core/limits.h, but may still be nonsense: the core decides.
 */
#ifndef PROTO_WIRE_H
#define PROTO_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/message.h"

enum {
    WIRE_VERSION = 1,
    WIRE_HEADER_BYTES = 16,
    WIRE_ADDRESS_4_BYTES = 4 + 2, /* IPv4 address and port */
    WIRE_ADDRESS_6_BYTES = 16 + 2,
};

/* No duration on the wire is longer, in milliseconds. */
#define WIRE_MS_MAX UINT32_MAX

/* Why bytes are not a message. Counted, never logged one by one. */
enum wire_error {
    WIRE_OK = 0,
    WIRE_SHORT,         /* ends before it is complete */
    WIRE_MAGIC,         /* not ours */
    WIRE_OTHER_VERSION, /* a protocol version this node does not speak */
    WIRE_FLAGS,         /* flags, or use of reserved bytes, that this version does not know */
    WIRE_OTHER_CLUSTER, /* of a cluster of another name (I3) */
    WIRE_TYPE,          /* no such message */
    WIRE_SHAPE,         /* not the fields that wire.md says, or not their types */
    WIRE_BOUND,         /* a frame, list, text or number beyond its bound */
    WIRE_TRAILING,      /* bytes left over */
    WIRE_ERROR_COUNT,
};
const char *wire_error_text(enum wire_error error);

/* Holds the decoded view and the encoding buffer; nothing is allocated after wire_new. */
struct wire;

/* For messages of the cluster `cluster` and views of up to `capacity` members. NULL: no memory. */
struct wire *wire_new(const char *cluster, uint32_t capacity);
void wire_free(struct wire *wire);

/* Longest frame this codec reads or writes, in bytes: that of a MERGE with a view filled to the
 * last tag, some 38 kB for the gone and 637 bytes for each member of the capacity. */
size_t wire_frame_bytes_max(const struct wire *wire);

/* Decodes one frame, complete before anything is returned. `message` is valid, and the view it
 * may point to is, until the next wire_decode; fields that this type of message does not have are
 * zero. `message->source` is left alone. After a refusal `message` holds nothing of use. */
enum wire_error wire_decode(struct wire *wire, const uint8_t *bytes, size_t length,
                            struct message *message);

/* What differs between the copies of one message, besides the receiver. */
enum wire_flags {
    WIRE_FELLOW = 1, /* message.fellow */
    WIRE_RELAY = 4,  /* message.relay */
};

/* Encodes one copy of a message for `to` (NULL: whoever lives there) with `flags` of enum
 * wire_flags. Returns the frame, valid until the next wire_encode, and its length in `*length`.
 * Cannot fail for a message that is within the bounds; asserts that its lists are and that the
 * frame fits. The message may point to the view of the last one decoded. */
const uint8_t *wire_encode(struct wire *wire, const struct message *message,
                           const struct node_id *to, unsigned flags, size_t *length);

/* The same for one more copy of the message that was encoded last, unchanged since: writes only
 * what differs between the two. */
const uint8_t *wire_encode_copy(struct wire *wire, const struct message *message,
                                const struct node_id *to, unsigned flags, size_t *length);

#endif
