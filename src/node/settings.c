#include "node/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/options/config_read.h"

/* A command line in the making. */
struct line {
    char **words;
    size_t count;
    size_t room;
};

static bool add_word(struct line *line, const char *text)
{
    if (line->count + 1 >= line->room) {
        const size_t room = line->room == 0 ? 32 : 2 * line->room;
        char **grown = realloc(line->words, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        line->words = grown;
        line->room = room;
    }
    line->words[line->count] = strdup(text);
    line->words[line->count + 1] = NULL;
    return line->words[line->count++] != NULL;
}

/* "--name=value"; nothing without a value. */
static bool add(struct line *line, const char *name, const char *value)
{
    const size_t bytes = strlen(name) + (value == NULL ? 0 : strlen(value)) + sizeof "--=";
    char *word = value == NULL ? NULL : malloc(bytes);

    if (value == NULL) {
        return true;
    }
    if (word == NULL) {
        return false;
    }
    snprintf(word, bytes, "--%s=%s", name, value);
    const bool added = add_word(line, word);
    free(word);
    return added;
}

static bool add_all(struct line *line, const struct doyen_node_options *options)
{
    bool whole = add_word(line, "doyen_node") && add(line, "name", options->name) &&
                 add(line, "cluster", options->cluster) && add(line, "listen", options->listen) &&
                 add(line, "advertise", options->advertise) &&
                 add(line, "state-dir", options->state_dir) && add(line, "key", options->key) &&
                 add(line, "control", options->control);

    for (size_t i = 0; whole && options->seeds != NULL && options->seeds[i] != NULL; i++) {
        whole = add(line, "seed", options->seeds[i]);
    }
    return whole;
}

/* What belongs to a process of its own, and not to a node in somebody else's. */
static bool is_for_doyend(const char *setting)
{
    static const char *const names[] = {"config",    "check",          "print-config",
                                        "make-key",  "recover-voters", "yes-the-others-are-gone",
                                        "help",      "version",        "sandbox",
                                        "log-level", "log-format",     "control",
                                        "hooks"};
    const size_t length = strcspn(setting, "=");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i]) == length && strncmp(names[i], setting, length) == 0) {
            return true;
        }
    }
    return setting[0] == '-' || length == 0;
}

/* A flag that is switched on is "faults=on" or "faults=true" in a file, and a word on a command
 * line. */
static bool add_setting(struct line *line, const char *setting)
{
    const size_t bytes = strlen(setting) + sizeof "--";
    char *word = malloc(bytes);

    if (word == NULL) {
        return false;
    }
    snprintf(word, bytes, "--%s", setting);
    const bool added = add_word(line, word);
    free(word);
    return added;
}

static int add_settings(struct line *line, const char *const *settings, struct problem *problem)
{
    for (size_t i = 0; settings != NULL && settings[i] != NULL; i++) {
        if (is_for_doyend(settings[i])) {
            return problem_set(
                problem, DOYEN_E_USAGE,
                "doyen_node_options.settings: \"%.80s\" is no setting of a node: write "
                "NAME=VALUE, and leave out what is about doyend's process",
                settings[i]);
        }
        if (!add_setting(line, settings[i])) {
            return problem_memory(problem);
        }
    }
    return 0;
}

/* The environment is the program's business, not the node's. */
static const char *no_variable(void *context, const char *name)
{
    (void)context;
    (void)name;
    return NULL;
}

static const char *no_variable_at(void *context, size_t index)
{
    (void)context;
    (void)index;
    return NULL;
}

static int parse(struct line *line, struct config *config, struct problem *problem)
{
    struct config_host host = config_host_system();
    struct config_outcome *outcome = malloc(sizeof *outcome);
    int code = 0;

    if (outcome == NULL) {
        return problem_memory(problem);
    }
    host.variable = no_variable;
    host.variable_at = no_variable_at;
    config_parse(config, outcome, (int)line->count, line->words, &host);
    if (outcome->action != CONFIG_RUN) {
        code = problem_set(problem, DOYEN_E_USAGE, "%s", outcome->message);
    }
    free(outcome);
    return code;
}

int settings_read(const struct doyen_node_options *options, struct config *config,
                  struct problem *problem)
{
    struct line line = {.count = 0};
    int code = add_all(&line, options) ? 0 : problem_memory(problem);

    if (code == 0) {
        code = add_settings(&line, options->settings, problem);
    }
    if (code == 0) {
        code = parse(&line, config, problem);
    }
    for (size_t i = 0; i < line.count; i++) {
        free(line.words[i]);
    }
    free(line.words);
    return code;
}
