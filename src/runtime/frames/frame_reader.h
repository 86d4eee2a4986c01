/* Cuts the bytes of a stream into frames: four bytes of length, the highest first, then the frame.
 * Memory grows with the bytes that have arrived, never with what a length claims, and a frame that
 * arrives in one piece is not copied at all. */
#ifndef RUNTIME_FRAME_READER_H
#define RUNTIME_FRAME_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRAME_LENGTH_BYTES = 4 };

/* All zero, but for the maximum, is a reader at the beginning of a stream. */
struct frame_reader {
    size_t frame_bytes_max;
    uint8_t *partial; /* the beginning of a frame whose end has not arrived; NULL for none */
    size_t partial_length;
    size_t partial_capacity;
};

struct bytes {
    const uint8_t *at;
    size_t length;
};

enum frame_result {
    FRAME_WHOLE,      /* a frame; there may be more */
    FRAME_MORE,       /* all input is used, the next frame is not complete */
    FRAME_IMPOSSIBLE, /* a length beyond the maximum: the rest of the stream is meaningless */
    FRAME_NO_MEMORY,
};

/* Moves the bytes of the next frame from the front of `input`. With FRAME_WHOLE, `frame` is its
 * content, possibly empty; it is valid until the next call, and as long as the input is. After
 * FRAME_IMPOSSIBLE and FRAME_NO_MEMORY only frame_reader_deinit may follow. */
enum frame_result frame_reader_next(struct frame_reader *reader, struct bytes *input,
                                    struct bytes *frame);

/* Has a frame begun whose end has not arrived? */
bool frame_reader_has_partial(const struct frame_reader *reader);

void frame_reader_deinit(struct frame_reader *reader);

#endif
