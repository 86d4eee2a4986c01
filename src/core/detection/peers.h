/* What is known of each member, kept with it whatever its position: the records of all modules that
 * keep something for each. */
#ifndef CORE_PEERS_H
#define CORE_PEERS_H

#include "core/state/state.h"

/* Each survivor keeps its record under its new position; who is new has an empty one. Called first,
 * before the modules look at their parts of it. */
void peers_on_view_installed(struct core *core, const struct installed *before);

#endif
