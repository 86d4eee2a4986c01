/* What this node owns of the partitions, as part of /v1/partitions, and what programs say about it:
 * POST /v1/partitions/hold, /ready and /done (docs/partitions.md, P8 to P14). */
#ifndef CONTROL_REPORT_OWNING_H
#define CONTROL_REPORT_OWNING_H

#include <jansson.h>
#include <stdbool.h>

#include "control/facts/facts.h"
#include "control/http/answer.h"

/* How many partitions the member of that life owns: known of this node, and, by a coordinator, of
 * all; otherwise null. NULL: no memory. */
json_t *report_owned_by(const struct facts *facts, const struct node_id *life);

/* Adds what this node owns, is to own, and is to let go of. False: no memory. */
bool report_owning_put(json_t *object, const struct facts *facts);

/* Adds under which token this node owns that partition; null: it does not. */
bool report_owning_put_token(json_t *object, const struct facts *facts, uint32_t partition);

/* Promises what this node owns now, and says until when. */
struct answer owning_request_hold(const struct facts *facts);

/* The programs of this host are ready for these, or have done with them. `list` is as "0-3,7";
 * NULL: all. */
struct answer owning_request_ready(const struct facts *facts, const char *list);
struct answer owning_request_done(const struct facts *facts, const char *list);

#endif
