/* doyen campaign: stands for a role, and runs a command while it is held. */
#include <stdlib.h>
#include <string.h>

#include "cli/print/duration_option.h"
#include "cli/request/cli.h"
#include "cli/run/campaign_print.h"
#include "cli/run/run.h"
#include "cli/run/run_command.h"
#include "cli/verbs/verbs.h"

enum {
    HOLDERS_MAX = 64, /* what the daemon takes (proto/control.md, campaigns) */
    GRACE_MS_MAX = 600000,
    PREEMPT_AFTER_MS_MAX = 86400000,
    OPTION_PREEMPT = 256,
    OPTION_NO_PREEMPT,
    OPTION_PREEMPT_AFTER,
};

struct campaign_options {
    struct campaign_wish wish;
    char *const *argv; /* of the command; NULL: none */
};

static uint32_t parse_number(const char *option, const char *text, uint64_t least, uint64_t most,
                             struct argp_state *state)
{
    char *end = NULL;
    const unsigned long long number = strtoull(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || number < least || number > most) {
        cli_usage_error(state, "%s %s: give a number from %llu to %llu", option, text,
                        (unsigned long long)least, (unsigned long long)most);
    }
    return (uint32_t)number;
}

/* The first word is the role, also where it stands behind the "--" by now: options are moved to the
 * front, and what ends them with them. */
static void parse_word(struct campaign_options *options, char *argument, struct argp_state *state)
{
    if (options->wish.campaign.role == NULL) {
        options->wish.campaign.role = cli_role(state, argument);
        return;
    }
    if (state->quoted == 0) {
        cli_usage_error(state, "%s: write -- before the command, as in doyen campaign %s -- %s",
                        argument, options->wish.campaign.role, argument);
    }
    options->argv = state->argv + state->next - 1;
    state->next = state->argc; /* The rest is the command's. */
}

static void set_preempt(struct doyen_campaign *campaign, int wish, struct argp_state *state)
{
    if (campaign->preempt != DOYEN_PREEMPT_DEFAULT && campaign->preempt != wish) {
        cli_usage_error(state, "preempting and --no-preempt contradict each other: leave one out");
    }
    campaign->preempt = wish;
}

