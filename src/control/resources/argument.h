/* What a request says besides its path: the arguments behind the question mark, and Upgrade. */
#ifndef CONTROL_ARGUMENT_H
#define CONTROL_ARGUMENT_H

#include <stdbool.h>

struct request;

/* Returns the value of the argument, borrowed for the time of the request; NULL when it is not
 * there or has none. */
const char *argument_value(const struct request *request, const char *name);

/* Is the argument there, with a value or without? */
bool argument_is_given(const struct request *request, const char *name);

/* Does the client want to keep the connection, and speak that protocol over it (Upgrade)? */
bool argument_wants_protocol(const struct request *request, const char *name);

#endif
