/* doyen matrix: asks all members whom they hear, and names the links that are bad, each with its
 * way. */
#include <stdio.h>
#include <string.h>

#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/verbs/status_all.h"
#include "cli/verbs/verbs.h"

enum { COLUMNS_MAX = 64 }; /* members that a grid on a screen can show */

static enum exit_code run_matrix(struct cli *cli, int argc, char **argv);

const struct verb verb_matrix = {
    .name = "matrix",
    .summary = "Asks all members whom they hear, and names the links that are bad",
    .details = "All members are asked now, 64 at a time. Each row is what one member says of the "
               "others: ok, silent (for longer than the profile allows), or the verdict that it "
               "holds (dead, lost, stalled); a dot where it does not watch the other one, ? where "
               "it did not answer. A link may work one way and not the other.\n\n"
               "Exit: 1 when there is no view yet, 5 when some members did not answer in time.",
    .run = run_matrix,
};

static void add_cell(struct table *table, const json_t *hears, const char *name)
{
    const char *state = document_text(hears, name, "");

    if (strcmp(state, "heard") == 0 || strcmp(state, "asked") == 0) {
        table_cell(table, TONE_GOOD, "ok");
    } else if (state[0] != '\0') {
        table_cell(table, strcmp(state, "silent") == 0 ? TONE_DOUBTFUL : TONE_BAD, state);
    } else {
        table_cell(table, TONE_FAINT, json_is_object(hears) ? "." : "?");
    }
}

static bool print_grid(const struct printer *printer, const json_t *members, size_t count)
{
    struct column columns[COLUMNS_MAX + 1] = {{"HEARS", false}};

    for (size_t i = 0; i < count; i++) {
        columns[i + 1].heading = document_text(json_array_get(members, i), "name", "?");
    }
    struct table *table = table_new(printer, columns, count + 1);
    for (size_t row = 0; row < count; row++) {
        const json_t *hears = json_object_get(json_array_get(members, row), "hears");
        table_row(table);
        table_cell(table, TONE_PLAIN, columns[row + 1].heading);
        for (size_t i = 0; i < count; i++) {
            if (i == row) {
                table_cell(table, TONE_FAINT, "-");
            } else {
                add_cell(table, hears, columns[i + 1].heading);
            }
        }
    }
    return table_print(table);
}

static void print_sentences(const struct printer *printer, const json_t *document)
{
    const json_t *silent = json_object_get(document, "silent");
    const json_t *bad = json_object_get(document, "bad");

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
static void print_failed(const json_t *document)
{
    const size_t count = json_array_size(json_object_get(document, "failed"));

    if (count > 0) {
        printf("%zu member%s failed and %s not in it; doyen members names %s\n", count,
               count == 1 ? "" : "s", count == 1 ? "is" : "are", count == 1 ? "it" : "them");
    }
}

static void print_unanswered(const struct printer *printer, const json_t *members)
{
    bool unanswered = false;

    for (size_t i = 0; i < json_array_size(members); i++) {
        const json_t *member = json_array_get(members, i);
        if (!document_has(member, "hears")) {
            fputs(unanswered ? ", " : "no answer: ", stdout);
            printer_text(printer, TONE_DOUBTFUL, document_text(member, "name", "?"));
            unanswered = true;
        }
    }
    if (unanswered) {
        putchar('\n');
    }
}

static enum exit_code print_matrix(const json_t *document)
{
    const json_t *members = json_object_get(document, "members");
    const size_t all = json_array_size(members);
    const size_t count = all < COLUMNS_MAX ? all : COLUMNS_MAX;
    struct printer printer;

    if (all == 0) {
        fprintf(stderr, "doyen: %s has no view yet, so there are no links to show\n",
                document_text(document, "self", "this node"));
        return EXIT_REFUSED;
    }
    printer_init(&printer);
    if (!print_grid(&printer, members, count)) {
        return EXIT_REFUSED;
    }
    if (all > count) {
        printf("and %zu younger members, which the grid leaves out\n", all - count);
    }
    putchar('\n');
    print_sentences(&printer, document);
    print_failed(document);
    print_unanswered(&printer, members);
    return status_all_judge(document);
}

static enum exit_code run_matrix(struct cli *cli, int argc, char **argv)
{
    struct answer answer;
    struct failure failure;

    cli_parse(cli, &verb_matrix, argc, argv, NULL);
    enum exit_code code = status_all_ask(cli, &answer, &failure);
    if (code != EXIT_DONE) {
        return failure_report(&failure);
    }
    if (cli->json) {
        cli_print_document(&answer);
        code = status_all_judge(answer.json);
    } else {
        code = print_matrix(answer.json);
    }
    answer_deinit(&answer);
    return code;
}
