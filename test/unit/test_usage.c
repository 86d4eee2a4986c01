/* What is said of a command line that is not one. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "usage/line.h"
#include "usage/usage.h"

enum { WORDS_MAX = 16 };

static const struct argp_option own[] = {
    {.doc = "A heading:", .group = 1},
    {.name = "members", .key = 'm', .arg = "N", .group = 1},
    {.name = "coordinator", .key = 300, .arg = "NAME", .group = 1},
    {.name = "kept-for-later", .key = 301, .flags = OPTION_HIDDEN},
    {.name = NULL},
};
static const struct argp_option of_child[] = {
    {.name = "control", .key = 'c', .arg = "PATH"},
    {.name = "json", .key = 'j'},
    {.name = "json-lines", .key = 302},
    {.name = "config", .key = 303, .arg = "FILE"},
    {.name = "json-depth", .key = 304, .arg = "N"},
    {.name = "tag", .key = 't', .arg = "TAG", .flags = USAGE_LIST},
    {.name = NULL},
};

/* What is wrong with the words of `line`, which single spaces separate; "" for nothing. The
 * caller's to free. */
static char *fault_in(const char *line, unsigned flags)
{
    const struct argp child = {.options = of_child};
    const struct argp_child children[] = {{.argp = &child}, {.argp = NULL}};
    const struct argp argp = {.options = own, .children = children};
    char program[] = "doyen";
    char *argv[WORDS_MAX] = {program};
    char *copy = strdup(line);
    char *fault = calloc(1, USAGE_TEXT_MAX);
    int argc = 1;

    cr_assert(copy != NULL && fault != NULL);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        cr_assert_lt(argc, WORDS_MAX);
        argv[argc++] = word;
    }
    const bool sound = usage_is_sound(&argp, argc, argv, flags, fault);
    cr_expect_eq(sound, fault[0] == '\0', "%s: %s", line, fault);
    free(copy);
    return fault;
}

struct line_case {
    const char *line;
    const char *fault;
};

Test(usage, a_sound_line_has_no_fault)
{
    static const char *const lines[] = {
        "",
        "word",
        "--members 3 -j -c path",
        "--members=3 --json --control=path",
        "-m3 -jcpath",
        "-jm 3 word",
        "--members --foo", /* A value may look like an option. */
        "-m -x",
        "--mem 3 --cont=x --coord y", /* Cut short, and still meant without doubt. */
        "--json",                     /* Spelled out, though another one begins with it. */
        "word -- --foo -x",
        "--json -j --json",
        "--tag a -tb --tag=c",
        "--members 3 -- --members 4",
        "--control=-- --json",
        "-",
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char *fault = fault_in(lines[i], 0);
        cr_expect_str_empty(fault, "%s: %s", lines[i], fault);
        free(fault);
    }
}

