/* The right to act as hooks go by it. The daemon's word begins it; the lease page, which doyen run
 * goes by as well, ends it: a daemon that is stopped says nothing. */
#ifndef CLI_HOOK_RIGHT_H
#define CLI_HOOK_RIGHT_H

#include <stdbool.h>

#include "cli/request/cli.h"
#include "cli/run/run_link.h"

enum hook_right_state {
    RIGHT_OVER,
    RIGHT_HELD,
    RIGHT_UNKNOWN, /* the daemon does not say which page to look at */
};

struct hook_right {
    struct run_link link; /* for its page: no hand-over waits for hooks */
    bool claimed;         /* what the daemon said last */
    bool by_word;         /* it lends no page, so that its word is all there is */
};

#define HOOK_RIGHT_NONE ((struct hook_right){.link = RUN_LINK_NONE})

/* The daemon, which may be another one than before, says that it acts, or that it does not. */
void hook_right_claim(struct hook_right *right, bool acts);

/* Sets after how many milliseconds to look again if nothing was said until then; -1: never. */
enum hook_right_state hook_right_look(struct hook_right *right, struct cli *cli, int *again_ms);

void hook_right_close(struct hook_right *right);

#endif
