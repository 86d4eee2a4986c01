/* The rounds of heartbeats that this node sends: what they say, whom they name, to whom they go and
 * when (D1, D8).
 *
 *     T_heartbeat  |---------------------------|---------------------------|
 *     rounds       1             2             1             2             1
 *     go to        first half    second half   first half    second half   of the neighbours
 *
 * So somebody hears this node every half of an interval (D8e). While it names anybody, a round
 * comes each T_heartbeat/4 and goes to all.
 */
#ifndef CORE_ROUNDS_H
#define CORE_ROUNDS_H

#include "core/state/state.h"

enum { QUESTIONS_TO_NAME = 2 }; /* this many unanswered, before a member that is watched is named */

/* Is it named by this node's heartbeats? Also who is a new neighbour that has not answered yet, and
 * was not heard of before (D9c), and who follows another (L2). */
bool rounds_is_named(const struct core *core, uint32_t position);

/* A heartbeat that says what holds now, for a round; NULL when there is no room for it in this
 * step.
 */
struct message *rounds_make(struct core *core);

/* Makes the same for one who is no member. It asks for no lease: whoever makes this
 * node say it again and again would put those off. */
struct message *rounds_answer(struct core *core);

/* Answers a heartbeat that asked for it (D8c): the echo is a lease. */
void rounds_give_lease(struct core *core, uint32_t position);

/* Is a heartbeat out of turn due to a peer, for it helps no more often than that? Notes it. */
bool rounds_may_answer(struct core *core, uint32_t position);

/* Sends a round to all who are watched, in place of the next one. */
void rounds_send(struct core *core);

/* D8e: each round goes to half of the neighbours, in turn. */
void rounds_send_next(struct core *core);

/* The next round goes to both halves, for members may be of another one now (D8e). */
void rounds_on_view_installed(struct core *core);

/* The durations are other ones: the next round comes no later than they say. */
void rounds_on_timing(struct core *core);

void rounds_reset(struct core *core);

#endif
