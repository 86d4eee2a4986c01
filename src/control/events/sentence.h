/* One entry of the journal as a sentence for people. */
#ifndef CONTROL_SENTENCE_H
#define CONTROL_SENTENCE_H

#include "control/text/text_builder.h"
#include "words/journal.h"

/* A verdict and what it means, as part of a sentence: "dead (connection closed, ...)". */
const char *verdict_words(enum verdict verdict);

/* Appends the sentence, without a full stop. */
void entry_sentence(const struct journal_entry *entry, struct text_builder *sentence);

/* Appends why the member that a NOTICE_GONE is about is gone: "athens was removed: dead (...),
 * silent 3 ms, accused by ...". */
void gone_sentence(const struct journal_entry *entry, struct text_builder *sentence);

#endif
