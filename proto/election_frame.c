#include "proto/election_frame.h"

#include <assert.h>
#include <string.h>

#include "proto/bare_frame.h"

enum {
    IDS_BYTES_MAX = ROSTER_MAX / 8,
    KINDS = ELECTION_MESSAGE_TYPE_COUNT,
};
_Static_assert(KINDS == 12, "a kind that is appended gets the next number on the wire");

static const struct bare_kind election_kind = {.type = ELECTION_TYPE, .field_count = 12};

bool election_frame_is(const uint8_t *bytes, size_t length)
{
    return bare_frame_is(&election_kind, bytes, length);
}

/* The member at place p is bit p % 8 of byte p / 8; the last byte is not zero, so that a set has
 * one form. */
static void read_ids(struct reader *reader, struct roster_set *ids)
{
    uint16_t length;
    const uint8_t *bytes = reader_blob(reader, IDS_BYTES_MAX, &length);

    memset(ids, 0, sizeof *ids);
    if (bytes == NULL || length == 0) {
        return;
    }
    if (bytes[length - 1] == 0) {
        reader_fail(reader, WIRE_SHAPE);
        return;
    }
    for (size_t place = 0; place < (size_t)length * 8; place++) {
        if ((bytes[place / 8] >> place % 8 & 1) != 0) {
            roster_set_add(ids, place);
        }
    }
}

static void write_ids(struct writer *writer, const struct roster_set *ids)
{
    uint8_t bytes[IDS_BYTES_MAX] = {0};
    uint16_t length = 0;

    for (size_t place = 0; place < ROSTER_MAX; place++) {
        if (roster_set_has(ids, place)) {
            bytes[place / 8] = (uint8_t)(bytes[place / 8] | 1U << place % 8);
            length = (uint16_t)(place / 8 + 1);
        }
    }
    writer_blob(writer, bytes, length);
}

enum wire_error election_frame_decode(const struct wire *wire, const uint8_t *bytes, size_t length,
                                      struct election_frame *frame)
{
    struct reader reader;

    bare_frame_begin(&reader, wire, &election_kind, bytes, length);
    frame->from = reader_id(&reader);
    frame->to = reader_id(&reader);
    frame->rule = (unsigned)reader_number(&reader, RULE_BULLY, RULE_MAX);
    const uint64_t kind = reader_number(&reader, 1, KINDS);
    frame->kind = kind == 0 ? ELECTION_HEARTBEAT : (enum election_message_type)(kind - 1);
    frame->round.epoch = reader_number(&reader, 0, UINT64_MAX);
    frame->round.version = reader_number(&reader, 0, UINT64_MAX);
    frame->round.attempt = reader_number(&reader, 0, UINT64_MAX);
    frame->subject = reader_id_or_nil(&reader);
    frame->home = reader_id_or_nil(&reader);
    frame->hops = reader_number(&reader, 0, ELECTION_HOPS_MAX);
    read_ids(&reader, &frame->ids);
    return bare_frame_end(&reader, length);
}

size_t election_frame_encode(const struct wire *wire, const struct election_frame *frame,
                             uint8_t bytes[ELECTION_FRAME_BYTES_MAX])
{
    struct writer writer;

    assert(frame->rule >= RULE_BULLY && frame->rule <= RULE_MAX &&
           frame->hops <= ELECTION_HOPS_MAX);
    bare_frame_write(&writer, wire, &election_kind, bytes, ELECTION_FRAME_BYTES_MAX);
    writer_id(&writer, &frame->from);
    writer_id(&writer, &frame->to);
    writer_number(&writer, frame->rule);
    writer_number(&writer, (uint64_t)frame->kind + 1);
    writer_number(&writer, frame->round.epoch);
    writer_number(&writer, frame->round.version);
    writer_number(&writer, frame->round.attempt);
    writer_id(&writer, &frame->subject);
    writer_id(&writer, &frame->home);
    writer_number(&writer, frame->hops);
    write_ids(&writer, &frame->ids);
    return (size_t)(writer.at - bytes);
}
