/* The one block of memory that a core lives in: which part of it is whose, and what is in use. */
#ifndef CORE_LAYOUT_H
#define CORE_LAYOUT_H

#include "core/state/state.h"

/* See core_bytes and core_witness_bytes. */
size_t layout_bytes(uint32_t capacity);
size_t layout_witness_bytes(uint32_t capacity);

/* The core in such a block, with its lists, and all zero up to CORE_CLEARED. */
struct core *layout_core(void *block, uint32_t capacity);

/* The same of a witness, in a block that is all zero: it has room for what it accepts and answers
 * alone. All other views and lists are empty, and have none. */
struct core *layout_witness(void *block, uint32_t capacity);

/* See core_unused. */
uint32_t layout_unused(const struct core *core, struct core_part out[CORE_PARTS_MAX]);

#endif
