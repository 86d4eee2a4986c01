/* What a daemon says when it refuses: application/problem+json. */
#ifndef CLIENT_REFUSAL_H
#define CLIENT_REFUSAL_H

#include <stddef.h>

#include "client/problem.h"
#include "client/target.h"

/* Reads the body of an answer with this status. Returns DOYEN_E_GUARD or DOYEN_E_REFUSED, with the
 * problem filled in. */
int refusal_read(const struct target *target, int status, const char *body, size_t length,
                 struct problem *problem);

#endif
