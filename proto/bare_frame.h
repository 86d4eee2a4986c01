/* What frames beside the core's messages have in common: a header with neither a flag nor an echo,
 * then a list of a fixed number of fields, of which the first is the type. */
#ifndef PROTO_BARE_FRAME_H
#define PROTO_BARE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/reader.h"
#include "proto/wire.h"
#include "proto/writer.h"

struct bare_kind {
    uint8_t type;         /* 1 to 127 */
    uint32_t field_count; /* with the type */
};

/* Is this a frame of that kind's type? Its header is not looked at. */
bool bare_frame_is(const struct bare_kind *kind, const uint8_t *bytes, size_t length);

/* Starts to read a frame of that kind: header, number of fields and type. The other fields follow
 * from `reader`, which borrows `bytes` and keeps the first fault. */
void bare_frame_begin(struct reader *reader, const struct wire *wire, const struct bare_kind *kind,
                      const uint8_t *bytes, size_t length);

/* After the last field of a frame of `length` bytes. Returns the first fault, or WIRE_TRAILING when
 * bytes are left. */
enum wire_error bare_frame_end(struct reader *reader, size_t length);

/* Starts to write a frame of that kind to `bytes`, which hold `size`, enough for all of it. The
 * other fields are for the caller to write. */
void bare_frame_write(struct writer *writer, const struct wire *wire, const struct bare_kind *kind,
                      uint8_t *bytes, size_t size);

#endif
