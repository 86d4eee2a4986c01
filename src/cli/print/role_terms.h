/* The terms of a role, in the words of the options of doyen campaign. */
#ifndef CLI_ROLE_TERMS_H
#define CLI_ROLE_TERMS_H

#include <jansson.h>

enum { ROLE_TERMS_MAX = 256 };

/* "first", "priority, holders 2, need zone=a, no-preempt", of one role as the daemon has it: the
 * policy, and what is not as it is unless it is said. */
void role_terms_text(const json_t *role, char text[ROLE_TERMS_MAX]);

#endif
