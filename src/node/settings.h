/* The configuration of a node inside another program: from its options, by the same table and with
 * the same refusals as doyend's command line. */
#ifndef NODE_SETTINGS_H
#define NODE_SETTINGS_H

#include <stdbool.h>

#include "client/problem.h"
#include "doyen/node.h"
#include "runtime/options/config.h"

/* Returns 0, or DOYEN_E_USAGE or DOYEN_E_MEMORY with the problem filled in. */
int settings_read(const struct doyen_node_options *options, struct config *config,
                  struct problem *problem);

#endif
