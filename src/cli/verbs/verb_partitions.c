/* doyen partitions: which member keeps which partition, or that of a key. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

static enum exit_code run_partitions(struct cli *cli, int argc, char **argv);

struct partitions_options {
    const char *key;  /* NULL: the table */
    const char *post; /* NULL: nothing is said */
};

static void set_post(struct partitions_options *options, const char *path,
                     const struct argp_state *state)
{
    if (options->post != NULL) {
        cli_usage_error(state,
                        "--hold, --ready and --done contradict each other: give one of them");
    }
    options->post = path;
}

static error_t parse(int option, char *argument, struct argp_state *state)
{
    struct partitions_options *options = state->input;

    switch (option) {
    case 'H':
        set_post(options, "/v1/partitions/hold", state);
        return 0;
    case 'r':
        set_post(options, "/v1/partitions/ready", state);
        return 0;
    case 'd':
        set_post(options, "/v1/partitions/done", state);
        return 0;
    case ARGP_KEY_ARG:
        if (options->key != NULL) {
            return ARGP_ERR_UNKNOWN;
        }
        if (argument[0] == '\0') {
            cli_usage_error(state, "KEY is empty: give a key, or leave it out for the whole table");
        }
        options->key = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->key != NULL && options->post != NULL) {
            cli_usage_error(state, "a key beside --hold, --ready or --done: these are said of all "
                                   "partitions of this node");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option partitions_options[] = {
    {.name = "hold",
     .key = 'H',
     .doc = "Promises what this node owns now, to the program that asks: one line for each token, "
            "then until when. It is not let go of sooner unless by --done"},
    {.name = "ready",
     .key = 'r',
     .doc = "Says that all is ready for what this node is to own (doyend --partitions N,DUR)"},
    {.name = "done",
     .key = 'd',
     .doc = "Says that no program of this host goes by what was promised any more"},
    {0},
};

const struct verb verb_partitions = {
    .name = "partitions",
    .arguments = "[KEY]",
    .summary = "Which member keeps which partition (doyend --partitions), or that of a key",
    .details =
        "An experiment. One line per member: how many partitions it is to own, how many it keeps with those "
        "it backs up, how many it owns by now, as far as this node knows, and which it is to "
        "own. With KEY one line: the key's partition, its owner, then its backups. A table "
        "is advisory: two parts of a network have one each.\n\n"
        "Exit: 0, 1 when the node was started without --partitions, 3 when it has no table "
        "yet.",
    .options = partitions_options,
    .parse = parse,
    .example = "doyen partitions order/4711",
    .run = run_partitions,
};

static enum exit_code ask(struct cli *cli, const char *key, struct answer *answer)
{
    struct failure failure;
    char path[2048];

    if (key == NULL) {
        return cli_get(cli, "/v1/partitions", answer);
    }
    if (cli_connect(cli, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    char *escaped = client_escape(key);
    const int length = escaped == NULL
                           ? -1
                           : snprintf(path, sizeof path, "/v1/partitions?key=%s", escaped);
    free(escaped);
    if (length < 0 || (size_t)length >= sizeof path) {
        failure_set(&failure, EXIT_USAGE,
                    "%.80s...: too long for a key on the command line: give a shorter one", key);
        return failure_report(&failure);
    }
    return cli_get(cli, path, answer);
}

static const char *name_at(const json_t *names, size_t index)
{
    const char *name = json_string_value(json_array_get(names, index));

    return name == NULL ? "?" : name;
}

static void print_keepers(const json_t *document)
{
    const json_t *keepers = json_object_get(document, "keepers");

    printf("%" PRIu64, document_number(document, "partition"));
    for (size_t i = 0; i < json_array_size(keepers); i++) {
        printf(" %s", name_at(keepers, i));
    }
    printf("\n");
}

/* "0-3,7": the partitions whose owner is at that place. The text is the caller's to free. */
static char *owned_text(const json_t *table, size_t place)
{
    const size_t count = json_array_size(table);
    const size_t size = 16 * count + 2;
    char *text = calloc(1, size);
    size_t used = 0;

    for (size_t from = 0; text != NULL && from < count; from++) {
        size_t end = from;
        while (end < count && json_integer_value(json_array_get(json_array_get(table, end), 0)) ==
                                  (json_int_t)place) {
            end++;
        }
        if (end == from) {
            continue;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%zu", used == 0 ? "" : ",", from);
        if (end > from + 1) {
            used += (size_t)snprintf(text + used, size - used, "-%zu", end - 1);
        }
        from = end;
    }
    return text;
}

static enum exit_code print_table(const json_t *document)
{
    static const struct column columns[] = {
        {"NAME", false}, {"OWNS", true}, {"KEEPS", true}, {"HELD", true}, {"PARTITIONS", false}};
    const json_t *members = json_object_get(document, "members");
    const json_t *change = json_object_get(document, "change");
    struct printer printer;

    printer_init(&printer);
    struct table *table = table_new(&printer, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < json_array_size(members); i++) {
        const json_t *member = json_array_get(members, i);
        char *owned = owned_text(json_object_get(document, "table"), i);
        table_row(table);
        table_cell(table, TONE_PLAIN, document_text(member, "name", "?"));
        table_cell_number(table, document_number(member, "owned"));
        table_cell_number(table, document_number(member, "kept"));
        if (document_has(member, "held")) {
            table_cell_number(table, document_number(member, "held"));
        } else {
            table_cell(table, TONE_PLAIN, "-");
        }
        table_cell(table, TONE_PLAIN, owned == NULL || owned[0] == '\0' ? "-" : owned);
        free(owned);
    }
    const bool printed = table_print(table);
    fprintf(stderr, "view %s.%s%s: %" PRIu64 " copies moved, the least is %" PRIu64 "\n",
            document_text(document, "epoch", "?"), document_text(document, "version", "?"),
            document_is_true(document, "settled") ? "" : ", the next one is under way",
            document_number(change, "moved"), document_number(change, "least"));
    return printed ? EXIT_DONE : EXIT_REFUSED;
}

/* "0-3,7": the partitions of a list, in its order. */
static void print_list(const json_t *list)
{
    const size_t count = json_array_size(list);

    for (size_t from = 0; from < count; from++) {
        const json_int_t first = json_integer_value(json_array_get(list, from));
        size_t end = from;
        while (end + 1 < count && json_integer_value(json_array_get(list, end + 1)) ==
                                      first + (json_int_t)(end + 1 - from)) {
            end++;
        }
        printf("%s%" JSON_INTEGER_FORMAT, from == 0 ? "" : ",", first);
        if (end > from) {
            printf("-%" JSON_INTEGER_FORMAT, first + (json_int_t)(end - from));
        }
        from = end;
    }
}

static void print_held(const json_t *document)
{
    const json_t *held = json_object_get(document, "held");

    for (size_t i = 0; i < json_array_size(held); i++) {
        const json_t *batch = json_array_get(held, i);
        printf("%s ", document_text(batch, "token", "?"));
        print_list(json_object_get(batch, "partitions"));
        printf("\n");
    }
    fprintf(stderr, "for %" PRIu64 " ms, %s\n", document_number(document, "holding_ms"),
            document_text(document, "owning_is", "advisory"));
}

static enum exit_code say(struct cli *cli, const char *path)
{
    struct answer answer = {.json = NULL};
    const enum exit_code code = cli_post(cli, path, NULL, &answer);

    if (code != EXIT_DONE) {
        return code;
    }
    if (cli->json) {
        cli_print_document(&answer);
    } else {
        print_held(answer.json);
    }
    answer_deinit(&answer);
    return EXIT_DONE;
}

/* What the document is without, said on stderr. */
static enum exit_code check(const json_t *document)
{
    if (!document_has(document, "partitions")) {
        fprintf(stderr, "doyen: this node keeps no partitions: start doyend on all members with "
                        "--partitions N\n");
        return EXIT_REFUSED;
    }
    if (!document_has(document, "epoch")) {
        fprintf(stderr, "doyen: this node has no table of partitions yet\n");
        return EXIT_NO_COORDINATOR;
    }
    return EXIT_DONE;
}

static enum exit_code run_partitions(struct cli *cli, int argc, char **argv)
{
    struct partitions_options options = {.key = NULL};
    struct answer answer = {.json = NULL};

    cli_parse(cli, &verb_partitions, argc, argv, &options);
    if (options.post != NULL) {
        return say(cli, options.post);
    }
    enum exit_code code = ask(cli, options.key, &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    if (cli->json) {
        cli_print_document(&answer);
    }
    code = check(answer.json);
    if (code == EXIT_DONE && !cli->json) {
        if (options.key == NULL) {
            code = print_table(answer.json);
        } else {
            print_keepers(answer.json);
        }
    }
    answer_deinit(&answer);
    return code;
}
