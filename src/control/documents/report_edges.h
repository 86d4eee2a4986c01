/* GET /v1/edges: who watches whom on the rings, as all members say it when they are asked (D9). */
#ifndef CONTROL_REPORT_EDGES_H
#define CONTROL_REPORT_EDGES_H

#include <jansson.h>

#include "control/facts/facts.h"
#include "runtime/services/inquiry.h"

enum { EDGES_TOLD_MAX = 32 }; /* that one member tells; what is beyond is not read */

/* What this node tells another that asks: [[age, heard_ms, state], ...] of up to `most` of those
 * whom it watches, those in doubt first. NULL when memory ran out. */
json_t *report_edges_own(const struct facts *facts, size_t most);

/* The edges with the signs that both ends have of each other, and the doubts, from the answers in
 * the round that runs; none yet while some members are still to be asked. O(members). NULL when
 * memory ran out. */
json_t *report_edges(const struct facts *facts, const struct inquiry *inquiry);

#endif
