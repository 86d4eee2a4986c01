/* What hooks have been told, in a file, so that they are told the rest after a restart: where to go
 * on, and what held then. */
#ifndef CLI_HOOK_MEMORY_H
#define CLI_HOOK_MEMORY_H

#include <stdbool.h>

#include "cli/request/failure.h"

enum { HOOK_RESUME_MAX = 128, HOOK_NAME_MAX = 128 };

/* Yes, no, or not told yet. */
enum hook_told { TOLD_NOTHING, TOLD_NO, TOLD_YES };

struct hook_memory {
    char resume[HOOK_RESUME_MAX]; /* "": nothing to go on from */
    enum hook_told acting;
    enum hook_told guard_met;
    bool coordinator_told;
    char coordinator[HOOK_NAME_MAX]; /* "": there was none */
};

/* How a file could be written. */
enum hook_kept { HOOK_KEPT, HOOK_NO_ROOM, HOOK_NOT_KEPT };

/* Opens PATH.lock, which whoever keeps this memory locks: two that tell by one memory would each
 * miss what the other has told. `*fd` is -1 where there is no room for it; HOOK_NOT_KEPT with
 * `failure` filled in where it cannot be for another reason, such as a file of somebody else under
 * one of the names that would be written to. */
enum hook_kept hook_memory_open_lock(const char *path, int *fd, struct failure *failure);

/* False while another process has it. It is held until the descriptor is closed. */
bool hook_memory_try_lock(int lock);

/* A file that is not there, or is empty, is an empty memory. So is one that is damaged, which is
 * said on standard error. False with `failure` filled in: it cannot be read, or is of somebody
 * else, and must not be written over. */
bool hook_memory_read(const char *path, struct hook_memory *memory, struct failure *failure);

/* Says on standard error that what hooks were told is not known any more. */
void hook_memory_report_damage(const char *path);

/* Replaces the file as a whole; what was there stays if that fails, and `failure` says why. */
enum hook_kept hook_memory_write(const char *path, const struct hook_memory *memory,
                                 struct failure *failure);

#endif
