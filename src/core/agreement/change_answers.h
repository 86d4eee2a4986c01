/* The answers to the proposal of this node: who has not answered yet, and what follows from each
 * that comes (U1, U2, Z5).
 *
 *     ACK: has it | NOT_FOLLOWING: not waited for, follows another | NACK: anew, above its promise
 */
#ifndef CORE_CHANGE_ANSWERS_H
#define CORE_CHANGE_ANSWERS_H

#include "core/state/state.h"

/* Positions are those of the proposed view. Is the answer of the member there waited for? */
bool change_is_awaited(const struct core *core, uint32_t position);

/* VIEW_NONE: nobody, who has not agreed. */
bool change_has_agreed(const struct core *core, uint32_t position);

/* Is nobody awaited any more, or only `former`? O(members). */
bool change_all_answered(const struct core *core);
bool change_all_but_the_former_answered(const struct core *core, uint32_t former);

/* L3b: has it no answer of most of the fellow members that this node asks, and hears, two at least?
 * O(members). */
bool change_is_unanswered(const struct core *core);

/* E5c: who stands down for this node, and stays; VIEW_NONE: nobody. Under guard strict its word was
 * its HANDOVER. */
uint32_t change_who_stands_down(const struct core *core);

/* Forgets the answers, for something else was proposed. */
void change_forget_answers(struct core *core);

/* M4f: what the PREPARE of a merge brings to the losing coordinator, and its ACK echoes. */
uint32_t change_merge_nonce(const struct core *core);

void change_on_ack(struct core *core, const struct message *message);
void change_on_nack(struct core *core, const struct message *message);
void change_on_not_following(struct core *core, const struct message *message);

/* A voter's answer, or that of our own, to what we propose (Z5). */
void change_on_vote(struct core *core, const struct message *vote);

#endif
