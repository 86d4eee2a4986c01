/* doyen change: the terms of the cluster, at run time. The daemon asks the coordinator; this waits
 * until all members are known to go by them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/print/duration_option.h"
#include "cli/request/cli.h"
#include "cli/request/clock.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

enum {
    TIMEOUT_MS = 30000,
    LOOK_PAUSE_MS = 20,
    HEARTBEAT_MS_MIN = 5, /* what the daemon takes (proto/control.md, terms) */
    HEARTBEAT_MS_MAX = 60000,
    FAIL_AFTER_MS_MAX = 3600000,
};

struct change_options {
    json_t *body; /* what is asked of the daemon */
    bool voters;  /* are named among the terms, of which they are none */
    uint64_t timeout_ms;
};

static enum exit_code run_change(struct cli *cli, int argc, char **argv);

static json_t *number_or_word(const char *text)
{
    char *end = NULL;
    const long long number = strtoll(text, &end, 10);

    return text[0] >= '0' && text[0] <= '9' && *end == '\0' ? json_integer(number)
                                                            : json_string(text);
}

/* Returns the name that the daemon has for a term; NULL: there is none such. */
static const char *daemons_name(const char *key)
{
    static const struct {
        const char *term;
        const char *name;
    } terms[] = {{"guard", "guard"},
                 {"size", "size"},
                 {"profile", "profile"},
                 {"capacity", "capacity"},
                 {"heartbeat", "heartbeat_ms"},
                 {"fail-after", "fail_after_ms"},
                 {"voters-target", "voters_target"}};

    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        if (strcmp(key, terms[i].term) == 0) {
            return terms[i].name;
        }
    }
    return NULL;
}

#define VOTERS_REMEDY "who votes is changed by doyen voters set A,B,C"

static void refuse_term(const char *key, const struct argp_state *state)
{
    if (strcmp(key, "tag") == 0 || strcmp(key, "tags") == 0) {
        cli_usage_error(state, "tags are changed by doyen tag set KEY=VALUE, on the node itself");
    }
    cli_usage_error(state,
                    "%s is none of guard, size, profile, heartbeat, fail-after, capacity and "
                    "voters-target",
                    key);
}

static void take_term(struct change_options *options, const char *word, struct argp_state *state)
{
    const char *equals = strchr(word, '=');
    char key[32];

    if (equals == NULL || equals == word || (size_t)(equals - word) >= sizeof key) {
        cli_usage_error(state, "%s: write TERM=VALUE, as in guard=majority size=5", word);
    }
    snprintf(key, sizeof key, "%.*s", (int)(equals - word), word);
    const char *name = daemons_name(key);
    json_t *value = NULL;
    if (strcmp(key, "voters") == 0 || strcmp(key, "voter") == 0) {
        options->voters = true;
        return;
    }
    if (name == NULL) {
        refuse_term(key, state);
    }
    if (strchr(equals, ',') != NULL) {
        cli_usage_error(state, "%s: put blanks between the terms, no commas: guard=majority size=5",
                        word);
    }
    if (strcmp(key, "heartbeat") == 0) {
        value = json_integer((json_int_t)duration_option(state, key, equals + 1, HEARTBEAT_MS_MIN,
                                                         HEARTBEAT_MS_MAX));
    } else if (strcmp(key, "fail-after") == 0) {
        value = json_integer(
            (json_int_t)duration_option(state, key, equals + 1, 1, FAIL_AFTER_MS_MAX));
    } else {
        value = number_or_word(equals + 1);
    }
    if (json_object_get(options->body, name) != NULL) {
        cli_usage_error(state, "%s: it is given twice: keep one", word);
    }
    if (json_object_set_new(options->body, name, value) != 0) {
        cli_usage_error(state, "%s: it has to be UTF-8: change it", word);
    }
}

static bool wants_strict(const struct change_options *options)
{
    return strcmp(document_text(options->body, "guard", ""), "strict") == 0;
}

