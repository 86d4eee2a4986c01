/* Voters that are no members, above all witnesses (Z16): a coordinator asks them for their leases
 * as strangers, with PING to where they are. It asks when without them the right to act would not
 * be sure any more, and otherwise so seldom that it is known whether they live.
 *
 *     the members' leases and its own last on make a quorum --> asked seldom: does it live?
 *     they do not, or its lease is half over                 --> asked, and again in a while
 *     the coordinator does not act, or acted until just now  --> the while is half a round trip
 */
#ifndef CORE_ABSENT_H
#define CORE_ABSENT_H

#include "core/state/state.h"

/* Is that PONG the answer of such a voter to this coordinator? Then it was taken. */
bool absent_on_pong(struct core *core, const struct message *pong);

/* Was the last question put to the voter of that record answered, or may that answer be on its way?
 */
bool absent_is_fresh(const struct core *core, const struct node_id *record);

/* E6a: until when they may be bound to this coordinator, if nobody wins without one of them: they
 * take nobody's word that it has handed over (Z2c). 0: somebody may. */
uint64_t absent_bound_until(const struct core *core);

/* What is known of it, or NULL. */
const struct absent_voter *absent_find(const struct core *core, const struct node_id *record);

void absent_tick(struct core *core);
uint64_t absent_deadline_ms(const struct core *core);
void absent_on_view_installed(struct core *core);
void absent_reset(struct core *core);

#endif
