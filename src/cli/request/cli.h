/* What the verbs of doyen share: what a verb is, the options of every verb, and the connection to
 * the daemon. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/request/client.h"
#include "cli/request/failure.h"

/* One run of the command. */
struct cli {
    const char *control; /* the options that say which daemon; NULL: not given */
    const char *url;
    const char *expect_user;
    bool json;
    bool tells_away;      /* on standard error, when the daemon goes away, and when it is back */
    struct doyen *client; /* NULL until cli_connect */
};

/* One verb: its name, its help, and its function. */
struct verb {
    const char *name;
    const char *arguments;             /* "[NODE]"; NULL: it takes none */
    const char *summary;               /* one line, for the list of verbs */
    const char *details;               /* what its own --help says below the options, or NULL */
    const char *example;               /* one line, as it is typed; NULL: `doyen NAME` alone */
    const struct argp_option *options; /* its own options, or NULL */
    argp_parser_t parse;               /* parses its options and arguments, or NULL */

    /* Runs the verb and returns the exit code. argv[0] is the verb's name for messages. */
    enum exit_code (*run)(struct cli *cli, int argc, char **argv);
};

void cli_deinit(struct cli *cli);

/* The options that stand before the verb or after it: --control, --url, --expect-user, --json. The
 * input of their parser is the struct cli. */
struct argp cli_global_argp(void);

/* Reads the verb's command line; `input` is what verb->parse finds in state->input. Does not
 * return when the line is wrong (exit 64) or asks for help (exit 0). */
void cli_parse(struct cli *cli, const struct verb *verb, int argc, char **argv, void *input);

/* For verb->parse: prints one line about what is wrong with the command line, and exits with 64. */
void cli_usage_error(const struct argp_state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* For verb->parse: the name of a role, which it returns, or the error above. */
const char *cli_role(const struct argp_state *state, const char *name);

/* The same of the name of a member, which `option` was given, and of a tag to look for. */
const char *cli_member(const struct argp_state *state, const char *option, const char *name);
const char *cli_tag(const struct argp_state *state, const char *option, const char *tag);

/* verb->parse of a verb that takes one ROLE alone; its input is a const char *, NULL at first. */
error_t cli_parse_role(int key, char *argument, struct argp_state *state);

/* Makes the client, unless that was done; it looks for the daemon when it asks. */
enum exit_code cli_connect(struct cli *cli, struct failure *failure);

/* Connects and requests `path`. On EXIT_DONE the caller has to deinit `answer`; otherwise it is
 * empty and the failure has been reported. */
enum exit_code cli_get(struct cli *cli, const char *path, struct answer *answer);
enum exit_code cli_post(struct cli *cli, const char *path, const json_t *body,
                        struct answer *answer);

/* Prints the daemon's document as it came. */
void cli_print_document(const struct answer *answer);
void cli_print_text(const char *text);

/* Requests `path` and prints the answer: with --json as it came, else by `print`. Returns the
 * result of `print`, or with --json, where `print` has not seen the document, that of `judge`
 * (NULL: EXIT_DONE). */
enum exit_code cli_show(struct cli *cli, const char *path,
                        enum exit_code (*print)(const json_t *document),
                        enum exit_code (*judge)(const json_t *document));

#endif
