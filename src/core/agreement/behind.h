/* Being behind (L5): those who follow this node's coordinator, or it, name a higher view than this
 * node's, and it does not get that one. */
#ifndef CORE_BEHIND_H
#define CORE_BEHIND_H

#include "core/state/state.h"

/* The member at `position`, or a stranger (VIEW_NONE), says that it holds a higher view than this
 * node: the coordinator's word, which others' only bears out. */
void behind_note(struct core *core, uint32_t position);
void behind_note_stranger(struct core *core, const struct message *heartbeat);

/* Another view was installed, the coordinator has named no higher one, or a life is over. */
void behind_forget(struct core *core);

/* L5c: has a higher view been named for T_fresh? May this node claim all the same (C1d)? Has it
 * been so for so long that this node is out? */
bool behind_is_on(const struct core *core);
bool behind_may_lead(const struct core *core);
bool behind_was_left(const struct core *core);

#endif
