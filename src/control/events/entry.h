/* One entry of the journal as a JSON object. Both the events and the evidence are made of these. */
#ifndef CONTROL_ENTRY_H
#define CONTROL_ENTRY_H

#include <jansson.h>
#include <stdbool.h>

#include "words/journal.h"

/* The object has kind (also the name of the server-sent event: "joined", "gone", "view"), cursor,
 * time, epoch, version, member_count, then the fields of that kind, then `text`, the sentence.
 * Epoch and version are null where there was no view. `life` is this process's, for the cursor.
 * Returns a new reference, or NULL when memory ran out. */
json_t *entry_json(const struct journal_entry *entry, uint32_t life);

/* The name of a view: lineage, epoch, version, coordinator, which is null where `coordinator` is
 * empty, and the coordinator's id. Returns a new reference, or NULL when memory ran out. */
json_t *view_id_json(const struct view_id *id, const char *coordinator);

/* Is the entry about the member of that name? A merge is about both coordinators, a phase about
 * this node. */
bool entry_is_about(const struct journal_entry *entry, const char *name);

#endif
