#include "cli/run/run_cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <mntent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define GROUP_NAME "doyen-run-"

#define RUN_CGROUP_NONE ((struct run_cgroup){.folder = -1, .procs = -1, .kill = -1})

/* Where cgroup v2 is mounted. */
static bool find_mount(char path[RUN_CGROUP_PATH_MAX])
{
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    bool found = false;

    if (mounts == NULL) {
        return false;
    }
    for (const struct mntent *mount = getmntent(mounts); mount != NULL && !found;
         mount = found ? mount : getmntent(mounts)) {
        found = strcmp(mount->mnt_type, "cgroup2") == 0;
        if (found) {
            snprintf(path, RUN_CGROUP_PATH_MAX, "%s", mount->mnt_dir);
        }
    }
    endmntent(mounts);
    return found;
}

/* The cgroup v2 that this process is in, from the root of the mount: "" or "/system.slice/x". */
static bool find_own(char path[RUN_CGROUP_PATH_MAX])
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[RUN_CGROUP_PATH_MAX];
    bool found = false;

    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        found = strncmp(line, "0::/", 4) == 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    if (!found) {
        return false;
    }
    line[strcspn(line, "\n")] = '\0';
    snprintf(path, RUN_CGROUP_PATH_MAX, "%s", strcmp(line, "0::/") == 0 ? "" : line + 3);
    return true;
}

/* Is it the group of a doyen run that is no more? */
static bool is_left_behind(const char *name)
{
    const size_t length = sizeof GROUP_NAME - 1;
    char *end = NULL;

    if (strncmp(name, GROUP_NAME, length) != 0) {
        return false;
    }
    const long pid = strtol(name + length, &end, 10);
    return pid > 0 && *end == '\0' && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* Whoever was killed together with its watchdog could not remove its group. Those that are not
 * empty stay. */
static void remove_left_behind(const char *parent)
{
    enum { REMOVED_MAX = 64 }; /* each may take a while */
    DIR *folder = opendir(parent);
    int removed = 0;

    if (folder == NULL) {
        return;
    }
    for (const struct dirent *entry = readdir(folder); entry != NULL && removed < REMOVED_MAX;
         entry = readdir(folder)) {
        removed += is_left_behind(entry->d_name) &&
                   unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR) == 0;
    }
    closedir(folder);
}

static int open_file(const struct run_cgroup *cgroup, const char *name)
{
    return openat(cgroup->folder, name, O_WRONLY | O_CLOEXEC);
}

/* Forks into the group without entering it later. Returns a negative value where that cannot be. */
static pid_t fork_inside(const struct run_cgroup *cgroup, int exit_signal)
{
    struct clone_args args = {.flags = CLONE_INTO_CGROUP,
                              .exit_signal = (__u64)exit_signal,
                              .cgroup = (__u64)cgroup->folder};

    return cgroup->folder < 0 ? -1 : (pid_t)syscall(SYS_clone3, &args, sizeof args);
}

/* Does who is born in the group live? Linux 6.18 kills all that are born in a group that was killed
 * once, or as whose parent was: it compares the group's count of kills with that of the group that
 * the parent is in. */
static bool lets_live(const struct run_cgroup *cgroup)
{
    int status = 0;
    const pid_t pid = fork_inside(cgroup, 0);

    if (pid == 0) {
        _exit(0);
    }
    return pid > 0 && waitpid(pid, &status, __WALL) == pid && WIFEXITED(status);
}

void run_cgroup_make(struct run_cgroup *cgroup)
{
    char mount[RUN_CGROUP_PATH_MAX];
    char own[RUN_CGROUP_PATH_MAX];

    *cgroup = RUN_CGROUP_NONE;
    if (!find_mount(mount) || !find_own(own)) {
        return;
    }
    const int parent = snprintf(cgroup->path, sizeof cgroup->path, "%s%s", mount, own);
    if (parent < 0 || (size_t)parent >= sizeof cgroup->path) {
        cgroup->path[0] = '\0';
        return;
    }
    remove_left_behind(cgroup->path);
    const size_t left = sizeof cgroup->path - (size_t)parent;
    const int length = snprintf(cgroup->path + parent, left, "/" GROUP_NAME "%ld", (long)getpid());
    if (length < 0 || (size_t)length >= left) {
        cgroup->path[0] = '\0';
        return;
    }
    (void)rmdir(cgroup->path); /* Of one that had this number before, and was killed. */
    if (mkdir(cgroup->path, 0755) != 0) {
        cgroup->path[0] = '\0';
        return;
    }
    cgroup->folder = open(cgroup->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cgroup->procs = open_file(cgroup, "cgroup.procs");
    cgroup->kill = open_file(cgroup, "cgroup.kill");
    if (cgroup->procs < 0 || cgroup->kill < 0) {
        run_cgroup_remove(cgroup);
    } else if (cgroup->folder >= 0 && !lets_live(cgroup)) {
        close(cgroup->folder);
        cgroup->folder = -1;
    }
}

void run_cgroup_renew(struct run_cgroup *cgroup)
{
    run_cgroup_remove(cgroup);
    run_cgroup_make(cgroup);
}

/* For kernels, and sandboxes, without the other way. On a busy host it takes long: the kernel first
 * waits for all processors to have done something else, which may be seconds. */
static pid_t fork_and_enter(const struct run_cgroup *cgroup)
{
    const pid_t pid = fork();
    const bool enters = pid == 0 && cgroup->procs >= 0;

    (void)(enters && write(cgroup->procs, "0", 1) == 1); /* It may be that it must not. */
    return pid;
}

pid_t run_cgroup_fork(const struct run_cgroup *cgroup)
{
    const pid_t pid = fork_inside(cgroup, SIGCHLD);

    return pid >= 0 ? pid : fork_and_enter(cgroup);
}

void run_cgroup_kill(const struct run_cgroup *cgroup)
{
    if (cgroup->kill >= 0 && write(cgroup->kill, "1", 1) != 1) {
        return; /* It was removed; then nothing is in it. */
    }
}

void run_cgroup_remove(struct run_cgroup *cgroup)
{
    if (cgroup->folder >= 0) {
        close(cgroup->folder);
    }
    if (cgroup->procs >= 0) {
        close(cgroup->procs);
    }
    if (cgroup->kill >= 0) {
        close(cgroup->kill);
    }
    if (cgroup->path[0] != '\0') {
        (void)rmdir(cgroup->path);
    }
    *cgroup = RUN_CGROUP_NONE;
}
