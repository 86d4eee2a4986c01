/* What writer.c wrote: who, when and under which epoch. */
#ifndef E2E_WRITTEN_H
#define E2E_WRITTEN_H

#include <stdbool.h>

struct written {
    unsigned long long at_ns;
    unsigned long long epoch; /* 0: nothing */
    char node[64];
    int pid;
};

/* What was written last. */
struct written written_last(const char *path);

/* Each in the order of its effect: an epoch is one node's, and none follows a higher one. Where the
 * epoch changes, the clock says the same. */
void assert_no_overlap(const char *path);

#endif
