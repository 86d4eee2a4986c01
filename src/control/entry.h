/* One entry of the journal for the outside, as a JSON object. Both the events and the evidence are
 * made of these. */
#ifndef CONTROL_ENTRY_H
#define CONTROL_ENTRY_H

#include <jansson.h>
#include <stdbool.h>

#include "words/journal.h"

/* kind (also the name of the server-sent event: "joined", "gone", "view"), cursor, time, epoch,
 * version, members, then what belongs to the kind, then `text`, the sentence. Epoch and version
 * are null where there was no view. A new reference, or NULL when memory ran out. */
json_t *entry_json(const struct journal_entry *entry);

/* One view by its name: lineage, epoch, version, coordinator, which is null where `coordinator` is
 * empty, and the coordinator's id. A new reference, or NULL when memory ran out. */
json_t *view_id_json(const struct view_id *id, const char *coordinator);

/* Is it about the member of that name? A merge is about both coordinators, a phase about this
 * node. */
bool entry_is_about(const struct journal_entry *entry, const char *name);

#endif
