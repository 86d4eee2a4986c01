/* The line that a program ends with: what was typed may be of any length, and the remedy stands
 * behind it. */
#ifndef USAGE_LINE_H
#define USAGE_LINE_H

#include <stdarg.h>
#include <stddef.h>

/* Writes the text into `to`, as vsnprintf does, but with "..." in place of the end of each word
 * that nobody reads to its end. */
void line_set(char *to, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
