/* Who is alive (D1 to D9): what comes in, by message and from the kernels, and what is done about
 * it in each step; and this node's doubts about itself (D4). What each member shows is kept by
 * signs, rounds sends heartbeats, silences finds who is silent, and doubts sees to who has to know.
 *
 *     a message, news of a lifeline, a deadline
 *         --> signs: kept
 *         --> silences: looked at        --> verdict   --> doubts: who has to know
 *         --> rounds: told to neighbours --> removal, candidacy: judged by core.c
 */
#ifndef CORE_DETECTOR_H
#define CORE_DETECTOR_H

#include "core/state/state.h"

/* Counts the message, which is newer than all before (D6), as a sign of life where it is one (D2).
 */
void detector_heard(struct core *core, const struct message *message, uint32_t position);

void detector_on_heartbeat(struct core *core, const struct message *message, uint32_t position);

/* Answers a heartbeat that asks for a lease, and is a sign of life (D8c). */
void detector_answer(struct core *core, const struct message *heartbeat, uint32_t position);
void detector_on_link(struct core *core, const struct link_event *link);

/* Says in a heartbeat out of turn, once in a while, what this node holds against others. */
void detector_say(struct core *core, uint32_t position);

/* Notes that somebody else says that the member lives (R2). */
void detector_vouch(struct core *core, uint32_t position);

/* The member acknowledged the view that has just been installed: it holds it (M2), before its next
 * heartbeat says so, and has heard what was first asked at `asked_ms` (D8). */
void detector_on_acknowledged(struct core *core, uint32_t position, uint64_t asked_ms);

/* D4: called first in a step whose loop was late, with the time by which it was. Returns whether
 * this node slept, so that what it had under way is void; else it is only slow. */
bool detector_on_late(struct core *core, uint64_t late_ms);

/* Sends the heartbeats and looks at the silences that are due. */
void detector_tick(struct core *core);

/* When detection has something to do: a round, a look, news to tell, the end of a verification, or
 * of a right to act. */
uint64_t detector_deadline_ms(const struct core *core);

/* For how long members of `next` had been gone, the longest; 0: none had (M8). */
uint64_t detector_apart_ms(const struct core *core, const struct view *next);

void detector_on_view_installed(struct core *core, const struct installed *before);

/* First heartbeats to those who are new, and to the coordinator if it is another one: what it knows
 * of us is what we said before (G1, L2). */
void detector_announce_view(struct core *core, const struct installed *before);

/* This coordinator has begun to act: a round of heartbeats says so at once, in place of the next
 * (G2c). */
void detector_announce_acting(struct core *core);

/* The durations have changed: what is due by them comes no later than the new ones say. */
void detector_on_timing(struct core *core);

void detector_reset(struct core *core);

#endif
