/* Durations, parsed and printed for people. */
#ifndef CLI_DURATION_H
#define CLI_DURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DURATION_TEXT_MAX = 32 };

/* Parses a whole number with its unit, ms, s, m or h ("250ms", "2s"). Returns false for anything
 * else, such as a number without a unit, and beyond a year. */
bool duration_parse(const char *text, uint64_t *milliseconds);

/* Writes "12 ms", "4.1 s", "2 min 5 s", "3 h 20 min", "2 d 4 h". */
void duration_text(char text[DURATION_TEXT_MAX], uint64_t milliseconds);

/* As it is typed: "500ms", "5s", "8760h". */
void duration_typed(char text[DURATION_TEXT_MAX], uint64_t milliseconds);

#endif
