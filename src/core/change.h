/* Every change of the view goes in two phases: proposed to all, acknowledged, committed (U1, U2).
 * One at a time; what arrives meanwhile goes into the next (J5). */
#ifndef CORE_CHANGE_H
#define CORE_CHANGE_H

#include "core/state.h"

/* Something is to be changed: the coordinator builds the next view within T_batch. */
void change_soon(struct core *core);

/* Starts the next view in core->scratch as a copy of `base`, its parent. */
void change_begin(struct core *core, const struct view *base, enum view_cause cause);

/* Proposes the view built in core->scratch. Gives it version and hash; the rest is the caller's. */
void change_propose(struct core *core, const struct proposal *proposal);

void change_on_prepare(struct core *core, const struct message *message);
void change_on_ack(struct core *core, const struct message *message);
void change_on_nack(struct core *core, const struct message *message);
void change_on_commit(struct core *core, const struct message *message);

/* Ends a proposal or claim of this node in favour of another's. */
void change_yield(struct core *core);

/* A member still follows the coordinator whom this node's won claim would depose: the claim is lost
 * all the same (C3). */
void change_on_late_refusal(struct core *core);

/* Gives up the proposal that is out, to build it anew on what holds then: this node slept meanwhile
 * (D4), or whom it removes was heard (U1). */
void change_interrupt(struct core *core);

void change_tick(struct core *core);

#endif
