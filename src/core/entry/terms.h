/* Terms that the operator of this node wants the cluster to have are asked of the coordinator until
 * the view has them (A1).
 *
 *     wanted with number 4 --WISH--> coordinator --> view with another number than 4: it is over,
 *                                                    whoever's wish that was
 */
#ifndef CORE_ENTRY_TERMS_H
#define CORE_ENTRY_TERMS_H

#include "core/state/state.h"

/* The operator wants them; copied. Whoever calls this has terms_tick called from now on. */
void terms_on_command(struct core *core, const struct rules_wish *wish);

/* Asks once more if it is time. Returns whether there is anything left to ask for. */
bool terms_tick(struct core *core);

/* When terms_tick has something to do; NEVER_MS: never. */
uint64_t terms_deadline_ms(const struct core *core);

#endif
