/* doyen run and doyen campaign: keep a command running for as long as this node acts, or holds a
 * role. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/request/cli.h"

struct run_options {
    const struct doyen_campaign *campaign; /* the role; NULL: the right to act */
    char *const *argv;                     /* the command, which ends with NULL */
    bool once;                             /* end with the command */
    bool standby; /* start it at once, and tell it when this node acts; not for a role */
    bool has_grace;
    uint64_t grace_ms; /* between TERM and KILL */
    bool has_timeout;
    uint64_t timeout_ms; /* for the first start */
};

/* A command that ends by itself is started again, but under a role: that is let go then. Returns
 * the status of the command, or 128 and the number of the signal that ended it, or why it was never
 * started. Whatever it returns, no process that it has started is left. */
int run(struct cli *cli, const struct run_options *options);

#endif
