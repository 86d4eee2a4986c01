/* --hooks: keeps `doyen hook` running beside the daemon, as a process of its own. The daemon gives
 * up starting programs when its sandbox closes, and waits for no hook. */
#ifndef DAEMON_HOOKS_H
#define DAEMON_HOOKS_H

#include <stdbool.h>

#include "runtime/options/config.h"
#include "runtime/options/value.h"
#include "runtime/process/log.h"

/* Can they be run? There has to be a folder, and the command doyen beside this program; and each
 * hook that is there has to be one that is run. */
bool hooks_check(const struct config *config, struct complaint *complaint);

/* Starts a process that keeps `doyen hook` running until this one has ended and the hooks have been
 * told that it does not act any more. Before the sandbox, and before there are threads. Does
 * nothing without --hooks. False after one line on the log. */
bool hooks_start(const struct config *config, struct log *log);

#endif
