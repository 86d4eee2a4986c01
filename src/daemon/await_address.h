/* A host may start before its network: doyend waits until the address that it is to listen on, or
 * that others are to know it by, is there, rather than end with a status after which nobody starts
 * it again. */
#ifndef DAEMON_AWAIT_ADDRESS_H
#define DAEMON_AWAIT_ADDRESS_H

#include <stdbool.h>

#include "runtime/options/config_host.h"
#include "runtime/options/config_read.h"

/* Where `outcome` asks for a run, or lacks nothing for one but an address, waits until this host
 * has the address; each thing that it waits for is one line on the log and the service manager's
 * status. Then `config` and `outcome` are those of now: the configuration is read again at each
 * look. Returns false when a signal asked it to end meanwhile. */
bool await_address(struct config *config, struct config_outcome *outcome, int argc, char **argv,
                   const struct config_host *host);

#endif
