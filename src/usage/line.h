/* The line that a program ends with: what was typed may be of any length, and the remedy stands
 * behind it; or it may be a key, which must stand in no log. */
#ifndef USAGE_LINE_H
#define USAGE_LINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Is it a key itself, 32 bytes in base64, where its file or its fingerprint was wanted? */
bool line_is_key(const char *text);

/* Puts '*' in the place of each key in the text. */
void line_hide_keys(char *text);

/* Writes the text into `to`, as vsnprintf does, but with "..." in place of the end of each word
 * that nobody reads to its end, and without keys. */
void line_set(char *to, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
