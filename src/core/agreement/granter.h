/* A member answers a claim (C2): it grants it once nobody older than the claimant is heard, and is
 * bound to that epoch for a while. Voters of guard strict, who are bound on disk, are voting.c. */
#ifndef CORE_GRANTER_H
#define CORE_GRANTER_H

#include "core/state/state.h"

/* Answers the CLAIM of a member by VOTE (C2b, C2c), once both hold the same view. */
void granter_judge(struct core *core, const struct message *claim);

/* Grants the claim that it remembers when nobody older is fresh any more (C5a); forgets a promise
 * that is over (C5b). */
void granter_tick(struct core *core);

/* Called before promise_on_view_installed. */
void granter_on_view_installed(struct core *core);
void granter_reset(struct core *core);

#endif
