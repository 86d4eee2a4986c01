/* Asks all members, through one daemon, who of them stands for which role. */
#ifndef CLI_ROLES_ASK_H
#define CLI_ROLES_ASK_H

#include "cli/request/cli.h"

/* Gets the document of /v1/roles when all members have answered, or have had the time to. On
 * EXIT_DONE the caller has to deinit `answer`; otherwise `failure` says why. */
enum exit_code roles_ask(struct cli *cli, struct answer *answer, struct failure *failure);

/* The entry of that role; NULL: nobody stands for it, as far as is known. */
const json_t *roles_find(const json_t *document, const char *role);

#endif
