/* The voters of guard strict at run time, as clients have them changed (rule Z11). */
#ifndef CONTROL_VOTERS_REQUEST_H
#define CONTROL_VOTERS_REQUEST_H

#include "control/documents/voter_survey.h"
#include "control/facts/facts.h"
#include "control/http/answer.h"

/* Has this node ask for the voters as the body changes them, which is one of {"add": NAME},
 * {"remove": NAME}, {"replace": NAME, "with": NAME}, where the second name may be left out, and
 * {"set": [NAME]}. With "dry_run" it only says what stands against it; with "number" it wants the
 * voters to be the ones of that number still. */
struct answer voters_request(const struct facts *facts, const struct voter_survey *survey,
                             const char *body, size_t length);

#endif
