/* Bytes that no well-meaning node sends: noise, and the golden vectors cut, flipped and joined, so
 * that they get past the header and into the decoder. From a seed, hence the same in each run. */
#ifndef E2E_GARBAGE_H
#define E2E_GARBAGE_H

#include <stddef.h>
#include <stdint.h>

enum {
    FRAMES_MAX = 256,
    FRAME_BYTES_MAX = 1400,
};

struct frame {
    uint8_t bytes[FRAME_BYTES_MAX];
    size_t length;
};

struct garbage {
    uint64_t state;
    size_t frame_count;
    struct frame frames[FRAMES_MAX];
};

/* Reads all vectors. What addresses they have are turned into addresses of this host, because
 * some of them are answered. The caller's to free; fails the test when there are none. */
struct garbage *garbage_new(uint64_t seed);

uint64_t garbage_below(struct garbage *garbage, uint64_t bound);

/* Random bytes. */
void garbage_noise(struct garbage *garbage, uint8_t *bytes, size_t length);

/* A vector as it is, or damaged, or noise. */
void garbage_frame(struct garbage *garbage, struct frame *out);

/* The vector in that file ("hello.txt"). */
const struct frame *garbage_vector(const char *name, struct frame *out);

#endif
