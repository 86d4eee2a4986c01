/* Structures of a caller that may have been compiled with an older or newer version of the header.
 */
#ifndef CLIENT_STAMPED_H
#define CLIENT_STAMPED_H

#include <stdbool.h>
#include <stddef.h>

#include "client/problem.h"

/* Copies `from`, which begins with its own size, to `to` of `size` bytes. What an older caller does
 * not have becomes zero. Returns false when a newer one has set what is not known here, or the size
 * cannot be one. */
bool stamped_copy(void *to, size_t size, const void *from);

/* Fills in the problem when that failed for the structure of this name, and returns its code. */
int stamped_refuse(struct problem *problem, const char *name);

#endif
