#include "runtime/options/flags.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/options/options.h"
#include "usage/usage.h"

/* Keys below are short options to argp; a row of the table is its index above this. */
enum { KEY_FIRST = 256 };

struct walk {
    flags_on_flag *on_flag;
    void *context;
    const char *stray; /* a word that is no option, nor the value of one */
    bool stopped;      /* the on_flag has seen enough */
};

static int key_of(size_t index)
{
    switch (option_at(index)->role) {
    case ROLE_HELP:
        return 'h';
    case ROLE_VERSION:
        return 'V';
    case ROLE_SETTING:
    case ROLE_CONFIG:
    case ROLE_CHECK:
    case ROLE_PRINT:
    case ROLE_MAKE_KEY:
    case ROLE_RECOVER:
    case ROLE_ASSERT:
        break;
    }
    return KEY_FIRST + (int)index;
}

/* The row that argp's key stands for, or option_count(). */
static size_t row_of(int key)
{
    size_t index = 0;

    if (key == '?') {
        return option_find("help"); /* The letter that argp has for it. */
    }
    while (index < option_count() && key_of(index) != key) {
        index++;
    }
    return index;
}

/* --- argp ------------------------------------------------------------------------------------ */

static error_t on_argp(int key, char *argument, struct argp_state *state)
{
    struct walk *walk = state->input;

    if (key == ARGP_KEY_ARG) {
        walk->stray = argument;
        return EINVAL;
    }

    const size_t index = row_of(key);
    if (index == option_count()) {
        return ARGP_ERR_UNKNOWN;
    }
    if (!walk->on_flag(walk->context, index, argument)) {
        walk->stopped = true;
        return ECANCELED;
    }
    return 0;
}

/* argp's own form of the table, with a heading for each group. */
struct argp_table {
    struct argp_option rows[CONFIG_OPTIONS_MAX + GROUP_COUNT + 2];
};

static bool has_group(enum program program, enum option_group group)
{
    for (size_t i = 0; i < option_count(); i++) {
        if (option_at(i)->group == group && option_is_of(option_at(i), program)) {
            return true;
        }
    }
    return false;
}

static void fill_table(struct argp_table *table, enum program program)
{
    struct argp_option *row = table->rows;

    for (size_t group = 0; group < GROUP_COUNT; group++) {
        if (has_group(program, (enum option_group)group)) {
            *row++ = (struct argp_option){.doc = option_group_title((enum option_group)group),
                                          .group = (int)group + 1};
        }
    }
    for (size_t i = 0; i < option_count(); i++) {
        const struct setting *option = option_at(i);
        if (option_is_of(option, program)) {
            *row++ = (struct argp_option){.name = option->name,
                                          .key = key_of(i),
                                          .arg = option_argument(option, program),
                                          .flags = option->repeatable ? USAGE_LIST : 0,
                                          .doc = option_help(option, program),
                                          .group = (int)option->group + 1};
        }
    }
    *row++ = (struct argp_option){.key = '?', .flags = OPTION_HIDDEN};
    *row = (struct argp_option){.name = NULL};
}

/* Adds the default to an option's help. argp frees what is not `text` itself. */
static char *help_of(int key, const char *text, enum program program)
{
    char *unchanged = NULL;
    memcpy(&unchanged, &text, sizeof unchanged); /* argp wants its own text back without const. */

    const size_t index = row_of(key);
    if (index == option_count()) {
        return unchanged;
    }
    const struct setting *option = option_at(index);
    const bool is_needed = program == PROGRAM_WITNESS && option->kind != NULL;
    const char *note = is_needed ? "none: needed" : option->fallback_note;
    const char *fallback = option->fallback != NULL ? option->fallback : note;
    if (fallback == NULL) {
        return unchanged;
    }
    const size_t size = strlen(text) + strlen(" (default: )") + strlen(fallback) + 1;
    char *with_default = malloc(size);
    if (with_default == NULL) {
        return unchanged;
    }
    snprintf(with_default, size, "%s (default: %s)", text, fallback);
    return with_default;
}

