/* What the next view is to change: who goes, who comes, whether it must have a new epoch; and
 * putting it together (J4, J5, G1).
 *
 *     joiners with a READY --.
 *     who is to go ----------+--> T_batch, the dead sooner (J5) --> one view: these are out, the
 *     tags, marks, terms ----'                                      joiners in, the drained last
 */
#ifndef CORE_NEXT_VIEW_H
#define CORE_NEXT_VIEW_H

#include "core/model/facts.h"
#include "core/state/state.h"

/* Something is to be changed: the coordinator builds the next view within T_batch. */
void next_view_soon(struct core *core);

/* Somebody's process is known to be gone: sooner (J5b). */
void next_view_without_the_dead(struct core *core);

/* Somebody is lost or stalled: at once, but for others who are silent, too (J5b), and for the dead
 * who are waited for (J5b). */
void next_view_without_the_silent(struct core *core, bool others_are_silent);

/* The next view is not made before that time; or at once. */
void next_view_put_off(struct core *core, uint64_t until_ms);
void next_view_now(struct core *core);

/* The next view takes a new epoch (U2, J8); or takes place even if it changes nobody (V2). */
void next_view_want_epoch(struct core *core);
void next_view_want_version(struct core *core);

/* The member at `position` is to be drained, or not any more (E7). */
void next_view_mark(struct core *core, uint32_t position, bool drained);

/* That one, who is gone, is to be listed no more (E9). One is kept: who asks does so again. */
void next_view_forget(struct core *core, const struct node_id *gone);

/* The member at `position` is to have these tags, which are copied. REFUSED_NOT: the next view
 * gives it them, or the view has them; else why not (E8). */
enum refusal next_view_want_tags(struct core *core, uint32_t position, const struct tags *tags);

/* The terms are to be these. REFUSED_NOT: the next view has them; else why not (A4). */
enum refusal next_view_want_rules(struct core *core, const struct rules_wish *wish);

/* What stands against that change of the terms (A4). */
enum unagreed next_view_against(const struct core *core, const struct rules_wish *wish);

/* Looks for the moment when a change of terms is settled (A2b). */
void next_view_settle_terms(struct core *core);

/* A joiner said READY. Returns false where there is no room to wait. */
bool next_view_queue(struct core *core, const struct joiner *joiner);
void next_view_drop_joiners(struct core *core, enum refusal reason);

/* G1: has `view` room for the joiner, beside those who keep their place? */
bool next_view_has_room(const struct core *core, const struct view *view,
                        const struct member *joiner);

/* J2, I2, G1: what stands against having the joiner in that view, in the place of its former life
 * if that is there; REFUSED_NOT: nothing. Asked of the view that holds when the joiner asks, and
 * of the next one when it is built, for others may have come between. */
enum refusal next_view_turns_away(const struct core *core, const struct view *view,
                                  const struct member *joiner);

/* Where a view is put together, to be proposed or installed in the same step. There is one. */
struct view *next_view_buffer(struct core *core);

/* Starts a view there as a copy of `base`, its parent, to be changed by the caller. */
struct view *next_view_begin(struct core *core, const struct view *base, enum view_cause cause);

/* The next view out of all that is wanted by now, whose wants are thereby met; fills in
 * first_joiner and forced of `proposal`. NULL when it would change nothing. */
struct view *next_view_build(struct core *core, struct proposal *proposal);

void next_view_on_view_installed(struct core *core, const struct installed *before);
void next_view_reset(struct core *core);

#endif
