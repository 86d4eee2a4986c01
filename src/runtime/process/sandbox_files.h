/* The sandbox's fence around files: Landlock. */
#ifndef RUNTIME_SANDBOX_FILES_H
#define RUNTIME_SANDBOX_FILES_H

#include <stdbool.h>

#include "runtime/options/config.h"

/* From here on this thread, and those it starts, open only what the daemon of this configuration
 * has to: see sandbox.h. Returns 0, or the errno with which the kernel refuses. */
int sandbox_fence_files(const struct config *config);

/* Is it a directory of keys, as doyen-witness has one? */
bool sandbox_is_directory(const char *path);

/* Is that file in a directory of the system, such as /etc? There the fence lets nothing be made or
 * replaced. */
bool sandbox_shares_directory(const char *file);

#endif
