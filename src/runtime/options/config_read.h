/* Reads the configuration: one table of options (options.c) feeds flags, environment, file and
 * --print-config. For each option the strongest source counts: flag > environment > file > default.
 * For an option that may be repeated, the strongest source gives the whole list. */
#ifndef RUNTIME_CONFIG_READ_H
#define RUNTIME_CONFIG_READ_H

#include "runtime/options/config.h"
#include "runtime/options/config_host.h"
#include "runtime/options/config_outcome.h"

/* Reads all sources, weakest first, and fills in `config` and `outcome`, which are the caller's;
 * nothing is allocated for them. Neither prints nor exits. For CONFIG_HELP,
 * CONFIG_VERSION and CONFIG_REFUSED the content of `config` is undefined, except that with
 * `lacks_address` it says how to log and where to listen. The order of `argv` may change. */
void config_parse(struct config *config, struct config_outcome *outcome, int argc, char **argv,
                  const struct config_host *host);

#endif
