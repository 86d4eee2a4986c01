#include "proto/bare_frame.h"

#include <string.h>

#include "proto/token.h"

enum { AT_TYPE = WIRE_HEADER_BYTES + 1 };

bool bare_frame_is(const struct bare_kind *kind, const uint8_t *bytes, size_t length)
{
    return length > AT_TYPE &&
           (bytes[WIRE_HEADER_BYTES] ^ (unsigned)HEAD_LIST) < HEAD_LIST_COUNTS &&
           bytes[AT_TYPE] == kind->type;
}

void bare_frame_begin(struct reader *reader, const struct wire *wire, const struct bare_kind *kind,
                      const uint8_t *bytes, size_t length)
{
    const enum wire_error error = wire_check_header(wire, bytes, length);

    *reader = (struct reader){.bytes = bytes, .length = length, .at = WIRE_HEADER_BYTES};
    if (error != WIRE_OK) {
        reader_fail(reader, error);
    } else if (!wire_header_is_bare(wire, bytes)) {
        reader_fail(reader, WIRE_FLAGS);
    }
    reader_fields(reader, kind->field_count);
    (void)reader_number(reader, kind->type, kind->type);
}

enum wire_error bare_frame_end(struct reader *reader, size_t length)
{
    if (reader->at != length) {
        reader_fail(reader, WIRE_TRAILING);
    }
    return reader->error;
}

void bare_frame_write(struct writer *writer, const struct wire *wire, const struct bare_kind *kind,
                      uint8_t *bytes, size_t size)
{
    memcpy(bytes, wire_header(wire), WIRE_HEADER_BYTES);
    writer_init(writer, bytes + WIRE_HEADER_BYTES, size - WIRE_HEADER_BYTES);
    writer_array(writer, kind->field_count);
    writer_number(writer, kind->type);
}
