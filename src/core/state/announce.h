/* What the modules below tell all the others. src/core/announce.c defines both and keeps the lists
 * of who is to know, so that no module has to name one above it. */
#ifndef CORE_ANNOUNCE_H
#define CORE_ANNOUNCE_H

#include "core/state/state.h"

/* A view was installed: each module settles what referred to the one before. */
void announce_view_installed(struct core *core, const struct installed *before);

/* This life is over, and the node goes on as another: each module forgets what was of it. */
void announce_life_over(struct core *core);

#endif
