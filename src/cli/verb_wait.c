/* doyen wait: returns when everything asked for holds. Told by the daemon's events rather than
 * asking again and again; a daemon that is not up yet is waited for too. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/condition.h"
#include "cli/document.h"
#include "cli/duration.h"

enum {
    CONNECT_PAUSE_MS_MIN = 10,
    CONNECT_PAUSE_MS_MAX = 200,

    /* Whether a node acts and its guard is met also changes as time passes; the daemon tells, but
     * this is what the answer would be late by if one day it did not. */
    LOOK_AGAIN_MS = 1000,
};

struct wait_options {
    struct conditions conditions;
    uint64_t timeout_ms; /* 0: not given */
};

static enum exit_code run_wait(struct cli *cli, int argc, char **argv);

/* "3": just so many. "3+": so many or more. */
static void parse_member_count(const char *text, struct conditions *conditions,
                               struct argp_state *state)
{
    char *end = NULL;
    const unsigned long long count = strtoull(text, &end, 10);
    const bool at_least = strcmp(end, "+") == 0;

    if (text[0] < '0' || text[0] > '9' || (*end != '\0' && !at_least) || count < 1 ||
        count > UINT32_MAX) {
        cli_usage_error(state,
                        "--members %s: give a number of members, 1 or more, with a + behind it "
                        "(3+) for \"at least\"",
                        text);
    }
    conditions->member_count = count;
    conditions->at_least = at_least;
}

static const char *parse_name(const char *option, const char *text, struct argp_state *state)
{
    if (text[0] == '\0') {
        cli_usage_error(state, "%s is empty: give the name of a member", option);
    }
    return text;
}

static uint64_t parse_timeout(const char *text, struct argp_state *state)
{
    uint64_t timeout_ms = 0;

    if (!duration_parse(text, &timeout_ms) || timeout_ms == 0) {
        cli_usage_error(state, "--timeout %s: give a number and its unit, as in 500ms, 5s or 2m",
                        text);
    }
    return timeout_ms;
}

static error_t parse_wait(int key, char *argument, struct argp_state *state)
{
    struct wait_options *options = state->input;

    switch (key) {
    case 'm':
        parse_member_count(argument, &options->conditions, state);
        return 0;
    case 'o':
        options->conditions.coordinator = parse_name("--coordinator", argument, state);
        return 0;
    case 'n':
        options->conditions.present = parse_name("--name", argument, state);
        return 0;
    case 'x':
        options->conditions.absent = parse_name("--gone", argument, state);
        return 0;
    case 'a':
        options->conditions.acting = true;
        return 0;
    case 'g':
        options->conditions.guard_met = true;
        return 0;
    case 't':
        options->timeout_ms = parse_timeout(argument, state);
        return 0;
    case ARGP_KEY_END:
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
     .doc = "The view has exactly N members; with N+ at least N"},
    {.name = "name", .key = 'n', .arg = "NAME", .doc = "NAME is a member"},
    {.name = "gone", .key = 'x', .arg = "NAME", .doc = "NAME is not a member"},
    {.name = "coordinator", .key = 'o', .arg = "NAME", .doc = "NAME coordinates"},
    {.name = "acting", .key = 'a', .doc = "This node coordinates and may act"},
    {.name = "guard-met", .key = 'g', .doc = "The guard is met"},
    {.name = NULL},
};

const struct verb verb_wait = {
    .name = "wait",
    .arguments = "--timeout DUR",
    .summary = "Returns when all that is asked for holds, or after --timeout",
    .details = "Without a condition it waits until the node is a member. With --json it prints the "
               "members document that met the conditions.\n\n"
               "Exit: 0 when all hold, 4 when no daemon answered in time, 5 when one did and the "
               "conditions did not hold.",
    .options = wait_options,
    .parse = parse_wait,
    .run = run_wait,
};

/* How the waiting stands. */
struct waiting {
    struct cli *cli;
    const struct conditions *conditions;
    uint64_t deadline_ms;
    bool reached;           /* some daemon has answered */
    struct failure failure; /* why the last try brought nothing */
    char missing[CONDITION_TEXT_MAX];
};

enum outcome {
    OUTCOME_HOLDS,
    OUTCOME_WAITS, /* not yet */
    OUTCOME_LOST,  /* no daemon there: connect again */
    OUTCOME_FAILED,
};

/* Nobody there yet is worth another try; a refusal or a wrong path is not. */
static enum outcome outcome_of(const struct failure *failure)
{
    return failure->code == EXIT_UNREACHABLE || failure->code == EXIT_TIMED_OUT ? OUTCOME_LOST
                                                                                : OUTCOME_FAILED;
}

