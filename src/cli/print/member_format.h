/* The text that doyen members --format prints for each member: "{name} {address}\n". */
#ifndef CLI_MEMBER_FORMAT_H
#define CLI_MEMBER_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/print/member_field.h"

enum { MEMBER_FORMAT_FAULT_MAX = 480 };

/* Can it be printed? A field stands in braces; \n, \t, \\ and \{ are a line's end, a tab, and the
 * characters themselves. If not, `fault` says what is wrong with it. */
bool member_format_is_sound(const char *format, char fault[MEMBER_FORMAT_FAULT_MAX]);

/* Writes the text for one row to `out`, where a sound format stands for it, and a line's end unless
 * the text has one. A control character in a value, which could pass for another line or steer a
 * terminal, is written as "?". */
void member_format_write(FILE *out, const char *format, const struct member_row *row);

#endif
