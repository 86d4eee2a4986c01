/* Finds the daemon to talk to: a control socket or an address, from what the caller names, the
 * environment or the usual places. */
#ifndef CLIENT_TARGET_H
#define CLIENT_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "client/problem.h"

enum {
    TARGET_SOCKET_MAX = 107, /* bytes the path of a Unix socket may have */
    TARGET_URL_MAX = 1024,
    TARGET_DIRECTORIES_MAX = 2,
};

/* What the program calls the settings that name a daemon, for remedies: "--control". */
struct target_names {
    const char *control;
    const char *url;
    const char *user;
};

/* Either a socket or a URL; the other one is empty. */
struct target {
    char socket[TARGET_SOCKET_MAX + 1];
    char url[TARGET_URL_MAX + 1]; /* without a slash at its end */
    uid_t expected;               /* whose daemon it may be besides root's and one's own */
    bool expects;
    struct target_names names; /* borrowed; of the URL the variable's, where that one gave it */
};

/* What is asked for; NULL or "" where nothing. What the caller gives overrides the environment,
 * whose variables are NULL where they are not set: an empty one is a fault. */
struct target_wish {
    const char *control;
    const char *url;
    const char *expect_user;                         /* "": nobody, whatever the environment says */
    const char *control_environment;                 /* DOYEN_CONTROL */
    const char *url_environment;                     /* DOYEN_URL */
    const char *user_environment;                    /* DOYEN_EXPECT_USER */
    const char *directories[TARGET_DIRECTORIES_MAX]; /* where daemons put their sockets */
    struct target_names names;                       /* all given */
};

/* Finds the target. Without any wish it is the only NAME.sock of the directories. Returns 0,
 * or with `problem` filled in
 *   DOYEN_E_USAGE        contradicting wishes, an unusable or empty one, several sockets to choose
 *                        from, or an account that there is not;
 *   DOYEN_E_UNREACHABLE  nothing was wished for and there is no socket, or none may be looked for.
 */
int target_find(const struct target_wish *wish, struct target *target, struct problem *problem);

/* Returns the target's socket or URL; "" for one that was not found. */
const char *target_text(const struct target *target);

#endif