/* Asks for the members and looks whether they are as wanted. */
static enum outcome poll_members(struct waiting *waiting)
{
    const uint64_t left_ms = clock_left_ms(waiting->deadline_ms);
    struct answer answer;

    if (left_ms == 0) {
        return OUTCOME_WAITS;
    }
    if (client_get(waiting->cli->client, "/v1/members",
                   left_ms < REQUEST_TIMEOUT_MS ? left_ms : REQUEST_TIMEOUT_MS, &answer,
                   &waiting->failure) != EXIT_DONE) {
        return outcome_of(&waiting->failure);
    }
    waiting->reached = true;

    const bool holds = conditions_hold(waiting->conditions, answer.json, waiting->missing);
    if (holds && waiting->cli->json) {
        cli_print_document(&answer);
    }
    answer_deinit(&answer);
    return holds ? OUTCOME_HOLDS : OUTCOME_WAITS;
}

/* Follows one stream of events to its end, looking after each burst of them. */
static enum outcome follow(struct waiting *waiting, struct feed *feed)
{
    enum outcome outcome = OUTCOME_WAITS;

    while (outcome == OUTCOME_WAITS && clock_left_ms(waiting->deadline_ms) > 0) {
        const uint64_t again_ms = clock_now_ms() + LOOK_AGAIN_MS;
        struct sse_event event;
        enum feed_result result = feed_next(
            feed, again_ms < waiting->deadline_ms ? again_ms : waiting->deadline_ms, &event);

        while (result == FEED_EVENT) {
            result = feed_next(feed, 0, &event); /* One look does for all that is here. */
        }
        if (result == FEED_ENDED) {
            waiting->failure = *feed_failure(feed);
            return outcome_of(&waiting->failure);
        }
        if (feed_is_answered(feed)) {
            outcome = poll_members(waiting);
        }
    }
    return outcome;
}

static enum outcome connect_and_follow(struct waiting *waiting)
{
    if (cli_connect(waiting->cli, &waiting->failure) != EXIT_DONE) {
        return outcome_of(&waiting->failure);
    }

    struct feed *feed = feed_open(waiting->cli->client, NULL);
    if (feed == NULL) {
        failure_set(&waiting->failure, EXIT_REFUSED, "out of memory");
        return OUTCOME_FAILED;
    }
    const enum outcome outcome = follow(waiting, feed);
    feed_close(feed);
    return outcome;
}

static enum exit_code report_timeout(const struct waiting *waiting, uint64_t timeout_ms)
{
    struct failure failure;
    char text[DURATION_TEXT_MAX];

    duration_text(text, timeout_ms);
    if (waiting->reached) {
        failure_set(&failure, EXIT_TIMED_OUT, "timed out after %s: %s", text, waiting->missing);
    } else if (waiting->failure.code == EXIT_UNREACHABLE) {
        failure_set(&failure, EXIT_UNREACHABLE, "%.*s (tried for %s)", FAILURE_TEXT_MAX / 2,
                    waiting->failure.text, text);
    } else {
        failure_set(&failure, EXIT_TIMED_OUT,
                    "timed out after %s: the daemon did not answer; it may be stopped or "
                    "overloaded",
                    text);
    }
    return failure_report(&failure);
}

static enum exit_code run_wait(struct cli *cli, int argc, char **argv)
{
    struct wait_options options = {.timeout_ms = 0};
    uint64_t pause_ms = CONNECT_PAUSE_MS_MIN;

    cli_parse(cli, &verb_wait, argc, argv, &options);
    struct waiting waiting = {.cli = cli,
                              .conditions = &options.conditions,
                              .deadline_ms = clock_now_ms() + options.timeout_ms};

    for (;;) {
        const enum outcome outcome = connect_and_follow(&waiting);
        if (outcome == OUTCOME_HOLDS) {
            return EXIT_DONE;
        }
        if (outcome == OUTCOME_FAILED) {
            return failure_report(&waiting.failure);
        }
        const uint64_t left_ms = clock_left_ms(waiting.deadline_ms);
        if (left_ms == 0) {
            return report_timeout(&waiting, options.timeout_ms);
        }
        clock_sleep_ms(pause_ms < left_ms ? pause_ms : left_ms);
        pause_ms = 2 * pause_ms < CONNECT_PAUSE_MS_MAX ? 2 * pause_ms : CONNECT_PAUSE_MS_MAX;
    }
}