static error_t parse_change(int key, char *argument, struct argp_state *state)
{
    struct change_options *options = state->input;

    switch (key) {
    case 't':
        options->timeout_ms = duration_timeout(state, argument);
        return 0;
    case 'f':
        (void)json_object_set_new(options->body, "forget_failed", json_true());
        return 0;
    case ARGP_KEY_ARG:
        take_term(options, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (options->voters && !wants_strict(options)) {
            cli_usage_error(state, VOTERS_REMEDY);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option change_options[] = {
    {.name = "forget-failed",
     .key = 'f',
     .doc = "Members that failed keep no place under guard majority: none of them runs anywhere"},
    {.name = "timeout",
     .key = 't',
     .arg = "DUR",
     .doc = "Give up waiting after this (500ms, 5s, 2m); 30s if not given"},
    {.name = NULL},
};

const struct verb verb_change = {
    .name = "change",
    .arguments = "[TERM=VALUE...]",
    .summary = "The terms of the cluster: lists or changes them while it runs",
    .details =
        "TERM is guard (none, a number, or majority), size, profile, heartbeat, fail-after, "
        "capacity or, under guard strict, voters-target (0 for none). Without any it lists the terms that hold beside those that this node was "
        "started with. All members go by the new terms; until all are known to, the guards of "
        "before and of now both have to be met. They are kept when daemons start again, for as "
        "long as their configuration stays the same: write them there, too.\n\n"
        "Exit: 1 when the change is refused, 5 when it did not come about in time.",
    .options = change_options,
    .parse = parse_change,
    .example = "doyen change guard=majority size=5",
    .run = run_change,
};

static void print_side(const char *title, const json_t *rules)
{
    char size[48] = "";
    const json_t *stated = json_object_get(rules, "size");
    const json_t *target = json_object_get(rules, "voters_target");

    if (json_is_integer(stated)) {
        snprintf(size, sizeof size, " size=%" PRIu64, (uint64_t)json_integer_value(stated));
    } else if (json_is_integer(target)) {
        snprintf(size, sizeof size, " voters-target=%" PRIu64,
                 (uint64_t)json_integer_value(target));
    }
    printf("%-8s guard=%s%s profile=%s heartbeat=%" PRIu64 "ms fail-after=%" PRIu64
           "ms capacity=%" PRIu64 "\n",
           title, document_text(rules, "guard", "?"), size, document_text(rules, "profile", "?"),
           document_number(rules, "heartbeat_ms"), document_number(rules, "fail_after_ms"),
           document_number(rules, "capacity"));
}

/* A node that is started with less than the cluster was is turned away (A4b). */
static bool has_less_than_the_room(const json_t *terms)
{
    return document_number(json_object_get(terms, "agreed"), "capacity") <
           document_number(terms, "room");
}

static void print_terms(const struct cli *cli, const json_t *terms)
{
    if (cli->json) {
        (void)json_dumpf(terms, stdout, 0);
        (void)putchar('\n');
        return;
    }
    print_side("agreed", json_object_get(terms, "agreed"));
    if (json_is_object(json_object_get(terms, "before"))) {
        print_side("before", json_object_get(terms, "before"));
        puts("Both hold until all members are known to go by the new terms.");
    }
    if (json_is_true(json_object_get(terms, "drift"))) {
        print_side("started", json_object_get(terms, "started"));
        printf(
            "The configuration of this node says other than what is agreed: write that there%s.\n",
            has_less_than_the_room(terms) ? ", but for the capacity" : "");
    }
}

static bool is_done(const json_t *terms, const char *number)
{
    return strcmp(document_text(terms, "number", ""), number) != 0 &&
           json_is_true(json_object_get(terms, "settled"));
}

/* Waits until the terms have another number than they had, and are settled. */
static enum exit_code await(struct cli *cli, const struct change_options *options,
                            const char *number, struct answer *last)
{
    const uint64_t deadline_ms = clock_now_ms() + options->timeout_ms;
    char text[DURATION_TEXT_MAX];
    struct failure failure;

    while (clock_left_ms(deadline_ms) > 0) {
        const enum exit_code code = client_get(cli->client, "/v1/terms", REQUEST_TIMEOUT_MS, last,
                                               &failure);
        if (code != EXIT_DONE) {
            return failure_report(&failure);
        }
        if (is_done(last->json, number)) {
            return EXIT_DONE;
        }
        answer_deinit(last);
        clock_sleep_ms(LOOK_PAUSE_MS);
    }
    duration_text(text, options->timeout_ms);
    failure_set(&failure, EXIT_TIMED_OUT,
                "the terms are not settled after %s: doyen change lists how far they are, doyen "
                "status says whether all members are heard",
                text);
    return failure_report(&failure);
}

/* Where the guard is strict already it is the voters who are to change, and elsewhere the daemon
 * says what stands against guard strict. */
static enum exit_code refuse_voters(struct cli *cli)
{
    struct answer terms;
    struct failure failure;
    const enum exit_code code = cli_get(cli, "/v1/terms", &terms);

    if (code != EXIT_DONE) {
        return code;
    }
    const bool strict = strcmp(document_text(json_object_get(terms.json, "agreed"), "guard", ""),
                               "strict") == 0;
    answer_deinit(&terms);
    if (!strict) {
        return EXIT_DONE;
    }
    (void)failure_set(&failure, EXIT_USAGE, VOTERS_REMEDY);
    return failure_report(&failure);
}

static enum exit_code change(struct cli *cli, const struct change_options *options)
{
    struct answer answer = {.text = NULL};
    struct answer last = {.text = NULL};
    enum exit_code code = options->voters ? refuse_voters(cli) : EXIT_DONE;

    if (code == EXIT_DONE) {
        code = cli_post(cli, "/v1/terms", options->body, &answer);
    }
    if (code != EXIT_DONE) {
        return code;
    }
    char number[32];
    snprintf(number, sizeof number, "%s", document_text(answer.json, "number", ""));
    if (json_is_true(json_object_get(answer.json, "done"))) {
        print_terms(cli, answer.json);
    } else {
        code = await(cli, options, number, &last);
        if (code == EXIT_DONE) {
            print_terms(cli, last.json);
            answer_deinit(&last);
        }
    }
    answer_deinit(&answer);
    return code;
}

static enum exit_code list(struct cli *cli)
{
    struct answer terms;
    const enum exit_code code = cli_get(cli, "/v1/terms", &terms);

    if (code == EXIT_DONE) {
        print_terms(cli, terms.json);
        answer_deinit(&terms);
    }
    return code;
}

static enum exit_code run_change(struct cli *cli, int argc, char **argv)
{
    struct change_options options = {.body = json_object(), .timeout_ms = TIMEOUT_MS};

    cli_parse(cli, &verb_change, argc, argv, &options);
    const enum exit_code code = json_object_size(options.body) == 0 ? list(cli)
                                                                    : change(cli, &options);
    json_decref(options.body);
    return code;
}
