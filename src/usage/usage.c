#include "usage/usage.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sysexits.h>

#include "base/suggest.h"
#include "usage/line.h"
#include "usage/remedy.h"

enum {
    OPTIONS_MAX = 64, /* twice as many as the program with the most has */
    REFUSAL_MAX = 1024,
    PLACE_MAX = 80,
};

/* The options of an argp and its children, in one row. */
struct known {
    const struct argp_option *items[OPTIONS_MAX];
    bool said[OPTIONS_MAX]; /* each with a value */
    size_t count;
};

static bool is_last(const struct argp_option *option)
{
    return option->name == NULL && option->key == 0 && option->doc == NULL && option->group == 0;
}

static void gather(struct known *known, const struct argp *argp)
{
    for (const struct argp_option *at = argp->options; at != NULL && !is_last(at); at++) {
        if (at->name == NULL && at->key == 0) {
            continue; /* The heading of a group. */
        }
        assert((at->flags & (OPTION_ALIAS | OPTION_ARG_OPTIONAL | OPTION_DOC)) == 0);
        assert(known->count < OPTIONS_MAX);
        known->items[known->count++] = at;
    }
    for (const struct argp_child *at = argp->children; at != NULL && at->argp != NULL; at++) {
        gather(known, at->argp);
    }
}

static const struct argp_option *find_letter(const struct known *known, char letter)
{
    for (size_t i = 0; i < known->count; i++) {
        if (known->items[i]->key == (unsigned char)letter) {
            return known->items[i];
        }
    }
    return NULL;
}

/* The option that a name of so many bytes means: spelled out, or the only one that begins with it.
 * NULL: none; `*second` is another one that begins with it, or NULL. */
static const struct argp_option *find_name(const struct known *known, const char *name,
                                           size_t length, const struct argp_option **second)
{
    const struct argp_option *first = NULL;

    *second = NULL;
    for (size_t i = 0; i < known->count; i++) {
        const struct argp_option *option = known->items[i];
        if (option->name == NULL || strncmp(option->name, name, length) != 0) {
            continue;
        }
        if (option->name[length] == '\0') {
            *second = NULL;
            return option;
        }
        if (first == NULL) {
            first = option;
        } else if (*second == NULL) {
            *second = option;
        }
    }
    return first;
}

/* --- One word -------------------------------------------------------------------------------- */

/* What was said of a word. */
enum finding {
    FINDING_SOUND,
    FINDING_TAKES_NEXT, /* its value is the next word */
    FINDING_FAULT,
};

/* A letter that other programs have for one of these names; NULL: there is none. */
static const char *known_elsewhere(const char *spelled, const char *const *names, size_t count)
{
    const bool file = strcmp(spelled, "c") == 0 || strcmp(spelled, "f") == 0;

    for (size_t i = 0; file && i < count; i++) {
        if (strcmp(names[i], "config") == 0) {
            return names[i];
        }
    }
    return NULL;
}

static enum finding fault_unknown(const struct known *known, const char *word, const char *name,
                                  char fault[USAGE_TEXT_MAX])
{
    const char *names[OPTIONS_MAX];
    char spelled[64];
    size_t count = 0;

    for (size_t i = 0; i < known->count; i++) {
        if (known->items[i]->name != NULL && (known->items[i]->flags & OPTION_HIDDEN) == 0) {
            names[count++] = known->items[i]->name;
        }
    }
    snprintf(spelled, sizeof spelled, "%.*s", (int)strcspn(name, "="), name);
    const char *nearest = known_elsewhere(spelled, names, count);
    if (nearest == NULL) {
        nearest = suggest_nearest(spelled, names, count);
    }
    if (nearest != NULL) {
        snprintf(fault, USAGE_TEXT_MAX, "unknown option '%.60s' (did you mean '--%s'?)", word,
                 nearest);
    } else {
        snprintf(fault, USAGE_TEXT_MAX, "unknown option '%.60s'", word);
    }
    return FINDING_FAULT;
}

/* Has the option had its value before? Notes that it has one now. */
static bool is_said_again(struct known *known, const struct argp_option *option,
                          char fault[USAGE_TEXT_MAX])
{
    for (size_t i = 0; i < known->count; i++) {
        if (known->items[i] != option || (option->flags & USAGE_LIST) != 0) {
            continue;
        }
        if (known->said[i]) {
            snprintf(fault, USAGE_TEXT_MAX, "--%s: said before: keep one", option->name);
            return true;
        }
        known->said[i] = true;
    }
    return false;
}

/* The option of a longer name that takes a value, as --preempt-after beside --preempt; or NULL. */
static const struct argp_option *with_value(const struct known *known,
                                            const struct argp_option *without)
{
    const size_t length = strlen(without->name);

    for (size_t i = 0; i < known->count; i++) {
        const struct argp_option *option = known->items[i];
        if (option->name != NULL && option->arg != NULL &&
            strncmp(option->name, without->name, length) == 0 && option->name[length] == '-') {
            return option;
        }
    }
    return NULL;
}

