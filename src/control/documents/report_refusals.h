/* What this node did not act on, and why, as JSON: counted for the status, one by one for `why`.
 * Each returns a new reference, or NULL when memory ran out. */
#ifndef CONTROL_REPORT_REFUSALS_H
#define CONTROL_REPORT_REFUSALS_H

#include <jansson.h>

#include "control/facts/facts.h"

enum { REFUSALS_SHOWN_MAX = 12 };

/* One object for each reason that was met: reason, rule, text, count. Frames that are no message
 * come last; their rule is null. */
json_t *report_refusal_counts(const struct facts *facts);

/* The last refusals of what the member of that name sent, present or gone; NULL: of what anybody
 * sent. The latest first. */
json_t *report_last_refusals(const struct facts *facts, const char *name);

#endif
