/* The terms in force: those that the node was started with, or those of its view, where somebody
 * has changed them (A1 to A5).
 *
 *     terms of the start --> {old, new} in a view: both hold --> {new}, when all go by the former
 *                            waits stay as they were until these are proven (A3b)
 */
#ifndef CORE_AGREEMENT_ACCORD_H
#define CORE_AGREEMENT_ACCORD_H

#include "core/state/state.h"

/* Called when what the node was started with is set. Takes up the terms that it remembers, if they
 * fit and it was started with the same as `before`, or with what they say (A5a). */
void accord_start(struct core *core, const struct agreed *agreed, const struct rules *before);

/* Looks anew at what follows from guard, durations and view: core->spans and core->plan. It is done
 * by itself whenever terms or a view come into force; a witness, which has neither, calls this. */
void accord_plan(struct core *core);

/* Those of the view; where nobody has changed any, what the node was started with, and number 0. */
struct agreed accord_now(const struct core *core);

/* The terms that the first view of a founding has (A5a). */
struct agreed accord_to_found_with(const struct core *core);

/* The terms of a view that this node makes without being the coordinator of its base (A3c). */
struct agreed accord_to_take_over_with(const struct core *core);

/* The view's terms on the way to `rules` (A2). */
struct agreed accord_begin(const struct core *core, const struct rules *rules);

/* Z15: the longest lease and T_hold that the proposal of a view with these terms asks for, so that
 * voters have them on disk when the first question under it comes. */
void accord_lengths(const struct core *core, const struct agreed *next, uint64_t *lease_ms,
                    uint64_t *hold_ms);

/* Does this coordinator know that all members hold the terms, and both guards met (A2)? */
bool accord_is_settled(const struct core *core);

/* May a joiner that was started with these terms come in (J2, A4)? */
bool accord_admits(const struct core *core, const struct terms *started);

/* May it, were this node to found, and with the same voters (F3b)? */
bool accord_would_admit(const struct core *core, const struct terms *started);

/* Does this node hold as many as these terms may come to, and are they, and those of before, of its
 * own guard, if that or theirs is strict (A4a)? */
bool accord_fits(const struct core *core, const struct agreed *agreed);

/* A5: could a part with these terms be one with ours? And what holds then, if
 * ours is the one that wins. */
bool accord_may_merge(const struct core *core, const struct terms *theirs);
struct agreed accord_merge(const struct core *core, const struct view *theirs,
                           const struct terms *started);

/* V7g: do those leap above the terms of this node's view, or come from elsewhere? */
bool accord_leaps(const struct core *core, const struct agreed *agreed);

void accord_on_view_installed(struct core *core, const struct installed *before);

/* A3b: a heartbeat of that member has named the view that is installed here, with its hash. */
void accord_on_named(struct core *core, uint32_t position);

void accord_reset(struct core *core);

#endif
