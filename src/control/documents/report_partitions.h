/* The document of /v1/partitions. */
#ifndef CONTROL_REPORT_PARTITIONS_H
#define CONTROL_REPORT_PARTITIONS_H

#include <jansson.h>

#include "control/facts/facts.h"

/* The table of partitions as this node has it, or, with a key, the row of that key's partition.
 * With what this node owns of it. NULL: no memory. */
json_t *report_partitions(const struct facts *facts, const char *key);

#endif
