/* A length of time for people. */
#ifndef WORDS_SPAN_TEXT_H
#define WORDS_SPAN_TEXT_H

#include <stdint.h>

enum { SPAN_TEXT_MAX = 40 };

/* "420 ms", "4.2 s", "3 min": as exact as is of use. Returns `text`. */
const char *span_text(uint64_t ms, char text[SPAN_TEXT_MAX]);

#endif
