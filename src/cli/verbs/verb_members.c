/* doyen members: who is in, oldest first, and who is gone. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/member_filter.h"
#include "cli/print/member_format.h"
#include "cli/print/member_table.h"
#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/request/voters_ask.h"
#include "cli/verbs/verbs.h"
#include "usage/usage.h"

struct members_options {
    struct member_filter filter;
    struct member_columns columns; /* none: not given */
    const char *format;            /* NULL: not given */
};

static enum exit_code run_members(struct cli *cli, int argc, char **argv);

/* --- The command line --- */

static void parse_states(struct members_options *options, const char *text,
                         struct argp_state *state)
{
    size_t length = 0;
    const char *word = member_filter_add_states(&options->filter, text, &length);

    if (word != NULL && length == 0 && text[0] != '\0') {
        cli_usage_error(state,
                        "--state %s: \"\" is no state: write states with a comma between two and "
                        "no blank, as in alive,suspect",
                        text);
    }
    if (word != NULL) {
        cli_usage_error(state, "--state: \"%.*s\" is no state; the states are %s", (int)length,
                        word, MEMBER_FILTER_STATES);
    }
}

static void parse_name(struct members_options *options, const char *text, struct argp_state *state)
{
    if (text[0] == '\0') {
        cli_usage_error(state, "--name is empty: give a name, or a pattern such as 'web-*'");
    }
    if (!member_filter_is_pattern(text)) {
        cli_usage_error(
            state,
            "--name %s is no pattern: close its [, use a class of characters that there "
            "is, or write \\ before what stands for itself",
            text);
    }
    if (!member_filter_may_match(text)) {
        cli_usage_error(state,
                        "--name: no member can be called '%.80s': a name has A-Z a-z 0-9 . _ -, no "
                        "dash first; for several give --name several times",
                        text);
    }
    if (!member_filter_add_name(&options->filter, text)) {
        cli_usage_error(state, "--name is given more than %d times", MEMBER_FILTER_MAX);
    }
}

static void parse_tag(struct members_options *options, const char *text, struct argp_state *state)
{
    if (!member_filter_add_tag(&options->filter, cli_tag(state, "--tag", text))) {
        cli_usage_error(state, "--tag is given more than %d times", MEMBER_FILTER_MAX);
    }
}

static void parse_columns(struct members_options *options, const char *text,
                          struct argp_state *state)
{
    size_t length = 0;
    const char *word = member_columns_parse(&options->columns, text, &length);

    if (word != NULL && options->columns.count == MEMBER_COLUMNS_MAX) {
        cli_usage_error(state, "--columns: more than %d are too many", MEMBER_COLUMNS_MAX);
    }
    if (word != NULL) {
        cli_usage_error(state, "--columns: \"%.*s\" is not known: the columns are %s", (int)length,
                        word, MEMBER_FIELD_NAMES);
    }
}

static void parse_format(struct members_options *options, const char *text,
                         struct argp_state *state)
{
    char fault[MEMBER_FORMAT_FAULT_MAX];

    if (text[0] == '\0') {
        cli_usage_error(state, "--format is empty: give what to print, as in '{name} {address}'");
    }
    if (!member_format_is_sound(text, fault)) {
        cli_usage_error(state, "--format: %s", fault);
    }
    options->format = text;
}

