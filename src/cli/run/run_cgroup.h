/* A control group (cgroup v2) for a command: whatever the command starts stays in it, and the
 * kernel can kill all of it at once. */
#ifndef CLI_RUN_CGROUP_H
#define CLI_RUN_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

enum { RUN_CGROUP_PATH_MAX = 1024 };

/* All descriptors are -1 where there is none. */
struct run_cgroup {
    char path[RUN_CGROUP_PATH_MAX];
    int folder; /* the group itself, to fork into; -1 also where the kernel kills who is born there
                 */
    int procs;  /* cgroup.procs */
    int kill;   /* cgroup.kill */
};

/* Makes one below the one that this process is in, if this account may, the system has cgroup v2,
 * and the kernel can kill by it (Linux 5.14). Where not, there is none, which is no error. Empty
 * ones there of runs that are dead are removed. It can
 * take seconds on a busy host, as removing it can: not when a command is to start soon. */
void run_cgroup_make(struct run_cgroup *cgroup);

/* A group that is empty and was never killed, in the place of this one: by kernels that kill what
 * is born in a group that was killed before, none is used again. Takes as long. */
void run_cgroup_renew(struct run_cgroup *cgroup);

/* Like fork(), but the new process begins in the group, where there is one that may be entered. For
 * programs of one thread. */
pid_t run_cgroup_fork(const struct run_cgroup *cgroup);

/* Kills whatever is in it. Returns at once. */
void run_cgroup_kill(const struct run_cgroup *cgroup);

/* Removes it, once it is empty, and closes it. */
void run_cgroup_remove(struct run_cgroup *cgroup);

#endif
