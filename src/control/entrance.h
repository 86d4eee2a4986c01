/* The two sockets that the control socket listens on: a Unix socket, which is a file with an
 * owner and a mode, and TCP. */
#ifndef CONTROL_ENTRANCE_H
#define CONTROL_ENTRANCE_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/config.h"
#include "runtime/log.h"

struct entrance {
    int fd;
    char path[CONFIG_PATH_MAX + 1]; /* empty for TCP */
    dev_t device;                   /* which file it is, not to unlink another's */
    ino_t inode;
};

/* Listens at `path`, mode 0600. Makes the directory, 0700, if only that is missing; removes a
 * socket that nobody answers at. Returns false after one line on the log. */
bool entrance_open_unix(struct entrance *entrance, const char *path, struct log *log);

bool entrance_open_tcp(struct entrance *entrance, const struct address *address, struct log *log);

/* Removes the file, if it still is the one that was made. The fd is its new owner's. */
void entrance_unlink(const struct entrance *entrance);

#endif
