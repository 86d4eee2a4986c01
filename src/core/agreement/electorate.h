/* The voters of guard strict as the others see them: whom a view names, where they were heard of
 * last, how to ask them all, and who of them answers (Z1, Z10). A voter is counted by its record,
 * whether its node is a member or not.
 *
 *     the view's lists --> each voter: by its record, whoever lives under that name now
 *                          asked where it is a member, or was heard of last, or is listed
 *                          counted if it is known, or if its answer echoes our nonce (Z1e)
 */
#ifndef CORE_ELECTORATE_H
#define CORE_ELECTORATE_H

#include "core/state/state.h"

/* The voters by whom this node would come to coordinate (Z12a): those of the highest view that it
 * was shown, else of its own, else of its record, else those to found with. */
const struct voter_lists *electorate_lists(const struct core *core);

/* The view that a candidate would build on: its own, or a higher one that it was shown, which under
 * guard strict came with a grant; perhaps an empty one. */
const struct view *electorate_highest(const struct core *core);

/* This node's own place in the lists, by its record; VOTER_NONE: it is in none of them. */
uint8_t electorate_own(const struct core *core, const struct voter_lists *lists);

/* Is it this node, by its record or by its name? */
bool electorate_is_self(const struct core *core, const struct listed_voter *voter);

/* May this node vote at all: has it a record, or is it to get one when a cluster is founded? */
bool electorate_may_vote(const struct core *core);

/* This node was heard of; nothing happens if its name is no voter's. `nonce`: of its JOIN, as an
 * answer echoes it; 0 if it was heard of otherwise. */
void electorate_learn(struct core *core, const struct member *node, uint32_t nonce);

/* Where a voter of that name was heard of last, or NULL. */
const struct sighting *electorate_seen(const struct core *core, const char *name);

/* Its position in the view, by its name; VIEW_NONE: it is no member now, or a witness. */
uint32_t electorate_position(const struct core *core, const struct listed_voter *voter);

/* Where it was heard of last, or was when the view was made; of a witness, where it is. */
const struct address *electorate_address(const struct core *core, const struct listed_voter *voter);

/* Asks the voter, if it was heard of, for a record: that life, and with the nonce of its JOIN
 * (Z8h). */
void electorate_ask_for_record(struct core *core, const struct message *message, const char *name);

/* Does this vote come from a life that was asked for a record under that name (Z8h)? */
bool electorate_was_asked_for_record(const struct core *core, const struct message *vote,
                                     const char *name);

/* It was asked for a record, and has none to give; or may be asked again. */
void electorate_note_unable(struct core *core, uint32_t position, bool unable);

/* The member at that position is to become a voter, and is asked for its lease like one. */
void electorate_expect(struct core *core, uint32_t position);

void electorate_on_view_installed(struct core *core, const struct installed *before);

/* Is the sender of this vote the voter that it says it is, as far as this node can tell? Under any
 * guard but strict that is any member, of a claim alone. Under strict a member, or a joiner that is
 * in the proposal, is known by its name; whoever else by what it was asked (Z1e). */
bool electorate_knows(const struct core *core, const struct message *vote);

/* Sends a question to one who may be no member here, with a nonce that the answer has to echo
 * (Z1e). `peer` NULL: to whoever lives there. */
void electorate_ask_stranger(struct core *core, const struct message *message,
                             const struct node_id *peer, const struct address *address);

/* Is this VIEW, or this PREPARE (Z11i), the answer to such a question of this life? */
bool electorate_was_asked(const struct core *core, const struct message *answer);

/* The same of PULL alone, which asks for nothing but that. */
bool electorate_was_pulled(const struct core *core, const struct message *answer);

/* Those of the lists who are no members now, but for this node itself. */
voter_set electorate_absent(const struct core *core, const struct voter_lists *lists);

/* Sends it (NULL: does nothing) to each of these voters but this node: to a fresh member as a
 * change, if that holds the base; to who may be elsewhere whole and, by a member, as a change, too
 * (U3c). */
void electorate_ask(struct core *core, const struct message *message,
                    const struct voter_lists *lists, voter_set whom);

/* Sends it to a few of the addresses that this node knows (M1a), in turn: one of them may be a
 * voter's of which it has not heard, or has not heard where it is now. */
void electorate_seek(struct core *core, const struct message *message);

/* The answer of the voter of that name shows where it is. Of one that was heard of under that id
 * nothing changes. */
void electorate_learn_from(struct core *core, const struct message *vote, const char *name);

/* The same to one voter. */
void electorate_ask_one(struct core *core, const struct message *message,
                        const struct listed_voter *voter);

#endif
