/* Text in the making: grows as it is written. Running out of memory is remembered and asked for
 * once at the end, so that what writes a document need not look after every word. */
#ifndef CONTROL_SHEET_H
#define CONTROL_SHEET_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECIMAL_DIGITS_MAX = 20 }; /* of a 64-bit number */

/* All zero is an empty sheet. `bytes` is not ended by a zero. */
struct sheet {
    char *bytes;
    size_t length;
    size_t size;
    bool failed; /* memory ran out; what was written since is lost */
};

void sheet_deinit(struct sheet *sheet);

/* Empties it, and forgets a failure, but keeps the memory. */
void sheet_clear(struct sheet *sheet);

void sheet_bytes(struct sheet *sheet, const char *bytes, size_t length);
void sheet_text(struct sheet *sheet, const char *text);
void sheet_u64(struct sheet *sheet, uint64_t value);
void sheet_format(struct sheet *sheet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes `value` as compact JSON and releases it; NULL counts as memory that ran out. */
void sheet_json(struct sheet *sheet, json_t *value);

/* Writes `value` in decimal, at most DECIMAL_DIGITS_MAX bytes and no zero at the end; returns how
 * many. */
size_t decimal_write(char *to, uint64_t value);

#endif
