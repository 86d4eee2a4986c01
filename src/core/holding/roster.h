/* The coordinator's list of who stands for which role and who holds it, and the one rule that moves
 * what is towards what is to be (K1, K5 to K8). It lasts for one epoch: the next coordinator is
 * told anew.
 *
 *     told by members --> candidates of a role, by its policy --> so many of them are to hold it
 *     holds, and is not to    --> asked to let go
 *     is to, and does not     --> granted, once there is room
 */
#ifndef CORE_ROSTER_H
#define CORE_ROSTER_H

#include "core/state/state.h"

/* How many candidates a coordinator of so many members has room for. */
uint32_t roster_capacity(uint32_t members);

/* ROLES_ASK, ROLES_ENTER or ROLES_LET_GO of the member at that position, under the epoch of the
 * view that this node coordinates. */
void roster_on_word(struct core *core, uint32_t position, enum message_type type,
                    const struct role_word *word);

/* K4e: nothing more can be granted under this epoch, so another one is to begin. */
void roster_outgrow(struct core *core);

/* May this coordinator act now? In a step that changed nothing about it O(1). */
bool roster_acts(const struct core *core);

/* K7a: may this coordinator grant what nobody tells that he holds? Advisory, when every member has
 * told; under guard strict when whoever has not cannot hold any more, be it a member or not. As of
 * the last step. O(members). */
bool roster_may_grant(const struct core *core);

/* What is due, and what follows from what this step brought. */
void roster_tick(struct core *core);

/* NEVER_MS while nobody stands for a role. O(1). */
uint64_t roster_deadline_ms(const struct core *core);

void roster_on_view_installed(struct core *core, const struct installed *before);
void roster_reset(struct core *core);

#endif