/* Said of an option that is there or not, and no value of another one. */
static bool is_yes_or_no(const char *value)
{
    static const char *const words[] = {"yes", "no", "true", "false", "on", "off"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasecmp(value, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

static enum finding fault_value(const struct known *known, const struct argp_option *option,
                                const char *value, char fault[USAGE_TEXT_MAX])
{
    const struct argp_option *other = is_yes_or_no(value) ? NULL : with_value(known, option);

    if (other != NULL) {
        snprintf(fault, USAGE_TEXT_MAX,
                 "--%s: takes no value (did you mean '--%s'?): write --%s alone", option->name,
                 other->name, option->name);
    } else {
        snprintf(fault, USAGE_TEXT_MAX, "--%s: takes no value: write --%s alone", option->name,
                 option->name);
    }
    return FINDING_FAULT;
}

/* May the word behind an option be its value? The "--" before a command is none, nor is an option's
 * name, alone or with a value of its own, which could still be written behind "="; NULL: there is
 * no word. */
static bool may_be_value(const struct known *known, const char *next)
{
    if (next == NULL || strcmp(next, "--") == 0) {
        return false;
    }
    for (size_t i = 0; strncmp(next, "--", 2) == 0 && i < known->count; i++) {
        const char *name = known->items[i]->name;
        if (name != NULL && strlen(name) == strcspn(next + 2, "=") &&
            strncmp(name, next + 2, strlen(name)) == 0) {
            return false;
        }
    }
    return true;
}

/* Where the value that is missing goes: before the word. */
static void place_before(const char *next, char out[PLACE_MAX])
{
    out[0] = '\0';
    if (next != NULL) {
        snprintf(out, PLACE_MAX, " before %.60s", next);
    }
}

/* A word that begins with "--", and the next one. */
static enum finding judge_long(struct known *known, const char *word, const char *next,
                               char fault[USAGE_TEXT_MAX])
{
    const char *name = word + 2;
    const size_t length = strcspn(name, "=");
    const bool has_value = name[length] == '=';
    const struct argp_option *second = NULL;
    const struct argp_option *option = length == 0 ? NULL : find_name(known, name, length, &second);

    if (option == NULL) {
        return fault_unknown(known, word, name, fault);
    }
    if (second != NULL) {
        snprintf(fault, USAGE_TEXT_MAX, "'%.60s' may mean --%s or --%s: write it in full", word,
                 option->name, second->name);
        return FINDING_FAULT;
    }
    if (option->arg == NULL && has_value) {
        return fault_value(known, option, name + length + 1, fault);
    }
    if (option->arg == NULL) {
        return FINDING_SOUND;
    }
    if (!has_value && !may_be_value(known, next)) {
        char place[PLACE_MAX];
        place_before(next, place);
        snprintf(fault, USAGE_TEXT_MAX, "--%s: has no value: write --%s %s%s", option->name,
                 option->name, option->arg, place);
        return FINDING_FAULT;
    }
    if (is_said_again(known, option, fault)) {
        return FINDING_FAULT;
    }
    return has_value ? FINDING_SOUND : FINDING_TAKES_NEXT;
}

/* A word of one or more short options, such as "-j", or "-jc" and a path. */
static enum finding judge_short(struct known *known, const char *word, const char *next,
                                char fault[USAGE_TEXT_MAX])
{
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const struct argp_option *option = find_letter(known, *letter);
        if (option == NULL) {
            return fault_unknown(known, word, word + 1, fault); /* Perhaps one dash too few. */
        }
        if (option->arg == NULL) {
            continue;
        }
        if (letter[1] == '\0' && !may_be_value(known, next)) {
            char place[PLACE_MAX];
            place_before(next, place);
            snprintf(fault, USAGE_TEXT_MAX, "-%c: has no value: write -%c %s%s", *letter, *letter,
                     option->arg, place);
            return FINDING_FAULT;
        }
        if (is_said_again(known, option, fault)) {
            return FINDING_FAULT;
        }
        return letter[1] == '\0' ? FINDING_TAKES_NEXT : FINDING_SOUND;
    }
    return FINDING_SOUND;
}

/* --- The line -------------------------------------------------------------------------------- */

bool usage_is_sound(const struct argp *argp, int argc, char *const *argv, unsigned flags,
                    char fault[USAGE_TEXT_MAX])
{
    struct known known = {.count = 0};

    gather(&known, argp);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        enum finding finding = FINDING_SOUND;

        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            if ((flags & ARGP_IN_ORDER) != 0) {
                return true;
            }
        } else if (argv[i][1] == '-') {
            finding = judge_long(&known, argv[i], next, fault);
        } else {
            finding = judge_short(&known, argv[i], next, fault);
        }
        if (finding == FINDING_FAULT) {
            return false;
        }
        i += finding == FINDING_TAKES_NEXT;
    }
    return true;
}

void usage_parse(const struct argp *argp, const char *program, int argc, char **argv,
                 unsigned flags, void *input)
{
    char fault[USAGE_TEXT_MAX];

    if (!usage_is_sound(argp, argc, argv, flags, fault)) {
        usage_refuse(program, "%s", fault);
    }
    argp_parse(argp, argc, argv, flags | ARGP_NO_HELP, NULL, input);
}

int usage_flush(const char *program)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0) {
        return EXIT_SUCCESS;
    }
    const int error = errno;
    fprintf(stderr, "%s: cannot write the output: %s: %s\n", program, strerror(error),
            remedy_of_write(error));
    return EXIT_FAILURE;
}

void usage_help(const struct argp_state *state)
{
    /* Without argp's note on what the forms of an option share, unless somebody wants it. */
    (void)setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
    argp_state_help(state, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK);
    exit(usage_flush(state->name));
}

void usage_refuse_list(const char *program, const char *format, va_list arguments)
{
    char text[REFUSAL_MAX];

    line_set(text, sizeof text, format, arguments);
    for (char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            *c = '?';
        }
    }
    fprintf(stderr, "%s: %s; %s --help says more\n", program, text, program);
    exit(EX_USAGE);
}

void usage_refuse(const char *program, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    usage_refuse_list(program, format, arguments);
}
