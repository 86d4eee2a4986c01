/* How many members there were in the course of time, as a drawing of characters. */
#ifndef CLI_TOP_TIMELINE_H
#define CLI_TOP_TIMELINE_H

#include <jansson.h>
#include <stdint.h>

#include "cli/top/top_area.h"

enum { TOP_TIMELINE_ROWS = 6 };

/* Draws /v1/history until `wall_ms` into the first TOP_TIMELINE_ROWS of the area; nothing where
 * there are fewer, or no view yet. Returns the rows used. */
size_t top_timeline(const struct top_area *area, const json_t *history, uint64_t wall_ms);

#endif
