#include "client/allocator.h"

#include <stdlib.h>
#include <string.h>

void *allocator_get(const struct allocator *memory, size_t bytes)
{
    void *at = memory != NULL && memory->allocate != NULL ? memory->allocate(memory->user, bytes)
                                                          : malloc(bytes);
    return at == NULL ? NULL : memset(at, 0, bytes);
}

void allocator_release(const struct allocator *memory, void *at)
{
    if (at == NULL) {
        return;
    }
    if (memory != NULL && memory->release != NULL) {
        memory->release(memory->user, at);
    } else {
        free(at);
    }
}

char *allocator_text(const struct allocator *memory, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = allocator_get(memory, bytes);

    return copy == NULL ? NULL : memcpy(copy, text, bytes);
}
