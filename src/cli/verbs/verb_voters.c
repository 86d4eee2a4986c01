/* doyen voters: the voters of guard strict, and what each has promised. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/request/voters_ask.h"
#include "cli/verbs/verbs.h"

enum { RECORD_DIGITS = 8 }; /* as many as tell records apart for people */

static enum exit_code run_voters(struct cli *cli, int argc, char **argv);

const struct verb verb_voters = {
    .name = "voters",
    .summary = "The voters of guard strict, and what each has promised",
    .details =
        "One line per voter, in the order of --voters. All that are members are asked whether "
        "they vote; a question mark stands for one that has not answered, and for what only "
        "the voter itself shows. BOUND is for how long the voter grants "
        "nothing to anybody else than the life it has promised its epoch to.",
    .run = run_voters,
};

static void add_status(struct table *table, const json_t *voter)
{
    const bool unheard = document_is_true(voter, "member") && !document_is_true(voter, "heard");
    const char *status = document_text(voter, "voter", unheard ? "not heard" : "?");

    if (strcmp(status, "votes") == 0) {
        table_cell(table, TONE_GOOD, status);
    } else if (strcmp(status, "?") == 0) {
        table_cell(table, TONE_FAINT, status);
    } else {
        table_cell(table, strcmp(status, "founding") == 0 ? TONE_DOUBTFUL : TONE_BAD, status);
    }
}

/* "3 to byzantium", or the beginning of the life's id where nobody has it any more. */
static void add_promise(struct table *table, const json_t *voter)
{
    const json_t *promise = json_object_get(voter, "promise");
    char life[RECORD_DIGITS + 1];
    char text[96];

    snprintf(life, sizeof life, "%s", document_text(promise, "life", "?"));
    snprintf(text, sizeof text, "%" PRIu64 " to %s", document_number(promise, "epoch"),
             document_text(promise, "name", life));
    table_cell(table, TONE_PLAIN, document_has(voter, "promise") ? text : "-");
}

static void add_accepted(struct table *table, const json_t *voter)
{
    const json_t *accepted = json_object_get(voter, "accepted");
    char text[48];

    snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64, document_number(accepted, "epoch"),
             document_number(accepted, "version"));
    table_cell(table, TONE_PLAIN, document_has(voter, "accepted") ? text : "-");
}

static void add_duration(struct table *table, const json_t *voter, const char *key)
{
    char text[DURATION_TEXT_MAX];

    duration_text(text, document_number(voter, key));
    table_cell(table, TONE_PLAIN, document_has(voter, key) ? text : "-");
}

static void add_record(struct table *table, const json_t *voter)
{
    char record[RECORD_DIGITS + 1];

    snprintf(record, sizeof record, "%s", document_text(voter, "record_id", "-"));
    table_cell(table, TONE_PLAIN, record);
    add_promise(table, voter);
    add_accepted(table, voter);
    add_duration(table, voter, "until_ms");
    add_duration(table, voter, "sync_ms");
}

static void add_voter(struct table *table, const json_t *voter)
{
    table_row(table);
    table_cell(table, TONE_PLAIN, document_text(voter, "name", "?"));
    table_cell(table, TONE_PLAIN, document_is_true(voter, "member") ? "yes" : "no");
    add_status(table, voter);
    if (document_is_true(voter, "self")) {
        add_record(table, voter);
    } else {
        for (unsigned i = 0; i < 5; i++) {
            table_cell(table, TONE_FAINT, "?");
        }
    }
}

static enum exit_code print_voters(const json_t *document)
{
    static const struct column columns[] = {
        {"NAME", false},    {"MEMBER", false},  {"VOTES", false}, {"RECORD", false},
        {"PROMISED", true}, {"ACCEPTED", true}, {"BOUND", true},  {"SYNCED AGO", true}};
    const json_t *voters = json_object_get(document, "voters");
    struct printer printer;

    if (json_array_size(voters) == 0) {
        fprintf(stderr, "doyen: there are no voters: the guard is %s, not strict\n",
                document_text(document, "policy", "another one"));
        return EXIT_DONE;
    }
    printer_init(&printer);
    struct table *table = table_new(&printer, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < json_array_size(voters); i++) {
        add_voter(table, json_array_get(voters, i));
    }
    return table_print(table) ? EXIT_DONE : EXIT_REFUSED;
}

static enum exit_code run_voters(struct cli *cli, int argc, char **argv)
{
    struct answer answer;

    cli_parse(cli, &verb_voters, argc, argv, NULL);
    enum exit_code code = voters_ask(cli, "/v1/voters", &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    if (cli->json) {
        cli_print_document(&answer);
    } else {
        code = print_voters(answer.json);
    }
    answer_deinit(&answer);
    return code;
}
