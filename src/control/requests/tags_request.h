/* Tags at run time, as clients ask for them (rule E8). */
#ifndef CONTROL_TAGS_REQUEST_H
#define CONTROL_TAGS_REQUEST_H

#include "control/facts/facts.h"
#include "control/http/answer.h"

/* Has this node ask for its tags as the body changes them:
 * {"set": {"role": "db"}, "unset": ["zone"]}, one of the two at least. */
struct answer tags_request(const struct facts *facts, const char *body, size_t length);

#endif
