#include "usage/hook_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* HOOK_NAMES lists them for people. */
static const char *const names[] = {"joined", "gone",  "coordinator", "acting", "not-acting",
                                    "guard",  "split", "merge",       "drained"};

/* May nobody but root and this account change it? */
static bool is_ours(const struct stat *status)
{
    return (status->st_uid == 0 || status->st_uid == geteuid()) && (status->st_mode & 022) == 0;
}

/* Whoever may change the folder may put a link in it to any program, whosoever that is. */
static bool folder_is_ours(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    struct stat status;

    snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash - path),
             slash == NULL ? "." : path);
    return stat(folder[0] == '\0' ? "/" : folder, &status) == 0 && is_ours(&status);
}

static enum hook_fitness judge_link(const char *path, int error, char fault[HOOK_FAULT_MAX])
{
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);

    if (length < 0) {
        snprintf(fault, HOOK_FAULT_MAX, "%.250s: %s: let this account read it, or take it away",
                 path, strerror(error));
        return HOOK_IS_NO_FILE;
    }
    target[length] = '\0';
    snprintf(fault, HOOK_FAULT_MAX, "%.250s leads to %.250s, %s: mend the link, or take it away",
             path, target, error == ENOENT ? "which is not there" : strerror(error));
    return HOOK_IS_NO_FILE;
}

enum hook_fitness hook_files_judge(const char *path, char fault[HOOK_FAULT_MAX])
{
    struct stat status;

    if (lstat(path, &status) != 0) {
        return HOOK_IS_ABSENT;
    }
    if (stat(path, &status) != 0) {
        return judge_link(path, errno, fault);
    }
    if (!S_ISREG(status.st_mode)) {
        snprintf(fault, HOOK_FAULT_MAX, "%.250s is %s and no executable: take it away", path,
                 S_ISDIR(status.st_mode) ? "a directory" : "no regular file");
        return HOOK_IS_NO_FILE;
    }
    if (access(path, X_OK) != 0) {
        snprintf(fault, HOOK_FAULT_MAX, "%.250s cannot be executed: chmod +x it, or take it away",
                 path);
        return HOOK_IS_REFUSED;
    }
    if (!is_ours(&status) || !folder_is_ours(path)) {
        snprintf(fault, HOOK_FAULT_MAX,
                 "%.250s can be changed by others, so it is not run: %s to belong to root or to "
                 "this account, with mode go-w",
                 path, is_ours(&status) ? "its folder has" : "it has");
        return HOOK_IS_REFUSED;
    }
    return HOOK_IS_SOUND;
}

void hook_files_each(const char *folder, void (*each)(void *context, const char *path),
                     void *context)
{
    char path[PATH_MAX];
    struct stat status;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const int length = snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (length >= 0 && (size_t)length < sizeof path && lstat(path, &status) == 0) {
            each(context, path);
        }
    }
}

struct worst {
    enum hook_fitness fitness;
    char *fault;
};

static void note_worst(void *context, const char *path)
{
    struct worst *worst = context;
    char fault[HOOK_FAULT_MAX] = "";
    const enum hook_fitness fitness = hook_files_judge(path, fault);

    if (fitness > worst->fitness) {
        worst->fitness = fitness;
        snprintf(worst->fault, HOOK_FAULT_MAX, "%s", fault);
    }
}

enum hook_fitness hook_files_worst(const char *folder, char fault[HOOK_FAULT_MAX])
{
    struct worst worst = {.fitness = HOOK_IS_ABSENT, .fault = fault};

    fault[0] = '\0';
    hook_files_each(folder, note_worst, &worst);
    return worst.fitness;
}
