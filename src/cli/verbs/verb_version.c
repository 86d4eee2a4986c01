/* doyen version: of this command, and of the daemon it talks to. */
#include <inttypes.h>
#include <stdio.h>

#include "base/version.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

static enum exit_code run_version(struct cli *cli, int argc, char **argv);

const struct verb verb_version = {
    .name = "version",
    .summary = "The versions of this command and of the daemon",
    .details = "doyen --version prints the first alone and asks no daemon.",
    .run = run_version,
};

static enum exit_code run_version(struct cli *cli, int argc, char **argv)
{
    struct answer answer;

    cli_parse(cli, &verb_version, argc, argv, NULL);
    if (!cli->json) {
        puts("doyen " DOYEN_VERSION);
    }
    const enum exit_code code = cli_get(cli, "/v1/version", &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    if (cli->json) {
        cli_print_document(&answer);
    } else {
        printf("%s %s, protocol %" PRIu64 "\n", document_text(answer.json, "name", "doyend"),
               document_text(answer.json, "version", "?"),
               document_number(answer.json, "protocol"));
    }
    answer_deinit(&answer);
    return EXIT_DONE;
}
