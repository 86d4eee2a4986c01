/* The document of /v1/terms: the terms at run time (rules A1 to A5). */
#ifndef CONTROL_REPORT_TERMS_H
#define CONTROL_REPORT_TERMS_H

#include <jansson.h>
#include <stdbool.h>

#include "control/facts/facts.h"

/* The terms in force beside those that this node was started with. */
json_t *report_terms(const struct facts *facts);

/* Is there anything agreed that this node's configuration does not say, and should? */
bool terms_drift(const struct facts *facts);

#endif
