/* One entry of the journal as a sentence for people. */
#ifndef CONTROL_SENTENCE_H
#define CONTROL_SENTENCE_H

#include "control/sheet.h"
#include "words/journal.h"

/* Appends the sentence, without a full stop. */
void entry_sentence(const struct journal_entry *entry, struct sheet *sentence);

/* Appends why the member of a NOTICE_GONE is gone: "athens was removed: dead (...), silent 3 ms,
 * accused by ...". */
void gone_sentence(const struct journal_entry *entry, struct sheet *sentence);

#endif