static char *on_doyend_help(int key, const char *text, void *input)
{
    (void)input;
    return help_of(key, text, PROGRAM_DOYEND);
}

static char *on_witness_help(int key, const char *text, void *input)
{
    (void)input;
    return help_of(key, text, PROGRAM_WITNESS);
}

static const char *doc_of(enum program program)
{
    static const char witness[] =
        "Votes in clusters of guard strict without being a member of them, so that of two nodes "
        "either may be lost.\v"
        "Each option may also be said by an environment variable (DOYEN_STATE_DIR for "
        "--state-dir) or in a file (--config). A flag overrides the environment, which overrides "
        "the file.\n\n"
        "SIGHUP reads the directory of keys again, SIGUSR1 logs what is known of each cluster. "
        "SIGTERM and SIGINT end it with status 0. Other statuses: 1 failed while running, 64 wrong "
        "command line, 78 wrong configuration.";
    static const char doyend[] =
        "Keeps this node a member of its cluster, and says who is in it and who coordinates: "
        "the member that has been in it longest.\v"
        "Each option may also be said by an environment variable (DOYEN_STATE_DIR for "
        "--state-dir, the items of a repeated one separated by commas) or in a file "
        "(--config). A flag overrides the environment, which overrides the file.\n\n"
        "SIGTERM and SIGINT leave the cluster in good order, then end with status 0. Other "
        "statuses: 1 failed while running, 64 wrong command line, 78 wrong configuration.";

    return program == PROGRAM_WITNESS ? witness : doyend;
}

static struct argp argp_of(const struct argp_table *table, enum program program)
{
    return (struct argp){.options = table->rows,
                         .parser = on_argp,
                         .doc = doc_of(program),
                         .help_filter = program == PROGRAM_WITNESS ? on_witness_help
                                                                   : on_doyend_help};
}

/* Is one of the words an option that there was? */
static bool is_gone(const struct command_line *line, struct complaint *complaint)
{
    char name[OPTION_VARIABLE_MAX];

    for (int i = 1; i < line->argc && !text_equal(line->argv[i], "--"); i++) {
        const char *word = line->argv[i];
        if (strncmp(word, "--", 2) != 0 ||
            !text_set(name, sizeof name, word + 2, strcspn(word + 2, "="))) {
            continue;
        }
        const char *instead = option_instead(name, line->program);
        if (instead != NULL) {
            (void)complaint_set(complaint, "--%s is gone: %s", name, instead);
            return true;
        }
    }
    return false;
}

bool flags_walk(const struct command_line *line, flags_on_flag *on_flag, void *context,
                struct complaint *complaint)
{
    struct walk walk = {.on_flag = on_flag, .context = context};
    struct argp_table table;
    char fault[USAGE_TEXT_MAX];

    if (line->argc < 1) {
        return true; /* Not even a program name: nothing was said. */
    }
    fill_table(&table, line->program);
    const struct argp argp = argp_of(&table, line->program);
    const error_t error = argp_parse(&argp, line->argc, line->argv,
                                     ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT, NULL, &walk);
    if (walk.stopped) {
        return true;
    }
    if (error != 0 && is_gone(line, complaint)) {
        return false;
    }
    if (!usage_is_sound(&argp, line->argc, line->argv, 0, fault)) {
        return complaint_set(complaint, "%s; %s --help says more", fault,
                             program_name(line->program));
    }
    if (walk.stray != NULL) { /* Last: it may be the value of an option that took another's name. */
        return complaint_set(complaint,
                             "stray word '%.60s': %s takes options only; %s --help says more",
                             walk.stray, program_name(line->program), program_name(line->program));
    }
    return error == 0 ||
           complaint_set(complaint, "cannot read the command line: %s", strerror(error));
}

void flags_print_help(FILE *to, enum program program)
{
    char name[OPTION_VARIABLE_MAX];
    struct argp_table table;

    snprintf(name, sizeof name, "%s", program_name(program));
    fill_table(&table, program);
    const struct argp argp = argp_of(&table, program);
    argp_help(&argp, to, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, name);
}
