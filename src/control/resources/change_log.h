/* Who asked for a change of what, and what came of it, on the daemon's log: who changed a cluster
 * must be known afterwards. */
#ifndef CONTROL_CHANGE_LOG_H
#define CONTROL_CHANGE_LOG_H

#include "control/resources/resources.h"

/* Logs one line; `status` is that of the answer. */
void change_log(const struct request *request, const struct resource *resource, unsigned status);

#endif
