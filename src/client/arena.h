/* Memory that is given back all at once. */
#ifndef CLIENT_ARENA_H
#define CLIENT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "client/allocator.h"

struct arena_block;

struct arena {
    const struct allocator *memory;
    struct arena_block *blocks;
    bool exhausted; /* some of what was asked for could not be given */
};

/* Returns memory that is all zero and aligned for everything, or NULL. */
void *arena_get(struct arena *arena, size_t bytes);

/* Returns a copy of the text, or "" when memory ran out, and for NULL. */
const char *arena_text(struct arena *arena, const char *text);

void arena_deinit(struct arena *arena);

#endif
