/* doyen history: the views this node has held, oldest first. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/document.h"
#include "cli/duration.h"
#include "cli/printer.h"

static enum exit_code run_history(struct cli *cli, int argc, char **argv);

const struct verb verb_history = {
    .name = "history",
    .summary = "The views of the past: when, why, for how long",
    .details = "One line per view, oldest first; the last one holds now. Times are UTC.",
    .run = run_history,
};

/* "2031-05-06T07:08:09.123Z" without the T and the Z. */
static void add_time(struct table *table, const char *time)
{
    char text[32];

    snprintf(text, sizeof text, "%s", time);
    char *separator = strchr(text, 'T');
    char *zone = strchr(text, 'Z');
    if (separator != NULL) {
        *separator = ' ';
    }
    if (zone != NULL) {
        *zone = '\0';
    }
    table_cell(table, TONE_PLAIN, text);
}

static void add_view(struct table *table, const json_t *view)
{
    char number[48];
    char lasted[DURATION_TEXT_MAX];

    snprintf(number, sizeof number, "%" PRIu64 ".%" PRIu64, document_number(view, "epoch"),
             document_number(view, "version"));
    duration_text(lasted, document_number(view, "lasted_ms"));

    table_row(table);
    add_time(table, document_text(view, "time", "?"));
    table_cell(table, TONE_PLAIN, number);
    table_cell(table, TONE_PLAIN, document_text(view, "cause", "?"));
    table_cell_number(table, document_number(view, "members"));
    table_cell(table, TONE_PLAIN, document_text(view, "coordinator", "-"));
    if (document_has(view, "lasted_ms")) {
        table_cell(table, TONE_PLAIN, lasted);
    } else {
        table_cell(table, TONE_GOOD, "now");
    }
    table_cell(table, TONE_PLAIN, document_text(view, "change", ""));
}

static enum exit_code print_history(const json_t *history)
{
    static const struct column columns[] = {
        {"TIME", false},        {"VIEW", true},   {"CAUSE", false}, {"MEMBERS", true},
        {"COORDINATOR", false}, {"LASTED", true}, {"CHANGE", false}};
    const json_t *views = json_object_get(history, "views");
    struct printer printer;

    if (json_array_size(views) == 0) {
        fprintf(stderr, "doyen: %s has held no view yet\n",
                document_text(history, "self", "this node"));
        return EXIT_DONE;
    }
    printer_init(&printer);
    struct table *table = table_new(&printer, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < json_array_size(views); i++) {
        add_view(table, json_array_get(views, i));
    }
    return table_print(table) ? EXIT_DONE : EXIT_REFUSED;
}

static enum exit_code run_history(struct cli *cli, int argc, char **argv)
{
    cli_parse(cli, &verb_history, argc, argv, NULL);
    return cli_show(cli, "/v1/history", print_history, NULL);
}
