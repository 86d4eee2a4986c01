/* How a proposal of this node ends: when enough have agreed to it, what of it is committed, and who
 * is told (U1).
 *
 *     PREPARE --> all answered, or T_prepare is over --> the living would go? made anew
 *                                                    --> a joiner is silent?  proposed without it
 *                                                    --> COMMIT to who acknowledged, VIEW to others
 */
#ifndef CORE_CHANGE_COMMIT_H
#define CORE_CHANGE_COMMIT_H

#include "core/state/state.h"

/* When change_tick has something to do for what was proposed or accepted; NEVER_MS: for nothing. */
uint64_t change_deadline_ms(const struct core *core);

/* Continues the proposal that is out, or acknowledges again what was accepted. */
void change_tick(struct core *core);

#endif
