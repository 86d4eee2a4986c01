/* How far a watcher has read, as text that the daemon gives out and accepts again: "0a1b2c3d-17" is
 * the life of a process and the number of an event in it. Each process counts from 1 again, so
 * without the life a number of an earlier process would pass for one of this process. */
#ifndef CONTROL_CURSOR_H
#define CONTROL_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

struct cursor {
    uint32_t life;
    uint64_t number; /* as in the journal; 0 before the first event */
};

/* "ffffffff-18446744073709551615" and its zero. */
enum { CURSOR_TEXT_MAX = 8 + 1 + 20 + 1 };

/* Writes the cursor, and returns `text`. */
const char *cursor_text(struct cursor cursor, char text[CURSOR_TEXT_MAX]);

/* Parses exactly what cursor_text writes. Returns false for anything else, with `cursor` unchanged.
 */
bool cursor_parse(const char *text, struct cursor *cursor);

#endif
