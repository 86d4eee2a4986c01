#include "proto/partition_frame.h"

#include <assert.h>
#include <string.h>

#include "proto/bare_frame.h"

enum {
    VALUE_BYTES = 2,
    VALUES_BYTES_MAX = PARTITION_PAGE_VALUES * VALUE_BYTES,
    COPIES_MAX = PARTITIONS_MAX * PARTITION_COPIES_MAX,
};
_Static_assert(PARTITION_MESSAGE_KINDS == 4, "a kind that is appended gets the next number");

static const struct bare_kind partition_kind = {.type = PARTITION_TYPE, .field_count = 12};

bool partition_frame_is(const uint8_t *bytes, size_t length)
{
    return bare_frame_is(&partition_kind, bytes, length);
}

static void read_view_id(struct reader *reader, struct view_id *id)
{
    reader_fields(reader, 4);
    id->lineage = reader_number(reader, 0, UINT64_MAX);
    id->epoch = reader_number(reader, 0, UINT64_MAX);
    id->version = reader_number(reader, 0, UINT64_MAX);
    id->coordinator = reader_id(reader);
}

static void write_view_id(struct writer *writer, const struct view_id *id)
{
    writer_array(writer, 4);
    writer_number(writer, id->lineage);
    writer_number(writer, id->epoch);
    writer_number(writer, id->version);
    writer_id(writer, &id->coordinator);
}

static void read_of(struct reader *reader, struct view_id *of)
{
    if (reader_accept_nil(reader)) {
        memset(of, 0, sizeof *of);
    } else {
        read_view_id(reader, of);
    }
}

/* Places, two bytes each, the higher one first. */
static void read_values(struct reader *reader, struct partition_message *message)
{
    uint16_t length = 0;
    const uint8_t *bytes = reader_blob(reader, VALUES_BYTES_MAX, &length);

    message->count = 0;
    if (bytes == NULL) {
        return;
    }
    if (length % VALUE_BYTES != 0) {
        reader_fail(reader, WIRE_SHAPE);
        return;
    }
    for (uint16_t at = 0; at < length; at += VALUE_BYTES) {
        const uint16_t place = (uint16_t)(bytes[at] << 8 | bytes[at + 1]);
        if (place >= PARTITION_MEMBERS_MAX && place != PARTITION_NOBODY) {
            reader_fail(reader, WIRE_BOUND);
            return;
        }
        message->values[message->count++] = place;
    }
}

static void write_values(struct writer *writer, const struct partition_message *message)
{
    uint8_t bytes[VALUES_BYTES_MAX];

    for (size_t i = 0; i < message->count; i++) {
        bytes[i * VALUE_BYTES] = (uint8_t)(message->values[i] >> 8);
        bytes[i * VALUE_BYTES + 1] = (uint8_t)message->values[i];
    }
    writer_blob(writer, bytes, (uint16_t)(message->count * VALUE_BYTES));
}

enum wire_error partition_frame_decode(const struct wire *wire, const uint8_t *bytes, size_t length,
                                       struct partition_message *message)
{
    struct reader reader;

    bare_frame_begin(&reader, wire, &partition_kind, bytes, length);
    message->from = reader_id(&reader);
    message->to = reader_id(&reader);
    const uint64_t kind = reader_number(&reader, 1, PARTITION_MESSAGE_KINDS);
    message->kind = kind == 0 ? PARTITION_ASK : (enum partition_message_kind)(kind - 1);
    read_view_id(&reader, &message->view);
    read_of(&reader, &message->of);
    message->digest = reader_number(&reader, 0, UINT64_MAX);
    message->page = (uint32_t)reader_number(&reader, 0, PARTITION_PAGES_MAX);
    message->change.moved = (uint32_t)reader_number(&reader, 0, COPIES_MAX);
    message->change.least = (uint32_t)reader_number(&reader, 0, COPIES_MAX);
    message->change.led = (uint32_t)reader_number(&reader, 0, PARTITIONS_MAX);
    read_values(&reader, message);
    return bare_frame_end(&reader, length);
}

size_t partition_frame_encode(const struct wire *wire, const struct partition_message *message,
                              uint8_t bytes[PARTITION_FRAME_BYTES_MAX])
{
    struct writer writer;

    assert(message->kind < PARTITION_MESSAGE_KINDS && message->page <= PARTITION_PAGES_MAX &&
           message->count <= PARTITION_PAGE_VALUES);
    bare_frame_write(&writer, wire, &partition_kind, bytes, PARTITION_FRAME_BYTES_MAX);
    writer_id(&writer, &message->from);
    writer_id(&writer, &message->to);
    writer_number(&writer, (uint64_t)message->kind + 1);
    write_view_id(&writer, &message->view);
    if (id_is_none(&message->of.coordinator)) {
        writer_nil(&writer);
    } else {
        write_view_id(&writer, &message->of);
    }
    writer_number(&writer, message->digest);
    writer_number(&writer, message->page);
    writer_number(&writer, message->change.moved);
    writer_number(&writer, message->change.least);
    writer_number(&writer, message->change.led);
    write_values(&writer, message);
    return (size_t)(writer.at - bytes);
}
