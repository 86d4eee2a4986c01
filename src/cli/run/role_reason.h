/* Why a campaign waits: what stands between this node and the role. */
#ifndef CLI_ROLE_REASON_H
#define CLI_ROLE_REASON_H

#include <stdbool.h>

#include "cli/request/cli.h"
#include "doyen/client.h"

enum { ROLE_REASON_MAX = 512 };

/* Is this node one that may not hold the role now, whoever else stands for it? Asks its daemon
 * alone. `text` gets the reason with its remedy. */
bool role_reason_unfit(struct cli *cli, const struct doyen_campaign *campaign,
                       char text[ROLE_REASON_MAX]);

/* What has kept the role from this node so far, into `text`. Asks all members, for a second at
 * most. */
void role_reason_late(struct cli *cli, const struct doyen_campaign *campaign,
                      char text[ROLE_REASON_MAX]);

#endif
