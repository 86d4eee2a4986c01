/* Whether a voter votes only it can say. A daemon that is asked for its status or its voters asks
 * them, and has their answers a moment later. */
#ifndef CLI_VOTERS_ASK_H
#define CLI_VOTERS_ASK_H

#include "cli/request/cli.h"

/* Asks for `path`, "/v1/status" or "/v1/voters", until all voters that are heard have answered, or
 * half a second has passed. As cli_get. */
enum exit_code voters_ask(struct cli *cli, const char *path, struct answer *answer);

#endif
