#include "runtime/flags.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/options.h"

/* Keys below are short options to argp; a row of the table is its index above this. */
enum { KEY_FIRST = 256 };

struct walk {
    flags_visitor *visitor;
    void *context;
    struct complaint *complaint;
    bool stopped; /* the visitor has seen enough */
    bool faulty;
};

static int key_of(size_t index)
{
    switch (option_at(index)->role) {
    case ROLE_HELP:
        return '?';
    case ROLE_VERSION:
        return 'V';
    case ROLE_SETTING:
    case ROLE_CONFIG:
    case ROLE_CHECK:
    case ROLE_PRINT:
    case ROLE_USAGE:
        break;
    }
    return KEY_FIRST + (int)index;
}

/* The row that argp's key stands for, or option_count(). */
static size_t row_of(int key)
{
    size_t index = 0;

    while (index < option_count() && key_of(index) != key) {
        index++;
    }
    return index;
}

/* --- What is wrong with a command line ------------------------------------------------------- */

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* The row that `name` means: spelled out, or the only one that begins with it. option_count()
 * for none; `*second` is another one that begins with it, or option_count(). */
static size_t find_abbreviated(const char *name, size_t *second)
{
    size_t first = option_find(name);

    *second = option_count();
    if (first < option_count()) {
        return first;
    }
    for (size_t i = 0; i < option_count(); i++) {
        if (begins_with(option_at(i)->name, name)) {
            if (first < option_count()) {
                *second = i;
                return first;
            }
            first = i;
        }
    }
    return first;
}

static void unknown_flag(const char *flag, const char *name, struct complaint *complaint)
{
    const char *near = option_suggest(name, false);

    if (near != NULL) {
        (void)complaint_set(complaint, "unknown option '%.60s' (did you mean '--%s'?)", flag, near);
    } else {
        (void)complaint_set(complaint, "unknown option '%.60s': see doyend --help", flag);
    }
}

/* Sets the complaint and returns true if there is something wrong with a word that begins with
 * "--".
 */
static bool explain_long(const char *flag, struct complaint *complaint)
{
    const size_t name_length = strcspn(flag + 2, "=");
    const bool has_value = flag[2 + name_length] == '=';
    char name[64];
    size_t second = 0;

    (void)text_set(name, sizeof name, flag + 2, name_length);
    const size_t first = find_abbreviated(name, &second);
    if (name[0] == '\0' || first == option_count()) {
        unknown_flag(flag, name, complaint);
        return true;
    }
    if (second < option_count()) {
        (void)complaint_set(complaint, "'%.60s' may mean --%s or --%s: write it in full", flag,
                            option_at(first)->name, option_at(second)->name);
        return true;
    }

    const struct setting *option = option_at(first);
    if (option->argument != NULL && !has_value) {
        (void)complaint_set(complaint, "--%s: has no value: write --%s %s", option->name,
                            option->name, option->argument);
        return true;
    }
    if (option->argument == NULL && has_value) {
        (void)complaint_set(complaint, "--%s: takes no value: write --%s alone", option->name,
                            option->name);
        return true;
    }
    return false;
}

/* argp has given up without a word (ARGP_NO_ERRS) and tells only where it stands: behind the bad
 * flag, or, within a cluster of short ones, still before it. */
static void explain(const struct argp_state *state, struct complaint *complaint)
{
    const char *before = state->next > 1 ? state->argv[state->next - 1] : "";
    const char *after = state->next < state->argc ? state->argv[state->next] : "";

    if (begins_with(before, "--") && explain_long(before, complaint)) {
        return;
    }
    if (before[0] == '-' && before[1] != '-' && strlen(before) == 2) {
        unknown_flag(before, before + 1, complaint);
        return;
    }
    if (after[0] == '-') {
        unknown_flag(after, after + 1, complaint); /* Such as "-name": one dash too few. */
        return;
    }
    (void)complaint_set(complaint, "the command line makes no sense: see doyend --help");
}

/* --- argp ------------------------------------------------------------------------------------ */

