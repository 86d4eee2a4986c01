/* doyen tag: what this node's member is for, at run time. The daemon asks the coordinator; this
 * waits until the view shows it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/print/duration_option.h"
#include "cli/request/cli.h"
#include "cli/request/clock.h"
#include "cli/request/document.h"
#include "cli/verbs/verbs.h"

enum {
    TIMEOUT_MS = 10000,
    LOOK_PAUSE_MS = 20,
    ASK_AGAIN_MS = 2000, /* what was asked may have been lost with its coordinator */
};

enum tag_action { TAG_LIST, TAG_SET, TAG_UNSET };

struct tag_options {
    enum tag_action action;
    bool has_action;
    json_t *body; /* what is asked of the daemon; NULL: nothing */
    uint64_t timeout_ms;
};

static enum exit_code run_tag(struct cli *cli, int argc, char **argv);

static void take_action(struct tag_options *options, const char *word, struct argp_state *state)
{
    options->has_action = true;
    if (strcmp(word, "set") == 0) {
        options->action = TAG_SET;
        options->body = json_pack("{s:{}}", "set");
    } else if (strcmp(word, "unset") == 0) {
        options->action = TAG_UNSET;
        options->body = json_pack("{s:[]}", "unset");
    } else {
        cli_usage_error(state, "%s: write set KEY=VALUE..., unset KEY..., or nothing at all", word);
    }
}

static void take_tag(struct tag_options *options, const char *word, struct argp_state *state)
{
    const char *equals = strchr(word, '=');

    if (options->action == TAG_UNSET) {
        if (word[0] == '\0' || equals != NULL) {
            cli_usage_error(state, "%s: unset wants keys alone, without a value", word);
        }
        json_array_append_new(json_object_get(options->body, "unset"), json_string(word));
        return;
    }
    if (equals == NULL || equals == word) {
        cli_usage_error(state, "%s is not a tag: write KEY=VALUE", word);
    }
    json_t *set = json_object_get(options->body, "set");
    if (json_object_getn(set, word, (size_t)(equals - word)) != NULL) {
        cli_usage_error(state, "the tag %.*s is given twice: keep one", (int)(equals - word), word);
    }
    if (json_object_setn_new(set, word, (size_t)(equals - word), json_string(equals + 1)) != 0) {
        cli_usage_error(state, "a tag has to be UTF-8: change it");
    }
}

