/* The one block of memory that a core lives in: which part of it is whose, and what is in use. */
#ifndef CORE_LAYOUT_H
#define CORE_LAYOUT_H

#include "core/state/state.h"

/* See core_bytes. */
size_t layout_bytes(uint32_t capacity);

/* The core in such a block, with its lists, and all zero up to CORE_CLEARED. */
struct core *layout_core(void *block, uint32_t capacity);

/* See core_unused. */
uint32_t layout_unused(const struct core *core, struct core_part out[CORE_PARTS_MAX]);

#endif
