/* The settings that this node runs with. */
#ifndef CONTROL_REPORT_CONFIG_H
#define CONTROL_REPORT_CONFIG_H

#include <jansson.h>

#include "control/facts/facts.h"

/* Returns a new reference, or NULL when memory ran out. */
json_t *report_config(const struct facts *facts);

#endif
