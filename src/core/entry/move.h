/* Planned moves: what an operator wants is asked of the coordinator until it is done, and a
 * coordinator stands down for another member: it hands over, and stays (E4, E5). */
#ifndef CORE_ENTRY_MOVE_H
#define CORE_ENTRY_MOVE_H

#include "core/state/state.h"

/* The operator of this node wants it. */
void move_on_command(struct core *core, const struct move *move);

/* Or that this node has these tags (E8). */
void move_on_tags_command(struct core *core, const struct tags *tags);

/* Or that the cluster has these terms (A1). */
void move_on_terms_command(struct core *core, const struct rules_wish *wish);

/* A member wants it of this node. */
void move_on_move(struct core *core, const struct message *message);

/* The coordinator hands over to this node. */
void move_on_stand_down(struct core *core, const struct message *message);

/* V4j: it follows a view in this node's name that this node never made, and so it has stood down:
 * makes a view above that one, if another member coordinates this node's own. */
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
