#include "runtime/host/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/host/own_file.h"

static int write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return fsync(fd) == 0 ? 0 : errno;
}

int replace_file(int dir, const char *name, const char *new_name, const void *bytes, size_t length)
{
    char why[OWN_FILE_WHY_MAX];

    /* What a process that was killed left, or whatever else has that name. A link goes, not what
     * it leads to. */
    if (unlinkat(dir, new_name, 0) != 0 && errno != ENOENT) {
        return errno;
    }
    const int fd = own_file_open(dir, new_name, O_WRONLY | O_CREAT | O_EXCL, why);
    if (fd < 0) {
        return errno;
    }
    const int error = write_all(fd, bytes, length);
    if (close(fd) != 0 && error == 0) {
        return errno;
    }
    if (error != 0) {
        return error;
    }
    if (renameat(dir, new_name, dir, name) != 0 || fsync(dir) != 0) {
        return errno;
    }
    return 0;
}
