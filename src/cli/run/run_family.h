/* The processes of one command: the one that was started, its process group, and whatever left that
 * group. Kept by a process that is their subreaper: whose parent has died becomes its child, so
 * that all of them are gone when it has no child left. */
#ifndef CLI_RUN_FAMILY_H
#define CLI_RUN_FAMILY_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/run/run_cgroup.h"

struct run_family {
    pid_t leader;   /* the command's own process, and its group */
    bool has_ended; /* the leader, and was reaped here */
    int status;     /* of the leader then, as waitpid gives it */
    struct run_cgroup cgroup;
};

/* From now on orphans among the descendants become children of this process. */
void run_family_adopt(void);

/* TERM, and CONT for those that are stopped. */
void run_family_terminate(const struct run_family *family);

/* KILL to all that can be found. Those whose parents die of it may be found by the next call only:
 * to be repeated until run_family_reap says that nobody is left. */
void run_family_kill(const struct run_family *family);

/* Takes note of those that have ended. Returns whether any are left. */
bool run_family_reap(struct run_family *family);

#endif
