/* Which files of a folder are hooks, and what is wrong with one: doyen hook and doyend --check say
 * the same of it. */
#ifndef USAGE_HOOK_FILES_H
#define USAGE_HOOK_FILES_H

#include <stdbool.h>
#include <stddef.h>

#define HOOK_NAMES "joined, gone, coordinator, acting, not-acting, guard, split, merge and drained"

/* Said of a folder without any, as a format for its path. */
#define HOOK_NONE_FORMAT "no hook in %s: it may have executables called " HOOK_NAMES

enum { HOOK_FAULT_MAX = 640 };

enum hook_fitness {
    HOOK_IS_ABSENT,
    HOOK_IS_SOUND,
    HOOK_IS_REFUSED, /* for its mode or its owner, which may be mended in place */
    HOOK_IS_NO_FILE, /* and will not become one: a folder, a link to nothing */
};

/* Judges the file at `path`. Sets `fault`, one line with the remedy, where it is not to be run. */
enum hook_fitness hook_files_judge(const char *path, char fault[HOOK_FAULT_MAX]);

/* What is worst of all hooks in the folder, with the fault of the first that is so. */
enum hook_fitness hook_files_worst(const char *folder, char fault[HOOK_FAULT_MAX]);

/* Calls `each` with the path of each hook that is there in any form. */
void hook_files_each(const char *folder, void (*each)(void *context, const char *path),
                     void *context);

#endif
