/* The document of /v1/leader: whom this node takes for the leader, and what the others said last.
 */
#ifndef CONTROL_REPORT_LEADER_H
#define CONTROL_REPORT_LEADER_H

#include <jansson.h>

#include "control/facts/facts.h"

/* NULL: no memory. */
json_t *report_leader(const struct facts *facts);

#endif
