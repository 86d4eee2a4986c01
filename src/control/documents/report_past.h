/* The documents about the past: the history of views, the events, the evidence behind a decision.
 * They are functions of the facts, and of what earlier lives of this node left. Each returns a new
 * reference, or NULL when memory ran out. */
#ifndef CONTROL_REPORT_PAST_H
#define CONTROL_REPORT_PAST_H

#include <jansson.h>
#include <stdbool.h>

#include "control/events/past.h"
#include "control/facts/facts.h"
#include "control/facts/links.h"
#include "control/text/text_builder.h"
#include "words/whole.h"

enum { WHY_ENTRIES_MAX = 64 }; /* the newest about one member */

json_t *report_history(const struct facts *facts, const struct past *past);

/* Writes the document of the last PAST_EVENTS_MAX events, of this life and earlier ones. */
void report_journal(const struct facts *facts, const struct past *past, struct text_builder *text);

/* All the evidence, and the reason why the coordinator is the coordinator. */
json_t *report_why(const struct facts *facts, const struct whole *whole, const struct past *past);

/* Is anything known about a member of that name, now or earlier? */
bool report_knows(const struct facts *facts, const struct past *past, const char *name);

/* The evidence about the member of that name, for which report_knows is true. */
json_t *report_why_member(const struct facts *facts, const struct links *links,
                          const struct past *past, const char *name);

/* The known name nearest to this one, borrowed from the facts, or NULL. */
const char *report_suggest(const struct facts *facts, const char *name);

/* Why this node was refused when it last asked to join, as an entry of the journal; null once that
 * is over. */
json_t *report_join_refused(const struct facts *facts);

#endif