static error_t parse_tag(int key, char *argument, struct argp_state *state)
{
    struct tag_options *options = state->input;

    switch (key) {
    case 't':
        options->timeout_ms = duration_timeout(state, argument);
        return 0;
    case ARGP_KEY_ARG:
        if (!options->has_action) {
            take_action(options, argument, state);
        } else {
            take_tag(options, argument, state);
        }
        return 0;
    case ARGP_KEY_END:
        if (options->has_action && json_object_size(json_object_get(options->body, "set")) == 0 &&
            json_array_size(json_object_get(options->body, "unset")) == 0) {
            cli_usage_error(state, options->action == TAG_SET ? "set wants KEY=VALUE"
                                                              : "unset wants a key");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option tag_options[] = {
    {.name = "timeout",
     .key = 't',
     .arg = "DUR",
     .doc = "Give up waiting after this (500ms, 5s, 2m); 10s if not given"},
    {.name = NULL},
};

const struct verb verb_tag = {
    .name = "tag",
    .arguments = "[set KEY=VALUE... | unset KEY...]",
    .summary = "The tags of this node: lists, sets or removes them",
    .details = "Other tags are a change of the view: all members show them at once. What is set "
               "is not kept when the daemon starts again: then --tag and the file count. A node's "
               "tags change once a second at most.\n\n"
               "Exit: 64 when a tag is refused, 5 when it did not come about in time.",
    .options = tag_options,
    .parse = parse_tag,
    .example = "doyen tag set zone=a role=db",
    .run = run_tag,
};

/* The tags of this node in the document of /v1/members, borrowed; NULL while it is no member. */
static const json_t *own_tags(const json_t *members)
{
    const char *self = document_text(members, "self", "");
    const json_t *list = json_object_get(members, "members");

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *member = json_array_get(list, i);
        if (strcmp(document_text(member, "name", ""), self) == 0) {
            return json_object_get(member, "tags");
        }
    }
    return NULL;
}

static void print_tags(const struct cli *cli, const char *node, const json_t *tags)
{
    const char *key;
    json_t *value;

    if (cli->json) {
        json_t *document = json_pack("{s:s, s:O}", "node", node, "tags", tags);
        (void)json_dumpf(document, stdout, 0);
        (void)putchar('\n');
        json_decref(document);
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)tags, key, value)
    {
        printf("%s=%s\n", key, json_string_value(value));
    }
}

static enum exit_code list(struct cli *cli)
{
    struct answer members;
    const enum exit_code code = cli_get(cli, "/v1/members", &members);

    if (code != EXIT_DONE) {
        return code;
    }
    const json_t *tags = own_tags(members.json);
    struct failure failure;
    if (tags == NULL) {
        failure_set(&failure, EXIT_REFUSED,
                    "this node is no member: doyen status says what it waits for");
    } else {
        print_tags(cli, document_text(members.json, "self", "?"), tags);
    }
    answer_deinit(&members);
    return tags == NULL ? failure_report(&failure) : EXIT_DONE;
}

/* Once more when it is time; what the daemon says now would be about a moment in between. */
static void ask_again(struct cli *cli, const json_t *body, uint64_t *ask_ms)
{
    struct answer answer;
    struct failure failure;

    if (clock_left_ms(*ask_ms) == 0) {
        *ask_ms = clock_now_ms() + ASK_AGAIN_MS;
        if (client_post(cli->client, "/v1/tags", body, REQUEST_TIMEOUT_MS, &answer, &failure) ==
            EXIT_DONE) {
            answer_deinit(&answer);
        }
    }
}

/* Waits until the view shows `wanted`. */
static enum exit_code await(struct cli *cli, const struct tag_options *options,
                            const json_t *wanted)
{
    const uint64_t deadline_ms = clock_now_ms() + options->timeout_ms;
    uint64_t ask_ms = clock_now_ms() + ASK_AGAIN_MS;
    char text[DURATION_TEXT_MAX];
    struct failure failure;

    while (clock_left_ms(deadline_ms) > 0) {
        struct answer members;
        const enum exit_code code = client_get(cli->client, "/v1/members", REQUEST_TIMEOUT_MS,
                                               &members, &failure);
        if (code != EXIT_DONE) {
            return failure_report(&failure);
        }
        const bool done = json_equal(own_tags(members.json), wanted) != 0;
        answer_deinit(&members);
        if (done) {
            return EXIT_DONE;
        }
        ask_again(cli, options->body, &ask_ms);
        clock_sleep_ms(LOOK_PAUSE_MS);
    }
    duration_text(text, options->timeout_ms);
    failure_set(&failure, EXIT_TIMED_OUT,
                "the view does not show it after %s: doyen status says whether there is a "
                "coordinator; one of an older version does not do it",
                text);
    return failure_report(&failure);
}

static enum exit_code run_tag(struct cli *cli, int argc, char **argv)
{
    struct tag_options options = {.timeout_ms = TIMEOUT_MS};
    struct answer answer;

    cli_parse(cli, &verb_tag, argc, argv, &options);
    if (!options.has_action) {
        return list(cli);
    }
    enum exit_code code = cli_post(cli, "/v1/tags", options.body, &answer);
    if (code == EXIT_DONE) {
        const json_t *tags = json_object_get(answer.json, "tags");
        code = await(cli, &options, tags);
        if (code == EXIT_DONE) {
            print_tags(cli, document_text(answer.json, "node", "?"), tags);
        }
    }
    answer_deinit(&answer);
    json_decref(options.body);
    return code;
}