static error_t parse_campaign(int key, char *argument, struct argp_state *state)
{
    struct campaign_options *options = state->input;
    struct doyen_campaign *campaign = &options->wish.campaign;

    switch (key) {
    case 'g':
        campaign->grace_ms = duration_option(state, "--grace", argument, 0, GRACE_MS_MAX);
        campaign->has_grace = true;
        return 0;
    case 'k':
        campaign->holders = parse_number("--holders", argument, 1, HOLDERS_MAX, state);
        return 0;
    case 'n':
        campaign->need = cli_tag(state, "--need", argument);
        return 0;
    case 'o':
        options->wish.once = true;
        return 0;
    case 'p':
        campaign->policy = argument;
        return 0;
    case 'P':
        campaign->priority = parse_number("--priority", argument, 0, UINT32_MAX, state);
        return 0;
    case OPTION_PREEMPT:
        set_preempt(campaign, DOYEN_PREEMPT_YES, state);
        return 0;
    case OPTION_NO_PREEMPT:
        set_preempt(campaign, DOYEN_PREEMPT_NO, state);
        return 0;
    case OPTION_PREEMPT_AFTER:
        set_preempt(campaign, DOYEN_PREEMPT_YES, state);
        campaign->preempt_after_ms = duration_option(state, "--preempt-after", argument, 1,
                                                     PREEMPT_AFTER_MS_MAX);
        return 0;
    case 't':
        options->wish.timeout_ms = duration_option(state, "--timeout", argument, 0,
                                                   DURATION_MS_MAX);
        options->wish.has_timeout = true;
        return 0;
    case 'V':
        campaign->value = argument;
        return 0;
    case ARGP_KEY_ARG:
        parse_word(options, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (campaign->role == NULL) {
            cli_usage_error(state, "no role: write doyen campaign ROLE");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option campaign_options[] = {
    {.name = "grace",
     .key = 'g',
     .arg = "DUR",
     .doc = "Time between TERM and KILL (default: half of what the lease can hold)"},
    {.name = "holders", .key = 'k', .arg = "N", .doc = "So many may hold it at once (default: 1)"},
    {.name = "need",
     .key = 'n',
     .arg = "TAG",
     .doc = "Only nodes with this tag, KEY or KEY=VALUE, may hold it"},
    {.name = "no-preempt",
     .key = OPTION_NO_PREEMPT,
     .doc = "Who holds it stays, also under policy priority"},
    {.name = "once",
     .key = 'o',
     .doc = "End when the role was lost, rather than stand for it again"},
    {.name = "policy",
     .key = 'p',
     .arg = "POLICY",
     .doc = "Who is to hold it: first (default), oldest or priority"},
    {.name = "preempt",
     .key = OPTION_PREEMPT,
     .doc = "A better candidate takes the place of a holder; so it is under priority"},
    {.name = "preempt-after",
     .key = OPTION_PREEMPT_AFTER,
     .arg = "DUR",
     .doc = "The same, once the better candidate has stood for so long (30s, 5m; at most 1 day)"},
    {.name = "priority",
     .key = 'P',
     .arg = "N",
     .doc = "Under the policy priority: the highest is to hold it (default: 0)"},
    {.name = "timeout",
     .key = 't',
     .arg = "DUR",
     .doc = "Give up if it is not granted by then (500ms, 5s)"},
    {.name = "value",
     .key = 'V',
     .arg = "TEXT",
     .doc = "For others to read: where the holder is reached"},
    {.name = NULL},
};

static enum exit_code run_campaign(struct cli *cli, int argc, char **argv);

const struct verb verb_campaign = {
    .name = "campaign",
    .arguments = "ROLE [-- COMMAND [ARGUMENT...]]",
    .summary = "Stands for a role, and runs a command while this node holds it",
    .details =
        "One of all candidates of a cluster holds a role at a time, or as many as --holders says. "
        "Policy, holders, need and preemption are those of the role's first candidate. Without a command "
        "each event is one line on stdout: candidate, granted, lost, ended.\n\n"
        "The command finds the role in DOYEN_ROLE, the token of this grant in DOYEN_TOKEN (what it "
        "acts on has to refuse a lower one), the node's name in DOYEN_NODE, and the descriptor of "
        "a lease page in DOYEN_LEASE_FD. When the role is lost its process group gets TERM, KILL "
        "after the grace, and both before another can hold the role, also while doyend or doyen "
        "campaign are stopped or dead. It and all that it starts inherit the connection to doyend: "
        "the role is let go when none of them is left. Under guard strict no other node holds the "
        "role before that; under the other guards that is likely and not certain.\n\n"
        "A command that ends by itself ends the campaign. After a loss it is started again when "
        "the role is granted again. INT, TERM, HUP and QUIT end the command and then doyen "
        "campaign; a second one ends it at once.\n\n"
        "Exit: that of the command, 128 and the signal's number if one ended it; 1 refused, for "
        "the role has other terms or there are too many, 4 daemon unreachable and 5 timed out "
        "with --timeout, 64 usage, 126 the command cannot be executed, 127 there is none.",
    .options = campaign_options,
    .parse = parse_campaign,
    .example = "doyen campaign backup --value 10.0.0.5:5432 -- my-backup --full",
    .run = run_campaign,
};

static enum exit_code run_campaign(struct cli *cli, int argc, char **argv)
{
    struct campaign_options options = {.argv = NULL};
    struct failure failure;

    if (argc > 1 && strcmp(argv[1], "--") == 0) { /* Its first word would be taken for the role. */
        failure_set(&failure, EXIT_USAGE, "no role: write doyen campaign ROLE -- COMMAND");
        return failure_report(&failure);
    }
    const int quoted_count = run_command_words(argc, argv);
    cli_parse(cli, &verb_campaign, argc, argv, &options);
    if (options.argv == NULL && quoted_count == 0) {
        failure_set(&failure, EXIT_USAGE,
                    "there is no command behind --: name one, or leave out -- to have each event "
                    "printed");
        return failure_report(&failure);
    }
    if (options.argv == NULL && options.wish.campaign.has_grace) {
        failure_set(&failure, EXIT_USAGE,
                    "--grace is a command's time to end: name one, doyen campaign ROLE --grace DUR "
                    "-- COMMAND, or leave it out");
        return failure_report(&failure);
    }
    if (options.argv == NULL) {
        return campaign_print(cli, &options.wish);
    }
    if (argv + argc - options.argv > quoted_count) {
        run_command_misplaced(options.argv[0], quoted_count, &failure);
        return failure_report(&failure);
    }
    const int missing = run_command_find(options.argv[0], &failure);
    if (missing != 0) {
        (void)failure_report(&failure);
        return (enum exit_code)missing;
    }
    return (enum exit_code)run(cli,
                               &(struct run_options){.campaign = &options.wish.campaign,
                                                     .argv = options.argv,
                                                     .once = options.wish.once,
                                                     .has_grace = options.wish.campaign.has_grace,
                                                     .grace_ms = options.wish.campaign.grace_ms,
                                                     .has_timeout = options.wish.has_timeout,
                                                     .timeout_ms = options.wish.timeout_ms});
}
