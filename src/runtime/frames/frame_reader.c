#include "runtime/frames/frame_reader.h"

#include <stdlib.h>
#include <string.h>

enum { PARTIAL_BYTES_MIN = 1024 };

static size_t claimed_length(const uint8_t *bytes)
{
    return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
}

static void consume(struct bytes *input, size_t length)
{
    input->at += length;
    input->length -= length;
}

/* Doubling stays within twice what has arrived. */
static bool partial_reserve(struct frame_reader *reader, size_t needed)
{
    size_t capacity = reader->partial_capacity == 0 ? PARTIAL_BYTES_MIN : reader->partial_capacity;

    if (needed <= reader->partial_capacity) {
        return true;
    }
    while (capacity < needed) {
        capacity *= 2;
    }
    uint8_t *grown = realloc(reader->partial, capacity);
    if (grown == NULL) {
        return false;
    }
    reader->partial = grown;
    reader->partial_capacity = capacity;
    return true;
}

/* Moves input to the partial frame until that is `whole` bytes long. */
static enum frame_result partial_fill(struct frame_reader *reader, struct bytes *input,
                                      size_t whole)
{
    size_t missing = whole - reader->partial_length;
    size_t moved = input->length < missing ? input->length : missing;

    if (!partial_reserve(reader, reader->partial_length + moved)) {
        return FRAME_NO_MEMORY;
    }
    if (moved > 0) {
        memcpy(reader->partial + reader->partial_length, input->at, moved);
    }
    reader->partial_length += moved;
    consume(input, moved);
    return moved == missing ? FRAME_WHOLE : FRAME_MORE;
}

/* First the length, then, when it is known and possible, the content. */
static enum frame_result next_from_partial(struct frame_reader *reader, struct bytes *input,
                                           struct bytes *frame)
{
    enum frame_result result = FRAME_WHOLE;

    if (reader->partial_length < FRAME_LENGTH_BYTES) {
        result = partial_fill(reader, input, FRAME_LENGTH_BYTES);
    }
    if (result != FRAME_WHOLE) {
        return result;
    }
    size_t claimed = claimed_length(reader->partial);
    if (claimed > reader->frame_bytes_max) {
        return FRAME_IMPOSSIBLE;
    }
    result = partial_fill(reader, input, FRAME_LENGTH_BYTES + claimed);
    if (result == FRAME_WHOLE) {
        *frame = (struct bytes){reader->partial + FRAME_LENGTH_BYTES, claimed};
        reader->partial_length = 0; /* Its memory is let go with the next call. */
    }
    return result;
}

enum frame_result frame_reader_next(struct frame_reader *reader, struct bytes *input,
                                    struct bytes *frame)
{
    if (reader->partial_length > 0) {
        return next_from_partial(reader, input, frame);
    }
    frame_reader_deinit(reader);
    if (input->length >= FRAME_LENGTH_BYTES) {
        size_t claimed = claimed_length(input->at);

        if (claimed > reader->frame_bytes_max) {
            return FRAME_IMPOSSIBLE;
        }
        if (input->length - FRAME_LENGTH_BYTES >= claimed) {
            *frame = (struct bytes){input->at + FRAME_LENGTH_BYTES, claimed};
            consume(input, FRAME_LENGTH_BYTES + claimed);
            return FRAME_WHOLE;
        }
    }
    if (input->length == 0) {
        return FRAME_MORE;
    }
    return partial_fill(reader, input, input->length) == FRAME_NO_MEMORY ? FRAME_NO_MEMORY
                                                                         : FRAME_MORE;
}

bool frame_reader_has_partial(const struct frame_reader *reader)
{
    return reader->partial_length > 0;
}

void frame_reader_deinit(struct frame_reader *reader)
{
    free(reader->partial);
    reader->partial = NULL;
    reader->partial_length = 0;
    reader->partial_capacity = 0;
}
