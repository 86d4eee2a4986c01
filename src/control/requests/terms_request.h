/* The terms at run time, as clients have them changed (rules A1 to A5). */
#ifndef CONTROL_TERMS_REQUEST_H
#define CONTROL_TERMS_REQUEST_H

#include "control/facts/facts.h"
#include "control/http/answer.h"

/* Has this node ask for the terms as the body changes them:
 * {"guard": "majority", "size": 5, "profile": "lan", "capacity": 32}, one of them at least. */
struct answer terms_request(const struct facts *facts, const char *body, size_t length);

#endif
