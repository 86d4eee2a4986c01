/* doyen links: whom this node watches, what is in doubt, and whether everybody is asked (D9). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

static enum exit_code run_links(struct cli *cli, int argc, char **argv);

const struct verb verb_links = {
    .name = "links",
    .summary = "Whom this node watches, which doubts are open, and which links are bad",
    .details =
        "Whom this node watches, and why (ring 1, ring 2, oldest, "
        "guard, or doubt for as long as there is one); when each gave its last sign; then "
        "each open case: who is in doubt, since when, who told of it, what was asked, and what "
        "comes of it, when; the links that are bad; and whether this node asks everybody. doyen "
        "matrix asks all members.\n\n"
        "Exit: 1 when there is no view yet.",
    .run = run_links,
};

static enum tone state_tone(const char *state)
{
    if (strcmp(state, "heard") == 0) {
        return TONE_GOOD;
    }
    return strcmp(state, "asked") == 0 || strcmp(state, "silent") == 0 ? TONE_DOUBTFUL : TONE_BAD;
}

static void add_ms(struct table *table, const json_t *object, const char *key)
{
    char text[DURATION_TEXT_MAX];

    duration_text(text, document_number(object, key));
    table_cell(table, TONE_PLAIN, document_has(object, key) ? text : "-");
}

static bool print_watches(const struct printer *printer, const json_t *watches)
{
    static const struct column columns[] = {{"WATCHES", false},  {"ON", false},
                                            {"LAST SIGN", true}, {"STATE", false},
                                            {"LIFELINE", false}, {"FOR", true}};
    struct table *table = table_new(printer, columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0; i < json_array_size(watches); i++) {
        const json_t *watch = json_array_get(watches, i);
        const char *state = document_text(watch, "state", "?");
        table_row(table);
        table_cell(table, TONE_PLAIN, document_text(watch, "name", "?"));
        table_cell(table, TONE_PLAIN, document_text(watch, "on", "?"));
        add_ms(table, watch, "heard_ms");
        table_cell(table, state_tone(state), state);
        table_cell(table, TONE_PLAIN, document_is_true(watch, "linked") ? "up" : "down");
        add_ms(table, watch, "left_ms");
    }
    return table_print(table);
}

static void print_cases(const struct printer *printer, const json_t *document)
{
    const json_t *cases = json_object_get(document, "cases");
    const uint64_t count = document_number(document, "case_count");

    if (count == 0) {
        printer_text(printer, TONE_GOOD, "nobody is in doubt");
        putchar('\n');
    }
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        printer_text(printer, TONE_DOUBTFUL, document_text(one, "about", "?"));
        fputs(": ", stdout);
        printer_text(printer, TONE_PLAIN, document_text(one, "text", "?"));
        putchar('\n');
    }
    if (count > json_array_size(cases)) {
        printf("and %" PRIu64 " more cases\n", count - json_array_size(cases));
    }
}

static void print_bad(const struct printer *printer, const json_t *bad)
{
    for (size_t i = 0; i < json_array_size(bad); i++) {
        printer_text(printer, TONE_BAD, document_text(json_array_get(bad, i), "detail", "?"));
        putchar('\n');
    }
}

static void print_names(const struct printer *printer, const char *lead, const json_t *names)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        fputs(i == 0 ? lead : ", ", stdout);
        printer_text(printer, TONE_DOUBTFUL, name == NULL ? "?" : name);
    }
}

static void print_roll_call(const struct printer *printer, const json_t *document)
{
    const json_t *call = json_object_get(document, "roll_call");
    char began[DURATION_TEXT_MAX];
    char left[DURATION_TEXT_MAX];

    if (!json_is_object(call)) {
        return;
    }
    duration_text(began, document_number(call, "began_ms"));
    duration_text(left, document_number(call, "left_ms"));
    printf("roll call: everybody has been asked for %s, and is for %s more; %" PRIu64 " of %" PRIu64
           " have answered",
           began, left, document_number(call, "answered"), document_number(call, "asked"));
    print_names(printer, "; not yet ", json_object_get(call, "unanswered"));
    putchar('\n');
}

static bool has_view(const json_t *document)
{
    if (document_number(document, "members") > 0) {
        return true;
    }
    fprintf(stderr, "doyen: %s has no view yet, so there are no links to show\n",
            document_text(document, "self", "this node"));
    return false;
}

static enum exit_code print_own(const json_t *document)
{
    const json_t *watches = json_object_get(document, "watches");
    struct printer printer;

    if (!has_view(document)) {
        return EXIT_REFUSED;
    }
    printer_init(&printer);
    printer_text(&printer, TONE_PLAIN, document_text(document, "self", "?"));
    printf(" watches %zu of the %" PRIu64 " other members\n", json_array_size(watches),
           document_number(document, "members") - 1);
    if (json_array_size(watches) > 0 && !print_watches(&printer, watches)) {
        return EXIT_REFUSED;
    }
    putchar('\n');
    print_cases(&printer, document);
    print_bad(&printer, json_object_get(document, "bad"));
    print_roll_call(&printer, document);
    return EXIT_DONE;
}

/* --- The verb --- */

static enum exit_code run_links(struct cli *cli, int argc, char **argv)
{
    struct answer answer;

    cli_parse(cli, &verb_links, argc, argv, NULL);
    enum exit_code code = cli_get(cli, "/v1/links", &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    if (cli->json) {
        cli_print_document(&answer);
    } else {
        code = print_own(answer.json);
    }
    answer_deinit(&answer);
    return code;
}
