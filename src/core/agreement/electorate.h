/* The voters of guard strict as the others see them: who they are, where they were heard of last,
 * how to ask them all, and how to count their answers (Z1). A voter is counted once, by its name,
 * whether its node is a member or not. */
#ifndef CORE_ELECTORATE_H
#define CORE_ELECTORATE_H

#include "core/state/state.h"

void electorate_start(struct core *core);

/* This node was heard of; nothing happens if its name is no voter's. `nonce`: of its JOIN, as an
 * answer echoes it; 0 if it was heard of otherwise. */
void electorate_learn(struct core *core, const struct member *node, uint32_t nonce);

/* Asks the voter, if it was heard of, for a record: that life, and with the nonce of its JOIN
 * (Z8h). */
void electorate_ask_for_record(struct core *core, const struct message *message, uint8_t voter);

void electorate_on_view_installed(struct core *core, const struct installed *before);

/* Is the sender of this vote the voter that it says it is, as far as this node can tell? A member,
 * or a joiner that is in the proposal, by its name; whoever else by what it was asked (Z1e). */
bool electorate_knows(const struct core *core, const struct message *vote);

/* Sends a question to one who may be no member here, with a nonce that the answer has to echo
 * (Z1e). `peer` NULL: to whoever lives there. */
void electorate_ask_stranger(struct core *core, const struct message *message,
                             const struct node_id *peer, const struct address *address);

/* Is this VIEW the answer to such a question of this life? */
bool electorate_was_asked(const struct core *core, const struct message *answer);

/* Sends it (NULL: does nothing) to each voter but this node that has not answered yet. It was sent
 * so often before: the first times as a change, to those who hold the base (U3c). */
void electorate_ask(struct core *core, const struct message *message, const struct tally *tally,
                    const uint64_t leased_ms[VOTERS_MAX], uint32_t sendings);

/* Sends it to a few of the addresses that this node knows (M1b), in turn: one of them may be a
 * voter's of which it has not heard, or has not heard where it is now. */
void electorate_seek(struct core *core, const struct message *message);

/* A voter's answer shows where it is. Of one that was heard of under that id nothing changes. */
void electorate_learn_from(struct core *core, const struct message *vote);

/* The same to one voter. */
void electorate_ask_one(struct core *core, const struct message *message, uint8_t voter,
                        uint32_t sendings);

/* Have as many granted as it takes? */
bool electorate_agrees(const struct core *core, const struct tally *tally);

/* Would one grant more be enough? */
bool electorate_lacks_one(const struct core *core, const struct tally *tally);

/* Can as many still grant: have not too many refused for good? */
bool electorate_may_agree(const struct core *core, const struct tally *tally);

/* Has any of them refused for good? */
bool electorate_refuses(const struct core *core, const struct tally *tally);

/* Have all of them? */
bool electorate_is_unanimous(const struct core *core, const struct tally *tally);

#endif
