/* Whether a node votes under guard strict, in the words of clients. */
#ifndef WORDS_VOTER_TEXT_H
#define WORDS_VOTER_TEXT_H

#include "core/model/effect.h"
#include "core/model/facts.h"

/* Others are told what to do about such a voter. */
#define VOTER_OLDER_TEXT "old record"
#define VOTER_FOREIGN_TEXT "foreign record" /* what is a damaged one to the core */

/* "votes", "founding", "no record", "damaged record", "cannot write", "retired" or "old record";
 * NULL for no voter. */
const char *voter_status_text(enum voter_status status);

/* What that notice, NOTICE_OLD_RECORD, says of this node's voter, and what to do: a sentence. */
enum { VOTER_OLDER_SENTENCE_MAX = 192 + NAME_BYTES_MAX };
const char *voter_older_sentence(const struct notice *notice, char text[VOTER_OLDER_SENTENCE_MAX]);

#endif
