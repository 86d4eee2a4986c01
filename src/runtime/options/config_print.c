#include "runtime/options/config_print.h"

#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "runtime/options/config_file.h"
#include "runtime/options/flags.h"
#include "runtime/options/option_forms.h"
#include "runtime/options/options.h"
#include "words/terms_text.h"

enum {
    COLUMN = 40,                          /* where the origins stand, if the values leave room */
    ORIGIN_MAX = CONFIG_DIR_MAX + 1 + 32, /* a path, its line, and words */
};

/* Is it a value that --detect has set, and that a file may not set beside it? */
static bool follows_from_detect(const struct setting *option, const struct config *config)
{
    return config->detect_ms != 0 &&
           (text_equal(option->name, "heartbeat") || text_equal(option->name, "fail-after"));
}

/* Where a value comes from, as people say it. */
static void origin_text(const struct setting *option, struct config_origin origin,
                        const struct config *config, const char *file, char out[ORIGIN_MAX])
{
    char variable[OPTION_VARIABLE_MAX];

    switch (origin.source) {
    case SOURCE_FLAG:
        snprintf(out, ORIGIN_MAX, "flag");
        return;
    case SOURCE_ENVIRONMENT:
        option_variable(option, variable);
        snprintf(out, ORIGIN_MAX, "environment %s", variable);
        return;
    case SOURCE_FILE:
        snprintf(out, ORIGIN_MAX, "file %s:%u", file, origin.line);
        return;
    case SOURCE_DEFAULT:
        break;
    }
    if (follows_from_detect(option, config)) {
        snprintf(out, ORIGIN_MAX, "follows from detect");
    } else if (option->group == GROUP_TIMING && option->fallback == NULL &&
               option->kind != &option_detect) {
        const struct timing usual = timing_of(config->profile);
        const bool scaled = config->timing.heartbeat_ms != usual.heartbeat_ms;
        snprintf(out, ORIGIN_MAX, "profile %s%s", profile_text(config->profile),
                 scaled ? ", scaled to the heartbeat" : "");
    } else if (option->fallback == NULL) {
        snprintf(out, ORIGIN_MAX, "default: %s", option->fallback_note);
    } else {
        snprintf(out, ORIGIN_MAX, "default");
    }
}

/* One line with the origin behind the value; above it where the two are too long for a line that
 * --config could read. */
static void print_value(FILE *to, const struct setting *option, const char *value,
                        const char *origin)
{
    const size_t used = strlen(option->name) + strlen(" = ") + strlen(value);
    const int padding = used < COLUMN ? (int)(COLUMN - used) : 0;

    if (!config_file_can_say(option->name, value)) {
        fprintf(to, "# a file cannot say this one; %s:\n# %s = %s\n", origin, option->name, value);
    } else if (used + (size_t)padding + strlen(" ; ") + strlen(origin) > CONFIG_LINE_MAX) {
        fprintf(to, "# %s:\n%s = %s\n", origin, option->name, value);
    } else {
        fprintf(to, "%s = %s%*s ; %s\n", option->name, value, padding, "", origin);
    }
}

/* A comment, so that the file says the same when it is read. */
static void print_followed(FILE *to, const struct setting *option, const char *value,
                           const char *origin)
{
    const size_t used = strlen("# ") + strlen(option->name) + strlen(" = ") + strlen(value);
    const int padding = used < COLUMN ? (int)(COLUMN - used) : 0;

    fprintf(to, "# %s = %s%*s ; %s\n", option->name, value, padding, "", origin);
}

static void print_unset(FILE *to, const struct setting *option, const char *origin)
{
    const size_t used = strlen("# ") + strlen(option->name) + strlen(" =");
    const int padding = used < COLUMN ? (int)(COLUMN - used) : 0;

    fprintf(to, "# %s =%*s ; %s\n", option->name, padding, "", origin);
}

void config_print(FILE *to, const struct config *config, const struct config_outcome *outcome,
                  enum program program)
{
    char value[OPTION_TEXT_MAX];
    char origin[ORIGIN_MAX];

    fprintf(to, "# %s %s: every setting, and where it comes from.\n", program_name(program),
            DOYEN_VERSION);
    for (size_t i = 0; i < option_count(); i++) {
        const struct setting *option = option_at(i);
        uint32_t count = 0;

        if (option->kind == NULL || option->kind->print == NULL || !option_is_of(option, program)) {
            continue;
        }
        origin_text(option, outcome->origins[i], config, outcome->file, origin);
        while (option->kind->print(option, config, count, value)) {
            if (follows_from_detect(option, config)) {
                print_followed(to, option, value, origin);
            } else {
                print_value(to, option, value, origin);
            }
            count++;
        }
        if (count == 0) {
            print_unset(to, option, origin);
        }
    }
}

void config_print_help(FILE *to, enum program program)
{
    flags_print_help(to, program);
}
