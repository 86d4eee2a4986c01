/* Durations as people write and read them. */
#ifndef CLI_DURATION_H
#define CLI_DURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DURATION_TEXT_MAX = 32 };

/* Reads a whole number with its unit, ms, s, m or h ("250ms", "2s"). Returns false for anything
 * else, a number without a unit among it, and beyond a year. */
bool duration_parse(const char *text, uint64_t *milliseconds);

/* "12 ms", "4.1 s", "2 min 5 s", "3 h 20 min", "2 d 4 h", in at most DURATION_TEXT_MAX bytes. */
void duration_text(char text[DURATION_TEXT_MAX], uint64_t milliseconds);

#endif
