/* doyen join: a further host of a cluster: fetches the key and what all nodes share from a host
 * that runs doyen invite, and starts the services. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/invite/joiner.h"
#include "cli/invite/setup.h"
#include "cli/verbs/verbs.h"
#include "seal/keyring.h"

enum { LINE_BYTES = 256 };

struct join_options {
    struct setup setup;
    char host[PLACE_HOST_MAX]; /* empty: not given */
    uint16_t port;
    bool has_word;
    uint8_t word[WORD_BYTES];
};

static enum exit_code run_join(struct cli *cli, int argc, char **argv);

static void parse_word(struct join_options *options, char *text, struct argp_state *state)
{
    if (!word_parse(text, options->word)) {
        cli_usage_error(state,
                        "that is no word of doyen invite, which has 26 letters and digits: take "
                        "the whole line that it printed");
    }
    options->has_word = true;
    memset(text, 'x', strlen(text)); /* Other accounts of this host read command lines. */
}

static error_t parse_join(int key, char *argument, struct argp_state *state)
{
    struct join_options *options = state->input;

    if (key == ARGP_KEY_END && options->host[0] == '\0') {
        cli_usage_error(state, "say which host let this one in, as in doyen join 10.0.0.1");
    }
    if (key != ARGP_KEY_ARG) {
        return key == ARGP_KEY_END ? 0 : setup_parse(&options->setup, key, argument, state);
    }
    if (options->has_word) {
        return ARGP_ERR_UNKNOWN;
    }
    if (options->host[0] != '\0') {
        parse_word(options, argument, state);
        return 0;
    }
    if (word_parse(argument, options->word)) { /* Or it would be looked up as a name of a host. */
        memset(argument, 'x', strlen(argument));
        cli_usage_error(state, "that is the word: give the host before it, as in doyen join "
                               "10.0.0.1");
    }
    if (!place_split(argument, INVITATION_PORT, options->host, &options->port)) {
        cli_usage_error(state,
                        "\"%s\" is no host: give an address or a name, as in 10.0.0.1 or "
                        "[fd00::1]:7419",
                        argument);
    }
    return 0;
}

static const struct argp_option join_options[] = {
    SETUP_OPTIONS,
    {.name = NULL},
};

const struct verb verb_join = {
    .name = "join",
    .arguments = "HOST[:PORT] [WORD]",
    .example = "doyen join 10.0.0.1",
    .summary = "Makes this host a member of the cluster of HOST, where doyen invite runs",
    .details =
        "Asks HOST for the cluster's key and for the settings that all nodes share, writes "
        "/etc/doyen/doyend.conf, and starts doyend, and doyen-run@NAME for each executable in "
        "/etc/doyen/run. Without WORD in the line it is asked for, or read from standard input, so "
        "that it is in no history of a shell. A host that was set up before is left as it is.\n\n"
        "Exit: 0 a member, or set up and to be started by hand; 1 refused, also a word that is not "
        "good; 4 HOST cannot be reached; 5 HOST does not answer in time, or doyend is no member "
        "within a minute.",
    .options = join_options,
    .parse = parse_join,
    .run = run_join,
};

/* From a terminal or a pipe. */
static enum exit_code read_word(struct join_options *options, struct failure *failure)
{
    char line[LINE_BYTES];

    if (isatty(STDIN_FILENO) != 0) {
        fputs("word (doyen invite has printed it): ", stderr);
        fflush(stderr);
    }
    if (fgets(line, sizeof line, stdin) == NULL) {
        return failure_set(failure, EXIT_USAGE,
                           "no word: doyen invite on %s prints it; type it, or give it after HOST",
                           options->host);
    }
    line[strcspn(line, "\r\n")] = '\0';
    const bool good = word_parse(line, options->word);
    secret_wipe(line, sizeof line);
    return good ? EXIT_DONE
                : failure_set(failure, EXIT_USAGE,
                              "that is no word of doyen invite, which has 26 letters and digits");
}

/* Where this host's doyend will be: what --listen says, else the address by which HOST is reached.
 */
static void own_address(const struct join_options *options, const struct joiner *joiner,
                        char address[LETTER_ADDRESS_MAX])
{
    const struct setup *setup = &options->setup;
    const bool given = setup->listen_host[0] != '\0' && !place_is_wildcard(setup->listen_host);

    (void)place_join(given ? setup->listen_host : joiner->own, setup->port, address);
}

static enum exit_code ask(const struct join_options *options, struct letter_answer *answer,
                          struct failure *failure)
{
    struct letter_ask question;
    struct joiner joiner;

    snprintf(question.name, sizeof question.name, "%s", options->setup.own_name);
    enum exit_code code = joiner_connect(&joiner, options->host, options->port, failure);
    if (code == EXIT_DONE) {
        own_address(options, &joiner, question.address);
        code = joiner_ask(&joiner, options->word, &question, answer, failure);
    }
    joiner_close(&joiner);
    return code;
}

/* Without asking, for that would use up the word. */
static enum exit_code show(const struct join_options *options, struct failure *failure)
{
    char conf[CONF_TEXT_MAX];

    if (setup_conf(&options->setup, "", conf, failure) != EXIT_DONE) {
        return failure->code;
    }
    printf(
        "; From %s come the key and the lines that all nodes share: seeds, guard, voters, timing.\n",
        options->host);
    setup_print(&options->setup, conf);
    return EXIT_DONE;
}

static enum exit_code join(struct join_options *options, struct failure *failure)
{
    const struct setup *setup = &options->setup;
    struct letter_answer answer;
    char conf[CONF_TEXT_MAX];
    bool started = false;

    if (!invitation_start()) {
        return failure_set(failure, EXIT_REFUSED, "libsodium is not usable");
    }
    if (setup_begin(&options->setup, failure) != EXIT_DONE) {
        return failure->code;
    }
    if (setup->dry_run) {
        return show(options, failure);
    }
    if (!options->has_word && read_word(options, failure) != EXIT_DONE) {
        return failure->code;
    }
    enum exit_code code = ask(options, &answer, failure);
    if (code == EXIT_DONE) {
        code = setup_conf(setup, answer.conf, conf, failure);
    }
    if (code == EXIT_DONE) {
        code = setup_write(setup, answer.keys, conf, failure);
    }
    secret_wipe(&answer, sizeof answer);
    if (code == EXIT_DONE) {
        code = setup_start(setup, &started, failure);
    }
    if (code == EXIT_DONE && started) {
        printf("%s is a member: doyen members shows all of them\n", setup->own_name);
    }
    return code;
}

static enum exit_code run_join(struct cli *cli, int argc, char **argv)
{
    struct join_options options = {.has_word = false};
    struct failure failure;

    cli_parse(cli, &verb_join, argc, argv, &options);
    const enum exit_code code = join(&options, &failure);
    secret_wipe(options.word, sizeof options.word);
    return code == EXIT_DONE ? code : failure_report(&failure);
}
