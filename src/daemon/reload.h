/* SIGHUP: reads the configuration again, the same command line and environment with the file as it
 * is now, takes what can be taken while the node runs, and says of each setting that differs what
 * became of it. */
#ifndef DAEMON_RELOAD_H
#define DAEMON_RELOAD_H

#include "runtime/node/node.h"
#include "runtime/options/config.h"
#include "runtime/process/log.h"

/* How this process was started; all of it is borrowed. `config` is what it runs with: what is taken
 * is written there. */
struct reload {
    struct config *config;
    int argc;
    char **argv;
};

/* Reads again and applies. A configuration that is refused, or that cannot be read, changes
 * nothing; the log says so. */
void reload_config(const struct reload *reload, struct node *node, struct log *log);

#endif
