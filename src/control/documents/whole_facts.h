/* Collects what the state of the whole is made of (words/whole.h), and has it judged. */
#ifndef CONTROL_WHOLE_FACTS_H
#define CONTROL_WHOLE_FACTS_H

#include <jansson.h>

#include "control/documents/voter_survey.h"
#include "control/facts/facts.h"
#include "control/facts/links.h"
#include "words/whole.h"

/* The state at the moment of `facts`. O(members) where nobody is doubted. */
void whole_now(const struct facts *facts, const struct links *links,
               const struct voter_survey *survey, struct whole *whole);

/* The part `whole` of documents: a new reference, or NULL when memory ran out. */
json_t *whole_json(const struct whole *whole);

#endif
