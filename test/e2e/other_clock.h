/* Processes in a time namespace of their own, whose CLOCK_BOOTTIME is ahead of everybody else's, as
 * in some containers and after a restoration. */
#ifndef E2E_OTHER_CLOCK_H
#define E2E_OTHER_CLOCK_H

#include <stdbool.h>

#include "fixture.h"

enum { OTHER_CLOCK_S = 100 }; /* so far ahead; longer than anything here lasts */

/* The beginning of a command line that runs there. */
#define OTHER_CLOCK "/usr/bin/unshare", "-T", "--boottime", "100", "--monotonic", "100"

/* Skips the test where there are no such namespaces, or not for this account. */
void other_clock_require(struct cluster *cluster);

/* A program in the test's directory that is `program` in such a namespace, for cluster_replace. */
const char *other_clock_program(struct cluster *cluster, const char *program);

/* What the function returns, 0 to 99, in a child of this process that lives there. */
int other_clock_call(int (*function)(void *context), void *context);

#endif
