/* doyen campaign without a command: one line on stdout for each event of the campaign. */
#ifndef CLI_CAMPAIGN_PRINT_H
#define CLI_CAMPAIGN_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/request/cli.h"

struct campaign_wish {
    struct doyen_campaign campaign;
    bool once; /* end with the first loss */
    bool has_timeout;
    uint64_t timeout_ms; /* for the first grant */
};

/* Stands for the role, over restarts of the daemon, until it resigns or is refused; with `once`
 * until it has lost. */
enum exit_code campaign_print(struct cli *cli, const struct campaign_wish *wish);

/* Is a campaign that ended for this reason over for good? */
bool campaign_is_over(const char *reason);

#endif
