/* The core that tests of recordings record: one that founds a cluster alone. */
#ifndef UNIT_RECORDED_CORE_H
#define UNIT_RECORDED_CORE_H

#include "core/core.h"

enum { RECORDED_CAPACITY = 4 }; /* members */

extern const struct core_options recorded_options;

/* Returns a core of these options, for views of RECORDED_CAPACITY members, to be freed. */
struct core *recorded_core_new(const struct core_options *options, uint64_t now_ms);

#endif
