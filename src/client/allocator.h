/* Where the library's memory comes from: the caller's functions, or malloc. */
#ifndef CLIENT_ALLOCATOR_H
#define CLIENT_ALLOCATOR_H

#include <stddef.h>

/* All zero is malloc and free. */
struct allocator {
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *at);
    void *user;
};

/* Returns memory that is all zero, or NULL. `memory` may be NULL for malloc, here and below. */
void *allocator_get(const struct allocator *memory, size_t bytes);

/* Takes NULL. */
void allocator_release(const struct allocator *memory, void *at);

/* Returns a copy of the text, or NULL when memory ran out. */
char *allocator_text(const struct allocator *memory, const char *text);

#endif
