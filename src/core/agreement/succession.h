/* Who comes to coordinate, and with which view. A candidate asks for an epoch, and whoever gets it
 * builds on what others may have committed or answered before:
 *
 *                     any guard but strict          strict
 *     may ask         the oldest who is left (C1), or whom its coordinator names (E5, Z7);
 *                                                   a coordinator that voters overtook (Z5c, Z7b)
 *     builds on       the highest view that it      the highest that came with a grant, which may
 *                     was shown, unless that        have been committed (Z4c)
 *                     loses somebody (C4b)
 *     goes            who is older, and who died with those (C4c, C4e)
 *
 * Asking itself is in candidacy.c. */
#ifndef CORE_SUCCESSION_H
#define CORE_SUCCESSION_H

#include "core/state/state.h"

/* C1: would this node take over now? A leaver does not, though it is its turn (E3). */
bool succession_is_ours(const struct core *core);

/* Does this node coordinate, or its coordinator name another view than its own? Only then may it
 * ask the voters though nothing was handed over to it, and those who are older are heard (V4i). */
bool succession_is_called_for(const struct core *core);

/* Was somebody older heard again, though nobody has handed over to this candidate? Once it has
 * begun it does not matter who else hears them. */
bool succession_is_void(const struct core *core);

/* What the coordinator of the view has handed over, by its own word; epoch 0: nothing. */
struct ballot succession_handed_over(const struct core *core);

/* Z5c: does this node coordinate, while voters are bound to somebody from whom nothing came? And
 * the highest epoch to which one of them says that it is bound, as far as this node may go now
 * (V7c). */
bool succession_is_overtaken(const struct core *core);
uint64_t succession_said_to_bind(const struct core *core);

/* Z7b: from when on this node may ask for an epoch above the one that it handed over, if nothing
 * has come of that; NEVER_MS: it has handed over none. */
uint64_t succession_given_back_ms(const struct core *core);

/* This node handed over: it acts no more under any epoch up to that of its view (Z7). */
void succession_hand_over(struct core *core);

/* Nothing will come of that: it may ask for an epoch above it (Z7b). */
void succession_take_back(struct core *core);

/* C4a: a view above ours was accepted, or refused. A joiner may have been told that it is in by
 * that view, so this node's next claim builds on the highest of them (H14). It is kept until a view
 * is installed, whatever becomes of a claim, or nothing has come of it (U2e). The view, of the
 * message, must be sound. */
void succession_consider(struct core *core, const struct message *message);

/* Z4c: a voter that granted has accepted that view. Returns whether it is one to build on. */
bool succession_on_accepted(struct core *core, const struct view *accepted);

/* Z12a: does this candidate go by a view that it has of its own record alone, as no grant has shown
 * it yet, nor has its own voter's? */
bool succession_is_unshown(const struct core *core);

/* U2e: forgets such a view if a member's heartbeat still names a lower one. */
void succession_compare(struct core *core, const struct message *heartbeat, uint32_t position);

/* Called when a candidacy has begun, which has its epoch: what may be built on is looked at anew.
 */
void succession_on_begun(struct core *core);

/* The view of the winner, in next_view's buffer, to be given its epoch and proposed; NULL: the
 * winner is not in the one to build on (Z4d). */
struct view *succession_build(struct core *core);

/* C4f: does what the node proposed when it had won remove somebody who is back, and need not? */
bool succession_removes_who_is_back(const struct core *core);

/* Z7b: a coordinator that does not act hands over. */
void succession_tick(struct core *core);
uint64_t succession_deadline_ms(const struct core *core);

void succession_on_view_installed(struct core *core);
void succession_reset(struct core *core);

#endif
