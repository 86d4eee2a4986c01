#include "proto/user_message.h"

#include <assert.h>
#include <string.h>

#include "proto/reader.h"
#include "proto/token.h"
#include "proto/writer.h"

enum { USER_FIELDS = 5, AT_TYPE = WIRE_HEADER_BYTES + 1 };

bool user_message_is(const uint8_t *bytes, size_t length)
{
    return length > AT_TYPE &&
           (bytes[WIRE_HEADER_BYTES] ^ (unsigned)HEAD_LIST) < HEAD_LIST_COUNTS &&
           bytes[AT_TYPE] == USER_TYPE;
}

enum wire_error user_message_decode(const struct wire *wire, const uint8_t *bytes, size_t length,
                                    struct user_message *message)
{
    const enum wire_error error = wire_check_header(wire, bytes, length);
    struct reader reader = {.bytes = bytes, .length = length, .at = WIRE_HEADER_BYTES};

    if (error != WIRE_OK) {
        return error;
    }
    if (!wire_header_is_bare(wire, bytes)) {
        return WIRE_FLAGS;
    }
    reader_fields(&reader, USER_FIELDS);
    (void)reader_number(&reader, USER_TYPE, USER_TYPE);
    message->from = reader_id(&reader);
    message->to = reader_id(&reader);
    message->number = reader_number(&reader, 1, UINT64_MAX);
    message->data = reader_blob(&reader, USER_BYTES_MAX, &message->length);
    if (reader.at != length) {
        reader_fail(&reader, WIRE_TRAILING);
    }
    return reader.error;
}

size_t user_message_encode(const struct wire *wire, const struct user_message *message,
                           uint8_t frame[DATAGRAM_FRAME_BYTES_MAX])
{
    struct writer writer;

    assert(message->length <= USER_BYTES_MAX && message->number > 0);
    memcpy(frame, wire_header(wire), WIRE_HEADER_BYTES);
    writer_init(&writer, frame + WIRE_HEADER_BYTES, DATAGRAM_FRAME_BYTES_MAX - WIRE_HEADER_BYTES);
    writer_array(&writer, USER_FIELDS);
    writer_number(&writer, USER_TYPE);
    writer_id(&writer, &message->from);
    writer_id(&writer, &message->to);
    writer_number(&writer, message->number);
    writer_blob(&writer, message->data, message->length);
    return (size_t)(writer.at - frame);
}
