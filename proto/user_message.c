#include "proto/user_message.h"

#include <assert.h>

#include "proto/bare_frame.h"

static const struct bare_kind user_kind = {.type = USER_TYPE, .field_count = 5};

bool user_message_is(const uint8_t *bytes, size_t length)
{
    return bare_frame_is(&user_kind, bytes, length);
}

enum wire_error user_message_decode(const struct wire *wire, const uint8_t *bytes, size_t length,
                                    struct user_message *message)
{
    struct reader reader;

    bare_frame_begin(&reader, wire, &user_kind, bytes, length);
    message->from = reader_id(&reader);
    message->to = reader_id(&reader);
    message->number = reader_number(&reader, 1, UINT64_MAX);
    message->data = reader_blob(&reader, USER_BYTES_MAX, &message->length);
    return bare_frame_end(&reader, length);
}

size_t user_message_encode(const struct wire *wire, const struct user_message *message,
                           uint8_t frame[USER_FRAME_BYTES_MAX])
{
    struct writer writer;

    assert(message->length <= USER_BYTES_MAX && message->number > 0);
    bare_frame_write(&writer, wire, &user_kind, frame, USER_FRAME_BYTES_MAX);
    writer_id(&writer, &message->from);
    writer_id(&writer, &message->to);
    writer_number(&writer, message->number);
    writer_blob(&writer, message->data, message->length);
    return (size_t)(writer.at - frame);
}
