/* The epoch and the version that a proposal of this node gets: above all that it has used (S1),
 * above what others hold in its name (V4i), and none that leaps or that no receiver would take
 * (V4k, V7).
 *
 *     epoch      that of the view, or the one that was just won
 *     version    one above the view's, this life's latest, and what others hold in its name
 *     neither    where the numbers are used up: another epoch is asked for (K4e, Z5c)
 */
#ifndef CORE_CHANGE_COUNT_H
#define CORE_CHANGE_COUNT_H

#include "core/state/state.h"

/* Gives it the next version of its epoch. Returns false if there is nothing left to count with. */
bool change_give_numbers(struct core *core, struct view *next);

/* A view of this node has that epoch and that version. */
void change_note_numbers(struct core *core, const struct view *next);

/* Z5: too many voters are bound to a higher epoch than that of the view. */
bool change_is_overtaken(const struct core *core);

/* Z5c: the voters give the epoch, and there are some: it is to be above all that this node has
 * seen. */
void change_want_epoch_of_voters(struct core *core);

/* V4i: a member holds that view, which is higher, in the name of this node, and not made by it. The
 * next one of this node will be above it, and is due at once where it coordinates. False: another
 * was outdone a moment ago. */
bool change_outdo(struct core *core, const struct view *forged);

/* The numbers that are counted under the epoch of the coordinator's view are used up, so it takes
 * another epoch; once in T_fresh, those for forged views counted in (K4e). */
void change_outgrow(struct core *core);

/* A voter's word that it holds another view than this coordinator's, or one above it, of the same
 * epoch (Z2l): under the next epoch it gives that up. */
void change_on_disagreement(struct core *core, const struct message *vote);

void change_count_on_view_installed(struct core *core, const struct installed *before);
void change_count_reset(struct core *core);

#endif
