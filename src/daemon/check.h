/* Implements doyend --check: would a start succeed, here and now? */
#ifndef DAEMON_CHECK_H
#define DAEMON_CHECK_H

#include <stdio.h>

#include "runtime/options/config.h"

/* Tries what a start with a valid configuration would do, and leaves nothing behind. Writes one
 * line to `to` for each obstacle, and for what a start would work without for a while, such as a
 * seed whose name does not resolve yet. Returns the exit code. */
int check_start(FILE *to, const struct config *config);

#endif
