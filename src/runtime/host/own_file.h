/* Opens files and directories that only this process's account may have made. What another account
 * could put there in their place (a link to a file of ours, a pipe that nobody writes, a directory
 * that others may write to) is refused, so that a process of root never reads or overwrites what
 * somebody else chose. */
#ifndef RUNTIME_OWN_FILE_H
#define RUNTIME_OWN_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

enum { OWN_FILE_WHY_MAX = 160 }; /* bytes of a reason with its zero */

/* Opens `name` in `dir`, a directory of own_directory_open, or a path under AT_FDCWD, whose
 * directory has to be safe as well, but may be one as /tmp. `flags` are those of open(2); a file
 * that O_CREAT makes is for its owner alone. Follows no link, never waits, and accepts nothing but
 * a regular file of one name that this account or root owns. Returns the descriptor, or -1 with
 * errno set and `why` filled in, as in "it is a symbolic link". */
int own_file_open(int dir, const char *name, int flags, char why[OWN_FILE_WHY_MAX]);

/* Opens a directory that this account or root owns and nobody else may write to. Returns the
 * descriptor, or -1 with errno set and `why` filled in. */
int own_directory_open(const char *path, char why[OWN_FILE_WHY_MAX]);

/* May nobody but this account and root change which file a name in this directory stands for? With
 * `sticky` a directory passes, too, to which others may add, but in which they may not rename or
 * remove what is ours, as /tmp. Returns false with `why` filled in. */
bool own_directory_is_safe(const struct stat *status, bool sticky, char why[OWN_FILE_WHY_MAX]);

#endif
