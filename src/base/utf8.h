/* Is this UTF-8? Tags may be any text, and what prints them as JSON must know. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the well-formed character that `text` begins with, 1 to 4, or 0 when it begins with
 * none: an overlong form, a surrogate, beyond U+10FFFF, or cut short. `length` is at least 1. */
size_t utf8_character_bytes(const char *text, size_t length);

/* UTF-8 without control characters: what may stand in JSON and on a terminal. */
bool utf8_is_printable(const char *text, size_t length);

#endif
