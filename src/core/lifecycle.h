/* The one place where the phase changes. */
#ifndef CORE_LIFECYCLE_H
#define CORE_LIFECYCLE_H

#include "core/state.h"

void lifecycle_enter(struct core *core, enum phase phase, enum phase_reason reason);

/* L1, L3: this life is over, the node goes on: new id, no view, asking to be let in through
 * everyone it knew. */
void lifecycle_start_over(struct core *core, enum phase_reason reason);

/* The same for a node that is still asking: only the id is worn out. */
void lifecycle_renew(struct core *core);

#endif
