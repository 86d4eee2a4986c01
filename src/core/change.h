/* Every change of the view goes in two phases: proposed to all, acknowledged, committed (U1, U2).
 * One at a time; what arrives meanwhile goes into the next (J5). */
#ifndef CORE_CHANGE_H
#define CORE_CHANGE_H

#include "core/state.h"

/* Something is to be changed: the coordinator builds the next view within T_batch. */
void change_soon(struct core *core);

/* Proposes the view built in core->scratch, of which members from `first_joiner` on are new.
 * Gives it version and hash; epoch and cause are the caller's. `handover_by` may be NULL. */
void change_propose(struct core *core, uint32_t first_joiner, const struct node_id *handover_by);

void change_on_prepare(struct core *core, const struct message *message);
void change_on_ack(struct core *core, const struct message *message);
void change_on_nack(struct core *core, const struct message *message);
void change_on_commit(struct core *core, const struct message *message);

/* Ends a proposal or claim of this node in favour of another's. */
void change_yield(struct core *core);

/* D4: this node slept while its proposal was out; it is built anew on what holds then. */
void change_interrupt(struct core *core);

void change_tick(struct core *core);

#endif
