/* Whether a node votes under guard strict, in the words of clients. */
#ifndef WORDS_VOTER_TEXT_H
#define WORDS_VOTER_TEXT_H

#include "core/model/facts.h"

/* "votes", "founding", "no record", "damaged record", "cannot write" or "retired"; NULL for no
 * voter. */
const char *voter_status_text(enum voter_status status);

#endif
