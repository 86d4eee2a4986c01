/* The watchdog of doyen run: a process that starts one command, and ends it before the right to act
 * does, whatever becomes of doyend, of doyen run and of the command.
 *
 *     doyen run ----- start, end ----> watchdog -----> the command and all that it starts
 *         ^                             |  |
 *         '------------ news -----------'  '--- reads the lease page
 *
 * A standby is a command that is started before this node has the right to act. When it gets that
 * right, the watchdog is given the page and the connection to doyend, and tells the command the
 * epoch on its standard input.
 *
 * It is small, has a session of its own, so that what stops doyen run does not stop it, and the
 * highest priority that it may have. doyen run in turn sees to a watchdog that is stopped or gone:
 * the command dies with its parent, the watchdog, and what the command started becomes doyen run's.
 */
#ifndef CLI_WATCHDOG_H
#define CLI_WATCHDOG_H

#include <signal.h>
#include <stdbool.h>

#include "cli/run/run_cgroup.h"
#include "cli/run/run_hold.h"
#include "cli/run/run_link.h"
#include "cli/run/run_report.h"
#include "cli/run/run_times.h"

/* What to start, and under which right. Borrowed until watchdog_start returns. */
struct watchdog_order {
    char *const *argv;    /* the command, which ends with NULL */
    struct run_hold hold; /* of the right to act */
    bool stands_by;       /* there is no right yet, nor a page, nor a connection */
    struct run_times times;
    struct run_cgroup cgroup; /* for the command */
    struct run_voice voice;   /* for what is said when doyen run is gone */
    int page;                 /* descriptor of the lease page, for the command */
    int connection;           /* to doyend, for the watchdog's use as long as it lives */
    bool shares_connection;   /* the command inherits it: a role is held while anybody has it */
    const sigset_t *mask;     /* signals to be blocked in the command */
    bool pipe_ignored;        /* SIGPIPE is to be ignored in the command */
};

/* One that runs. */
struct watchdog {
    pid_t pid;
    int socket; /* readable when there is news, and when the watchdog is gone */
};

/* Starts it. False when there is no process for it; errno says why. */
bool watchdog_start(struct watchdog *watchdog, const struct watchdog_order *order);

/* Has a command that stands by act: `content` is what the page of `link` says, and the times are
 * those of that lease. The connection of `link` is the watchdog's as long as the command runs. */
void watchdog_act(const struct watchdog *watchdog, const struct doyen_lease_content *content,
                  const struct run_times *times, const struct run_link *link);

/* Has it end the command: by TERM, grace and KILL, or by KILL at once. `number` is the signal that
 * doyen run got. */
void watchdog_end(const struct watchdog *watchdog, int number, bool at_once);

/* Takes the next news. Returns 1, or 0 when there is none now, or -1 when the watchdog is gone. */
int watchdog_news(const struct watchdog *watchdog, struct run_news *news);

/* Waits for the end of one that is gone, or is killed by this if `by_force`. */
void watchdog_close(struct watchdog *watchdog, bool by_force);

#endif
