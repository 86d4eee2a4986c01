/* USER, the message of one program to another: struct user_message <-> bytes, as section 9 of
 * wire.md says. It is no message of the core, which neither sends nor gets it. */
#ifndef PROTO_USER_MESSAGE_H
#define PROTO_USER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/id.h"
#include "proto/wire.h"

enum {
    USER_TYPE = 64,        /* on the wire; the core's types are below */
    USER_BYTES_MAX = 1024, /* of its content */
    USER_FRAME_EXTRA = 66, /* and a frame has at most so many more */
    USER_FRAME_BYTES_MAX = USER_BYTES_MAX + USER_FRAME_EXTRA,
};

struct user_message {
    struct node_id from;
    struct node_id to;
    uint64_t number; /* from 1 on, rises with every such message of that life */
    const uint8_t *data;
    uint16_t length;
};

/* Is this a frame for user_message_decode, rather than for wire_decode? */
bool user_message_is(const uint8_t *bytes, size_t length);

/* Reads the whole frame. `message->data` points into it. After a refusal `message` holds nothing of
 * use. */
enum wire_error user_message_decode(const struct wire *wire, const uint8_t *bytes, size_t length,
                                    struct user_message *message);

/* Writes the frame and returns its length. The message must be within the bounds. */
size_t user_message_encode(const struct wire *wire, const struct user_message *message,
                           uint8_t frame[USER_FRAME_BYTES_MAX]);

#endif
