/* doyen why: the evidence behind what was decided about a member, or about the coordinator. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

struct why_options {
    const char *node; /* NULL: about the coordinator, and all the evidence */
};

static enum exit_code run_why(struct cli *cli, int argc, char **argv);

static error_t parse_why(int key, char *argument, struct argp_state *state)
{
    struct why_options *options = state->input;

    if (key != ARGP_KEY_ARG || options->node != NULL) {
        return ARGP_ERR_UNKNOWN;
    }
    if (argument[0] == '\0') {
        cli_usage_error(state, "NODE is empty: give the name of a member, or leave it out");
    }
    options->node = cli_member(state, "NODE", argument);
    return 0;
}

const struct verb verb_why = {
    .name = "why",
    .arguments = "[NODE]",
    .summary = "The evidence behind the last decision about NODE or the coordinator",
    .details =
        "What holds now, then what this node saw, oldest first. Times are UTC. Last, what it "
        "did not act on of what NODE (or anybody) sent, by which rule, and why.\n\n"
        "Exit: 1 when nothing is known of NODE.",
    .parse = parse_why,
    .example = "doyen why athens",
    .run = run_why,
};

/* "  3 s ago  C2b  claim of cyrene: the epoch is promised to another (2 times)" */
static void print_refusals(const struct printer *printer, const json_t *refusals)
{
    const size_t count = json_array_size(refusals);

    if (count > 0) {
        puts("Not acted on lately, the latest first:");
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *refusal = json_array_get(refusals, i);
        const uint64_t times = document_number(refusal, "count");
        char since[DURATION_TEXT_MAX];

        duration_text(since, document_number(refusal, "since_ms"));
        printf("  %s ago  %s  %s of ", since, document_text(refusal, "rule", "?"),
               document_text(refusal, "type", "?"));
        printer_text(printer, TONE_PLAIN, document_text(refusal, "from", "?"));
        printf(": %s", document_text(refusal, "text", "?"));
        if (times > 1) {
            printf(" (%" PRIu64 " times)", times);
        }
        putchar('\n');
    }
}

static void print_why(const json_t *why)
{
    const json_t *evidence = json_object_get(why, "evidence");
    struct printer printer;

    printer_init(&printer);
    printer_text(&printer, TONE_PLAIN, document_text(why, "text", ""));
    putchar('\n');
    for (size_t i = 0; i < json_array_size(evidence); i++) {
        const json_t *entry = json_array_get(evidence, i);
        const char *time = document_text(entry, "time", "");
        const char *separator = strchr(time, 'T');

        fputs("  ", stdout);
        printer_text(&printer, TONE_FAINT, separator == NULL ? time : separator + 1);
        if (document_has(entry, "epoch")) {
            printf("  view %" PRIu64 ".%" PRIu64, document_number(entry, "epoch"),
                   document_number(entry, "version"));
        }
        fputs("  ", stdout);
        printer_text(&printer, TONE_PLAIN, document_text(entry, "text", ""));
        putchar('\n');
    }
    print_refusals(&printer, json_object_get(why, "refusals"));
}

static enum exit_code ask(struct cli *cli, const char *node, struct answer *answer)
{
    struct failure failure;
    char path[1024];

    if (node == NULL) {
        return cli_get(cli, "/v1/why", answer);
    }
    if (cli_connect(cli, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    char *escaped = client_escape(node);
    const int length = escaped == NULL ? -1
                                       : snprintf(path, sizeof path, "/v1/why?node=%s", escaped);
    free(escaped);
    if (length < 0 || (size_t)length >= sizeof path) {
        failure_set(&failure, EXIT_USAGE,
                    "%.80s...: too long for a member's name; doyen members has the names", node);
        return failure_report(&failure);
    }
    return cli_get(cli, path, answer);
}

static enum exit_code run_why(struct cli *cli, int argc, char **argv)
{
    struct why_options options = {.node = NULL};
    struct answer answer = {.json = NULL};

    cli_parse(cli, &verb_why, argc, argv, &options);
    const enum exit_code code = ask(cli, options.node, &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    if (cli->json) {
        cli_print_document(&answer);
    } else {
        print_why(answer.json);
    }
    answer_deinit(&answer);
    return EXIT_DONE;
}
