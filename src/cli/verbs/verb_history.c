/* doyen history: the views this node has held, or what happened on it, oldest first. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

enum { COLUMN_CHANGE = 6 };

struct history_options {
    bool events;
};

static enum exit_code run_history(struct cli *cli, int argc, char **argv);

static error_t parse_history(int key, char *argument, struct argp_state *state)
{
    struct history_options *options = state->input;

    (void)argument;
    if (key != 'e') {
        return ARGP_ERR_UNKNOWN;
    }
    options->events = true;
    return 0;
}

static const struct argp_option history_options[] = {
    {.name = "events", .key = 'e', .doc = "The last 1024 events instead, one line each"},
    {.name = NULL},
};

const struct verb verb_history = {
    .name = "history",
    .summary = "The views of the past: when, why, for how long",
    .details = "One line per view, oldest first; the last one holds now. Times are UTC. A merge "
               "has both parent views below it, and how long they were apart as far as this node "
               "knows. With a state directory the daemon also knows the views and events from "
               "before its restarts.",
    .options = history_options,
    .parse = parse_history,
    .example = "doyen history --events",
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

/* How long it lasted; for the last view before a restart nobody knows. */
static void add_lasted(struct table *table, const json_t *view, bool earlier)
{
    char lasted[DURATION_TEXT_MAX];

    if (document_has(view, "lasted_ms")) {
        duration_text(lasted, document_number(view, "lasted_ms"));
        table_cell(table, TONE_PLAIN, lasted);
    } else if (earlier) {
        table_cell(table, TONE_PLAIN, "-");
    } else {
        table_cell(table, TONE_GOOD, "now");
    }
}

static void add_view(struct table *table, const json_t *view, bool earlier)
{
    char number[48];

    snprintf(number, sizeof number, "%" PRIu64 ".%" PRIu64, document_number(view, "epoch"),
             document_number(view, "version"));

    table_row(table);
    add_time(table, document_text(view, "time", "?"));
    table_cell(table, TONE_PLAIN, number);
    table_cell(table, TONE_PLAIN, document_text(view, "cause", "?"));
    table_cell_number(table, document_number(view, "members"));
    table_cell(table, TONE_PLAIN, document_text(view, "coordinator", "-"));
    add_lasted(table, view, earlier);
    table_cell(table, TONE_PLAIN, document_text(view, "change", ""));
}

/* "3.7@delphi" */
static void view_name(const json_t *parent, char *text, size_t size)
{
    snprintf(text, size, "%" PRIu64 ".%" PRIu64 "@%s", document_number(parent, "epoch"),
             document_number(parent, "version"), document_text(parent, "coordinator", "?"));
}

/* Adds a row with nothing but text below the change. */
static void add_remark(struct table *table, const char *text)
{
    table_row(table);
    for (unsigned column = 0; column < COLUMN_CHANGE; column++) {
        table_cell(table, TONE_PLAIN, "");
    }
    table_cell(table, TONE_FAINT, text);
}

/* Adds a row for each part of a merge, because the merge's own row has no room for them. */
static void add_parents(struct table *table, const json_t *view)
{
    static const char *const fates[] = {"went on", "absorbed"};
    const json_t *parents = json_object_get(view, "parents");
    const bool absorbed = document_is_true(view, "taken_up");
    char apart[DURATION_TEXT_MAX];
    char text[256];
    char name[112];

    if (json_array_size(parents) != 2) {
        return;
    }
    duration_text(apart, document_number(view, "apart_ms"));
    for (size_t i = 0; i < 2; i++) {
        const bool ours = (i == 1) == absorbed;
        view_name(json_array_get(parents, i), name, sizeof name);
        snprintf(text, sizeof text, "%s: %s%s%s%s", fates[i], name, ours ? ", this part" : "",
                 i == 1 && document_has(view, "apart_ms") ? ", apart for " : "",
                 i == 1 && document_has(view, "apart_ms") ? apart : "");
        add_remark(table, text);
    }
}

static void add_split(struct table *table, const json_t *view)
{
    const json_t *split = json_object_get(view, "split");
    char text[96];

    if (document_has(view, "split")) {
        snprintf(text, sizeof text, "split: %" PRIu64 " of %" PRIu64 " members lost at once",
                 document_number(split, "lost"), document_number(split, "of"));
        add_remark(table, text);
    }
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
    const char *const life = document_text(history, "life", "");
    const char *before = NULL;
    for (size_t i = 0; i < json_array_size(views); i++) {
        const json_t *view = json_array_get(views, i);
        const char *of = document_text(view, "life", life);
        if (before != NULL && strcmp(before, of) != 0) {
            add_remark(table, "this node was started again");
        }
        before = of;
        add_view(table, view, strcmp(of, life) != 0);
        add_parents(table, view);
        add_split(table, view);
    }
    return table_print(table) ? EXIT_DONE : EXIT_REFUSED;
}

static enum exit_code print_events(const json_t *journal)
{
    const json_t *events = json_object_get(journal, "events");
    struct printer printer;

    printer_init(&printer);
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);

        printer_text(&printer, TONE_FAINT, document_text(event, "time", "?"));
        if (document_has(event, "epoch")) {
            printf("  view %" PRIu64 ".%" PRIu64, document_number(event, "epoch"),
                   document_number(event, "version"));
        }
        fputs("  ", stdout);
        printer_text(&printer, TONE_PLAIN, document_text(event, "text", "?"));
        putchar('\n');
    }
    return EXIT_DONE;
}

static enum exit_code run_history(struct cli *cli, int argc, char **argv)
{
    struct history_options options = {.events = false};

    cli_parse(cli, &verb_history, argc, argv, &options);
    return options.events ? cli_show(cli, "/v1/journal", print_events, NULL)
                          : cli_show(cli, "/v1/history", print_history, NULL);
}
