/* A view on its way through the two phases: proposed to all, acknowledged, committed (U1, U2). Here
 * is which one that is, and how it comes to nothing. One at a time; what arrives meanwhile goes
 * into the next (J5).
 *
 *     change_propose    the proposer's PREPAREs, and until when it waits
 *     change_answers    who has answered them, and how
 *     change_commit     when it is over, and what is committed
 *     change_accept     the member's side of all this
 *     change_count      the epoch and the version that a proposal gets */
#ifndef CORE_CHANGE_H
#define CORE_CHANGE_H

#include "core/state/state.h"

/* That view is on its way from now on, as a proposal of this node. */
void change_open(struct core *core, const struct view *next);

/* The proposal of this node needs no more answers. */
void change_close(struct core *core);

/* That proposal of another was accepted. */
void change_take(struct core *core, const struct view *proposal);

/* Ends a proposal of this node in favour of another's, and puts off its next claim. */
void change_drop_own(struct core *core);

/* Nothing comes of the proposal that is out; after M4 the other coordinator is told. */
void change_abandon(struct core *core);

/* Gives up the proposal that is out, to build it anew on what holds then: this node slept meanwhile
 * (D4), or whom it removes was heard (U1). */
void change_restart(struct core *core);

/* Z5c: voters are bound to a higher epoch, or to this one for another life, so this one asks for an
 * epoch above that, after a pause. */
void change_give_way(struct core *core);

/* Forgets the proposal that is out, or that was accepted. */
void change_forget(struct core *core);

void change_on_view_installed(struct core *core);
void change_reset(struct core *core);

#endif
