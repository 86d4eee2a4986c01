/* Variables of the environment that look like settings and are none. */
#ifndef RUNTIME_CONFIG_SLIPS_H
#define RUNTIME_CONFIG_SLIPS_H

#include "runtime/config.h"

/* Fills in one line that names them and what was probably meant; empty when there are none. */
void config_slips(const struct config_host *host, char warning[CONFIG_MESSAGE_MAX]);

#endif
