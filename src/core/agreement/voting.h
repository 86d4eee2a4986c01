/* How this node's voter is asked, by the network or by this node itself, and how its answers go out
 * (Z2). What it decides is in voter.h; the tests of C2, which look at the membership, are here. */
#ifndef CORE_VOTING_H
#define CORE_VOTING_H

#include "core/state/state.h"

/* BALLOT: somebody asks for an epoch, or a founder for a record. */
void voting_on_ballot(struct core *core, const struct message *ballot);

/* PREPARE, beside what it is for a member. The view must be sound. */
void voting_on_prepare(struct core *core, const struct message *prepare);

/* Z2k: is this PONG the answer of one who asked this voter, and has to show that it receives where
 * it is? Then it has shown it. */
bool voting_take_proof(struct core *core, const struct message *pong);

/* A sign of life of the life that this voter is bound to renews the lease: an echo tells that life
 * that it was heard, and means that it is leased from then on. A heartbeat of a coordinator binds
 * the voter to it, if it may. */
void voting_on_sign_of_life(struct core *core, const struct message *message);

/* What this node asks its own voter. Returns whether the answer is in `vote` now; else it comes
 * from voting_take, or never. */
bool voting_ask_self(struct core *core, const struct vote_question *question, struct message *vote);
bool voting_prepare_self(struct core *core, const struct view *view, struct message *vote);

/* The coordinator's own voter leases to it like any other. */
void voting_renew_own(struct core *core);

/* The next answer that the disk held back: sends it, or fills in `vote` and returns true where this
 * node itself had asked. Returns false when there is none left. */
bool voting_take(struct core *core, struct message *vote);

#endif
