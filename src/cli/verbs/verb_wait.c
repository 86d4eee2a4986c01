/* doyen wait: returns when everything asked for holds. Told by the daemon's events rather than
 * asking again and again; a daemon that is not up yet is waited for too. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/duration_option.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

enum { MEMBERS_MAX = 4096 }; /* of doyend --capacity */

struct wait_options {
    struct doyen_condition condition;
    uint64_t timeout_ms; /* 0: not given */
};

static enum exit_code run_wait(struct cli *cli, int argc, char **argv);

/* "3": just so many. "3+": so many or more. */
static void parse_member_count(const char *text, struct doyen_condition *condition,
                               struct argp_state *state)
{
    char *end = NULL;
    const unsigned long long count = strtoull(text, &end, 10);
    const bool at_least = strcmp(end, "+") == 0;

    if (text[0] < '0' || text[0] > '9' || (*end != '\0' && !at_least) || count < 1 ||
        count > MEMBERS_MAX) {
        cli_usage_error(state,
                        "--members %s: give a number of members, 1 to %d, with a + behind it "
                        "(3+) for \"at least\"",
                        text, MEMBERS_MAX);
    }
    condition->members = (uint32_t)count;
    condition->at_least = at_least;
}

static bool asks_for_anything(const struct doyen_condition *condition)
{
    return condition->members > 0 || condition->coordinator != NULL || condition->name != NULL ||
           condition->gone != NULL || condition->tag != NULL || condition->acting ||
           condition->guard_met;
}

static error_t parse_wait(int key, char *argument, struct argp_state *state)
{
    struct wait_options *options = state->input;

    switch (key) {
    case 'm':
        parse_member_count(argument, &options->condition, state);
        return 0;
    case 'o':
        options->condition.coordinator = cli_member(state, "--coordinator", argument);
        return 0;
    case 'n':
        options->condition.name = cli_member(state, "--name", argument);
        return 0;
    case 'x':
        options->condition.gone = cli_member(state, "--gone", argument);
        return 0;
    case 'T':
        options->condition.tag = cli_tag(state, "--tag", argument);
        return 0;
    case 'a':
        options->condition.acting = true;
        return 0;
    case 'g':
        options->condition.guard_met = true;
        return 0;
    case 't':
        options->timeout_ms = duration_timeout(state, argument);
        return 0;
    case ARGP_KEY_END:
        if (!asks_for_anything(&options->condition)) {
            cli_usage_error(state, "say what to wait for, as in --members 3 or --members 1+");
        }
        if (options->timeout_ms == 0) {
            cli_usage_error(state, "say for how long at most, as in --timeout 5s");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option wait_options[] = {
    {.name = "timeout", .key = 't', .arg = "DUR", .doc = "Give up after this (500ms, 5s, 2m)"},
    {.name = "members",
     .key = 'm',
     .arg = "N",
     .doc = "Exactly N members in the view; N+: at least N"},
    {.name = "name", .key = 'n', .arg = "NAME", .doc = "NAME is a member"},
    {.name = "tag",
     .key = 'T',
     .arg = "KEY[=VALUE]",
     .doc = "Only who has this tag counts for --members and --name; alone: one member has it"},
    {.name = "gone", .key = 'x', .arg = "NAME", .doc = "NAME is not a member"},
    {.name = "coordinator", .key = 'o', .arg = "NAME", .doc = "NAME coordinates"},
    {.name = "acting", .key = 'a', .doc = "This node coordinates and may act"},
    {.name = "guard-met", .key = 'g', .doc = "The guard is met"},
    {.name = NULL},
};

const struct verb verb_wait = {
    .name = "wait",
    .arguments = "CONDITION... --timeout DUR",
    .summary = "Returns when all that is asked for holds, or after --timeout",
    .details = "--members 1+ waits until the node is a member. With --json it prints the "
               "members document that met the conditions.\n\n"
               "A daemon that does not answer any more, or is stopped, is named within some five "
               "seconds, and waited for.\n\n"
               "Exit: 0 when all hold, 4 when no daemon answered in time, 5 when one did and the "
               "conditions did not hold.",
    .options = wait_options,
    .parse = parse_wait,
    .example = "doyen wait --members 3+ --acting --timeout 30s",
    .run = run_wait,
};

/* More than there can be are waited for in vain: that has another remedy than to wait longer. */
static void add_capacity(struct cli *cli, uint32_t members, struct failure *failure)
{
    char fault[FAILURE_TEXT_MAX / 2];
    struct failure ignored;
    struct answer answer;

    if (failure->code != EXIT_TIMED_OUT || members == 0 ||
        client_get(cli->client, "/v1/terms", REQUEST_TIMEOUT_MS, &answer, &ignored) != EXIT_DONE) {
        return;
    }
    const uint64_t capacity = document_number(json_object_get(answer.json, "agreed"), "capacity");
    if (members > capacity) {
        snprintf(fault, sizeof fault, "%.*s", (int)sizeof fault - 1, failure->text);
        (void)failure_set(failure, failure->code,
                          "%s, and the capacity is %llu: doyen change capacity=%u", fault,
                          (unsigned long long)capacity, (unsigned)members);
    }
    answer_deinit(&answer);
}

static enum exit_code run_wait(struct cli *cli, int argc, char **argv)
{
    struct wait_options options = {.condition.size = sizeof options.condition};
    const struct doyen_view *view = NULL;
    struct failure failure;

    cli_parse(cli, &verb_wait, argc, argv, &options);
    cli->tells_away = true;
    if (cli_connect(cli, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    const int limit_ms = options.timeout_ms < INT_MAX ? (int)options.timeout_ms : INT_MAX;
    const int error = doyen_wait(cli->client, &options.condition, limit_ms, &view);
    if (error != 0) {
        (void)client_failure(cli->client, error, &failure);
        add_capacity(cli, options.condition.members, &failure);
        return failure_report(&failure);
    }
    if (cli->json) {
        cli_print_text(view->json);
    }
    doyen_view_release(view);
    return EXIT_DONE;
}
