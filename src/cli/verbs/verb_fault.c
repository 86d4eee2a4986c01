/* doyen fault: breaks this node's network on purpose, for trying things out. The daemon must have
 * been started with --faults. */
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/print/duration_option.h"
#include "cli/request/cli.h"
#include "cli/verbs/verbs.h"

/* What the daemon takes (proto/control.md, /v1/fault). */
enum {
    FAULT_WORDS_MAX = 1 + 256, /* the kind, and the names */
    FAULT_DELAY_MS_MAX = 60000,
};

struct fault_options {
    const char *words[FAULT_WORDS_MAX];
    size_t word_count;
    uint64_t delay_ms;
};

static enum exit_code run_fault(struct cli *cli, int argc, char **argv);

static void check_delay(struct fault_options *options, struct argp_state *state)
{
    char what[128];

    if (options->word_count != 3) {
        cli_usage_error(state, "delay takes a member and a duration: doyen fault delay NAME 200ms");
    }
    if (duration_parse(options->words[1], &options->delay_ms) &&
        !duration_parse(options->words[2], &options->delay_ms)) {
        cli_usage_error(state, "the member comes first: doyen fault delay %s %s", options->words[2],
                        options->words[1]);
    }
    (void)cli_member(state, "delay", options->words[1]);
    snprintf(what, sizeof what, "delay %s", options->words[1]);
    options->delay_ms = duration_option(state, what, options->words[2], 0, FAULT_DELAY_MS_MAX);
}

static void check_words(struct fault_options *options, struct argp_state *state)
{
    const char *kind = options->word_count == 0 ? "" : options->words[0];

    if (strcmp(kind, "drop") == 0) {
        if (options->word_count < 2) {
            cli_usage_error(state, "drop takes members: doyen fault drop NAME...");
        }
        for (size_t i = 1; i < options->word_count; i++) {
            (void)cli_member(state, "drop", options->words[i]);
        }
    } else if (strcmp(kind, "delay") == 0) {
        check_delay(options, state);
    } else if (strcmp(kind, "clear") == 0) {
        if (options->word_count != 1) {
            cli_usage_error(state, "clear takes nothing more: it ends every fault");
        }
    } else {
        cli_usage_error(state, "say drop NAME..., delay NAME DUR or clear");
    }
}

static error_t parse_fault(int key, char *argument, struct argp_state *state)
{
    struct fault_options *options = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        if (options->word_count == FAULT_WORDS_MAX) {
            cli_usage_error(state, "more than %d names: give fewer", FAULT_WORDS_MAX - 1);
        }
        options->words[options->word_count++] = argument;
        return 0;
    case ARGP_KEY_END:
        check_words(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct verb verb_fault = {
    .name = "fault",
    .arguments = "drop NAME...\ndelay NAME DUR\nclear",
    .summary = "Drops or delays messages on purpose (doyend --faults)",
    .details = "drop: nothing from and to these members gets through any more. delay: what goes "
               "to NAME takes DUR longer, at most 60s. clear: ends every fault.\n\n"
               "Exit: 1 when the daemon was started without --faults, or NAME is no member.",
    .parse = parse_fault,
    .example = "doyen fault delay byzantium 100ms",
    .run = run_fault,
};

/* The body as the daemon wants it; NULL: no memory. */
static json_t *fault_body(const struct fault_options *options)
{
    if (strcmp(options->words[0], "clear") == 0) {
        return json_pack("{s:b}", "clear", 1);
    }
    if (strcmp(options->words[0], "delay") == 0) {
        return json_pack("{s:{s:s, s:I}}", "delay", "name", options->words[1], "ms",
                         (json_int_t)options->delay_ms);
    }

    json_t *names = json_array();
    for (size_t i = 1; i < options->word_count; i++) {
        if (json_array_append_new(names, json_string(options->words[i])) != 0) {
            json_decref(names);
            return NULL;
        }
    }
    return json_pack("{s:o}", "drop", names);
}

static enum exit_code run_fault(struct cli *cli, int argc, char **argv)
{
    struct fault_options options = {.word_count = 0};
    struct answer answer;

    cli_parse(cli, &verb_fault, argc, argv, &options);
    json_t *body = fault_body(&options);
    if (body == NULL) {
        fputs("doyen: out of memory, or a name that is not UTF-8\n", stderr);
        return EXIT_REFUSED;
    }
    const enum exit_code code = cli_post(cli, "/v1/fault", body, &answer);
    json_decref(body);
    if (code == EXIT_DONE && cli->json) {
        cli_print_document(&answer);
    }
    answer_deinit(&answer);
    return code;
}
