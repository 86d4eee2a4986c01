/* doyen leader: whom the members take for their leader, which is advice. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/verbs/leader_print.h"
#include "cli/verbs/verbs.h"

static enum exit_code run_leader(struct cli *cli, int argc, char **argv);

const struct verb verb_leader = {
    .name = "leader",
    .summary = "Whom an election of doyend --election found, and whom each follows",
    .details =
        "An experiment. One line for the leader, then one per member: whom it follows, in which round, and "
        "when it said so last. Without --election the leader is the best member of the "
        "view, and nobody says anything. A leader is advisory: two parts of a network have "
        "one each; doyen coordinator and doyen lease know of guards.\n\n"
        "Exit: 0, 3 when there is no leader.",
    .run = run_leader,
};

/* The same as an exit code alone. */
static enum exit_code exit_code_of(const json_t *document)
{
    return document_has(document, "leader") ? EXIT_DONE : EXIT_NO_COORDINATOR;
}

enum exit_code leader_print_line(const json_t *document)
{
    const char *algorithm = document_text(document, "algorithm", "?");

    if (!document_has(document, "leader")) {
        fprintf(stderr, "doyen: there is no leader (%s)\n", algorithm);
        return EXIT_NO_COORDINATOR;
    }
    printf("%s leads (%s, advisory)\n", document_text(document, "leader", "?"), algorithm);
    return EXIT_DONE;
}

static void add_round(struct table *table, const json_t *member)
{
    const json_t *round = json_object_get(member, "round");
    char text[3 * 24];

    snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64 ".%" PRIu64, document_number(round, "epoch"),
             document_number(round, "version"), document_number(round, "attempt"));
    table_cell(table, TONE_PLAIN, document_has(member, "round") ? text : "-");
}

static void add_heard(struct table *table, const json_t *member)
{
    char text[DURATION_TEXT_MAX];

    duration_text(text, document_number(member, "heard_ms"));
    if (document_is_true(member, "self")) {
        table_cell(table, TONE_FAINT, "this node");
    } else {
        table_cell(table, TONE_PLAIN, document_has(member, "heard_ms") ? text : "-");
    }
}

static enum exit_code print_leader(const json_t *document)
{
    static const struct column columns[] = {{"NAME", false},  {"PRIORITY", true},
                                            {"AGE", true},    {"FOLLOWS", false},
                                            {"ROUND", false}, {"HEARD AGO", true}};
    const json_t *members = json_object_get(document, "members");
    const enum exit_code code = leader_print_line(document);
    struct printer printer;

    if (json_array_size(members) == 0) {
        return code;
    }
    printer_init(&printer);
    struct table *table = table_new(&printer, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < json_array_size(members); i++) {
        const json_t *member = json_array_get(members, i);
        table_row(table);
        table_cell(table, TONE_PLAIN, document_text(member, "name", "?"));
        table_cell_number(table, document_number(member, "priority"));
        table_cell_number(table, document_number(member, "age"));
        table_cell(table, TONE_PLAIN, document_text(member, "leader", "-"));
        add_round(table, member);
        add_heard(table, member);
    }
    return table_print(table) ? code : EXIT_REFUSED;
}

static enum exit_code run_leader(struct cli *cli, int argc, char **argv)
{
    cli_parse(cli, &verb_leader, argc, argv, NULL);
    return cli_show(cli, "/v1/leader", print_leader, exit_code_of);
}
