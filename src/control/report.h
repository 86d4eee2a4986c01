/* The documents that people read: status, coordinator, history, the evidence behind a decision.
 * Functions of the facts alone. Each returns a new reference, or NULL when memory ran out. */
#ifndef CONTROL_REPORT_H
#define CONTROL_REPORT_H

#include <jansson.h>

#include "control/facts.h"
#include "control/links.h"

enum { WHY_ENTRIES_MAX = 64 }; /* about one member, the newest */

/* `links` of the same moment; `node` for the faults in force. */
json_t *report_status(const struct facts *facts, const struct links *links,
                      const struct node *node);
json_t *report_coordinator(const struct facts *facts);
json_t *report_version(void);
json_t *report_history(const struct facts *facts);

/* All the evidence, and why the coordinator is who it is. */
json_t *report_why(const struct facts *facts);

/* Is anything known about a member of that name, now or earlier? */
bool report_knows(const struct facts *facts, const char *name);

/* What is known about the member of that name, which report_knows. */
json_t *report_why_member(const struct facts *facts, const struct links *links, const char *name);

/* A known name like this one, or NULL. Borrowed from the facts. */
const char *report_suggest(const struct facts *facts, const char *name);

/* Why this node was turned away when it last asked to be let in, while it still is: an entry of
 * the journal; else null. */
json_t *report_join_refused(const struct facts *facts);

/* Sets a key and takes the value over; false, with the value released, when memory ran out. */
bool report_set(json_t *object, const char *key, json_t *value);

#endif
