/* One view of the past as JSON, as /v1/history tells it. */
#ifndef CONTROL_VIEW_RECORD_H
#define CONTROL_VIEW_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "words/journal.h"

/* The view, held by the process of that life; `current`: it is the newest of it. Returns a new
 * reference, or NULL when memory ran out. */
json_t *view_record_json(const struct view_record *record, bool current, uint32_t life);

/* The beginning of each cursor of that process. */
json_t *life_json(uint32_t life);

#endif
