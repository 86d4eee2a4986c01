/* What an answer says of this node's right to act. */
#ifndef CONTROL_ACTING_H
#define CONTROL_ACTING_H

#include <jansson.h>
#include <stdbool.h>

#include "control/facts/facts.h"

/* Puts acting, acting_ms, acting_is, and where it is exclusive lease_ms. Returns false when memory
 * ran out. */
bool acting_put(json_t *object, const struct facts *facts);

#endif
