/* Who acts on a message of each type, in one table, and the gate that each message has to pass. */
#ifndef CORE_DISPATCH_H
#define CORE_DISPATCH_H

#include "core/state/state.h"

/* Acts on a message that came, or refuses it. */
void dispatch_message(struct core *core, const struct message *message);

#endif