Test(usage, the_first_fault_is_named)
{
    static const struct line_case cases[] = {
        {"--foo", "unknown option '--foo'"},
        {"word --foo", "unknown option '--foo'"},
        {"--members 3 --foo --bar", "unknown option '--foo'"},
        {"--mmebers=3", "unknown option '--mmebers=3' (did you mean '--members'?)"},
        {"--kept-for-latr", "unknown option '--kept-for-latr'"},
        {"-x", "unknown option '-x'"},
        {"-f x", "unknown option '-f' (did you mean '--config'?)"},
        {"-jx", "unknown option '-jx'"},
        {"-json", "unknown option '-json' (did you mean '--json'?)"},
        {"--=x", "unknown option '--=x'"},
        {"--co x", "'--co' may mean --coordinator or --control: write it in full"},
        {"--js", "'--js' may mean --json or --json-lines: write it in full"},
        {"--members 3 --members 3", "--members: said before: keep one"},
        {"--members=3 -j -m4", "--members: said before: keep one"},
        {"-c a --cont=b", "--control: said before: keep one"},
        {"-ca -jc b", "--control: said before: keep one"},
        {"--control", "--control: has no value: write --control PATH"},
        {"word --contr", "--control: has no value: write --control PATH"},
        {"-jc", "-c: has no value: write -c PATH"},
        {"--members -- --foo", "--members: has no value: write --members N before --"},
        {"-jc -- true", "-c: has no value: write -c PATH before --"},
        {"--control --json", "--control: has no value: write --control PATH before --json"},
        {"-c --members 3", "-c: has no value: write -c PATH before --members"},
        {"--control --members=3",
         "--control: has no value: write --control PATH before --members=3"},
        {"--json=yes", "--json: takes no value: write --json alone"},
        {"--json-lines=yes", "--json-lines: takes no value: write --json-lines alone"},
        {"--json=3", "--json: takes no value (did you mean '--json-depth'?): write --json alone"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *fault = fault_in(cases[i].line, 0);
        cr_expect_str_eq(fault, cases[i].fault, "%s: %s", cases[i].line, fault);
        free(fault);
    }
}

/* What stands behind the verb is the verb's to read. */
Test(usage, in_order_nothing_behind_the_first_word_is_looked_at)
{
    char *behind = fault_in("--json members --foo", ARGP_IN_ORDER);
    char *before = fault_in("--foo members", ARGP_IN_ORDER);
    char *value = fault_in("--control path --foo", ARGP_IN_ORDER);

    cr_expect_str_empty(behind);
    cr_expect_str_eq(before, "unknown option '--foo'");
    cr_expect_str_eq(value, "unknown option '--foo'");
    free(behind);
    free(before);
    free(value);
}

__attribute__((format(printf, 3, 4))) static void set_line(char *to, size_t size,
                                                           const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    line_set(to, size, format, arguments);
    va_end(arguments);
}

/* What stands around what was typed: the remedy has to be read. */
Test(usage, a_word_that_nobody_reads_to_its_end_is_cut_and_the_remedy_stays)
{
    char word[70001];
    char line[512];

    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    set_line(line, sizeof line, "'%s': give another one, not %s", word, word);
    cr_assert_lt(strlen(line), 400);
    cr_expect_not_null(strstr(line, "x...': give another one, not xxx"), "%s", line);
    cr_expect_str_eq(line + strlen(line) - 4, "x...");

    word[200] = '\0';
    set_line(line, sizeof line, "%s/%s", word, "a path that is whole");
    cr_expect_eq(strlen(line), 201 + strlen("a path that is whole"));

    for (size_t i = 0; i + 2 < sizeof word; i += 3) {
        memcpy(word + i, "\xe2\x82\xac", 3);
    }
    word[69999] = '\0';
    set_line(line, sizeof line, "%s: no", word);
    cr_expect_eq((strlen(line) - strlen("...: no")) % 3, 0, "no character is cut in two");
    cr_expect_not_null(strstr(line, "\xac...: no"));

    word[2] = '\0';
    set_line(line, sizeof line, " %.1s  b ", "a");
    cr_expect_str_eq(line, " a  b ");
}

/* Typed in the place of its file, of its fingerprint or of anything else, it would stand in a log.
 */
Test(usage, a_key_is_repeated_in_no_line)
{
    static const char key[] = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=";
    char commas[141] = "";
    char dots[141] = "";
    char line[512];

    set_line(line, sizeof line, "%s, './%s': no, --key=%s", key, key, key);
    cr_expect_null(strstr(line, "q83v"), "%s", line);
    cr_expect_null(strstr(line, "WeJA"), "%s", line);
    cr_expect_not_null(strstr(line, "*': no, --key=***"), "%s", line);
    memset(commas, ',', sizeof commas - 1);
    memset(dots, '.', sizeof dots - 1); /* It is hidden before the word is cut within it. */
    set_line(line, sizeof line, "%s%s%s", commas, key, dots);
    cr_expect_null(strstr(line, "q83v"), "%s", line);

    set_line(line, sizeof line, "%.43s", key);
    cr_expect_str_eq(line, "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA", "a name may be as long");
    cr_expect(line_is_key(key));
    cr_expect_not(line_is_key(line));
    cr_expect_not(line_is_key("./key="));
}
