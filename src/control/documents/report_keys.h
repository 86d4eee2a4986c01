/* The keys of this node, and who holds them, as a document; and requests to change them. */
#ifndef CONTROL_REPORT_KEYS_H
#define CONTROL_REPORT_KEYS_H

#include <jansson.h>

#include "control/facts/facts.h"

/* Returns a new reference, or NULL when memory ran out. */
json_t *report_keys(const struct facts *facts);

#endif
