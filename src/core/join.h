/* Asking to be let in, founding when nobody is there, and letting others in (F1, F2, J1 to J8). */
#ifndef CORE_JOIN_H
#define CORE_JOIN_H

#include "core/state.h"

/* Enters upon asking, from the first try. `was_member`: ask longer before founding (F2). */
void join_start(struct core *core, bool was_member);

void join_tick(struct core *core);
uint64_t join_deadline_ms(const struct core *core);

/* Somebody of this cluster lives at the address: remembers it, and asks again as soon as
 * retry_ms_min after the last try; a refused joiner keeps its pace (J2). */
void join_hint(struct core *core, const struct address *address);

void join_on_addresses(struct core *core, const struct addresses_event *addresses);
void join_on_join(struct core *core, const struct message *message);
void join_on_offer(struct core *core, const struct message *message);
void join_on_ready(struct core *core, const struct message *message);
void join_on_refused(struct core *core, const struct message *message);

/* Appends those who said READY to the view being built; their former lives go (J4), and
 * `*first_joiner` is kept right. */
void join_admit_queued(struct core *core, struct view *next, uint32_t *first_joiner);

/* A view was installed, after `old`: whoever waits under the address of one that has just come in
 * asks again, for it may be that one's former life (J4). */
void join_forget_let_in(struct core *core, const struct view *old);

#endif