static error_t parse_members(int key, char *argument, struct argp_state *state)
{
    struct members_options *options = state->input;

    switch (key) {
    case 's':
        parse_states(options, argument, state);
        return 0;
    case 'n':
        parse_name(options, argument, state);
        return 0;
    case 't':
        parse_tag(options, argument, state);
        return 0;
    case 'o':
        parse_columns(options, argument, state);
        return 0;
    case 'f':
        parse_format(options, argument, state);
        return 0;
    case ARGP_KEY_ARG:
        if (options->filter.states == 0) {
            return ARGP_ERR_UNKNOWN;
        }
        cli_usage_error(state,
                        "\"%s\" is too much: write states with a comma between two and no "
                        "blank, as in --state alive,suspect",
                        argument);
    case ARGP_KEY_END:
        if (options->format != NULL && options->columns.count > 0) {
            cli_usage_error(state, "--columns makes a table and --format does not: give one");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option members_options[] = {
    {.name = "state",
     .key = 's',
     .arg = "STATE[,STATE]",
     .flags = USAGE_LIST,
     .doc = "Only those in these states"},
    {.name = "name",
     .key = 'n',
     .arg = "GLOB",
     .flags = USAGE_LIST,
     .doc = "Only those of such a name (web-*)"},
    {.name = "tag",
     .key = 't',
     .arg = "KEY[=VALUE]",
     .flags = USAGE_LIST,
     .doc = "Only those with this tag"},
    {.name = "columns", .key = 'o', .arg = "FIELD,FIELD", .doc = "A table with these columns"},
    {.name = "format",
     .key = 'f',
     .arg = "TEXT",
     .doc = "A line for each, with fields in braces: '{name} {address}'"},
    {.name = NULL},
};

const struct verb verb_members = {
    .name = "members",
    .summary = "The members, oldest first: the first one coordinates",
    .details =
        "STATE is alive, silent (for longer than the profile allows, without a verdict), "
        "suspect (a verdict is held against it, it is still a member), behind (heard, but it does "
        "not get the view that the others hold), or below the line "
        "failed, left, moved, replaced or behind. HEARD is how long ago this node last heard it. Whether "
        "another coordinator acts, this node cannot know.\n\n"
        "--state, --name and --tag may be repeated: any of the states, any of the names, all of "
        "the tags. They choose among the gone as well, and with --json too. --columns and --format "
        "show the gone only when --state names a state of theirs.\n\n"
        "The fields: " MEMBER_FIELD_NAMES ".\n\n"
        "Exit: 6 when the cluster is not healthy, as doyen status says it; the members are "
        "printed all the same. Nobody chosen prints nothing and changes no status: doyen wait "
        "waits for a member.",
    .options = members_options,
    .parse = parse_members,
    .example = "doyen members --state alive --tag zone=a",
    .run = run_members,
};

/* --- Printing --- */

static bool any_tags(const json_t *members)
{
    for (size_t i = 0; i < json_array_size(members); i++) {
        if (json_object_size(json_object_get(json_array_get(members, i), "tags")) > 0) {
            return true;
        }
    }
    return false;
}

static void add_rows(struct table *table, const struct member_columns *columns,
                     const json_t *document, bool is_gone)
{
    const json_t *list = json_object_get(document, is_gone ? "gone" : "members");

    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct member_row row = {document, json_array_get(list, i), is_gone};
        member_table_add(table, columns, &row);
    }
}

static bool print_list(const struct printer *printer, const json_t *document, bool is_gone)
{
    struct member_columns columns;
    size_t length = 0;
    const char *names = is_gone ? "age,name,state,since,address"
                        /* Most clusters have no tags: the last column is for those that do. */
                        : any_tags(json_object_get(document, "members"))
                            ? "age,name,state,heard,address,role,tags"
                            : "age,name,state,heard,address,role";

    (void)member_columns_parse(&columns, names, &length);
    struct table *table = member_table_new(printer, &columns, is_gone ? "GONE" : NULL);
    add_rows(table, &columns, document, is_gone);
    return table_print(table);
}

/* The members, and below them who is gone. */
static bool print_tables(const json_t *document)
{
    const bool any_members = json_array_size(json_object_get(document, "members")) > 0;
    const bool any_gone = json_array_size(json_object_get(document, "gone")) > 0;
    struct printer printer;

    printer_init(&printer);
    if (any_members && !print_list(&printer, document, false)) {
        return false;
    }
    if (any_members && any_gone) {
        putchar('\n');
    }
    if (any_gone && !print_list(&printer, document, true)) {
        return false;
    }
    return true;
}

/* One table of what was asked for. A heading without a row would be something. */
static bool print_columns(const struct member_columns *columns, const json_t *document,
                          bool with_gone)
{
    const size_t member_count = json_array_size(json_object_get(document, "members"));
    const size_t gone_count = with_gone ? json_array_size(json_object_get(document, "gone")) : 0;
    struct printer printer;

    if (member_count + gone_count == 0) {
        return true;
    }
    printer_init(&printer);
    struct table *table = member_table_new(&printer, columns, NULL);
    add_rows(table, columns, document, false);
    if (with_gone) {
        add_rows(table, columns, document, true);
    }
    return table_print(table);
}

static void print_lines(const char *format, const json_t *document, bool is_gone)
{
    const json_t *list = json_object_get(document, is_gone ? "gone" : "members");

    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct member_row row = {document, json_array_get(list, i), is_gone};
        member_format_write(stdout, format, &row);
    }
}

static bool print_chosen(const struct members_options *options, const json_t *document)
{
    const bool with_gone = member_filter_asks_for_gone(&options->filter);

    if (options->columns.count > 0) {
        return print_columns(&options->columns, document, with_gone);
    }
    if (options->format == NULL) {
        return print_tables(document);
    }
    print_lines(options->format, document, false);
    if (with_gone) {
        print_lines(options->format, document, true);
    }
    return true;
}

static bool print_json(const struct members_options *options, const struct answer *answer)
{
    if (!member_filter_is_set(&options->filter)) {
        cli_print_document(answer);
        return true;
    }
    char *text = json_dumps(answer->json, JSON_COMPACT);
    if (text == NULL) {
        fputs("doyen: out of memory\n", stderr);
        return false;
    }
    cli_print_text(text);
    free(text);
    return true;
}

static void warn_of_no_view(const json_t *document)
{
    if (json_array_size(json_object_get(document, "members")) == 0) {
        fprintf(stderr, "doyen: %s is in phase %s and has no view yet\n",
                document_text(document, "self", "this node"),
                document_text(document, "phase", "?"));
    }
}

/* The exit code, and unless all is well or only some were asked for the sentence: as status has it.
 */
static enum exit_code judge_whole(struct cli *cli, bool says)
{
    struct answer answer;
    struct printer printer;
    const enum exit_code code = voters_ask(cli, "/v1/status", &answer);

    if (code != EXIT_DONE) {
        return code;
    }
    const json_t *whole = json_object_get(answer.json, "whole");
    const char *severity = document_text(whole, "severity", "bad");
    if (says && strcmp(severity, "good") != 0) {
        printer_init(&printer);
        putchar('\n');
        printer_text(&printer, printer_severity_tone(severity),
                     document_text(whole, "sentence", "?"));
        printf("\nnext: %s\n", document_text(whole, "next", "?"));
    }
    const enum exit_code judged = document_whole_exit_code(answer.json);
    answer_deinit(&answer);
    return judged;
}

static enum exit_code run_members(struct cli *cli, int argc, char **argv)
{
    struct members_options options = {.format = NULL};
    struct answer answer;

    cli_parse(cli, &verb_members, argc, argv, &options);
    if (cli->json && (options.format != NULL || options.columns.count > 0)) {
        usage_refuse(argv[0], "--json prints the daemon's document: leave out --json, or %s",
                     options.format != NULL ? "--format" : "--columns");
    }
    const enum exit_code code = cli_get(cli, "/v1/members", &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    if (!cli->json) {
        warn_of_no_view(answer.json);
    }
    member_filter_apply(&options.filter, answer.json);
    const bool printed = cli->json ? print_json(&options, &answer)
                                   : print_chosen(&options, answer.json);
    const bool chosen = cli->json || options.format != NULL || options.columns.count > 0 ||
                        member_filter_is_set(&options.filter);
    answer_deinit(&answer);
    return printed ? judge_whole(cli, !chosen) : EXIT_REFUSED;
}
