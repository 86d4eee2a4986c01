/* Planned moves: a coordinator stands down for another member: it hands over, and stays (E4, E5).
 */
#ifndef CORE_ENTRY_MOVE_H
#define CORE_ENTRY_MOVE_H

#include "core/state/state.h"

/* Is it as the move wants it? */
bool move_is_done(const struct core *core, const struct move *move);

/* An operator wants it of this node, which coordinates. Returns what stands against it;
 * REFUSED_NOT: nothing. */
enum refusal move_want(struct core *core, const struct move *move);

/* The coordinator hands over to this node, and stays. */
void move_on_handover(struct core *core, const struct message *message);

/* V4i: the coordinator of this node's view follows a view in this node's name that this node never
 * made, and so has stood down: this node makes a view above that one. */
void move_on_followed(struct core *core);

/* Nobody who was told of this node's right to act goes by that any more. */
void move_on_withdrawn(struct core *core);

/* This node has accepted a proposal: perhaps the one with which it gives up its reign. */
void move_on_accepted(struct core *core, const struct message *prepare);

void move_tick(struct core *core);
uint64_t move_deadline_ms(const struct core *core);

void move_on_view_installed(struct core *core);
void move_reset(struct core *core);

#endif
