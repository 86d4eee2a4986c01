/* What POST /v1/elect asks for: a new election, or that this node stands no more, or again. */
#ifndef CONTROL_ELECT_REQUEST_H
#define CONTROL_ELECT_REQUEST_H

#include "control/facts/facts.h"
#include "control/http/answer.h"

/* `stand` is "yes", "no", or NULL: as it is. */
struct answer elect_request(const struct facts *facts, const char *stand);

#endif
