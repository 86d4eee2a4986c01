/* The target of guard strict (Z17): a coordinator replaces a voter that did not vote for T_replace,
 * and has as many vote as the terms say, by a change like an operator's (Z11). It removes nobody
 * without another in its stead, and never goes by two where one votes.
 *
 *     look: who is overdue, what is lacking -> choose whoever may stand in -> voters_change_want
 */
#ifndef CORE_AUTOPILOT_H
#define CORE_AUTOPILOT_H

#include "core/model/facts.h"
#include "core/state/state.h"

/* Who is to vote, if anything is to be changed now; count 0: nothing is. Whoever stands against it
 * is not asked. O(members). */
struct voters_wish autopilot_choice(const struct core *core);

/* What it is about to do, as far as this node coordinates. */
struct autopilot_state autopilot_outlook(const struct core *core);

void autopilot_tick(struct core *core);
uint64_t autopilot_deadline_ms(const struct core *core);
void autopilot_on_view_installed(struct core *core, const struct installed *before);
void autopilot_reset(struct core *core);

#endif
