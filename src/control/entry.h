/* One entry of the journal for the outside: as a JSON object, and as a sentence for people. Both
 * the events and the evidence are made of these. */
#ifndef CONTROL_ENTRY_H
#define CONTROL_ENTRY_H

#include <jansson.h>
#include <stdbool.h>

#include "control/sheet.h"
#include "runtime/journal.h"

/* The kind, which is also the name of the server-sent event: "joined", "gone", "view". */
const char *entry_kind(enum notice_type type);

/* kind, cursor, time, epoch, version, members, then what belongs to the kind, then `text`, the
 * sentence. `view` is the view of now: it turns ages into names. A new reference, or NULL when
 * memory ran out. */
json_t *entry_json(const struct journal_entry *entry, const struct view *view);

/* Appends the sentence, without a full stop. */
void entry_sentence(const struct journal_entry *entry, const struct view *view,
                    struct sheet *sentence);

/* Appends why the member is gone: "athens was removed: dead (...), silent 3 ms, accused by ...". */
void gone_sentence(const struct gone *gone, const struct view *view, struct sheet *sentence);

/* Is it about the member of that name? */
bool entry_is_about(const struct journal_entry *entry, const char *name);

#endif
