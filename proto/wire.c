#include "proto/wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "proto/body.h"

/* The header of every frame; what it holds never depends on what follows, so that a further copy of
 * a message is the same frame with another header and receiver.
 *
 *      0     1     2         3       4          8                              16
 *    +-----+-----+---------+-------+----------+------------------------------+
 *    | 'D' | 'Y' |  form   | flags |   echo   | hash of the cluster's name   | message
 *    +-----+-----+---------+-------+----------+------------------------------+          */
enum {
    AT_FORM = 2,
    AT_FLAGS = 3, /* and, in the upper half, the version less 1 */
    AT_ECHO = 4,
    AT_CLUSTER = 8,

    MAGIC_0 = 'D',
    MAGIC_1 = 'Y',

    VERSION_SHIFT = 4,
    FLAGS_MASK = (1 << VERSION_SHIFT) - 1,
};

/* The last frame of a form that was written. */
struct encoded {
    uint8_t *frame;
    bool is_made;
    size_t length;                 /* 0: the message does not have this form */
    const struct message *message; /* which one it is of, if it is made */
    uint8_t version;
};

/* What the last frames were read into and written in. */
struct room {
    struct view view; /* of the last message decoded */
    void *view_storage;
    struct encoded whole;
    struct encoded brief;
    size_t frame_bytes_max;
};

struct wire {
    uint8_t header[WIRE_HEADER_BYTES]; /* of every frame of this cluster, with no flag set */
    struct bases bases;                /* borrowed */
    uint64_t skipped;
    struct room *room;
    bool owns_room;
};

struct versions wire_versions(void)
{
    return (struct versions){.low = WIRE_VERSION_LOW - 1, .high = WIRE_VERSION_HIGH - 1};
}

bool wire_speaks(unsigned version)
{
    return version == 1 || (version >= WIRE_VERSION_LOW && version <= WIRE_VERSION_HIGH);
}

static void header_init(uint8_t header[WIRE_HEADER_BYTES], const char *cluster)
{
    const uint64_t hash = hash_finish(hash_bytes(HASH_START, cluster, strlen(cluster)));

    memset(header, 0, WIRE_HEADER_BYTES);
    header[0] = MAGIC_0;
    header[1] = MAGIC_1;
    header[AT_FORM] = WIRE_FORM;
    for (unsigned i = 0; i < 8; i++) {
        header[AT_CLUSTER + i] = (uint8_t)(hash >> (56 - 8 * i));
    }
}

static void room_free(struct room *room)
{
    if (room != NULL) {
        free(room->view_storage);
        free(room->whole.frame);
        free(room->brief.frame);
        free(room);
    }
}

static struct room *room_new(uint32_t capacity)
{
    struct room *room = calloc(1, sizeof *room);

    if (room == NULL) {
        return NULL;
    }
    room->frame_bytes_max = WIRE_HEADER_BYTES + body_bytes_max(capacity);
    room->view_storage = malloc(view_bytes(capacity));
    room->whole.frame = malloc(room->frame_bytes_max);
    room->brief.frame = malloc(CHANGE_FRAME_BYTES_MAX + BODY_BRIEF_BEYOND);
    if (room->view_storage == NULL || room->whole.frame == NULL || room->brief.frame == NULL) {
        room_free(room);
        return NULL;
    }
    view_init(&room->view, capacity, room->view_storage);
    return room;
}

struct wire *wire_new(const char *cluster, uint32_t capacity)
{
    struct room *room = room_new(capacity);
    struct wire *wire = room == NULL ? NULL : calloc(1, sizeof *wire);

    if (wire == NULL) {
        room_free(room);
        return NULL;
    }
    wire->room = room;
    wire->owns_room = true;
    header_init(wire->header, cluster);
    return wire;
}

struct wire *wire_new_beside(const char *cluster, const struct wire *other)
{
    struct wire *wire = calloc(1, sizeof *wire);

    if (wire != NULL) {
        wire->room = other->room;
        header_init(wire->header, cluster);
    }
    return wire;
}

void wire_free(struct wire *wire)
{
    if (wire == NULL) {
        return;
    }
    if (wire->owns_room) {
        room_free(wire->room);
    }
    free(wire);
}

void wire_set_bases(struct wire *wire, const struct view *installed, const struct view *accepted)
{
    wire->bases = (struct bases){.installed = installed, .accepted = accepted};
}

const uint8_t *wire_header(const struct wire *wire)
{
    return wire->header;
}

size_t wire_frame_bytes_max(const struct wire *wire)
{
    return wire->room->frame_bytes_max;
}

uint64_t wire_cluster(const uint8_t *header)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < WIRE_HEADER_BYTES - AT_CLUSTER; i++) {
        number = number << 8 | header[AT_CLUSTER + i];
    }
    return number;
}

