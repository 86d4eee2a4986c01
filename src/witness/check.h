/* Implements doyen-witness --check: would a start succeed, here and now? */
#ifndef WITNESS_CHECK_H
#define WITNESS_CHECK_H

#include <stdio.h>

#include "runtime/options/config.h"

/* Tries what a start with a valid configuration would do, and leaves nothing behind. Writes one
 * line to `to` for each obstacle. Returns the exit code. */
int witness_check(FILE *to, const struct config *config);

#endif
