/* doyen run: starts a command when this node acts, and ends it before another node can. */
#include "cli/print/duration_option.h"
#include "cli/request/cli.h"
#include "cli/run/run.h"
#include "cli/run/run_command.h"
#include "cli/verbs/verbs.h"

enum { GRACE_MS_MAX = 3600000 }; /* no lease holds for longer: --fail-after has that bound */

static enum exit_code run_run(struct cli *cli, int argc, char **argv);

static void parse_command(struct run_options *options, struct argp_state *state)
{
    if (state->quoted == 0 || state->next <= state->quoted) {
        const char *word = state->argv[state->next - 1];
        cli_usage_error(state, "%s: write -- before the command, as in doyen run -- %s", word,
                        word);
    }
    options->argv = state->argv + state->next - 1;
    state->next = state->argc; /* The rest is the command's. */
}

static error_t parse_run(int key, char *argument, struct argp_state *state)
{
    struct run_options *options = state->input;

    switch (key) {
    case 'g':
        options->grace_ms = duration_option(state, "--grace", argument, 0, GRACE_MS_MAX);
        options->has_grace = true;
        return 0;
    case 'o':
        options->once = true;
        return 0;
    case 's':
        options->standby = true;
        return 0;
    case 't':
        options->timeout_ms = duration_option(state, "--timeout", argument, 0, DURATION_MS_MAX);
        options->has_timeout = true;
        return 0;
    case ARGP_KEY_ARG:
        parse_command(options, state);
        return 0;
    case ARGP_KEY_END:
        if (options->standby && options->has_timeout) {
            cli_usage_error(state, "--standby with --timeout: a standby is started at once");
        }
        return 0;
    case ARGP_KEY_NO_ARGS:
        cli_usage_error(state, "no command: write doyen run -- COMMAND ARGUMENT...");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option run_options[] = {
    {.name = "grace",
     .key = 'g',
     .arg = "DUR",
     .doc = "Time between TERM and KILL (default: half of what the lease can hold)"},
    {.name = "once", .key = 'o', .doc = "End when the command has ended, with its status"},
    {.name = "standby",
     .key = 's',
     .doc = "Start the command at once; when this node acts it reads the epoch from its "
            "standard input"},
    {.name = "timeout",
     .key = 't',
     .arg = "DUR",
     .doc = "Give up if this node does not act by then (500ms, 5s; 0s: look once)"},
    {.name = NULL},
};

const struct verb verb_run = {
    .name = "run",
    .arguments = "-- COMMAND [ARGUMENT...]",
    .summary = "Runs a command while this node acts, and ends it before another can",
    .details =
        "The command finds the epoch to act under in DOYEN_EPOCH (what it acts on has to refuse a "
        "lower one), the node's name in DOYEN_NODE, and the descriptor of the lease page in "
        "DOYEN_LEASE_FD. Its process group gets TERM when the lease was not renewed in time, KILL "
        "after the grace, and both before the lease ends, also while doyend or doyen run are "
        "stopped or dead. Under guard strict no other node acts before that; under the other "
        "guards that is likely and not certain.\n\n"
        "With --standby the command is started at once, whether this node acts or not, and of these "
        "variables finds DOYEN_NODE alone. When this node acts, the command reads the epoch as a "
        "line from its standard input. From then on it gets TERM and KILL before the right ends, as "
        "any other, and is started again to stand by.\n\n"
        "A command that ends is started again, with growing pauses, as long as this node acts, and "
        "when it acts again. INT, TERM, HUP and QUIT end the command and then doyen run; a second "
        "one ends it at once. Each start and end is one line on stderr, with --json an object.\n\n"
        "Exit: that of the command, 128 and the signal's number if one ended it; before any start "
        "1 no lease page, with --timeout 4 no daemon is there and 5 timed out, 64 usage, 126 the "
        "command cannot be executed, 127 there is none, 128 and the number of the signal that "
        "ended the waiting.",
    .options = run_options,
    .parse = parse_run,
    .example = "doyen run -- my-job --all",
    .run = run_run,
};

static enum exit_code run_run(struct cli *cli, int argc, char **argv)
{
    struct run_options options = {.argv = NULL};
    struct failure failure;

    const int quoted_count = run_command_words(argc, argv);
    cli_parse(cli, &verb_run, argc, argv, &options);
    if (argv + argc - options.argv > quoted_count) {
        run_command_misplaced(options.argv[0], quoted_count, &failure);
        return failure_report(&failure);
    }
    const int missing = run_command_find(options.argv[0], &failure);
    if (missing != 0) {
        (void)failure_report(&failure);
        return (enum exit_code)missing;
    }
    return (enum exit_code)run(cli, &options);
}
