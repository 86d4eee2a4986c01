/* Runs one hook: an executable that is told of an event by its environment and on its standard
 * input, and that has to end within a time. */
#ifndef CLI_HOOK_PROCESS_H
#define CLI_HOOK_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/request/failure.h"

enum {
    HOOK_VARIABLES_MAX = 16,
    HOOK_KILL_MS = 5000, /* between TERM and KILL */
};

struct hook_run {
    const char *path;
    const char *input;                             /* for its standard input */
    const char *variables[HOOK_VARIABLES_MAX + 1]; /* "NAME=VALUE", besides the environment */
    uint64_t timeout_ms;
    int end_fd; /* readable when the caller is to end, and the hook with it */
    /* Called while it runs, again after `*again_ms`; -1: never. False: the hook is to end now. */
    bool (*look)(void *user, int *again_ms);
    void *user;
};

enum hook_end {
    HOOK_NONE, /* there is no such file, so nobody wants to hear of it */
    HOOK_DONE, /* it ended by itself: `status` */
    HOOK_OVERDUE,
    HOOK_ENDED,  /* with the caller */
    HOOK_UNDUE,  /* `look` said so */
    HOOK_FAILED, /* it could not be started, or must not be: `failure` */
};

struct hook_result {
    enum hook_end end;
    int status; /* as waitpid gives it */
    uint64_t took_ms;
    struct failure failure;
};

/* Returns when it has ended. What it writes goes to standard error. A file that others than root
 * and this account own or may write to is not run. */
void hook_run(const struct hook_run *run, struct hook_result *result);

#endif
