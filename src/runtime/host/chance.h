/* Random bytes of the system: for seeds, keys, salts and numbers that nobody can guess. */
#ifndef RUNTIME_CHANCE_H
#define RUNTIME_CHANCE_H

#include <stdbool.h>
#include <stddef.h>

/* Fills in `size` bytes, 256 at most. Returns false, with errno set, when the system gives none. */
bool chance_draw(void *out, size_t size);

#endif
