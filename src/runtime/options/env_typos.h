/* Environment variables that look like settings of doyend and are none. */
#ifndef RUNTIME_ENV_TYPOS_H
#define RUNTIME_ENV_TYPOS_H

#include "runtime/options/config.h"
#include "runtime/options/config_host.h"

/* Writes one line that names them and what was probably meant; an empty one when there are none. */
void env_typos_describe(const struct config_host *host, char warning[CONFIG_MESSAGE_MAX]);

#endif
