/* What the verbs of doyen share: the options every verb takes, the way to the daemon, and the
 * table of the verbs themselves. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/client.h"
#include "cli/failure.h"
#include "cli/target.h"

/* One run of the command. */
struct cli {
    struct target_wish wish;
    char runtime_directory[TARGET_URL_MAX]; /* $XDG_RUNTIME_DIR/doyen; empty without it */
    bool json;
    struct client *client; /* NULL until cli_connect */
};

/* One verb: how it is called, what --help says of it, and what it does. */
struct verb {
    const char *name;
    const char *arguments;             /* "[NODE]"; NULL: it takes none */
    const char *summary;               /* one line, for the list of verbs */
    const char *details;               /* what its own --help says below the options, or NULL */
    const struct argp_option *options; /* its own ones, or NULL */
    argp_parser_t parse;               /* takes its options and arguments, or NULL */

    /* Does it, and returns the exit code. argv[0] is what messages call the verb. */
    enum exit_code (*run)(struct cli *cli, int argc, char **argv);
};

extern const struct verb verb_coordinator;
extern const struct verb verb_fault;
extern const struct verb verb_history;
extern const struct verb verb_leave;
extern const struct verb verb_matrix;
extern const struct verb verb_members;
extern const struct verb verb_status;
extern const struct verb verb_version;
extern const struct verb verb_wait;
extern const struct verb verb_watch;
extern const struct verb verb_why;

/* Takes where to look for the daemon from the environment. */
void cli_init(struct cli *cli);
void cli_deinit(struct cli *cli);

/* The options that stand before the verb or after it: --control, --url, --json. The input of
 * their parser is the struct cli. */
struct argp cli_global_argp(void);

/* Reads the verb's command line; `input` is what verb->parse finds in state->input. Does not
 * return when the line is wrong (exit 64) or asks for help (exit 0). */
void cli_parse(struct cli *cli, const struct verb *verb, int argc, char **argv, void *input);

/* For verb->parse: one line that says what is wrong with the command line, and exit 64. */
void cli_usage_error(const struct argp_state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* Finds the daemon, unless that was done; says nothing to it yet. */
enum exit_code cli_connect(struct cli *cli, struct failure *failure);

/* Connects and asks for `path`. On EXIT_DONE `answer` is the caller's to deinit; else it is
 * empty and the failure has been reported. */
enum exit_code cli_get(struct cli *cli, const char *path, struct answer *answer);
enum exit_code cli_post(struct cli *cli, const char *path, const json_t *body,
                        struct answer *answer);

/* Prints the daemon's document as it came. */
void cli_print_document(const struct answer *answer);

/* Asks for `path` and prints the answer: with --json as it came, else by `print`. Returns what
 * `print` does, or, as nobody has looked at the document with --json, what `judge` does (NULL:
 * EXIT_DONE). */
enum exit_code cli_show(struct cli *cli, const char *path,
                        enum exit_code (*print)(const json_t *document),
                        enum exit_code (*judge)(const json_t *document));

#endif
