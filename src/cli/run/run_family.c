#include "cli/run/run_family.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CHILDREN_MAX = 256, /* at one look; the next look finds the others */
    TEXT_MAX = 4096,
};

struct children {
    pid_t pids[CHILDREN_MAX];
    size_t count;
};

void run_family_adopt(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* --- Finding the children of this process ---------------------------------------------------- */

static bool read_text(const char *path, char text[TEXT_MAX])
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? -1 : read(fd, text, TEXT_MAX - 1);

    if (fd >= 0) {
        close(fd);
    }
    text[length < 0 ? 0 : length] = '\0';
    return length >= 0;
}

static void add(struct children *children, long pid)
{
    if (pid > 0 && children->count < CHILDREN_MAX) {
        children->pids[children->count++] = (pid_t)pid;
    }
}

/* From the list that the kernel keeps, if it was built with CONFIG_PROC_CHILDREN. */
static bool read_list(struct children *children)
{
    char path[64];
    char text[TEXT_MAX];

    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    if (!read_text(path, text)) {
        return false;
    }
    for (char *at = text; isdigit((unsigned char)*at);) {
        char *end = at;
        const long pid = strtol(at, &end, 10);
        if (*end == ' ') { /* A number that was cut off has none behind it. */
            add(children, pid);
            end++;
        }
        at = end;
    }
    return true;
}

/* "42 (name, which may have any characters) S PARENT ..." */
static long parent_in(const char *stat)
{
    const char *at = strrchr(stat, ')');

    return at == NULL || strlen(at) < 4 ? 0 : strtol(at + 4, NULL, 10);
}

static void search(struct children *children)
{
    const long self = (long)getpid();
    DIR *processes = opendir("/proc");

    for (const struct dirent *entry = processes == NULL ? NULL : readdir(processes); entry != NULL;
         entry = readdir(processes)) {
        char path[64];
        char text[TEXT_MAX];
        const long pid = strtol(entry->d_name, NULL, 10);
        snprintf(path, sizeof path, "/proc/%ld/stat", pid);
        if (pid > 0 && read_text(path, text) && parent_in(text) == self) {
            add(children, pid);
        }
    }
    if (processes != NULL) {
        closedir(processes);
    }
}

/* They cannot be mistaken for others: their numbers are theirs until this process reaps them. */
static void signal_children(int number)
{
    struct children children = {.count = 0};

    if (!read_list(&children)) {
        search(&children);
    }
    for (size_t i = 0; i < children.count; i++) {
        (void)kill(children.pids[i], number);
    }
}

/* --- All of them ------------------------------------------------------------------------------ */

/* Once the leader was reaped, by whichever process, the number of its group may be another's. */
static bool has_group(const struct run_family *family)
{
    siginfo_t info;

    return family->leader > 0 &&
           waitid(P_PID, (id_t)family->leader, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static void signal_group(const struct run_family *family, int number)
{
    if (has_group(family)) {
        (void)kill(-family->leader, number);
    }
}

void run_family_terminate(const struct run_family *family)
{
    signal_group(family, SIGTERM);
    signal_group(family, SIGCONT);
    if (!has_group(family)) {
        signal_children(SIGTERM);
        signal_children(SIGCONT);
    }
}

void run_family_kill(const struct run_family *family)
{
    signal_group(family, SIGKILL);
    run_cgroup_kill(&family->cgroup);
    signal_children(SIGKILL);
}

bool run_family_reap(struct run_family *family)
{
    for (;;) {
        int status = 0;
        const pid_t pid = waitpid(-1, &status, WNOHANG);

        if (pid == 0) {
            return true;
        }
        if (pid < 0 && errno != EINTR) {
            return false;
        }
        if (pid > 0 && pid == family->leader && !family->has_ended) {
            family->has_ended = true;
            family->status = status;
        }
    }
}
