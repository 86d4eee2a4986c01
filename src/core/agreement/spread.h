/* A change of the view by way of the others (U4): its maker hands it to a few members, and whoever
 * takes it hands it on to some others. Who is missed gets it from the maker, as when it is lost.
 *
 *     maker --> places 1 to fan-out --> each to four others, counted around the end --> ...
 */
#ifndef CORE_SPREAD_H
#define CORE_SPREAD_H

#include "core/state/state.h"

enum {
    SPREAD_WIDTH = FANOUT_LEAST, /* to so many members each hands it on (U4b) */
    SPREAD_TURNS_MAX = 64, /* messages that a member hands on in one heartbeat interval (U4c) */
};

/* Does this coordinator, whose view it is built on, send the next view by way of the others? That
 * takes a change that makes a datagram, and more members than it would hand it to. O(members). */
bool spread_suits(const struct core *core, const struct view *next);

/* Can that member read what comes by others? It was last heard to hold this node's view. */
bool spread_reaches(const struct core *core, const struct node_id *id);

/* Hands a PREPARE or COMMIT of this node, NULL for none, to the first members by the order of that
 * view. O(members). */
void spread_begin(struct core *core, const struct message *message, const struct view *order);

/* Is this node a member that has taken what this copy, which came by others, says? */
bool spread_is_known(const struct core *core, const struct message *message);

/* Hands it on, if it is one to be handed on, and was just taken. O(members). */
void spread_hand_on(struct core *core, const struct message *message, const struct view *order);

/* U4d: shows what this node has accepted to the joiners in it, if no more members than `turn` are
 * ahead of it. O(members). */
void spread_to_joiners(struct core *core, uint32_t turn);

#endif
