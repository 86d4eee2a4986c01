/* Replaces a file so that a reader finds the old content or the new one, however the process ends.
 */
#ifndef RUNTIME_REPLACE_FILE_H
#define RUNTIME_REPLACE_FILE_H

#include <stddef.h>

/* Writes the content of `name` in the directory `dir` by way of `new_name`, to the disk: when it
 * returns 0, a host that loses its power keeps it. Else returns an errno, and nobody knows which of
 * the two is there. Uses nothing but the disk, so that a thread may call it. */
int replace_file(int dir, const char *name, const char *new_name, const void *bytes, size_t length);

#endif
