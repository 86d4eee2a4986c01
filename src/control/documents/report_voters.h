/* GET /v1/voters: the voters of guard strict, and their records as far as this node knows. */
#ifndef CONTROL_REPORT_VOTERS_H
#define CONTROL_REPORT_VOTERS_H

#include <jansson.h>

#include "control/documents/voter_survey.h"
#include "control/facts/facts.h"

/* NULL when memory ran out. */
json_t *report_voters(const struct facts *facts, const struct voter_survey *survey);

#endif