uint64_t wire_skipped(const struct wire *wire)
{
    return wire->skipped;
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
    if (memcmp(bytes, wire->header, AT_FORM) != 0) {
        return WIRE_MAGIC;
    }
    if (bytes[AT_FORM] != WIRE_FORM || !wire_speaks(1U + (bytes[AT_FLAGS] >> VERSION_SHIFT))) {
        return WIRE_OTHER_VERSION;
    }
    if (!are_flags(bytes[AT_FLAGS] & FLAGS_MASK)) {
        return WIRE_FLAGS;
    }
    if (memcmp(bytes + AT_CLUSTER, wire->header + AT_CLUSTER, WIRE_HEADER_BYTES - AT_CLUSTER) !=
        0) {
        return WIRE_OTHER_CLUSTER;
    }
    return length > wire->room->frame_bytes_max ? WIRE_BOUND : WIRE_OK;
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
    body_read(&reader, &wire->bases, &wire->room->view, message, bytes[AT_FLAGS] >> VERSION_SHIFT);
    message->source = source;
    message->fellow = (bytes[AT_FLAGS] & WIRE_FELLOW) != 0;
    message->relay = (bytes[AT_FLAGS] & WIRE_RELAY) != 0;
    message->handed_on = (bytes[AT_FLAGS] & WIRE_HANDED_ON) != 0;
    message->echo = echo_of(bytes);
    if (reader.at != length) {
        reader_fail(&reader, WIRE_TRAILING);
    }
    wire->skipped += reader.error == WIRE_OK && reader.skipped;
    return reader.error;
}

/* What the header says of this copy. */
static void set_header(uint8_t *frame, const struct wire_copy *copy)
{
    uint8_t *at = frame + AT_ECHO;

    frame[AT_FLAGS] = (uint8_t)((copy->flags & (WIRE_FELLOW | WIRE_RELAY | WIRE_HANDED_ON)) |
                                (unsigned)copy->version << VERSION_SHIFT);
    at[0] = (uint8_t)(copy->echo >> 24);
    at[1] = (uint8_t)(copy->echo >> 16);
    at[2] = (uint8_t)(copy->echo >> 8);
    at[3] = (uint8_t)copy->echo;
}

static void encode_whole(struct wire *wire, const struct message *message,
                         const struct wire_copy *copy)
{
    struct encoded *whole = &wire->room->whole;
    struct writer writer;

    memcpy(whole->frame, wire->header, WIRE_HEADER_BYTES);
    set_header(whole->frame, copy);
    writer_init(&writer, whole->frame + WIRE_HEADER_BYTES,
                wire->room->frame_bytes_max - WIRE_HEADER_BYTES);
    body_write(&writer, message, copy->to, copy->version);
    whole->is_made = true;
    whole->message = message;
    whole->version = copy->version;
    whole->length = (size_t)(writer.at - whole->frame);
}

/* Only where that is short: what is about many members may be whole as well. */
static void encode_brief(struct wire *wire, const struct message *message,
                         const struct wire_copy *copy)
{
    struct encoded *brief = &wire->room->brief;
    const uint8_t *limit = brief->frame + CHANGE_FRAME_BYTES_MAX; /* U3b */
    struct writer writer;

    memcpy(brief->frame, wire->header, WIRE_HEADER_BYTES);
    set_header(brief->frame, copy);
    writer_init(&writer, brief->frame + WIRE_HEADER_BYTES,
                CHANGE_FRAME_BYTES_MAX + BODY_BRIEF_BEYOND - WIRE_HEADER_BYTES);
    const bool fits = wire->bases.installed != NULL && body_may_be_brief(message->type) &&
                      message->carrier.view != NULL &&
                      body_write_brief(&writer, message, copy->to, copy->version,
                                       wire->bases.installed, limit);
    brief->is_made = true;
    brief->message = message;
    brief->version = copy->version;
    brief->length = fits ? (size_t)(writer.at - brief->frame) : 0;
}

const uint8_t *wire_encode(struct wire *wire, const struct message *message,
                           const struct wire_copy *copy, size_t *length)
{
    wire->room->whole.is_made = false;
    wire->room->brief.is_made = false;
    return wire_encode_copy(wire, message, copy, length);
}

static bool is_of(const struct encoded *encoded, const struct message *message, uint8_t version)
{
    return encoded->is_made && encoded->message == message && encoded->version == version;
}

/* Makes the frame that is there this copy's; false if it is of another message, or not like that.
 */
static bool readdress(const struct encoded *encoded, const struct message *message,
                      const struct wire_copy *copy)
{
    if (!is_of(encoded, message, copy->version) || encoded->length == 0 ||
        !body_redirect(encoded->frame + WIRE_HEADER_BYTES, copy->to)) {
        return false;
    }
    set_header(encoded->frame, copy);
    return true;
}

const uint8_t *wire_encode_copy(struct wire *wire, const struct message *message,
                                const struct wire_copy *copy, size_t *length)
{
    const struct encoded *encoded = &wire->room->whole;

    assert(copy->version < WIRE_VERSION_HIGH);
    if (copy->brief) {
        const bool has_none = is_of(&wire->room->brief, message, copy->version) &&
                              wire->room->brief.length == 0;
        if (!has_none && !readdress(&wire->room->brief, message, copy)) {
            encode_brief(wire, message, copy);
        }
        encoded = wire->room->brief.length > 0 ? &wire->room->brief : encoded;
    }
    if (encoded == &wire->room->whole && !readdress(&wire->room->whole, message, copy)) {
        encode_whole(wire, message, copy);
    }
    *length = encoded->length;
    return encoded->frame;
}

size_t wire_brief_bytes(struct wire *wire, const struct message *message)
{
    encode_brief(wire, message, &(struct wire_copy){.to = &message->from});
    return wire->room->brief.length;
}
