/* How often this node lets non-members make it send something (V6): so often for each kind of
 * message and each source, that whoever floods it keeps nobody else waiting. */
#ifndef CORE_STRANGERS_H
#define CORE_STRANGERS_H

#include "core/state/state.h"

/* Takes one of the answers that are left for what came, or returns that none is. O(1) but for a
 * look into the book. */
bool strangers_take(struct core *core, const struct message *message);

/* There are as many again as at first, as after each interval: a joiner tries anew (V6b). */
void strangers_renew(struct core *core);

#endif
