/* How this node is asked for its vote, by the network or by this node itself, and how its answers
 * go out (C2, Z2). What a voter decides is in voter.h, and what a member grants where there are
 * none, in granter.h; the tests of C2a, which look at the membership, are here.
 *
 *     CLAIM, PREPARE, PING --> is it for this node, and sound? --> tests of membership (C2a, Z4b)
 *         --> voter.h decides (Z2), or of a CLAIM where members do granter.h (C2)
 *         --> VOTE, PONG, or a request for proof
 */
#ifndef CORE_VOTING_H
#define CORE_VOTING_H

#include "core/state/state.h"

/* CLAIM: somebody asks for an epoch, or for a record. Returns whether this member is to judge it
 * (granter.h); else it has been answered, or refused. */
bool voting_on_claim(struct core *core, const struct message *asked);

/* PREPARE, beside what it is for a member. The view must be sound. */
void voting_on_prepare(struct core *core, const struct message *prepare);

/* Z2k: is this PONG the answer of one who asked this voter, and has to show that it receives where
 * it is? Then it has shown it. */
bool voting_take_proof(struct core *core, const struct message *pong);

/* PING of a member: what this voter says to a coordinator that asks for its lease, having given it
 * if it may. The answer goes out in this step, so what it echoes was heard, and sent, before it was
 * given. */
struct lease_said voting_on_question(struct core *core, const struct message *ping);

/* PING of one who does not know this life as a member, and names its record: the same, answered at
 * once. Returns whether it is such a question (Z16b). */
bool voting_on_strangers_ping(struct core *core, const struct message *ping);

/* The epoch to which this node's voter is bound, or one more where it is that of the view, but
 * another life's; 0: this node is no voter, or free. */
uint64_t voting_own_promise(const struct core *core);

/* HEARTBEAT of a coordinator: says so where this voter holds another view (Z2l). */
void voting_on_heartbeat(struct core *core, const struct message *heartbeat);

/* Answers a question from the network: as a voter, or as a member whom a claim asks (C2). A grant
 * shows what that one has accepted. */
void voting_reply(struct core *core, const struct vote_question *question, const struct vote *vote,
                  struct view *accepted);

/* What this node asks its own voter. Returns whether the answer is in `vote` now; else it comes
 * from voting_take, or never. */
bool voting_ask_self(struct core *core, const struct message *asked, struct message *vote);
bool voting_prepare_self(struct core *core, const struct view *view, struct message *vote);

/* The coordinator's own voter leases to it like any other. */
void voting_renew_own(struct core *core);

/* The next answer that the disk held back: sends it, or fills in `vote` and returns true where this
 * node itself had asked. Returns false when there is none left. */
bool voting_take(struct core *core, struct message *vote);

#endif
