/* doyen resign: has the candidates of this node stand for a role no more. */
#include "cli/request/cli.h"
#include "cli/verbs/verbs.h"

static enum exit_code run_resign(struct cli *cli, int argc, char **argv);

const struct verb verb_resign = {
    .name = "resign",
    .arguments = "ROLE",
    .summary = "This node's candidates stand for a role no more",
    .details = "Whoever of them holds it is told so, and lets go when it has stopped; its doyen "
               "campaign ends. Returns at once.\n\n"
               "Exit: 1 when no client of this node stands for it.",
    .parse = cli_parse_role,
    .example = "doyen resign backup",
    .run = run_resign,
};

static enum exit_code run_resign(struct cli *cli, int argc, char **argv)
{
    const char *role = NULL;
    struct failure failure;

    cli_parse(cli, &verb_resign, argc, argv, &role);
    if (cli_connect(cli, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    const int code = doyen_resign(cli->client, role, REQUEST_TIMEOUT_MS);
    if (code == 0) {
        return EXIT_DONE;
    }
    (void)client_failure(cli->client, code, &failure);
    return failure_report(&failure);
}
