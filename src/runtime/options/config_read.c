#include "runtime/options/config_read.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "runtime/options/config_complete.h"
#include "runtime/options/config_file.h"
#include "runtime/options/config_reading.h"
#include "runtime/options/flags.h"
#include "runtime/options/options.h"

/* Was a comment meant? In a file, only ';' begins one behind a value. */
static bool has_hash(const char *text, struct config_origin origin)
{
    return origin.source == SOURCE_FILE &&
           (strstr(text, " #") != NULL || strstr(text, "\t#") != NULL);
}

/* Parses one text for the option in row `index` and stores its value. */
static bool apply_text(struct reading *reading, size_t index, const char *text,
                       struct config_origin origin)
{
    const struct setting *option = option_at(index);
    struct config_origin *known = &reading->outcome->origins[index];
    struct complaint complaint = {.exit_code = 0};
    char where[LOCATION_MAX];

    assert(option->kind != NULL);
    reading_describe_origin(reading, option, origin, where);
    if (origin.source == SOURCE_FILE && known->source == SOURCE_FILE && !option->repeatable) {
        return reading_refuse(reading, EXIT_CONFIGURATION, "%s: said before, in line %u: keep one",
                              where, known->line);
    }
    if (origin.source > known->source) {
        *known = origin;
        if (option->kind->clear != NULL) {
            option->kind->clear(&reading->partial);
        }
    }
    if (text[0] == '\0') {
        (void)complaint_set(&complaint, "is empty: give a value or leave it out");
    } else if (option->kind->parse(option, &reading->partial, text, &complaint)) {
        if (has_hash(text, origin)) {
            reading_warn(
                reading, "config",
                "%s: '%.60s' is taken with its '#': behind a value a comment begins with ' ;'",
                where, text);
        }
        return true;
    } else if (has_hash(text, origin)) {
        (void)complaint_set(&complaint,
                            "'#' begins no comment behind a value: write ' ;' for it, or put the "
                            "comment on a line of its own");
    }

    const int by_source = origin.source == SOURCE_FLAG ? EXIT_USAGE : EXIT_CONFIGURATION;
    return reading_refuse(reading, complaint.exit_code != 0 ? complaint.exit_code : by_source,
                          "%s: %s", where, complaint.text);
}

/* --- The sources, weakest first -------------------------------------------------------------- */

static void apply_defaults(struct reading *reading)
{
    for (size_t i = 0; i < option_count(); i++) {
        const struct setting *option = option_at(i);
        if (option->kind != NULL && option->fallback != NULL) {
            bool applied = apply_text(reading, i, option->fallback,
                                      (struct config_origin){.source = SOURCE_DEFAULT});
            assert(applied);
            (void)applied;
        }
    }
}

static bool apply_file_setting(void *context, const char *key, const char *value, uint32_t line)
{
    struct reading *reading = context;
    const size_t index = option_find(key);
    const char *file = reading->outcome->file;

    if (index == option_count() || !option_is_of(option_at(index), reading->host->program)) {
        if (key[0] == '\0' || strchr(key, ' ') != NULL) { /* A colon is taken for an equals sign. */
            return reading_refuse(reading, EXIT_CONFIGURATION,
                                  "%.300s:%u: neither a setting nor a comment: write KEY = VALUE",
                                  file, line);
        }
        const char *near = option_suggest(key, true, reading->host->program);
        const char *instead = option_instead(key, reading->host->program);
        if (instead != NULL) {
            return reading_refuse(reading, EXIT_CONFIGURATION, "%.300s:%u: '%s' is gone: %s", file,
                                  line, key, instead);
        }
        if (near != NULL) {
            return reading_refuse(reading, EXIT_CONFIGURATION,
                                  "%.300s:%u: unknown key '%.60s' (did you mean '%s'?)", file, line,
                                  key, near);
        }
        return reading_refuse(reading, EXIT_CONFIGURATION,
                              "%.300s:%u: unknown key '%.60s': see %s --help for the options", file,
                              line, key, program_name(reading->host->program));
    }
    if (option_at(index)->role != ROLE_SETTING) {
        return reading_refuse(reading, EXIT_CONFIGURATION,
                              "%.300s:%u: '%s' cannot be said in a file: give it as --%s", file,
                              line, key, key);
    }
    return apply_text(reading, index, value,
                      (struct config_origin){.source = SOURCE_FILE, .line = line});
}

