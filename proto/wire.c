#include "proto/wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "proto/body.h"

/* The header of every frame; what it holds never depends on what follows, so that a further copy of
 * a message is the same frame with another header and receiver.
 *
 *      0     1     2         3       4          8                              16
 *    +-----+-----+---------+-------+----------+------------------------------+
 *    | 'D' | 'Y' | version | flags |   echo   | hash of the cluster's name   | message
 *    +-----+-----+---------+-------+----------+------------------------------+          */
enum {
    AT_VERSION = 2,
    AT_FLAGS = 3,
    AT_ECHO = 4,
    AT_CLUSTER = 8,

    MAGIC_0 = 'D',
    MAGIC_1 = 'Y',
};

struct wire {
    uint8_t header[WIRE_HEADER_BYTES]; /* of every frame of this cluster, with no flag set */
    struct view view;                  /* of the last message decoded */
    void *view_storage;
    uint8_t *frame; /* the last one encoded */
    size_t frame_length;
    const struct message *encoded; /* which message it is of */
    size_t frame_bytes_max;
};

static void header_init(uint8_t header[WIRE_HEADER_BYTES], const char *cluster)
{
    const uint64_t hash = hash_finish(hash_bytes(HASH_START, cluster, strlen(cluster)));

    memset(header, 0, WIRE_HEADER_BYTES);
    header[0] = MAGIC_0;
    header[1] = MAGIC_1;
    header[AT_VERSION] = WIRE_VERSION;
    for (unsigned i = 0; i < 8; i++) {
        header[AT_CLUSTER + i] = (uint8_t)(hash >> (56 - 8 * i));
    }
}

struct wire *wire_new(const char *cluster, uint32_t capacity)
{
    struct wire *wire = calloc(1, sizeof *wire);
    if (wire == NULL) {
        return NULL;
    }
    wire->frame_bytes_max = WIRE_HEADER_BYTES + body_bytes_max(capacity);
    wire->view_storage = malloc(view_bytes(capacity));
    wire->frame = malloc(wire->frame_bytes_max);
    if (wire->view_storage == NULL || wire->frame == NULL) {
        wire_free(wire);
        return NULL;
    }
    view_init(&wire->view, capacity, wire->view_storage);
    header_init(wire->header, cluster);
    return wire;
}

void wire_free(struct wire *wire)
{
    if (wire == NULL) {
        return;
    }
    free(wire->view_storage);
    free(wire->frame);
    free(wire);
}

const uint8_t *wire_header(const struct wire *wire)
{
    return wire->header;
}

size_t wire_frame_bytes_max(const struct wire *wire)
{
    return wire->frame_bytes_max;
}

/* Foreign traffic is told apart by its header, in this order, before anything else is read. */
static bool are_flags(uint8_t flags)
{
    bool known = (flags & ~(WIRE_FELLOW | WIRE_RELAY | WIRE_HANDED_ON)) == 0;

    return known && ((flags & WIRE_HANDED_ON) == 0 || (flags & WIRE_RELAY) != 0);
}

enum wire_error wire_check_header(const struct wire *wire, const uint8_t *bytes, size_t length)
{
    if (length < WIRE_HEADER_BYTES) {
        return WIRE_SHORT;
    }
    if (memcmp(bytes, wire->header, AT_VERSION) != 0) {
        return WIRE_MAGIC;
    }
    if (bytes[AT_VERSION] != WIRE_VERSION) {
        return WIRE_OTHER_VERSION;
    }
    if (!are_flags(bytes[AT_FLAGS])) {
        return WIRE_FLAGS;
    }
    if (memcmp(bytes + AT_CLUSTER, wire->header + AT_CLUSTER, WIRE_HEADER_BYTES - AT_CLUSTER) !=
        0) {
        return WIRE_OTHER_CLUSTER;
    }
    return length > wire->frame_bytes_max ? WIRE_BOUND : WIRE_OK;
}

bool wire_header_is_bare(const struct wire *wire, const uint8_t *bytes)
{
    return memcmp(bytes, wire->header, WIRE_HEADER_BYTES) == 0;
}

static uint32_t echo_of(const uint8_t *frame)
{
    const uint8_t *at = frame + AT_ECHO;

    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

enum wire_error wire_decode(struct wire *wire, const uint8_t *bytes, size_t length,
                            struct message *message)
{
    const enum wire_error error = wire_check_header(wire, bytes, length);
    if (error != WIRE_OK) {
        return error;
    }

    struct reader reader = {.bytes = bytes, .length = length, .at = WIRE_HEADER_BYTES};
    const struct address source = message->source;
    body_read(&reader, &wire->view, message);
    message->source = source;
    message->fellow = (bytes[AT_FLAGS] & WIRE_FELLOW) != 0;
    message->relay = (bytes[AT_FLAGS] & WIRE_RELAY) != 0;
    message->handed_on = (bytes[AT_FLAGS] & WIRE_HANDED_ON) != 0;
    message->echo = echo_of(bytes);
    if (reader.at != length) {
        reader_fail(&reader, WIRE_TRAILING);
    }
    return reader.error;
}

/* What the header says of this copy. */
static void set_header(uint8_t *frame, const struct wire_copy *copy)
{
    uint8_t *at = frame + AT_ECHO;

    frame[AT_FLAGS] = (uint8_t)(copy->flags & (WIRE_FELLOW | WIRE_RELAY | WIRE_HANDED_ON));
    at[0] = (uint8_t)(copy->echo >> 24);
    at[1] = (uint8_t)(copy->echo >> 16);
    at[2] = (uint8_t)(copy->echo >> 8);
    at[3] = (uint8_t)copy->echo;
}

const uint8_t *wire_encode(struct wire *wire, const struct message *message,
                           const struct wire_copy *copy, size_t *length)
{
    struct writer writer;

    memcpy(wire->frame, wire->header, WIRE_HEADER_BYTES);
    set_header(wire->frame, copy);
    writer_init(&writer, wire->frame + WIRE_HEADER_BYTES,
                wire->frame_bytes_max - WIRE_HEADER_BYTES);
    body_write(&writer, message, copy->to);
    wire->encoded = message;
    wire->frame_length = (size_t)(writer.at - wire->frame);
    *length = wire->frame_length;
    return wire->frame;
}

const uint8_t *wire_encode_copy(struct wire *wire, const struct message *message,
                                const struct wire_copy *copy, size_t *length)
{
    if (wire->encoded != message || !body_redirect(wire->frame + WIRE_HEADER_BYTES, copy->to)) {
        return wire_encode(wire, message, copy, length);
    }
    set_header(wire->frame, copy);
    *length = wire->frame_length;
    return wire->frame;
}
