/* doyen matrix: who hears whom, and the links that are bad, each with its way. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

enum { COLUMNS_MAX = 64 }; /* members that a grid on a screen can show */

static enum exit_code run_matrix(struct cli *cli, int argc, char **argv);

const struct verb verb_matrix = {
    .name = "matrix",
    .summary = "Who hears whom, and the links that are bad",
    .details = "Each row is what one member hears of the others: ok, silent (for longer than the "
               "profile allows), suspect (a verdict is held against it), or ? where nothing is "
               "known of it lately. A link may work one way and not the other.\n\n"
               "Exit: 1 when there is no view yet.",
    .run = run_matrix,
};

static void add_cell(struct table *table, const char *state, bool is_self)
{
    if (is_self) {
        table_cell(table, TONE_FAINT, "-");
    } else if (strcmp(state, "ok") == 0) {
        table_cell(table, TONE_GOOD, state);
    } else if (strcmp(state, "unknown") == 0) {
        table_cell(table, TONE_FAINT, "?");
    } else {
        table_cell(table, strcmp(state, "suspect") == 0 ? TONE_BAD : TONE_DOUBTFUL, state);
    }
}

static bool print_grid(const struct printer *printer, const json_t *names, const json_t *states,
                       size_t count)
{
    struct column columns[COLUMNS_MAX + 1] = {{"HEARS", false}};

    for (size_t i = 0; i < count; i++) {
        columns[i + 1].heading = json_string_value(json_array_get(names, i));
    }
    struct table *table = table_new(printer, columns, count + 1);
    for (size_t row = 0; row < count; row++) {
        const json_t *cells = json_array_get(states, row);
        table_row(table);
        table_cell(table, TONE_PLAIN, columns[row + 1].heading);
        for (size_t i = 0; i < count; i++) {
            const char *state = json_string_value(json_array_get(cells, i));
            add_cell(table, state == NULL ? "unknown" : state, i == row);
        }
    }
    return table_print(table);
}

static void print_sentences(const struct printer *printer, const json_t *links)
{
    const json_t *silent = json_object_get(links, "silent");
    const json_t *bad = json_object_get(links, "bad");

    for (size_t i = 0; i < json_array_size(silent); i++) {
        const char *name = json_string_value(json_array_get(silent, i));
        printer_text(printer, TONE_DOUBTFUL, name == NULL ? "?" : name);
        puts(" is heard by nobody: it is silent itself, or cut off from all");
    }
    for (size_t i = 0; i < json_array_size(bad); i++) {
        printer_text(printer, TONE_BAD, document_text(json_array_get(bad, i), "detail", "?"));
        putchar('\n');
    }
    if (json_array_size(silent) == 0 && json_array_size(bad) == 0) {
        printer_text(printer, TONE_GOOD, "all that is known of the links is good");
        putchar('\n');
    }
}

/* A part that was cut off whole has no bad links left: say where the others are. */
static void print_failed(const json_t *links)
{
    const size_t count = json_array_size(json_object_get(links, "failed"));

    if (count > 0) {
        printf("%zu member%s failed and %s not in it; doyen members names %s\n", count,
               count == 1 ? "" : "s", count == 1 ? "is" : "are", count == 1 ? "it" : "them");
    }
}

static bool names_are_sound(const json_t *names)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        if (!json_is_string(json_array_get(names, i))) {
            return false;
        }
    }
    return true;
}

static enum exit_code print_matrix(const json_t *links)
{
    const json_t *names = json_object_get(links, "members");
    const size_t members = json_array_size(names);
    const size_t count = members < COLUMNS_MAX ? members : COLUMNS_MAX;
    struct printer printer;

    if (members == 0 || !names_are_sound(names)) {
        fprintf(stderr, "doyen: %s has no view yet, so there are no links to show\n",
                document_text(links, "self", "this node"));
        return EXIT_REFUSED;
    }
    printer_init(&printer);
    if (!print_grid(&printer, names, json_object_get(links, "states"), count)) {
        return EXIT_REFUSED;
    }
    const uint64_t more = members - count + document_number(links, "left_out");
    if (more > 0) {
        printf("and %" PRIu64 " younger members, which the grid leaves out\n", more);
    }
    putchar('\n');
    print_sentences(&printer, links);
    print_failed(links);
    return EXIT_DONE;
}

static enum exit_code run_matrix(struct cli *cli, int argc, char **argv)
{
    struct answer answer;

    cli_parse(cli, &verb_matrix, argc, argv, NULL);
    enum exit_code code = cli_get(cli, "/v1/links", &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    if (cli->json) {
        cli_print_document(&answer);
    } else {
        code = print_matrix(answer.json);
    }
    answer_deinit(&answer);
    return code;
}
