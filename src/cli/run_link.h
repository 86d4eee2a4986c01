/* doyen run's connection to doyend, and the lease page that came over it. */
#ifndef CLI_RUN_LINK_H
#define CLI_RUN_LINK_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/failure.h"
#include "doyen/lease.h"

struct run_link {
    int connection; /* -1: there is none */
    int page;       /* descriptor of the page */
    struct doyen_lease lease;
};

#define RUN_LINK_NONE ((struct run_link){.connection = -1, .page = -1})

/* Gets the page from doyend. Returns EXIT_DONE, or with `failure` filled in
 *   EXIT_UNREACHABLE  nobody is there, or not yet: worth another try;
 *   EXIT_USAGE        which daemon is meant is not clear, or it is not one of this host;
 *   EXIT_REFUSED      it has no page to lend, or may not be trusted. */
enum exit_code run_link_open(struct run_link *link, struct cli *cli, struct failure *failure);
void run_link_close(struct run_link *link);

/* Takes what doyend has said on the connection while no command runs: where it gives its right up,
 * it need not wait for this client. False, with the link closed, when doyend has gone. */
bool run_link_take(struct run_link *link);

#endif
