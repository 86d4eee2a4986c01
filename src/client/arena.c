#include "client/arena.h"

#include <stdalign.h>
#include <string.h>

enum { BLOCK_BYTES = 8192 };

struct arena_block {
    struct arena_block *next;
    size_t used; /* bytes, of what follows */
    size_t size;
    alignas(max_align_t) char bytes[];
};

static struct arena_block *add_block(struct arena *arena, size_t bytes)
{
    const size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    struct arena_block *block = allocator_get(arena->memory, sizeof *block + size);

    if (block == NULL) {
        arena->exhausted = true;
        return NULL;
    }
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *arena_get(struct arena *arena, size_t bytes)
{
    const size_t padding = alignof(max_align_t) - 1;
    const size_t needed = (bytes + padding) & ~padding;
    struct arena_block *block = arena->blocks;

    if (block == NULL || block->size - block->used < needed) {
        block = add_block(arena, needed);
    }
    if (block == NULL) {
        return NULL;
    }
    block->used += needed;
    return block->bytes + block->used - needed;
}

const char *arena_text(struct arena *arena, const char *text)
{
    const size_t bytes = text == NULL ? 0 : strlen(text) + 1;
    char *copy = bytes == 0 ? NULL : arena_get(arena, bytes);

    return copy == NULL ? "" : memcpy(copy, text, bytes);
}

void arena_deinit(struct arena *arena)
{
    while (arena->blocks != NULL) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        allocator_release(arena->memory, block);
    }
}
