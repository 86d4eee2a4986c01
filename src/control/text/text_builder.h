/* A text that grows as it is written. The builder remembers when memory runs out, so that the
 * writer asks once, at the end, instead of after every word. */
#ifndef CONTROL_TEXT_BUILDER_H
#define CONTROL_TEXT_BUILDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECIMAL_DIGITS_MAX = 20 }; /* of a 64-bit number */

/* All zero is an empty text. `bytes` is not ended by a zero. */
struct text_builder {
    char *bytes;
    size_t length;
    size_t size;
    bool failed; /* memory ran out; later text is lost */
};

void text_builder_deinit(struct text_builder *builder);

/* Empties the text and forgets a failure, but keeps the memory. */
void text_builder_clear(struct text_builder *builder);

/* Each of these appends to the text. */
void text_builder_add_bytes(struct text_builder *builder, const char *bytes, size_t length);
void text_builder_add(struct text_builder *builder, const char *text);
void text_builder_add_u64(struct text_builder *builder, uint64_t value);
void text_builder_format(struct text_builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends `value` as compact JSON and releases it. A NULL counts as memory that ran out. */
void text_builder_add_json(struct text_builder *builder, json_t *value);

/* Writes `value` in decimal, at most DECIMAL_DIGITS_MAX bytes without a zero at the end. Returns
 * the number of bytes. */
size_t decimal_write(char *to, uint64_t value);

#endif
