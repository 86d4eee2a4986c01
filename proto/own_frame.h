/* OWNERS, what members say to each other about who owns which partitions: struct own_message <->
 * bytes, as section 12 of wire.md says. It is no message of the core, which neither sends nor gets
 * it. */
#ifndef PROTO_OWN_FRAME_H
#define PROTO_OWN_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/limits.h"
#include "partition/own_message.h"
#include "proto/wire.h"

enum {
    OWN_TYPE = 67,             /* on the wire */
    OWN_FRAME_BYTES_MAX = 640, /* no frame of this type is longer */
};

/* Is this a frame for own_frame_decode, rather than for wire_decode? */
bool own_frame_is(const uint8_t *bytes, size_t length);

/* Reads the whole frame. After a refusal `message` holds nothing of use. */
enum wire_error own_frame_decode(const struct wire *wire, const uint8_t *bytes, size_t length,
                                 struct own_message *message);

/* Writes the frame and returns its length. It must be within the bounds. */
size_t own_frame_encode(const struct wire *wire, const struct own_message *message,
                        uint8_t bytes[OWN_FRAME_BYTES_MAX]);

#endif
