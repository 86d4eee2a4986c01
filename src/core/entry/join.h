/* The joiner's side: asking to be let in, and founding when nobody is there (F1, F2, J3).
 *
 *     JOIN to seeds and known peers --> OFFER    --> READY, echoing it --> a view with this node in
 * it ^    pauses double         a refusal --> at the slowest pace, the reason told
 *            '------------------------- nothing   --> may it found? after T_discover it does
 */
#ifndef CORE_JOIN_H
#define CORE_JOIN_H

#include "core/state/state.h"

/* Enters upon asking, from the first try. `was_member`: ask longer before founding (F2). */
void join_start(struct core *core, bool was_member);

void join_tick(struct core *core);
uint64_t join_deadline_ms(const struct core *core);

/* Somebody of this cluster lives at the address: remembers it, and asks again as soon as
 * retry_ms_min after the last try; a refused joiner keeps its pace (J2). */
void join_on_probe(struct core *core, const struct message *message);

/* One of those to found with says by which record it votes (Z8c). */
void join_on_record(struct core *core, const struct message *vote);

/* F3: another node asks to be let in while this one does. */
void join_meet(struct core *core, const struct message *message);

/* What an answer to this joiner's JOIN echoes (J3c). */
uint32_t join_echo(const struct core *core);

/* V4g: does the view, which holds this joiner, come from somebody whom it asked to be let in, or
 * who has to do with the view that it accepted? Refuses it otherwise. */
bool join_believes(struct core *core, const struct message *message);

void join_on_addresses(struct core *core, const struct addresses_event *addresses);
void join_on_offer(struct core *core, const struct message *message);
void join_on_refused(struct core *core, const struct message *message);

/* Only the id of this joiner is worn out: it asks on under a new one (S5). */
void join_renew(struct core *core);

/* Somebody may be about to let this node in, or has just refused to (F2). */
void join_put_off_founding(struct core *core);

/* Somebody else who may found has the better right to: puts founding off, but not for ever (F2b).
 */
void join_give_way(struct core *core);

/* This node was a member, and has to ask again (L1). */
void join_on_start_over(struct core *core);

#endif
