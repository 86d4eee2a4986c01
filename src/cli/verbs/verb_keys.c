/* doyen keys: the keys of this node, who holds them, and changing them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/print/printer.h"
#include "cli/request/cli.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

enum { PATH_BYTES = 64 };

struct keys_options {
    const char *what; /* NULL: show them */
    const char *key;
};

static bool takes_key(const char *what)
{
    return strcmp(what, "use") == 0 || strcmp(what, "remove") == 0;
}

static bool is_fingerprint(const char *text)
{
    return strlen(text) == 4 && strspn(text, "0123456789abcdef") == 4;
}

static error_t parse_keys(int key, char *argument, struct argp_state *state)
{
    struct keys_options *options = state->input;

    if (key == ARGP_KEY_END && options->what != NULL && takes_key(options->what) &&
        options->key == NULL) {
        cli_usage_error(state, "%s which key? Give its fingerprint, as in 3fa2", options->what);
    }
    if (key != ARGP_KEY_ARG) {
        return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
    }
    if (options->what == NULL) {
        if (!takes_key(argument) && strcmp(argument, "reload") != 0) {
            cli_usage_error(state, "'%s': say reload, use KEY or remove KEY, or nothing", argument);
        }
        options->what = argument;
    } else if (!takes_key(options->what)) {
        cli_usage_error(state, "%s is too much: reload reads the file of doyend --key again",
                        argument);
    } else if (options->key != NULL) {
        cli_usage_error(state, "%s is too much: one key at a time", argument);
    } else if (!is_fingerprint(argument)) {
        cli_usage_error(state, "'%s' is no fingerprint: it has four digits of 0-9a-f, as 3fa2",
                        argument);
    } else {
        options->key = argument;
    }
    return 0;
}

static enum exit_code run_keys(struct cli *cli, int argc, char **argv);

const struct verb verb_keys = {
    .name = "keys",
    .arguments = "[reload | use KEY | remove KEY]",
    .summary = "The keys of this node, who holds them, and changing them",
    .details =
        "One line per key of --key, the one that seals first. HELD says how many members of "
        "the view hold it, as far as they have said; USED, when another member sealed with "
        "it last.\n\n"
        "reload takes up the key file as it is now; use makes a key of it the first, remove "
        "takes one out, both also in the file, which other nodes may share. What would leave "
        "a member behind is refused, and so are use and remove at a node that is not in.\n\n"
        "Exit: 1 when it was refused.",
    .parse = parse_keys,
    .example = "doyen keys use 8a2c",
    .run = run_keys,
};

static void add_key(struct table *table, const json_t *key)
{
    const uint64_t held = document_number(key, "held");
    const uint64_t members = document_number(key, "members");
    char since[DURATION_TEXT_MAX];
    char text[160];

    table_row(table);
    table_cell(table, TONE_PLAIN, document_text(key, "key", "?"));
    table_cell(table, TONE_PLAIN, document_is_true(key, "seals") ? "seals" : "opens");
    snprintf(text, sizeof text, "by %" PRIu64 " of %" PRIu64, held, members);
    table_cell(table, held < members ? TONE_DOUBTFUL : TONE_GOOD, text);
    if (!document_has(key, "used_since_ms")) {
        table_cell(table, TONE_FAINT, "by nobody yet");
        return;
    }
    duration_text(since, document_number(key, "used_since_ms"));
    snprintf(text, sizeof text, "%s ago by %.64s", since,
             document_text(key, "used_by", "one that left"));
    table_cell(table, TONE_PLAIN, text);
}

static enum exit_code print_keys(const json_t *document)
{
    static const struct column columns[] = {
        {"KEY", false}, {"DOES", false}, {"HELD", false}, {"USED", false}};
    const json_t *keys = json_object_get(document, "keys");
    struct printer printer;

    if (json_array_size(keys) == 0) {
        fprintf(stderr, "doyen: this node has no key: frames are not sealed\n");
        return EXIT_DONE;
    }
    printer_init(&printer);
    struct table *table = table_new(&printer, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < json_array_size(keys); i++) {
        add_key(table, json_array_get(keys, i));
    }
    return table_print(table) ? EXIT_DONE : EXIT_REFUSED;
}

static enum exit_code change_keys(struct cli *cli, const struct keys_options *options)
{
    char path[PATH_BYTES];
    struct answer answer;

    snprintf(path, sizeof path, "/v1/keys/%s%s%s", options->what,
             options->key == NULL ? "" : "?key=", options->key == NULL ? "" : options->key);
    const enum exit_code code = cli_post(cli, path, NULL, &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    if (cli->json) {
        cli_print_document(&answer);
        answer_deinit(&answer);
        return EXIT_DONE;
    }
    const enum exit_code printed = print_keys(answer.json);
    answer_deinit(&answer);
    return printed;
}

static enum exit_code run_keys(struct cli *cli, int argc, char **argv)
{
    struct keys_options options = {.what = NULL};

    cli_parse(cli, &verb_keys, argc, argv, &options);
    return options.what == NULL ? cli_show(cli, "/v1/keys", print_keys, NULL)
                                : change_keys(cli, &options);
}
