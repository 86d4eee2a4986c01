#include "cli/run_cgroup.h"

#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static int open_file(const struct run_cgroup *cgroup, const char *name)
{
    char path[RUN_CGROUP_PATH_MAX + 16];

    snprintf(path, sizeof path, "%s/%s", cgroup->path, name);
    return open(path, O_WRONLY | O_CLOEXEC);
}

void run_cgroup_make(struct run_cgroup *cgroup, unsigned number)
{
    char mount[RUN_CGROUP_PATH_MAX];
    char own[RUN_CGROUP_PATH_MAX];

    *cgroup = (struct run_cgroup){.procs = -1, .kill = -1};
    if (!find_mount(mount) || !find_own(own)) {
        return;
    }
    const int length = snprintf(cgroup->path, sizeof cgroup->path, "%s%s/doyen-run-%ld-%u", mount,
                                own, (long)getpid(), number);
    if (length < 0 || (size_t)length >= sizeof cgroup->path || mkdir(cgroup->path, 0755) != 0) {
        cgroup->path[0] = '\0';
        return;
    }
    cgroup->procs = open_file(cgroup, "cgroup.procs");
    cgroup->kill = open_file(cgroup, "cgroup.kill");
    if (cgroup->procs < 0 || cgroup->kill < 0) {
        run_cgroup_remove(cgroup);
    }
}

bool run_cgroup_enter(const struct run_cgroup *cgroup)
{
    return cgroup->procs >= 0 && write(cgroup->procs, "0", 1) == 1;
}

void run_cgroup_kill(const struct run_cgroup *cgroup)
{
    if (cgroup->kill >= 0 && write(cgroup->kill, "1", 1) != 1) {
        return; /* It was removed; then nothing is in it. */
    }
}

void run_cgroup_remove(struct run_cgroup *cgroup)
{
    if (cgroup->procs >= 0) {
        close(cgroup->procs);
    }
    if (cgroup->kill >= 0) {
        close(cgroup->kill);
    }
    if (cgroup->path[0] != '\0') {
        (void)rmdir(cgroup->path);
    }
    *cgroup = (struct run_cgroup){.procs = -1, .kill = -1};
}
