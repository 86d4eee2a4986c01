/* Lists the inputs of a recording whose beginning is missing: what came when, without what the core
 * made of it. Ticks are left out. */
#ifndef REPLAY_LISTING_H
#define REPLAY_LISTING_H

#include <stdbool.h>
#include <stdio.h>

#include "replay/replay.h"

/* Prints one input, as text or as JSON; to be called for each that is listed. */
void listing_print(FILE *out, bool json, const struct replay_listed *listed);

#endif
