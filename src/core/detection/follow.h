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

/* Notes that the member at `position` says now that it follows another coordinator, by naming that
 * view: not if the view is in this node's own name, and higher, for then nobody made it (V4i). */
void follow_note_named(struct core *core, uint32_t position, const struct view_id *named);
void follow_note(struct core *core, uint32_t position);

/* Forgets that: the member follows this node's coordinator again, or what was noted cannot be
 * relied on any more. */
void follow_forget(struct core *core, uint32_t position);

/* Has the member said so for T_fresh? Then it has moved (L2c). */
bool follow_has_moved(const struct core *core, uint32_t position);

/* L5a: notes that the member says now that it holds a lower view of this node's lineage, or that it
 * holds this node's view. */
void follow_note_lower(struct core *core, uint32_t position, const struct view_id *lower);
void follow_note_ours(struct core *core, uint32_t position);

/* Has the member said for T_fresh that it holds one and the same lower view? Then it is behind. And
 * for T_stall? Then it is to go (L5b). */
bool follow_is_behind(const struct core *core, uint32_t position);
bool follow_was_left_behind(const struct core *core, uint32_t position);

/* Does any member say lately, and not yet for T_fresh, that it follows another? O(1) unless one
 * does. */
bool follow_has_undecided(const struct core *core);

void follow_on_view_installed(struct core *core, const struct installed *before);

#endif
