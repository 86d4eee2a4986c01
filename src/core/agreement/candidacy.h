/* A candidate asks for an epoch under which to coordinate: the other members, or under guard strict
 * the voters (C, Z4).
 *
 *     begun --ask--> [ answers come in ] --enough--> won: its view is proposed (U1)
 *              ^            |     |
 *              +--again-----+     +--refused, or its time is over--> lost: a pause (C5c)
 *
 * Who may ask, and with which view it wins, is in succession.c; who answers, in granter.c and
 * voting.c. */
#ifndef CORE_CANDIDACY_H
#define CORE_CANDIDACY_H

#include "core/state/state.h"

/* Called when the evidence has changed, or a pause is over: a candidacy begins, or ends because
 * somebody older was heard again. */
void candidacy_on_evidence(struct core *core);

/* A coordinator handed over to this node, and leaves; or stays a member (E5). Returns whether the
 * voters are asked for that (Z7); else the view is this node's to make. A candidacy that was under
 * way for something else ends. */
bool candidacy_on_handover(struct core *core, const struct ballot *by, bool stays);

/* V4i: this node's coordinator follows a view in this node's name that this node never made. Or
 * what this node handed over came to nothing (Z7b). It asks for an epoch above that, and stays.
 * Returns whether there are voters to be asked; else the view is this node's to make. */
bool candidacy_on_followed(struct core *core);

/* An outsider that may found begins (Z4, Z8). */
void candidacy_as_outsider(struct core *core);

/* Takes the vote of a member, of another node's voter, or of this node's own. */
void candidacy_on_vote(struct core *core, const struct message *vote);

/* Tells watchers how a claim goes, this node's or another member's. */
void candidacy_tell(struct core *core, enum claim_step step, const struct member *claimant,
                    uint64_t epoch);

/* Was it won, and is this member not in the view to build on, or the outsider among its gone? Then
 * this life is over. True once. */
bool candidacy_take_out(struct core *core);

/* Ends a candidacy for that epoch or a lower one: another node's proposal was accepted (U2). */
void candidacy_give_way(struct core *core, uint64_t epoch);

/* Ends it: this node slept meanwhile (D4), granted an epoch to another one, or has another view. */
void candidacy_drop(struct core *core);

/* D4: this node's loop was late, but it did not sleep: what is under way has as much more time. */
void candidacy_on_late(struct core *core, uint64_t late_ms);

/* Asks again, and decides; the deadline is also that of succession_tick. */
void candidacy_tick(struct core *core);
uint64_t candidacy_deadline_ms(const struct core *core);

void candidacy_reset(struct core *core);

#endif
