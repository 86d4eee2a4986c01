/* Which members follow another coordinator than this node does (L2).
 *
 *     signs that it follows another   x   x    x        x    over T_fresh, no gap above 2 T_fresh:
 *                                     |-----------------|    it has *moved*, and is removed
 *     it names this node's view                 ^            a sign of that kind ends it at once
 *
 * Behind (L5) is told apart in the same way, by heartbeats that name one and the same lower view.
 */
#ifndef CORE_FOLLOW_H
#define CORE_FOLLOW_H

#include "core/state/state.h"

/* The member at `position` says, now, that it follows another coordinator. */
void follow_note(struct core *core, uint32_t position);

/* It follows ours again, or what was noted cannot be relied on any more. */
void follow_forget(struct core *core, uint32_t position);

/* It has said so for T_fresh: it has moved. */
bool follow_has_moved(const struct core *core, uint32_t position);

/* L5a: the member says, now, that it holds a lower view of our lineage, or that it holds ours. */
void follow_note_lower(struct core *core, uint32_t position, const struct view_id *lower);
void follow_note_ours(struct core *core, uint32_t position);

/* It has said for T_fresh that it holds one and the same lower view: it is behind. And so for
 * T_stall: it is to go (L5b). */
bool follow_is_behind(const struct core *core, uint32_t position);
bool follow_was_left_behind(const struct core *core, uint32_t position);

/* Does anybody say so lately, and not yet for T_fresh? O(1) unless somebody says so. */
bool follow_has_undecided(const struct core *core);

void follow_on_view_installed(struct core *core, const struct installed *before);

#endif
