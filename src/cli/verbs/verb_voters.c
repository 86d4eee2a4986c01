/* doyen voters: the voters of guard strict, what each has promised, and changing them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/print/duration_option.h"
#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/request/voters_ask.h"
#include "cli/verbs/verbs.h"
#include "cli/verbs/voters_change.h"
#include "cli/verbs/witness_find.h"

enum {
    RECORD_DIGITS = 8, /* as many as tell records apart for people */
    TIMEOUT_MS = 30000,
    NAME_TEXT_MAX = 128, /* more than a name has, so that one that is too long stays so */
};

struct voters_options {
    const char *what; /* NULL: show them */
    const char *name;
    const char *with;
    const char *witness;          /* HOST:PORT, as given; NULL: the newcomer is a member */
    char address[PLACE_TEXT_MAX]; /* which that is */
    bool dry_run;
    uint64_t timeout_ms;
};

static bool is_word(const char *text)
{
    return strcmp(text, "add") == 0 || strcmp(text, "remove") == 0 ||
           strcmp(text, "replace") == 0 || strcmp(text, "set") == 0;
}

static void take_word(struct voters_options *options, const char *word, struct argp_state *state)
{
    if (options->what == NULL) {
        if (!is_word(word)) {
            cli_usage_error(state,
                            "%s: say add NAME, remove NAME, replace NAME [WITH] or set A,B,C, or "
                            "nothing",
                            word);
        }
        options->what = word;
    } else if (options->name == NULL) {
        options->name = word;
    } else if (options->with == NULL && strcmp(options->what, "replace") == 0) {
        options->with = word;
    } else if (strcmp(options->what, "set") == 0) {
        cli_usage_error(state, "put commas between the names, as in set %s,%s", options->name,
                        word);
    } else if (strcmp(options->what, "replace") == 0) {
        cli_usage_error(state, "\"%s\" is too much: write replace %s %s", options->with,
                        options->name, word);
    } else {
        cli_usage_error(state, "%s: one voter at a time, or all that are to vote: set A,B,C", word);
    }
}

/* Of "athens,,cyrene" one name is missing. */
static bool lacks_a_name(const char *names)
{
    const size_t length = strlen(names);

    return length == 0 || names[0] == ',' || names[length - 1] == ',' ||
           strstr(names, ",,") != NULL;
}

/* Of set there are several, with commas between them. */
static void check_names(const struct voters_options *options, struct argp_state *state)
{
    const char *ends = strcmp(options->what, "set") == 0 ? "," : "";
    char name[NAME_TEXT_MAX];

    if (lacks_a_name(options->name)) {
        cli_usage_error(state, "%s '%s': a name is missing", options->what, options->name);
    }
    for (const char *at = options->name; *at != '\0';) {
        const size_t length = strcspn(at, ends);
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        (void)cli_member(state, options->what, name);
        at += length + (at[length] != '\0');
    }
    if (options->with != NULL) {
        (void)cli_member(state, options->what, options->with);
    }
}

static void check_end(const struct voters_options *options, struct argp_state *state)
{
    if (options->what != NULL && options->name == NULL) {
        cli_usage_error(state, "%s whom? Give %s", options->what,
                        strcmp(options->what, "set") == 0 ? "the names, as in athens,byzantium"
                                                          : "a name");
    }
    if (options->what != NULL && options->name != NULL) {
        check_names(options, state);
    }
    if (options->what == NULL && options->dry_run) {
        cli_usage_error(state, "--dry-run goes with add, remove, replace or set");
    }
    if (options->witness != NULL &&
        (options->what == NULL || strcmp(options->what, "remove") == 0)) {
        cli_usage_error(state, "--witness goes with add, replace or set");
    }
}

