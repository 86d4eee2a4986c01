/* PARTITIONS, what members say to each other about the table of partitions: struct
 * partition_message <-> bytes, as section 11 of wire.md says. It is no message of the core, which
 * neither sends nor gets it. */
#ifndef PROTO_PARTITION_FRAME_H
#define PROTO_PARTITION_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/limits.h"
#include "partition/message.h"
#include "proto/wire.h"

enum {
    PARTITION_TYPE = 66,              /* on the wire */
    PARTITION_FRAME_BYTES_MAX = 1000, /* no frame of this type is longer */
};

/* Is this a frame for partition_frame_decode, rather than for wire_decode? */
bool partition_frame_is(const uint8_t *bytes, size_t length);

/* Reads the whole frame. After a refusal `message` holds nothing of use. */
enum wire_error partition_frame_decode(const struct wire *wire, const uint8_t *bytes, size_t length,
                                       struct partition_message *message);

/* Writes the frame and returns its length. It must be within the bounds. */
size_t partition_frame_encode(const struct wire *wire, const struct partition_message *message,
                              uint8_t bytes[PARTITION_FRAME_BYTES_MAX]);

#endif
