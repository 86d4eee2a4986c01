/* Planned moves, as clients ask for them: what can be said at once, before the coordinator is asked
 * (rules E4 to E6). */
#ifndef CONTROL_MOVE_REQUEST_H
#define CONTROL_MOVE_REQUEST_H

#include "control/facts/facts.h"
#include "control/http/answer.h"

/* Asks the coordinator to hand over to the member of that name; NULL: to the oldest that can. The
 * caller knows that there is a member of that name. */
struct answer move_request_transfer(const struct facts *facts, const char *name);

/* Asks it to have the member at that position drained, or not any more. */
struct answer move_request_drain(const struct facts *facts, uint32_t position, bool drained);

/* What is said to a node that is no member. */
struct answer move_request_not_a_member(const struct facts *facts);

/* E9: has one that is gone listed no more. */
struct answer move_request_forget(const struct facts *facts, const char *name);

#endif