static error_t parse_voters(int key, char *argument, struct argp_state *state)
{
    struct voters_options *options = state->input;

    switch (key) {
    case 't':
        options->timeout_ms = duration_timeout(state, argument);
        return 0;
    case 'n':
        options->dry_run = true;
        return 0;
    case 'w':
        options->witness = argument;
        return 0;
    case ARGP_KEY_ARG:
        take_word(options, argument, state);
        return 0;
    case ARGP_KEY_END:
        check_end(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option voters_options[] = {
    {.name = "dry-run", .key = 'n', .doc = "Only say what would be done, or why it would not be"},
    {.name = "witness",
     .key = 'w',
     .arg = "HOST:PORT",
     .doc = "The newcomer is no member: a doyen-witness at HOST:PORT, which has the cluster's key; "
            "a name is looked up once, and the address stays"},
    {.name = "timeout",
     .key = 't',
     .arg = "DUR",
     .doc = "Give up waiting after this (500ms, 5s, 2m); 30s if not given"},
    {.name = NULL},
};

static enum exit_code run_voters(struct cli *cli, int argc, char **argv);

const struct verb verb_voters = {
    .name = "voters",
    .arguments = "[add NAME | remove NAME | replace NAME [WITH] | set A,B,C] [--witness "
                 "HOST:PORT]",
    .summary = "The voters of guard strict: lists or changes them while the cluster runs",
    .details =
        "One line per voter. All that are members are asked whether they vote; a question mark "
        "stands for one that has not answered, and for what only the voter itself shows. BOUND is "
        "for how long the voter grants nothing to anybody else than the life it has promised its "
        "epoch to. A witness is no member: it is asked by the coordinator, seldom unless it is "
        "needed, and LAST is how long ago it answered.\n\n"
        "add, remove, replace and set have other members vote, which need a --state-dir; nobody "
        "stops acting for it. replace without WITH gives the same node another record, for one "
        "that it has lost, which a witness may be, too. They wait until that is settled.\n\n"
        "Exit: 1 when the change is refused, 3 when nobody acts, 5 when it is not settled in time; "
        "it may still come about then.",
    .options = voters_options,
    .parse = parse_voters,
    .example = "doyen voters replace cyrene delphi",
    .run = run_voters,
};

static void add_status(struct table *table, const json_t *voter)
{
    const bool is_known = document_is_true(voter, "member") ||
                          (document_is_true(voter, "witness") &&
                           document_has(voter, "last_answered_ms"));
    const bool unheard = is_known && !document_is_true(voter, "heard");
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
}

static void add_own(struct table *table, const json_t *voter)
{
    add_promise(table, voter);
    add_accepted(table, voter);
    add_duration(table, voter, "until_ms");
    add_duration(table, voter, "sync_ms");
}

static void add_voter(struct table *table, const json_t *voter)
{
    table_row(table);
    table_cell(table, TONE_PLAIN, document_text(voter, "name", "?"));
    table_cell(table, TONE_PLAIN,
               document_is_true(voter, "witness")  ? "witness"
               : document_is_true(voter, "member") ? "yes"
                                                   : "no");
    add_status(table, voter);
    add_record(table, voter);
    if (document_is_true(voter, "self")) {
        add_own(table, voter);
    } else {
        for (unsigned i = 0; i < 4; i++) {
            table_cell(table, TONE_FAINT, "?");
        }
    }
    add_duration(table, voter, "last_answered_ms");
}

/* "2 of 3 voters, 2 needed: none can be spared" */
static void print_counts(const json_t *document)
{
    const uint64_t voting = document_number(document, "voting");
    const uint64_t needed = document_number(document, "needed");
    const uint64_t spare = document_number(document, "spare");
    char spared[48] = "none";

    if (spare > 0) {
        snprintf(spared, sizeof spared, "%" PRIu64, spare);
    }
    printf("%" PRIu64 " of %" PRIu64 " voters, %" PRIu64 " needed: %s%s\n", voting,
           document_number(document, "count"), needed, voting < needed ? "too few" : spared,
           voting < needed ? "" : " can be spared");
}

static void print_change(const json_t *document)
{
    const json_t *change = json_object_get(document, "change");
    char words[CHANGE_WORDS_MAX];

    if (document_has(document, "change")) {
        voters_change_words(json_object_get(change, "from"), json_object_get(change, "to"), true,
                            words);
        printf("change: %s\n", words);
    }
}

/* Of the coordinator: who is about to be replaced, or that nobody is there for it (Z17). */
static void print_target(const json_t *document)
{
    char in[DURATION_TEXT_MAX];

    if (!document_has(document, "target")) {
        return;
    }
    printf("target: %" PRIu64 " voters", document_number(document, "target"));
    if (document_has(document, "replaces")) {
        duration_text(in, document_number(document, "replaces_in_ms"));
        const char *goes = document_text(document, "replaces", "?");
        const char *comes = document_text(document, "stands_in", "whoever can");
        const bool is_itself = strcmp(goes, comes) == 0;
        printf("; %s does not vote, and %s %s in %s", goes, is_itself ? "gets" : "is replaced by",
               is_itself ? "another record" : comes, in);
    }
    if (document_has(document, "replaces") && !document_has(document, "stands_in")) {
        printf(": nobody can stand in now");
    } else if (json_is_true(json_object_get(document, "lacking")) &&
               !document_has(document, "replaces")) {
        printf("; it waits for as many members that can keep a record");
    }
    printf("\n");
}

static enum exit_code print_voters(const json_t *document)
{
    static const struct column columns[] = {
        {"NAME", false},   {"MEMBER", false},    {"VOTES", false},
        {"RECORD", false}, {"PROMISED", true},   {"ACCEPTED", true},
        {"BOUND", true},   {"SYNCED AGO", true}, {"LAST", true}};
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
    if (!table_print(table)) {
        return EXIT_REFUSED;
    }
    print_change(document);
    print_target(document);
    print_counts(document);
    return EXIT_DONE;
}

static enum exit_code show(struct cli *cli)
{
    struct answer answer;
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

/* "athens,byzantium": empty names are refused by the daemon. */
static json_t *names_of(const char *list)
{
    json_t *names = json_array();
    size_t length;

    for (const char *at = list; names != NULL; at += length + 1) {
        length = strcspn(at, ",");
        (void)json_array_append_new(names, json_stringn(at, length));
        if (at[length] == '\0') {
            break;
        }
    }
    return names;
}

static json_t *body_of(const struct voters_options *options)
{
    json_t *body = json_object();

    (void)json_object_set_new(body, options->what,
                              strcmp(options->what, "set") == 0 ? names_of(options->name)
                                                                : json_string(options->name));
    if (options->with != NULL) {
        (void)json_object_set_new(body, "with", json_string(options->with));
    }
    if (options->witness != NULL) {
        (void)json_object_set_new(body, "witness", json_string(options->address));
    }
    if (options->dry_run) {
        (void)json_object_set_new(body, "dry_run", json_true());
    }
    return body;
}

static enum exit_code run_voters(struct cli *cli, int argc, char **argv)
{
    struct voters_options options = {.timeout_ms = TIMEOUT_MS};

    cli_parse(cli, &verb_voters, argc, argv, &options);
    if (options.what == NULL) {
        return show(cli);
    }
    if (options.witness != NULL) {
        const enum exit_code found = witness_find(options.witness, options.address);
        if (found != EXIT_DONE) {
            return found;
        }
    }
    json_t *body = body_of(&options);
    const enum exit_code code = voters_change(cli, body, options.timeout_ms);
    json_decref(body);
    return code;
}
