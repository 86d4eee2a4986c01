/* Who is alive: heartbeats, silences, the three verdicts, and this node's doubts about itself
 * (D1 to D6). All members watch all others. */
#ifndef CORE_DETECTOR_H
#define CORE_DETECTOR_H

#include "core/state.h"

/* Starts watching the member at `position`: its silence counts from now (H13). */
void detector_watch(struct core *core, uint32_t position);

/* Counts the message as a sign of life where it is one (D2, D6). Returns false for a repetition
 * or a message overtaken by a newer one. */
bool detector_heard(struct core *core, const struct message *message, uint32_t position);

/* The member was heard within T_fresh, by the detector's reckoning, and is not held dead. */
bool detector_is_fresh(const struct core *core, uint32_t position);

/* How many milliseconds until it is not; 0 when it is not. */
uint64_t detector_fresh_for_ms(const struct core *core, uint32_t position);

/* Members really heard within T_fresh, this node included (G1). For a coordinator, those who follow
 * it: whoever is heard but follows another is counted over there. */
uint32_t detector_fresh_count(const struct core *core, uint64_t now_ms);

/* After a late wake-up: have enough others answered since for this node to act again (D4)? */
bool detector_is_awake(const struct core *core);

/* An answer of the member at `position` to the question that was asked then. */
void detector_on_answer(struct core *core, const struct message *pong, uint32_t position);

void detector_on_heartbeat(struct core *core, const struct message *message, uint32_t position);
void detector_on_link(struct core *core, const struct link_event *link);

/* R2: the member at `position` is silent here, others vouched for it, or it says that it does not
 * hear us. */
bool detector_link_is_bad(const struct core *core, uint32_t position);

/* The oldest member through whom it can be reached, or VIEW_NONE. */
uint32_t detector_relay_to(const struct core *core, uint32_t position);

/* D4: called first in a step whose loop was late, with the time by which it was. */
void detector_on_late(struct core *core, uint64_t late_ms);

/* Heartbeats and silences that are due. */
void detector_tick(struct core *core);

/* First heartbeats to those who are new since `old`, and to the coordinator if it is another one:
 * what it knows of us is what we said before (G1, L2). */
void detector_greet(struct core *core, const struct view *old);

#endif
