#include "cli/request/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "usage/usage.h"

enum {
    KEY_EXPECT_USER = 0x100, /* no letter stands for it */
    NAME_BYTES_MAX = 63,
};

void cli_deinit(struct cli *cli)
{
    doyen_close(cli->client);
    cli->client = NULL;
}

/* A variable of a script that is not set must not choose another daemon, nor must the one that is
 * named behind the verb take the place of the one before it. */
static const char *require(const struct argp_state *state, const char *option, const char *argument,
                           const char *before)
{
    if (before != NULL) {
        cli_usage_error(state, "%s: said before: keep one", option);
    }
    if (argument[0] == '\0') {
        cli_usage_error(state, "%s is empty: say which daemon is meant, or leave it out", option);
    }
    return argument;
}

static error_t parse_global(int key, char *argument, struct argp_state *state)
{
    struct cli *cli = state->input;

    switch (key) {
    case 'c':
        cli->control = require(state, "--control", argument, cli->control);
        return 0;
    case 'u':
        cli->url = require(state, "--url", argument, cli->url);
        return 0;
    case KEY_EXPECT_USER:
        cli->expect_user = require(state, "--expect-user", argument, cli->expect_user);
        return 0;
    case 'j':
        cli->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

struct argp cli_global_argp(void)
{
    static const struct argp_option options[] = {
        {.name = "control", .key = 'c', .arg = "PATH", .doc = "Control socket of the daemon"},
        {.name = "url", .key = 'u', .arg = "URL", .doc = "Address of doyend --http, instead"},
        {.name = "expect-user",
         .key = KEY_EXPECT_USER,
         .arg = "USER",
         .doc = "Account of the daemon if neither root's nor yours"},
        {.name = "json", .key = 'j', .doc = "Print the daemon's JSON"},
        {.name = NULL},
    };
    return (struct argp){.options = options, .parser = parse_global};
}

void cli_usage_error(const struct argp_state *state, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    usage_refuse_list(state->name, format, arguments);
}

/* Roles and members may have the same names. */
static bool is_name(const char *name)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t length = strlen(name);

    return length > 0 && length <= NAME_BYTES_MAX && name[0] != '-' &&
           strspn(name, allowed) == length;
}

const char *cli_role(const struct argp_state *state, const char *name)
{
    if (!is_name(name)) {
        cli_usage_error(state,
                        "'%.80s' is not the name of a role: use 1 to %d of A-Z a-z 0-9 . _ -, no "
                        "dash first",
                        name, NAME_BYTES_MAX);
    }
    return name;
}

error_t cli_parse_role(int key, char *argument, struct argp_state *state)
{
    const char **role = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        if (*role != NULL) {
            cli_usage_error(state, "%s: one role is enough, and %s was named", argument, *role);
        }
        *role = cli_role(state, argument);
        return 0;
    case ARGP_KEY_END:
        if (*role == NULL) {
            cli_usage_error(state, "no role: write %s ROLE", state->name);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const char *cli_member(const struct argp_state *state, const char *option, const char *name)
{
    if (name[0] == '\0') {
        cli_usage_error(state, "%s is empty: give the name of a member", option);
    }
    if (!is_name(name)) {
        cli_usage_error(state,
                        "%s: no member can be called '%.80s': a name has 1 to %d of A-Z a-z 0-9 . "
                        "_ -, no dash first",
                        option, name, NAME_BYTES_MAX);
    }
    return name;
}

const char *cli_tag(const struct argp_state *state, const char *option, const char *tag)
{
    const size_t key_bytes = strcspn(tag, "=");

    if (key_bytes == 0 || memchr(tag, ' ', key_bytes) != NULL) {
        cli_usage_error(state, "%s %.80s: give KEY or KEY=VALUE, and no blank in the key", option,
                        tag);
    }
    return tag;
}

/* What the parsers of a verb's command line work on. */
struct parsing {
    const struct verb *verb;
    void *input;
    struct cli *cli;
};

/* Stands above the other parsers and gives each its input. */
static error_t parse_whole(int key, char *argument, struct argp_state *state)
{
    struct parsing *parsing = state->input;

    (void)argument;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = parsing->input;
        state->child_inputs[1] = parsing->cli;
        state->child_inputs[2] = parsing;
        return 0;
    case 'h':
    case '?':
        usage_help(state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Comes last, and so sees the words that the verb's own parser did not take. */
static error_t parse_rest(int key, char *argument, struct argp_state *state)
{
    const struct parsing *parsing = state->input;
    const struct verb *verb = parsing->verb;

    if (key == ARGP_KEY_ARG && verb->arguments == NULL) {
        cli_usage_error(state, "\"%s\" is too much: it takes no argument", argument);
    }
    if (key == ARGP_KEY_ARG) {
        cli_usage_error(state, "\"%s\" is too much: write %s %s", argument, state->name,
                        verb->arguments);
    }
    return ARGP_ERR_UNKNOWN;
}

void cli_parse(struct cli *cli, const struct verb *verb, int argc, char **argv, void *input)
{
    static const struct argp_option help[] = {
        {.name = "help", .key = 'h', .doc = "Print this", .group = -1},
        {.key = '?', .flags = OPTION_HIDDEN}, /* The letter that argp has for it. */
        {.name = NULL},
    };
    struct parsing parsing = {.verb = verb, .input = input, .cli = cli};
    const struct argp verbs_own = {.options = verb->options, .parser = verb->parse};
    const struct argp global = cli_global_argp();
    const struct argp rest = {.parser = parse_rest};
    const struct argp_child children[] = {
        {.argp = &verbs_own},
        {.argp = &global, .header = "Which daemon, and how to print:", .group = 1},
        {.argp = &rest},
        {.argp = NULL},
    };
    char text[4096];

    snprintf(text, sizeof text, "%s\v%s%sExample:\n  %s%s", verb->summary,
             verb->details == NULL ? "" : verb->details, verb->details == NULL ? "" : "\n\n",
             verb->example == NULL ? "doyen " : verb->example,
             verb->example == NULL ? verb->name : "");
    const struct argp whole = {.options = help,
                               .parser = parse_whole,
                               .args_doc = verb->arguments,
                               .doc = text,
                               .children = children};
    usage_parse(&whole, argv[0], argc, argv, 0, &parsing);
}

/* A mistyped DOYEN_CONTROL would leave the choice of the daemon to chance. Other variables are
 * doyend's business. */
static void warn_of_typos(void)
{
    static const char *const known[] = {"DOYEN_CONTROL", "DOYEN_URL", "DOYEN_EXPECT_USER"};
    char name[sizeof "DOYEN_EXPECT_USER" + 2];

    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        const size_t length = strcspn(*variable, "=");
        if (strncmp(*variable, "DOYEN_", strlen("DOYEN_")) != 0 || length >= sizeof name) {
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)length, *variable);
        const char *near = suggest_nearest(name, known, sizeof known / sizeof known[0]);
        if (near != NULL && strcmp(near, name) != 0) {
            fprintf(stderr, "doyen: %s is not looked at (did you mean %s?)\n", name, near);
        }
    }
}

static bool is_given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static bool is_wished_for(const struct cli *cli)
{
    return is_given(cli->control) || is_given(cli->url) || is_given(getenv("DOYEN_CONTROL")) ||
           is_given(getenv("DOYEN_URL"));
}

static void tell_line(void *user, const char *line)
{
    struct failure failure;

    (void)user;
    (void)failure_set(&failure, EXIT_UNREACHABLE, "%s", line);
    (void)failure_report(&failure);
}

enum exit_code cli_connect(struct cli *cli, struct failure *failure)
{
    const struct doyen_options options = {.size = sizeof options,
                                          .control = cli->control,
                                          .url = cli->url,
                                          .expect_user = cli->expect_user,
                                          .control_option = "--control",
                                          .url_option = "--url",
                                          .user_option = "--expect-user",
                                          .log = cli->tells_away ? tell_line : NULL};

    if (cli->client != NULL) {
        return EXIT_DONE;
    }
    if (!is_wished_for(cli)) {
        warn_of_typos();
    }
    const int error = doyen_open(&cli->client, &options);
    return error == 0 ? EXIT_DONE : client_failure(cli->client, error, failure);
}

enum exit_code cli_get(struct cli *cli, const char *path, struct answer *answer)
{
    struct failure failure;

    *answer = (struct answer){.json = NULL};
    if (cli_connect(cli, &failure) != EXIT_DONE ||
        client_get(cli->client, path, REQUEST_TIMEOUT_MS, answer, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    return EXIT_DONE;
}

enum exit_code cli_post(struct cli *cli, const char *path, const json_t *body,
                        struct answer *answer)
{
    struct failure failure;

    *answer = (struct answer){.json = NULL};
    if (cli_connect(cli, &failure) != EXIT_DONE ||
        client_post(cli->client, path, body, REQUEST_TIMEOUT_MS, answer, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    return EXIT_DONE;
}

void cli_print_document(const struct answer *answer)
{
    if (answer->text != NULL) {
        cli_print_text(answer->text);
    }
}

void cli_print_text(const char *text)
{
    const size_t length = strlen(text);

    fputs(text, stdout);
    if (length > 0 && text[length - 1] != '\n') {
        putchar('\n');
    }
}

enum exit_code cli_show(struct cli *cli, const char *path,
                        enum exit_code (*print)(const json_t *document),
                        enum exit_code (*judge)(const json_t *document))
{
    struct answer answer;

    enum exit_code code = cli_get(cli, path, &answer);
    if (code != EXIT_DONE) {
        return code;
    }
    if (!cli->json) {
        code = print(answer.json);
    } else {
        cli_print_document(&answer);
        code = judge == NULL ? EXIT_DONE : judge(answer.json);
    }
    answer_deinit(&answer);
    return code;
}
