/* Does a view meet a condition? */
#ifndef CLIENT_CONDITION_H
#define CLIENT_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

#include "doyen/client.h"

/* As doyen_holds, for a condition that is whole whatever its size says. */
bool condition_holds(const struct doyen_condition *condition, const struct doyen_view *view,
                     char *text, size_t bytes);

#endif
