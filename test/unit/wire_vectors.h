/* Golden bytes: frames as text files in proto/vectors. A file holds a line `expect: ok` or
 * `expect: WIRE_SHAPE`, and lines of hexadecimal bytes; `#` begins a comment. */
#ifndef TEST_UNIT_WIRE_VECTORS_H
#define TEST_UNIT_WIRE_VECTORS_H

#include "wire_samples.h"

enum {
    VECTOR_BYTES_MAX = 1 << 16,
    VECTOR_NAME_MAX = 64,
    VECTOR_FILES_MAX = 256,
};

struct vector {
    char name[VECTOR_NAME_MAX]; /* of the file, without .txt */
    enum wire_error expect;
    size_t length;
    uint8_t bytes[VECTOR_BYTES_MAX];
};

void vector_of_sample(struct vector *vector, struct wire *wire, const struct sample *sample);
void vector_of_refusal(struct vector *vector, struct wire *wire, const struct samples *samples,
                       const struct wire_refusal *refusal);

/* Cuts `cut` bytes or tokens out at `at` and puts `length` other bytes there. */
void vector_edit(struct vector *vector, enum edit_unit unit, size_t at, size_t cut,
                 const uint8_t *bytes, size_t length);

/* Writes, and reads, the file of this name in VECTORS_DIR. What is wrong with one fails the test.
 */
void vector_write(const struct vector *vector, const char *about);
void vector_read(struct vector *vector, const char *name);

/* Names of all the files there, without .txt. */
size_t vectors_list(char names[VECTOR_FILES_MAX][VECTOR_NAME_MAX]);

#endif
