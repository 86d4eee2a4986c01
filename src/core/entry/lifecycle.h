/* The one place where the phase changes, and where a life begins and ends. */
#ifndef CORE_LIFECYCLE_H
#define CORE_LIFECYCLE_H

#include "core/state/state.h"

void lifecycle_enter(struct core *core, enum phase phase, enum phase_reason reason);

/* L1, L3: this life is over. A leaver, for whom that is what it wanted, stops. Any other node goes
 * on: new id, no view, asking to be let in through everyone it knew. */
void lifecycle_end_life(struct core *core, enum phase_reason reason);

/* The id of a life that begins, and the salt of its nonces. */
void lifecycle_draw_id(struct core *core);

/* I1: a new id; nothing that names the former life concerns this one. */
void lifecycle_renew_identity(struct core *core);

/* What this node joins with from now on; copied (E8c). */
void lifecycle_set_tags(struct core *core, const struct tags *tags);

void lifecycle_on_view_installed(struct core *core);

#endif
