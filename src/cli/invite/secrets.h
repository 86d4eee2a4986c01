/* Random bytes of the system, for words and secrets. */
#ifndef CLI_SECRETS_H
#define CLI_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

/* False: the system gives none. */
bool secrets_draw(void *bytes, size_t size);

#endif
