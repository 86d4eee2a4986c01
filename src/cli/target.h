/* Finds the daemon to talk to: a control socket or an address, from the flags, the environment or
 * the usual places. */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/failure.h"

enum {
    TARGET_SOCKET_MAX = 107, /* bytes the path of a Unix socket may have */
    TARGET_URL_MAX = 1024,
    TARGET_DIRECTORIES_MAX = 2,
};

/* Either a socket or a URL; the other one is empty. */
struct target {
    char socket[TARGET_SOCKET_MAX + 1];
    char url[TARGET_URL_MAX + 1]; /* without a slash at its end */
    uid_t expected;               /* whose daemon it may be besides root's and one's own */
    bool expects;
};

/* What the user asked for; NULL or "" where nothing. Flags override the environment. */
struct target_wish {
    const char *control;
    const char *url;
    const char *control_environment;                 /* DOYEN_CONTROL */
    const char *url_environment;                     /* DOYEN_URL */
    const char *expect_user;                         /* --expect-user, or DOYEN_EXPECT_USER */
    const char *directories[TARGET_DIRECTORIES_MAX]; /* where daemons put their sockets */
};

/* Finds the target. Without any wish it is the only NAME.sock of the directories. Returns
 * EXIT_DONE, or with `failure` filled in
 *   EXIT_USAGE        contradicting wishes, an unusable one, several sockets to choose from, or an
 *                     account that there is not;
 *   EXIT_UNREACHABLE  nothing was wished for and there is no socket, or none may be looked for. */
enum exit_code target_find(const struct target_wish *wish, struct target *target,
                           struct failure *failure);

/* Returns the account of --expect-user, or NULL. */
const uid_t *target_expected(const struct target *target);

/* Returns the target's name for messages. */
const char *target_text(const struct target *target);

#endif
