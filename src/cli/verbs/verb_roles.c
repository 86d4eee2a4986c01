/* doyen roles: who stands for which role, and who holds it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/printer.h"
#include "cli/print/role_terms.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/request/roles_ask.h"
#include "cli/verbs/verbs.h"

enum { TEXT_MAX = 192 };

static enum exit_code run_roles(struct cli *cli, int argc, char **argv);

const struct verb verb_roles = {
    .name = "roles",
    .summary = "Who holds which role, and who is next",
    .details =
        "Asks all members for their candidates. Of each role first who holds it, with the "
        "token, then who waits, in the order in which they would hold it. A member that "
        "does not answer within a second is named on the standard error: its candidates are "
        "not known. TERMS are the policy and what else the first candidate has set, as doyen "
        "campaign has it. A long value is cut; --json has the whole.",
    .run = run_roles,
};

/* And why, where it is not only behind others. */
static void add_waiting(struct table *table, const json_t *candidate)
{
    const char *lacks = document_text(candidate, "lacks", NULL);
    char text[TEXT_MAX];

    if (document_is_true(candidate, "eligible")) {
        table_cell(table, TONE_PLAIN, "waits");
        return;
    }
    snprintf(text, sizeof text, lacks == NULL ? "is drained" : "lacks tag %s", lacks);
    table_cell(table, TONE_DOUBTFUL, text);
}

static void add_candidate(struct table *table, const json_t *role, const json_t *candidate)
{
    const bool holds = document_has(candidate, "token");
    const bool stops = document_is_true(candidate, "stopping");
    char terms[ROLE_TERMS_MAX];

    role_terms_text(role, terms);
    table_row(table);
    table_cell(table, TONE_PLAIN, document_text(role, "role", "?"));
    table_cell(table, TONE_PLAIN, document_text(candidate, "member", "?"));
    if (holds) {
        table_cell(table, stops ? TONE_DOUBTFUL : TONE_GOOD, stops ? "stops" : "holds");
    } else {
        add_waiting(table, candidate);
    }
    table_cell(table, TONE_PLAIN, document_text(candidate, "token", "-"));
    table_cell(table, TONE_PLAIN, document_text(candidate, "number", "-"));
    table_cell(table, TONE_PLAIN, terms);
    table_cell_cut(table, TONE_PLAIN, document_text(candidate, "value", ""));
}

static void add_all(struct table *table, const json_t *role, const char *key)
{
    const json_t *list = json_object_get(role, key);

    for (size_t i = 0; i < json_array_size(list); i++) {
        add_candidate(table, role, json_array_get(list, i));
    }
}

static void report_silent(const json_t *document)
{
    const json_t *silent = json_object_get(document, "unanswered");

    for (size_t i = 0; i < json_array_size(silent); i++) {
        struct failure failure;
        const char *name = json_string_value(json_array_get(silent, i));
        failure_set(&failure, EXIT_DONE, "%s has not answered: its candidates are not known",
                    name == NULL ? "?" : name);
        (void)failure_report(&failure);
    }
}

static enum exit_code print_roles(const json_t *document)
{
    static const struct column columns[] = {{"ROLE", false}, {"MEMBER", false}, {"", false},
                                            {"TOKEN", true}, {"NUMBER", true},  {"TERMS", false},
                                            {"VALUE", false}};
    const json_t *roles = json_object_get(document, "roles");
    struct printer printer;

    report_silent(document);
    if (json_array_size(roles) == 0) {
        const bool all = json_array_size(json_object_get(document, "unanswered")) == 0;
        fprintf(stderr, "doyen: nobody%s stands for any role\n", all ? "" : " who has answered");
        return EXIT_DONE;
    }
    printer_init(&printer);
    struct table *table = table_new(&printer, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < json_array_size(roles); i++) {
        add_all(table, json_array_get(roles, i), "holders");
        add_all(table, json_array_get(roles, i), "candidates");
    }
    return table_print(table) ? EXIT_DONE : EXIT_REFUSED;
}

static enum exit_code run_roles(struct cli *cli, int argc, char **argv)
{
    struct answer answer;
    struct failure failure;

    cli_parse(cli, &verb_roles, argc, argv, NULL);
    if (roles_ask(cli, &answer, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    enum exit_code code = EXIT_DONE;
    if (cli->json) {
        cli_print_document(&answer);
    } else {
        code = print_roles(answer.json);
    }
    answer_deinit(&answer);
    return code;
}
