/* What has to hold once all sources of the configuration are read. */
#ifndef RUNTIME_CONFIG_COMPLETE_H
#define RUNTIME_CONFIG_COMPLETE_H

#include <stdbool.h>

#include "runtime/options/config_reading.h"

/* When all sources are read: fills in what follows from the rest, checks that the values go
 * together, and warns of what is probably a mistake. False: it is refused. */
bool reading_complete(struct reading *reading);

#endif
