/* doyen elect: begins an election, and waits for what comes of it. */
#include <stdio.h>
#include <string.h>

#include "cli/print/duration_option.h"
#include "cli/request/cli.h"
#include "cli/request/clock.h"
#include "cli/request/document.h"
#include "cli/verbs/leader_print.h"
#include "cli/verbs/verbs.h"

enum {
    TIMEOUT_MS = 10000,
    LOOK_PAUSE_MS = 10,
};

struct elect_options {
    bool resign;
    bool stand;
    uint64_t timeout_ms;
};

static enum exit_code run_elect(struct cli *cli, int argc, char **argv);

static error_t parse_elect(int key, char *argument, struct argp_state *state)
{
    struct elect_options *options = state->input;

    switch (key) {
    case 'r':
        options->resign = true;
        return 0;
    case 's':
        options->stand = true;
        return 0;
    case 't':
        options->timeout_ms = duration_timeout(state, argument);
        return 0;
    case ARGP_KEY_END:
        if (options->resign && options->stand) {
            cli_usage_error(state, "--resign and --stand contradict each other: give one of them");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option elect_options[] = {
    {.name = "resign",
     .key = 'r',
     .doc = "This node leads no more: it follows whoever is elected, until --stand or a restart"},
    {.name = "stand", .key = 's', .doc = "This node may lead again"},
    {.name = "timeout",
     .key = 't',
     .arg = "DUR",
     .doc = "Give up waiting after this (500ms, 5s, 2m); 10s if not given"},
    {.name = NULL},
};

const struct verb verb_elect = {
    .name = "elect",
    .summary = "Begins an election of doyend --election, and says who leads then",
    .details =
        "An experiment. Any member may begin one, at any time. Returns when this node knows a leader "
        "again. The leader is advisory: two parts of a network have one each.\n\n"
        "Exit: 1 when the daemon does not elect, or its algorithm knows no resigning, 5 "
        "when there was no leader in time.",
    .options = elect_options,
    .parse = parse_elect,
    .run = run_elect,
};

/* Asks until there is a leader; the answer has to be deinited on EXIT_DONE. */
static enum exit_code await_leader(struct cli *cli, uint64_t deadline_ms, struct answer *answer)
{
    struct failure failure;

    while (true) {
        const enum exit_code code = cli_get(cli, "/v1/leader", answer);
        if (code != EXIT_DONE || document_has(answer->json, "leader")) {
            return code;
        }
        answer_deinit(answer);
        if (clock_left_ms(deadline_ms) == 0) {
            failure_set(&failure, EXIT_TIMED_OUT,
                        "there was no leader in time: doyen leader shows whom each member follows; "
                        "it takes one that stands");
            return failure_report(&failure);
        }
        clock_sleep_ms(LOOK_PAUSE_MS);
    }
}

static enum exit_code run_elect(struct cli *cli, int argc, char **argv)
{
    struct elect_options options = {.timeout_ms = TIMEOUT_MS};
    struct answer answer;

    cli_parse(cli, &verb_elect, argc, argv, &options);
    const uint64_t deadline_ms = clock_now_ms() + options.timeout_ms;
    enum exit_code code = cli_post(cli,
                                   options.resign  ? "/v1/elect?stand=no"
                                   : options.stand ? "/v1/elect?stand=yes"
                                                   : "/v1/elect",
                                   NULL, &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    answer_deinit(&answer);
    code = await_leader(cli, deadline_ms, &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    if (cli->json) {
        cli_print_document(&answer);
    } else {
        code = leader_print_line(answer.json);
    }
    answer_deinit(&answer);
    return code;
}
