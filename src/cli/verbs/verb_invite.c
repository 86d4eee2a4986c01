/* doyen invite: lets further hosts into the cluster of this one. */
#include <stdlib.h>
#include <string.h>

#include "cli/invite/host.h"
#include "cli/invite/invite_options.h"
#include "cli/invite/place.h"
#include "cli/invite/sponsor.h"
#include "cli/verbs/verbs.h"

struct invite_options {
    struct sponsor_options sponsor;
    const char *root;
};

static enum exit_code run_invite(struct cli *cli, int argc, char **argv);

static error_t parse_invite(int key, char *argument, struct argp_state *state)
{
    struct invite_options *options = state->input;

    if (key == 'r' && argument[0] == '\0') {
        cli_usage_error(state, "--root is empty: name a folder, or leave it out");
    }
    if (key == 'r') {
        options->root = argument;
        return 0;
    }
    return invite_options_parse(&options->sponsor, 1, key, argument, state);
}

static const struct argp_option invite_options[] = {
    INVITE_OPTIONS("1"),
    {.name = "root",
     .key = 'r',
     .arg = "DIR",
     .doc = "The files are below DIR (doyen init --root)"},
    {.name = NULL},
};

const struct verb verb_invite = {
    .name = "invite",
    .example = "doyen invite --count 2",
    .summary = "Lets another host in, by doyen join there",
    .details =
        "For a host that doyen init or doyen join has set up. It prints the line to run on the "
        "other host, with a word that is good for one host, at this address, for ten minutes, and "
        "waits for it at TCP port 7419 of the address that doyend has. The other host gets the "
        "cluster's key, sealed by that word, and the settings that all nodes share; it is written "
        "down here as a further seed.\n\n"
        "Exit: 0 when all words were used, 1 refused, 4 doyend does not answer, 5 ten minutes were "
        "over before that.",
    .options = invite_options,
    .parse = parse_invite,
    .run = run_invite,
};

static enum exit_code run_invite(struct cli *cli, int argc, char **argv)
{
    struct invite_options options = {.sponsor = {.count = 1, .port = INVITATION_PORT}};
    struct failure failure;
    struct host host;

    cli_parse(cli, &verb_invite, argc, argv, &options);
    if (host_init(&host, options.root, false, &failure) != EXIT_DONE ||
        host_check_account(&host, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    return sponsor_run(cli, &host, &options.sponsor);
}
