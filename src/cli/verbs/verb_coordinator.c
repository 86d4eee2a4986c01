/* doyen coordinator: who coordinates; or, by exit status alone, whether this node does. */
#include <stdio.h>

#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

struct coordinator_options {
    bool is_self;
};

static enum exit_code run_coordinator(struct cli *cli, int argc, char **argv);

static error_t parse_coordinator(int key, char *argument, struct argp_state *state)
{
    struct coordinator_options *options = state->input;

    (void)argument;
    if (key == 's') {
        options->is_self = true;
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_option coordinator_options[] = {
    {.name = "is-self",
     .key = 's',
     .doc = "Print nothing; exit 0 when this node coordinates and acts"},
    {.name = NULL},
};

const struct verb verb_coordinator = {
    .name = "coordinator",
    .summary = "The coordinator's name alone; --is-self answers by exit status",
    .details = "Exit: 0, 2 when the guard is not met, 3 when there is no coordinator. With "
               "--is-self: 0 when this node coordinates and acts, 2 when it coordinates and the "
               "guard keeps it from acting, else 3.",
    .options = coordinator_options,
    .parse = parse_coordinator,
    .example = "doyen coordinator --is-self && rotate-the-logs-of-all",
    .run = run_coordinator,
};

static enum exit_code print_coordinator(const json_t *document)
{
    const char *coordinator = document_coordinator(document);

    if (coordinator != NULL) {
        puts(coordinator);
    } else {
        const json_t *whole = json_object_get(document, "whole");
        fprintf(stderr, "doyen: there is no coordinator to be named: %s\n",
                document_text(whole, "sentence", "doyen status says what this node waits for"));
    }
    return document_exit_code(document);
}

/* The status says all that the exit code depends on; it costs the daemon no more than the
 * shorter /v1/coordinator, which --json prints. */
static enum exit_code run_coordinator(struct cli *cli, int argc, char **argv)
{
    struct coordinator_options options = {.is_self = false};
    struct answer status;
    struct answer document;

    cli_parse(cli, &verb_coordinator, argc, argv, &options);
    enum exit_code code = cli_get(cli, "/v1/status", &status);
    if (code != EXIT_DONE) {
        return code;
    }
    if (options.is_self) {
        code = document_self_exit_code(status.json);
    } else if (!cli->json) {
        code = print_coordinator(status.json);
    } else {
        code = cli_get(cli, "/v1/coordinator", &document);
        if (code == EXIT_DONE) {
            cli_print_document(&document);
            answer_deinit(&document);
            code = document_exit_code(status.json);
        }
    }
    answer_deinit(&status);
    return code;
}