static error_t on_argp(int key, char *argument, struct argp_state *state)
{
    struct walk *walk = state->input;

    if (key == ARGP_KEY_ERROR) {
        if (!walk->stopped && !walk->faulty) {
            walk->faulty = true;
            explain(state, walk->complaint);
        }
        return 0;
    }
    if (key == ARGP_KEY_ARG) {
        walk->faulty = true;
        (void)complaint_set(walk->complaint,
                            "stray word '%.60s': doyend takes options only, see --help", argument);
        return EINVAL;
    }

    const size_t index = row_of(key);
    if (index == option_count()) {
        return ARGP_ERR_UNKNOWN;
    }
    if (!walk->visitor(walk->context, index, argument)) {
        walk->stopped = true;
        return ECANCELED;
    }
    return 0;
}

/* argp's own form of the table, with a heading for each group. */
struct argp_table {
    struct argp_option rows[CONFIG_OPTIONS_MAX + GROUP_COUNT + 1];
};

static void fill_table(struct argp_table *table)
{
    struct argp_option *row = table->rows;

    for (size_t group = 0; group < GROUP_COUNT; group++) {
        *row++ = (struct argp_option){.doc = option_group_title((enum option_group)group),
                                      .group = (int)group + 1};
    }
    for (size_t i = 0; i < option_count(); i++) {
        const struct setting *option = option_at(i);
        *row++ = (struct argp_option){.name = option->name,
                                      .key = key_of(i),
                                      .arg = option->argument,
                                      .flags = option->hidden ? OPTION_HIDDEN : 0,
                                      .doc = option->help,
                                      .group = (int)option->group + 1};
    }
    *row = (struct argp_option){.name = NULL};
}

/* Adds the default to an option's help. argp frees what is not `text` itself. */
static char *on_help(int key, const char *text, void *input)
{
    char *unchanged = NULL;
    memcpy(&unchanged, &text, sizeof unchanged); /* argp wants its own text back without const. */
    (void)input;

    const size_t index = row_of(key);
    if (index == option_count()) {
        return unchanged;
    }
    const struct setting *option = option_at(index);
    const char *fallback = option->fallback != NULL ? option->fallback : option->fallback_note;
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

static struct argp argp_of(const struct argp_table *table)
{
    return (struct argp){
        .options = table->rows,
        .parser = on_argp,
        .doc =
            "Keeps this node a member of its cluster, and says who is in it and who coordinates: "
            "the member that has been in it longest.\v"
            "Each option may also be said by an environment variable (DOYEN_STATE_DIR for "
            "--state-dir, the items of a repeated one separated by commas) or in a file "
            "(--config). A flag outdoes the environment, which outdoes the file.\n\n"
            "SIGTERM and SIGINT leave the cluster in good order, then end with status 0. Other "
            "statuses: 1 failed while running, 64 wrong command line, 78 wrong configuration.",
        .help_filter = on_help};
}

bool flags_walk(int argc, char **argv, flags_visitor *visitor, void *context,
                struct complaint *complaint)
{
    struct walk walk = {.visitor = visitor, .context = context, .complaint = complaint};
    struct argp_table table;

    if (argc < 1) {
        return true; /* Not even a program name: nothing was said. */
    }
    fill_table(&table);
    const struct argp argp = argp_of(&table);
    const error_t error = argp_parse(&argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT,
                                     NULL, &walk);
    if (error != 0 && !walk.stopped && !walk.faulty) {
        return complaint_set(complaint, "cannot read the command line: %s", strerror(error));
    }
    return !walk.faulty;
}

static void print(FILE *to, unsigned what)
{
    char name[] = "doyend";
    struct argp_table table;

    fill_table(&table);
    const struct argp argp = argp_of(&table);
    argp_help(&argp, to, what, name);
}

void flags_print_help(FILE *to)
{
    print(to, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC);
}

void flags_print_usage(FILE *to)
{
    print(to, ARGP_HELP_USAGE);
}
