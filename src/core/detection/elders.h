/* Those who are older than a claimant, as this node sees them (C1, C2).
 *
 *     view   athens  byzantium  cyrene  delphi
 *            dead    moved      fresh   claims      byzantium is passed over, cyrene is waited for
 */
#ifndef CORE_ELDERS_H
#define CORE_ELDERS_H

#include "core/state/state.h"

/* Z7c: has the coordinator of the view said that it acts under its epoch no more? */
bool elders_coordinator_has_handed_over(const struct core *core);

/* C1c, Z7c: will the member at `position` not claim here, so that nobody waits for it? */
bool elders_are_passed_over(const struct core *core, uint32_t position);

/* C2b: for how long yet this node takes anybody older than the member at `claimant` to live; 0: it
 * takes nobody to. For VIEW_NONE everybody is older. The life `but` does not count: it has handed
 * over. */
uint64_t elders_are_fresh_for_ms(const struct core *core, uint32_t claimant,
                                 const struct node_id *but);

#endif
