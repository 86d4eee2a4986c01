/* A moment of the wall clock as text. */
#ifndef CONTROL_TIME_TEXT_H
#define CONTROL_TIME_TEXT_H

#include <stdint.h>

enum { TIME_TEXT_MAX = 32 }; /* "2031-05-06T07:08:09.123Z" */

/* Writes `wall_ms`, milliseconds since 1970, as UTC in RFC 3339 with milliseconds, and returns
 * `text`. A time before 1970, or one that the C library cannot express, gives an empty text. */
const char *time_text(int64_t wall_ms, char text[TIME_TEXT_MAX]);

#endif
