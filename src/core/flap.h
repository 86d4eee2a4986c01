/* Names that keep failing are let in more slowly each time (R4): a process that crashes in a loop,
 * or a host with a bad cable, must not cost everybody a view per second (H40). Every member
 * counts what it sees, for any of them may coordinate tomorrow. */
#ifndef CORE_FLAP_H
#define CORE_FLAP_H

#include "core/state.h"

/* A member of this name was removed as failed. */
void flap_on_failure(struct core *core, const char *name);

/* That member was only cut off: the same life is back, by a merge. */
void flap_forgive(struct core *core, const char *name);

/* May a joiner of this name be let in now? */
bool flap_admits(const struct core *core, const char *name);

#endif
