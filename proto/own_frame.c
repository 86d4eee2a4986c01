#include "proto/own_frame.h"

#include <assert.h>
#include <string.h>

#include "core/model/role.h"
#include "proto/bare_frame.h"

enum { SET_BYTES_MAX = PARTITIONS_MAX / 8 };
_Static_assert(OWN_MESSAGE_KINDS == 6, "a kind that is appended gets the next number");

static const struct bare_kind own_kind = {.type = OWN_TYPE, .field_count = 13};

bool own_frame_is(const uint8_t *bytes, size_t length)
{
    return bare_frame_is(&own_kind, bytes, length);
}

/* A bit for each partition, that of 0 the lowest of the first byte; no zero byte at the end. */
static void read_set(struct reader *reader, struct partition_set *set)
{
    uint16_t length = 0;
    const uint8_t *bytes = reader_blob(reader, SET_BYTES_MAX, &length);

    memset(set, 0, sizeof *set);
    if (bytes == NULL) {
        return;
    }
    if (length > 0 && bytes[length - 1] == 0) {
        reader_fail(reader, WIRE_SHAPE);
        return;
    }
    for (uint16_t i = 0; i < length; i++) {
        set->words[i / 8] |= (uint64_t)bytes[i] << i % 8 * 8;
    }
}

static void write_set(struct writer *writer, const struct partition_set *set)
{
    uint8_t bytes[SET_BYTES_MAX];
    uint16_t length = 0;

    for (size_t i = 0; i < SET_BYTES_MAX; i++) {
        bytes[i] = (uint8_t)(set->words[i / 8] >> i % 8 * 8);
        length = bytes[i] != 0 ? (uint16_t)(i + 1) : length;
    }
    writer_blob(writer, bytes, length);
}

enum wire_error own_frame_decode(const struct wire *wire, const uint8_t *bytes, size_t length,
                                 struct own_message *message)
{
    struct reader reader;

    bare_frame_begin(&reader, wire, &own_kind, bytes, length);
    message->from = reader_id(&reader);
    message->to = reader_id(&reader);
    const uint64_t kind = reader_number(&reader, 1, OWN_MESSAGE_KINDS);
    message->kind = kind == 0 ? OWN_ASK : (enum own_kind)(kind - 1);
    message->epoch = reader_number(&reader, 0, UINT64_MAX);
    message->lease = reader_number(&reader, 0, ROLE_TOKEN_MAX);
    message->version = reader_number(&reader, 0, UINT64_MAX);
    message->number = reader_number(&reader, 0, UINT64_MAX);
    message->token = reader_number(&reader, 0, ROLE_TOKEN_MAX);
    message->count = (uint32_t)reader_number(&reader, 0, PARTITIONS_MAX);
    message->hash = reader_number(&reader, 0, UINT64_MAX);
    message->agrees = reader_bool(&reader);
    read_set(&reader, &message->set);
    return bare_frame_end(&reader, length);
}

size_t own_frame_encode(const struct wire *wire, const struct own_message *message,
                        uint8_t bytes[OWN_FRAME_BYTES_MAX])
{
    struct writer writer;

    assert(message->kind < OWN_MESSAGE_KINDS && message->count <= PARTITIONS_MAX &&
           message->lease <= ROLE_TOKEN_MAX && message->token <= ROLE_TOKEN_MAX);
    bare_frame_write(&writer, wire, &own_kind, bytes, OWN_FRAME_BYTES_MAX);
    writer_id(&writer, &message->from);
    writer_id(&writer, &message->to);
    writer_number(&writer, (uint64_t)message->kind + 1);
    writer_number(&writer, message->epoch);
    writer_number(&writer, message->lease);
    writer_number(&writer, message->version);
    writer_number(&writer, message->number);
    writer_number(&writer, message->token);
    writer_number(&writer, message->count);
    writer_number(&writer, message->hash);
    writer_bool(&writer, message->agrees);
    write_set(&writer, &message->set);
    return (size_t)(writer.at - bytes);
}
