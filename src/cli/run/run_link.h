/* The connection to doyend of doyen run, or of doyen campaign, and the page that came over it,
 * which says whether the command may run: the right to act as coordinator, or a role. */
#ifndef CLI_RUN_LINK_H
#define CLI_RUN_LINK_H

#include <stdbool.h>

#include "cli/request/cli.h"
#include "cli/request/failure.h"
#include "cli/run/role_lines.h"
#include "doyen/lease.h"

struct run_link {
    int connection; /* -1: there is none */
    int page;       /* descriptor of the page */
    struct doyen_lease lease;
    bool is_role;
    struct role_lines lines; /* of a role */
};

#define RUN_LINK_NONE ((struct run_link){.connection = -1, .page = -1})

/* Gets the page from doyend; with a `campaign`, which may be NULL, by standing for its role.
 * Returns EXIT_DONE, or with `failure` filled in what failure_passes: nobody is there, or
 * not yet, or it says nothing; EXIT_USAGE: which daemon is meant is not clear, or it is not one of
 * this host; EXIT_REFUSED: it has no page to lend, or may not be trusted. */
enum exit_code run_link_open(struct run_link *link, struct cli *cli,
                             const struct doyen_campaign *campaign, struct failure *failure);
void run_link_close(struct run_link *link);

/* Says that the command acts no more, in the place of a watchdog that cannot: a hand-over waits for
 * that, or until the right would have ended. */
void run_link_say_stopped(const struct run_link *link);

/* What became of a connection. */
enum run_link_state {
    RUN_LINK_UP,
    RUN_LINK_GONE,     /* doyend has gone, or is no member any more: the link is closed */
    RUN_LINK_RESIGNED, /* the campaign is over, as somebody wanted it */
    RUN_LINK_REFUSED,  /* the campaign is over; `failure` says why */
};

/* Takes what doyend has said on the connection while no command runs: where it gives its right up,
 * it need not wait for this client. */
enum run_link_state run_link_take(struct run_link *link, struct failure *failure);

#endif