/* An empty variable counts as unset. */
static const char *variable_of(const struct reading *reading, const struct setting *option)
{
    char variable[OPTION_VARIABLE_MAX];

    option_variable(option, variable);
    const char *text = reading->host->variable(reading->host->context, variable);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

/* Applies the items of a list, which commas separate. */
static bool apply_list(struct reading *reading, size_t index, const char *list,
                       struct config_origin origin)
{
    char item[OPTION_TEXT_MAX];

    for (;;) {
        const size_t length = strcspn(list, ",");
        if (!text_set(item, sizeof item, list, length)) {
            char where[LOCATION_MAX];
            reading_describe_origin(reading, option_at(index), origin, where);
            return reading_refuse(reading, EXIT_CONFIGURATION,
                                  "%s: an item of %zu bytes: shorten it", where, length);
        }
        if (!apply_text(reading, index, item, origin)) {
            return false;
        }
        if (list[length] == '\0') {
            return true;
        }
        list += length + 1;
    }
}

static bool apply_environment(struct reading *reading)
{
    const struct config_origin origin = {.source = SOURCE_ENVIRONMENT};

    for (size_t i = 0; i < option_count(); i++) {
        const struct setting *option = option_at(i);
        if (option->kind == NULL || !option_is_of(option, reading->host->program)) {
            continue;
        }
        const char *text = variable_of(reading, option);
        if (text == NULL) {
            continue;
        }
        if (!(option->repeatable ? apply_list(reading, i, text, origin)
                                 : apply_text(reading, i, text, origin))) {
            return false;
        }
    }
    return true;
}

static bool apply_flag(void *context, size_t index, const char *text)
{
    if (option_at(index)->kind == NULL) {
        return true; /* Seen by the scan_flag. */
    }
    return apply_text(context, index, text != NULL ? text : "yes",
                      (struct config_origin){.source = SOURCE_FLAG});
}

/* --- All of it ------------------------------------------------------------------------------- */

/* Some change what is on the disk, and others are asked lest that be: none stands for another. */
static bool take_action(struct reading *reading, enum config_action action)
{
    struct config_outcome *outcome = reading->outcome;
    const enum config_action before = outcome->action;

    if (before != CONFIG_RUN && before != action) {
        return reading_refuse(reading, EXIT_USAGE,
                              "--check, --print-config, --make-key and --recover-voters do not go "
                              "together: say one of them");
    }
    outcome->action = action;
    return true;
}

/* Scans the flags for what is to be done and which file is to be read. */
static bool scan_flag(void *context, size_t index, const char *text)
{
    struct reading *reading = context;
    struct config_outcome *outcome = reading->outcome;
    struct complaint complaint = {.exit_code = 0};

    switch (option_at(index)->role) {
    case ROLE_SETTING:
        return true;
    case ROLE_CONFIG:
        outcome->origins[index] = (struct config_origin){.source = SOURCE_FLAG};
        if (!value_path(text, outcome->file, sizeof outcome->file, &complaint)) {
            return reading_refuse(reading, EXIT_USAGE, "--config: %s", complaint.text);
        }
        return true;
    case ROLE_CHECK:
        return take_action(reading, CONFIG_CHECK);
    case ROLE_PRINT:
        return take_action(reading, CONFIG_PRINT);
    case ROLE_MAKE_KEY:
        if (!take_action(reading, CONFIG_MAKE_KEY)) {
            return false;
        }
        if (!value_path(text, reading->partial.config.key, sizeof reading->partial.config.key,
                        &complaint)) {
            return reading_refuse(reading, EXIT_USAGE, "--make-key: %s", complaint.text);
        }
        return true;
    case ROLE_RECOVER:
        return take_action(reading, CONFIG_RECOVER);
    case ROLE_ASSERT:
        if (text[0] == '\0') {
            return reading_refuse(reading, EXIT_USAGE,
                                  "--yes-the-others-are-gone: is empty: give the name of the "
                                  "cluster");
        }
        (void)snprintf(outcome->asserted, sizeof outcome->asserted, "%s", text);
        return true;
    case ROLE_HELP:
        outcome->action = CONFIG_HELP;
        return false;
    case ROLE_VERSION:
        outcome->action = CONFIG_VERSION;
        return false;
    }
    return false;
}

static bool read_file(struct reading *reading)
{
    struct config_outcome *outcome = reading->outcome;
    const size_t index = option_find("config");
    struct complaint complaint = {.exit_code = 0};
    struct config_path file = {.file = outcome->file, .said_by = "--config"};

    if (outcome->file[0] == '\0') {
        const char *path = variable_of(reading, option_at(index));
        if (path == NULL) {
            return true;
        }
        outcome->origins[index] = (struct config_origin){.source = SOURCE_ENVIRONMENT};
        file.said_by = "DOYEN_CONFIG";
        if (!value_path(path, outcome->file, sizeof outcome->file, &complaint)) {
            return reading_refuse(reading, EXIT_CONFIGURATION, "DOYEN_CONFIG: %s", complaint.text);
        }
    }
    if (!config_file_read(&file, apply_file_setting, reading, &complaint)) {
        return reading_refuse(reading, EXIT_CONFIGURATION, "%s", complaint.text);
    }
    return !reading->refused;
}

void config_parse(struct config *config, struct config_outcome *outcome, int argc, char **argv,
                  const struct config_host *host)
{
    const struct command_line line = {.program = host->program, .argc = argc, .argv = argv};
    struct reading reading = {.outcome = outcome, .host = host};
    struct complaint complaint = {.exit_code = 0};

    *outcome = (struct config_outcome){.action = CONFIG_RUN};
    apply_defaults(&reading);
    if (!flags_walk(&line, scan_flag, &reading, &complaint)) {
        (void)reading_refuse(&reading, EXIT_USAGE, "%s", complaint.text);
    }
    if (outcome->asserted[0] != '\0' && !reading.refused && outcome->action != CONFIG_RECOVER &&
        outcome->action != CONFIG_HELP && outcome->action != CONFIG_VERSION) {
        (void)reading_refuse(&reading, EXIT_USAGE,
                             "--yes-the-others-are-gone belongs to --recover-voters: add that, or "
                             "leave it out");
    }
    switch (outcome->action) {
    case CONFIG_MAKE_KEY:
        *config = reading.partial.config;
        return;
    case CONFIG_HELP:
    case CONFIG_VERSION:
    case CONFIG_REFUSED:
        return;
    case CONFIG_RUN:
    case CONFIG_CHECK:
    case CONFIG_PRINT:
    case CONFIG_RECOVER:
        break;
    }

    if (read_file(&reading) && apply_environment(&reading) &&
        flags_walk(&line, apply_flag, &reading, &complaint) && !reading.refused &&
        reading_complete(&reading)) {
        *config = reading.partial.config;
        memcpy(config->file, outcome->file, sizeof config->file);
    } else if (outcome->lacks_address) {
        *config = reading.partial.config;
    }
}
