/* What this node and others doubt of a member, and who has to know: whom a new verdict is told, who
 * asks for itself, and who calls the roll (D9c to D9k).
 *
 *     who finds out            whom it tells                      what these do
 *     a neighbour of X   --->  the coordinator, at once      ---> watch X, and ask everybody (D9h)
 *                        --->  all whom it watches, after     ---> look at X, if they are to follow
 *                              T_pause                             it, or judge (D9e)
 *                        --->  the other neighbours of X      ---> look at X in time (D2i)
 *     of a death         --->  the coordinator alone          ---> tries to connect: refused, dead
 */
#ifndef CORE_DOUBTS_H
#define CORE_DOUBTS_H

#include "core/state/state.h"

/* A new verdict travels at once to the coordinator, or to the oldest who may succeed it, and to
 * the suspect, who may know better (D1, D5). */
void doubts_tell(struct core *core, uint32_t suspect);

/* On rings: what that heartbeat doubts concerns this node where it has to judge (D9e). */
void doubts_heed(struct core *core, const struct heartbeat *heartbeat);

/* D2i: what this node holds of that neighbour is about to count, so for T_lost no look at it is put
 * off. O(watched) once in that time. */
void doubts_look_closely(struct core *core, uint32_t position);

/* D9g: from now on this node watches those of whom somebody has to know whether they live. */
void doubts_attend_wanted(struct core *core);

/* On rings, after the silences were looked at: is there anything new to tell, and does this node
 * have to judge, so that it asks everybody (D9h)? */
void doubts_look(struct core *core);

/* Tells what is new, if anything is, to the coordinator, which is to judge, at once, and to all
 * whom this node watches after a pause (D9d). */
void doubts_report(struct core *core);

#endif
