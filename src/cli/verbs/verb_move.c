/* doyen transfer, drain, undrain, remove: planned moves. The daemon passes on what is asked; this
 * waits until it is so. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/print/duration.h"
#include "cli/print/duration_option.h"
#include "cli/request/cli.h"
#include "cli/request/clock.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

enum {
    TIMEOUT_MS = 10000,
    LOOK_PAUSE_MS_MIN = 2,
    LOOK_PAUSE_MS_MAX = 100,
    ASK_AGAIN_MS = 1000, /* what was asked may have been lost with its coordinator */
    PATH_MAX_BYTES = 512,
};

struct move_options {
    const char *name; /* NULL: not given */
    bool sure;        /* that one may be removed */
    uint64_t timeout_ms;
};

static enum exit_code run_transfer(struct cli *cli, int argc, char **argv);
static enum exit_code run_drain(struct cli *cli, int argc, char **argv);
static enum exit_code run_undrain(struct cli *cli, int argc, char **argv);
static enum exit_code run_remove(struct cli *cli, int argc, char **argv);

static error_t parse_move(int key, char *argument, struct argp_state *state)
{
    struct move_options *options = state->input;

    switch (key) {
    case 't':
        options->timeout_ms = duration_timeout(state, argument);
        return 0;
    case ARGP_KEY_ARG:
        if (options->name != NULL) {
            cli_usage_error(state, "%s: one member is enough, and %s was named", argument,
                            options->name);
        }
        if (argument[0] == '\0') {
            cli_usage_error(state, "NAME is empty: give the name of a member, or leave it out");
        }
        options->name = cli_member(state, "NAME", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option move_options[] = {
    {.name = "timeout",
     .key = 't',
     .arg = "DUR",
     .doc = "Give up waiting after this (500ms, 5s, 2m); 10s if not given"},
    {.name = NULL},
};

const struct verb verb_transfer = {
    .name = "transfer",
    .arguments = "[NAME]",
    .summary = "Another member coordinates from now on, and nobody leaves",
    .details = "Asks the coordinator, whichever node this is, to hand over to NAME, or to the "
               "oldest other member that can. Returns when the new one coordinates. The former "
               "one stays, as one of the youngest.\n\n"
               "Exit: 1 when NAME is no member or cannot coordinate, 5 when it did not come about "
               "in time.",
    .options = move_options,
    .parse = parse_move,
    .example = "doyen transfer byzantium",
    .run = run_transfer,
};

const struct verb verb_drain = {
    .name = "drain",
    .arguments = "[NAME]",
    .summary = "This node, or NAME, does not coordinate while any other can",
    .details = "A coordinator that is drained hands over first. Returns when the member is "
               "drained and another one coordinates, or nobody else can. The mark goes when the "
               "member starts again.\n\n"
               "Exit: 1 when NAME is no member, 5 when it did not come about in time.",
    .options = move_options,
    .parse = parse_move,
    .example = "doyen drain athens",
    .run = run_drain,
};

const struct verb verb_undrain = {
    .name = "undrain",
    .arguments = "[NAME]",
    .summary = "This node, or NAME, may coordinate again",
    .details = "Exit: 1 when NAME is no member, 5 when it did not come about in time.",
    .options = move_options,
    .parse = parse_move,
    .example = "doyen undrain athens",
    .run = run_undrain,
};

static error_t parse_remove(int key, char *argument, struct argp_state *state)
{
    struct move_options *options = state->input;

    switch (key) {
    case 'y':
        options->sure = true;
        return 0;
    case ARGP_KEY_NO_ARGS:
        cli_usage_error(state, "remove whom? Give the name of one that is gone, as doyen members "
                               "lists it");
    default:
        return parse_move(key, argument, state);
    }
}

static const struct argp_option remove_options[] = {
    {.name = "timeout",
     .key = 't',
     .arg = "DUR",
     .doc = "Give up waiting after this (500ms, 5s, 2m); 10s if not given"},
    {.name = "yes", .key = 'y', .doc = "Do not ask whether it runs nowhere any more"},
    {.name = NULL},
};

const struct verb verb_remove = {
    .name = "remove",
    .arguments = "NAME",
    .summary = "Forgets a member that is gone and will not return",
    .details = "Members that fail are removed by themselves and stay on the list, below the table "
               "of doyen members; under guard majority they keep their places, too, for they may "
               "be at work across a cut. This takes NAME off the list and gives its place away. "
               "It asks first, for only people know that NAME runs nowhere any more: if it does, "
               "two parts may act. A node of that name may still join anew. Under guard strict see "
               "doyen voters replace.\n\n"
               "Exit: 1 when NAME is a member, or is not on the list, 5 when it did not come about "
               "in time.",
    .options = remove_options,
    .parse = parse_remove,
    .example = "doyen remove ephesus --yes",
    .run = run_remove,
};

/* What was asked, and of whom. */
struct asked {
    char path[PATH_MAX_BYTES];
    uint64_t ask_ms; /* ask again then */
    uint64_t deadline_ms;
};

/* Writes the path with the name in it. */
static void put_path(struct asked *asked, const char *path, const char *key, const char *name)
{
    char *escaped = name == NULL ? NULL : client_escape(name);

    if (escaped == NULL) {
        snprintf(asked->path, sizeof asked->path, "%s", path);
    } else {
        snprintf(asked->path, sizeof asked->path, "%s?%s=%s", path, key, escaped);
    }
    free(escaped);
}

/* Asks once more when it is time; a refusal now would be about a moment in between. */
static void ask_again(struct cli *cli, struct asked *asked)
{
    struct answer answer;
    struct failure failure;

    if (clock_left_ms(asked->ask_ms) > 0) {
        return;
    }
    asked->ask_ms = clock_now_ms() + ASK_AGAIN_MS;
    if (client_post(cli->client, asked->path, NULL, REQUEST_TIMEOUT_MS, &answer, &failure) ==
        EXIT_DONE) {
        answer_deinit(&answer);
    }
}

/* Waits until the members document is as `holds` wants it; EXIT_TIMED_OUT: it never was. */
static enum exit_code await(struct cli *cli, struct asked *asked,
                            bool (*holds)(const json_t *members, const char *name),
                            const char *name)
{
    uint64_t pause_ms = LOOK_PAUSE_MS_MIN;

    while (clock_left_ms(asked->deadline_ms) > 0) {
        struct answer members;
        struct failure failure;
        const enum exit_code code = client_get(cli->client, "/v1/members", REQUEST_TIMEOUT_MS,
                                               &members, &failure);
        if (code != EXIT_DONE) {
            return failure_report(&failure);
        }
        const bool done = holds(members.json, name);
        answer_deinit(&members);
        if (done) {
            return EXIT_DONE;
        }
        ask_again(cli, asked);
        clock_sleep_ms(pause_ms);
        pause_ms = 2 * pause_ms < LOOK_PAUSE_MS_MAX ? 2 * pause_ms : LOOK_PAUSE_MS_MAX;
    }
    return EXIT_TIMED_OUT;
}

static bool is_coordinator(const json_t *members, const char *name)
{
    const char *coordinator = document_coordinator(members);

    return coordinator != NULL && strcmp(coordinator, name) == 0;
}

static void print_transfer(const struct cli *cli, const json_t *answer, uint64_t took_ms)
{
    const char *from = document_text(answer, "from", "?");
    const char *to = document_text(answer, "to", "?");

    if (cli->json) {
        printf("{\"move\": \"transfer\", \"from\": \"%s\", \"to\": \"%s\", \"done\": true, "
               "\"took_ms\": %" PRIu64 "}\n",
               from, to, took_ms);
    } else if (strcmp(from, to) == 0) {
        printf("%s coordinates already\n", to);
    } else {
        printf("%s coordinates now, in place of %s (%" PRIu64 " ms)\n", to, from, took_ms);
    }
}

static enum exit_code await_transfer(struct cli *cli, struct asked *asked, const json_t *answer,
                                     const struct move_options *options)
{
    const char *to = document_text(answer, "to", "");
    const uint64_t began_ms = clock_now_ms();
    struct failure failure;

    put_path(asked, "/v1/transfer", "to", to); /* From now on it is this one. */
    const enum exit_code code = await(cli, asked, is_coordinator, to);
    if (code == EXIT_DONE) {
        print_transfer(cli, answer, clock_now_ms() - began_ms);
    }
    if (code == EXIT_TIMED_OUT) {
        char text[DURATION_TEXT_MAX];
        duration_text(text, options->timeout_ms);
        failure_set(&failure, code,
                    "%s does not coordinate after %s: doyen status says whether anybody can hand "
                    "over, doyen why %s on %s what stands against it",
                    to, text, to, document_text(answer, "from", "the coordinator"));
        return failure_report(&failure);
    }
    return code;
}

static enum exit_code run_transfer(struct cli *cli, int argc, char **argv)
{
    struct move_options options = {.timeout_ms = TIMEOUT_MS};
    struct failure failure;
    struct answer answer;
    struct asked asked;

    cli_parse(cli, &verb_transfer, argc, argv, &options);
    if (cli_connect(cli, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    asked.deadline_ms = clock_now_ms() + options.timeout_ms;
    asked.ask_ms = clock_now_ms() + ASK_AGAIN_MS;
    put_path(&asked, "/v1/transfer", "to", options.name);
    enum exit_code code = cli_post(cli, asked.path, NULL, &answer);
    if (code == EXIT_DONE) {
        code = await_transfer(cli, &asked, answer.json, &options);
    }
    answer_deinit(&answer);
    return code;
}

/* --- drain, undrain --- */

static bool is_drained(const json_t *members, const char *name)
{
    const json_t *list = json_object_get(members, "members");

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *member = json_array_get(list, i);
        if (strcmp(document_text(member, "name", ""), name) == 0) {
            return document_is_true(member, "drained");
        }
    }
    return false;
}

/* Could anybody but that one coordinate? */
static bool has_another(const json_t *members, const char *name)
{
    const json_t *list = json_object_get(members, "members");

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *member = json_array_get(list, i);
        if (strcmp(document_text(member, "name", ""), name) != 0 &&
            strcmp(document_text(member, "state", ""), "alive") == 0 &&
            !document_is_true(member, "drained")) {
            return true;
        }
    }
    return false;
}

static bool rests(const json_t *members, const char *name)
{
    const char *coordinator = document_coordinator(members);
    const bool another = coordinator != NULL && strcmp(coordinator, name) != 0;

    return is_drained(members, name) && (another || !has_another(members, name));
}

static bool is_back(const json_t *members, const char *name)
{
    return !is_drained(members, name);
}

/* Whether it coordinates all the same, because nobody else can. */
static void print_drain(struct cli *cli, const char *name, bool drained)
{
    struct answer members = {.json = NULL};
    struct failure failure;

    if (cli->json) {
        printf("{\"move\": \"%s\", \"node\": \"%s\", \"done\": true}\n",
               drained ? "drain" : "undrain", name);
        return;
    }
    const bool known = client_get(cli->client, "/v1/members", REQUEST_TIMEOUT_MS, &members,
                                  &failure) == EXIT_DONE;
    const char *coordinator = known ? document_coordinator(members.json) : NULL;
    if (drained && coordinator != NULL && strcmp(coordinator, name) == 0) {
        printf("%s is drained, and coordinates until somebody else can\n", name);
    } else if (drained) {
        printf("%s is drained; %s coordinates\n", name, coordinator == NULL ? "?" : coordinator);
    } else {
        printf("%s may coordinate again\n", name);
    }
    answer_deinit(&members);
}

static enum exit_code await_drain(struct cli *cli, struct asked *asked, const char *name,
                                  bool drained, uint64_t timeout_ms)
{
    struct failure failure;
    char text[DURATION_TEXT_MAX];
    const enum exit_code code = await(cli, asked, drained ? rests : is_back, name);

    if (code == EXIT_DONE) {
        print_drain(cli, name, drained);
    } else if (code == EXIT_TIMED_OUT) {
        duration_text(text, timeout_ms);
        failure_set(&failure, code,
                    "%s after %s: doyen members shows whether it is drained and who coordinates, "
                    "doyen why what stands against it",
                    drained ? "not drained, or not relieved," : "still drained", text);
        return failure_report(&failure);
    }
    return code;
}

static enum exit_code drain(struct cli *cli, const struct verb *verb, int argc, char **argv,
                            bool drained)
{
    struct move_options options = {.timeout_ms = TIMEOUT_MS};
    struct failure failure;
    struct answer answer;
    struct asked asked;

    cli_parse(cli, verb, argc, argv, &options);
    if (cli_connect(cli, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    asked.deadline_ms = clock_now_ms() + options.timeout_ms;
    asked.ask_ms = clock_now_ms() + ASK_AGAIN_MS;
    put_path(&asked, drained ? "/v1/drain" : "/v1/undrain", "node", options.name);
    enum exit_code code = cli_post(cli, asked.path, NULL, &answer);
    if (code == EXIT_DONE) {
        code = await_drain(cli, &asked, document_text(answer.json, "node", ""), drained,
                           options.timeout_ms);
    }
    answer_deinit(&answer);
    return code;
}

static enum exit_code run_drain(struct cli *cli, int argc, char **argv)
{
    return drain(cli, &verb_drain, argc, argv, true);
}

static enum exit_code run_undrain(struct cli *cli, int argc, char **argv)
{
    return drain(cli, &verb_undrain, argc, argv, false);
}

/* --- remove --- */

static const json_t *gone_called(const json_t *members, const char *name)
{
    const json_t *list = json_object_get(members, "gone");

    for (size_t i = json_array_size(list); i > 0; i--) {
        const json_t *gone = json_array_get(list, i - 1);
        if (strcmp(document_text(gone, "name", ""), name) == 0) {
            return gone;
        }
    }
    return NULL;
}

static bool is_forgotten(const json_t *members, const char *name)
{
    return gone_called(members, name) == NULL;
}

/* Shows what is known of it, and has the name typed again. */
static bool is_confirmed(const json_t *members, const char *name)
{
    const json_t *gone = gone_called(members, name);
    char since[DURATION_TEXT_MAX];
    char typed[256] = "";

    duration_text(since, document_number(gone, "since_ms"));
    fprintf(stderr,
            "%s (%s) %s %s ago. If it runs anywhere, also out of reach, two parts may act once it "
            "is forgotten.\nType its name to go on: ",
            name, document_text(gone, "address", "?"), document_text(gone, "state", "is gone"),
            since);
    if (fgets(typed, sizeof typed, stdin) == NULL) {
        return false;
    }
    typed[strcspn(typed, "\n")] = '\0';
    return strcmp(typed, name) == 0;
}

/* Asks for a confirmation where there is somebody to give it, and something to confirm. */
static enum exit_code confirm(struct cli *cli, const struct move_options *options)
{
    struct failure failure;
    struct answer members;

    if (options->sure) {
        return EXIT_DONE;
    }
    const enum exit_code code = client_get(cli->client, "/v1/members", REQUEST_TIMEOUT_MS, &members,
                                           &failure);
    if (code != EXIT_DONE) {
        return failure_report(&failure);
    }
    const bool listed = gone_called(members.json, options->name) != NULL;
    const bool terminal = isatty(STDIN_FILENO) == 1;
    const bool sure = !listed || (terminal && is_confirmed(members.json, options->name));
    answer_deinit(&members);
    if (sure) {
        return EXIT_DONE;
    }
    failure_set(&failure, terminal ? EXIT_REFUSED : EXIT_USAGE,
                terminal ? "not confirmed: %s stays on the list"
                         : "if %s runs nowhere any more, add --yes: else two parts may act",
                options->name);
    return failure_report(&failure);
}

static enum exit_code await_forgotten(struct cli *cli, struct asked *asked,
                                      const struct move_options *options)
{
    struct failure failure;
    char text[DURATION_TEXT_MAX];
    const enum exit_code code = await(cli, asked, is_forgotten, options->name);

    if (code == EXIT_DONE && cli->json) {
        printf("{\"move\": \"forget\", \"node\": \"%s\", \"done\": true}\n", options->name);
    } else if (code == EXIT_DONE) {
        printf("%s is forgotten\n", options->name);
    } else if (code == EXIT_TIMED_OUT) {
        duration_text(text, options->timeout_ms);
        failure_set(&failure, code,
                    "%s is on the list after %s: doyen status says whether there is a coordinator "
                    "that can change it",
                    options->name, text);
        return failure_report(&failure);
    }
    return code;
}

static enum exit_code run_remove(struct cli *cli, int argc, char **argv)
{
    struct move_options options = {.timeout_ms = TIMEOUT_MS};
    struct failure failure;
    struct answer answer;
    struct asked asked;

    cli_parse(cli, &verb_remove, argc, argv, &options);
    if (cli_connect(cli, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    enum exit_code code = confirm(cli, &options);
    if (code != EXIT_DONE) {
        return code;
    }
    asked.deadline_ms = clock_now_ms() + options.timeout_ms;
    asked.ask_ms = clock_now_ms() + ASK_AGAIN_MS;
    put_path(&asked, "/v1/forget", "node", options.name);
    code = cli_post(cli, asked.path, NULL, &answer);
    if (code == EXIT_DONE) {
        code = await_forgotten(cli, &asked, &options);
    }
    answer_deinit(&answer);
    return code;
}
