#include "runtime/host/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Sets the reason, with the error that stands for it. */
static bool refuse(char why[OWN_FILE_WHY_MAX], int error, const char *reason)
{
    snprintf(why, OWN_FILE_WHY_MAX, "%s", reason);
    errno = error;
    return false;
}

/* What the system said of a path. */
static const char *reason_of(int error)
{
    return error == ELOOP    ? "it is a symbolic link"
           : error == EACCES ? "permission denied (chown it, or its directory, to the account that "
                               "this runs as)"
                             : strerror(error);
}

static bool is_trusted(uid_t owner)
{
    return owner == geteuid() || owner == 0;
}

static bool refuse_owner(char why[OWN_FILE_WHY_MAX], uid_t owner)
{
    char reason[OWN_FILE_WHY_MAX];

    snprintf(reason, sizeof reason,
             "it belongs to the account %llu, neither to this one (%llu) nor to root",
             (unsigned long long)owner, (unsigned long long)geteuid());
    return refuse(why, EPERM, reason);
}

static bool is_safe(int fd, char why[OWN_FILE_WHY_MAX])
{
    struct stat status;

    if (fstat(fd, &status) != 0) {
        return refuse(why, errno, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return refuse(why, EINVAL, "it is no regular file");
    }
    if (!is_trusted(status.st_uid)) {
        return refuse_owner(why, status.st_uid);
    }
    if (status.st_nlink != 1) {
        return refuse(why, EMLINK, "it has more than one name (hard links)");
    }
    return true;
}

static int close_refused(int fd)
{
    const int error = errno;

    (void)close(fd);
    errno = error;
    return -1;
}

/* May nobody else change which file the path stands for? */
static bool folder_is_safe(const char *path, char why[OWN_FILE_WHY_MAX])
{
    const char *slash = strrchr(path, '/');
    const int length = slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path);
    char folder[PATH_MAX];
    char reason[OWN_FILE_WHY_MAX];
    struct stat status;

    snprintf(folder, sizeof folder, "%.*s", length, slash == NULL ? "." : path);
    if (stat(folder, &status) != 0) {
        return refuse(why, errno, reason_of(errno));
    }
    if (!S_ISDIR(status.st_mode)) {
        return refuse(why, ENOTDIR, strerror(ENOTDIR));
    }
    if (own_directory_is_safe(&status, true, reason)) {
        return true;
    }
    snprintf(why, OWN_FILE_WHY_MAX, "its directory is not safe: %.120s", reason);
    errno = EACCES;
    return false;
}

int own_file_open(int dir, const char *name, int flags, char why[OWN_FILE_WHY_MAX])
{
    if (dir == AT_FDCWD && !folder_is_safe(name, why)) {
        return -1;
    }
    /* Content is cut off only when it is known whose it is. */
    const int fd = openat(dir, name,
                          (flags & ~O_TRUNC) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                          S_IRUSR | S_IWUSR);

    if (fd < 0) {
        (void)refuse(why, errno, reason_of(errno));
        return -1;
    }
    if (!is_safe(fd, why)) {
        return close_refused(fd);
    }
    if ((flags & O_TRUNC) != 0 && ftruncate(fd, 0) != 0) {
        (void)refuse(why, errno, strerror(errno));
        return close_refused(fd);
    }
    return fd;
}

bool own_directory_is_safe(const struct stat *status, bool sticky, char why[OWN_FILE_WHY_MAX])
{
    if (!is_trusted(status->st_uid)) {
        return refuse_owner(why, status->st_uid);
    }
    if ((status->st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
        !(sticky && (status->st_mode & S_ISVTX) != 0)) {
        return refuse(why, EPERM, "other accounts may write to it (chmod go-w keeps them out)");
    }
    return true;
}

int own_directory_open(const char *path, char why[OWN_FILE_WHY_MAX])
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0) {
        (void)refuse(why, errno, reason_of(errno));
        return fd < 0 ? -1 : close_refused(fd);
    }
    return own_directory_is_safe(&status, false, why) ? fd : close_refused(fd);
}
