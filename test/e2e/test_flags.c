/* The command line and the configuration file of doyend: what is wrong is refused before anything
 * starts, in one line that says what, where, and how to mend it. */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

enum { USAGE = 64, CONFIGURATION = 78 };

#define LETTERS_50 "abcdefghijklmnopqrstuvwxyabcdefghijklmnopqrstuvwxy"
#define LETTERS_100 LETTERS_50 LETTERS_50
#define LETTERS_500 LETTERS_100 LETTERS_100 LETTERS_100 LETTERS_100 LETTERS_100

struct refusal {
    const char *arguments[6];
    int code;
    const char *words[3]; /* that the line must have */
};

static const struct refusal refusals[] = {
    /* Not a command line. */
    {{"--no-such-flag"}, USAGE, {"--no-such-flag", "doyend --help"}},
    {{"--lisen", "127.0.0.1:7420"}, USAGE, {"--lisen", "did you mean '--listen'"}},
    {{"--seeds", "127.0.0.1:7420"}, USAGE, {"did you mean '--seed'"}},
    {{"stray"}, USAGE, {"'stray'", "--help"}},
    {{"--name"}, USAGE, {"--name", "NAME"}},
    {{"--check=yes"}, USAGE, {"--check", "no value"}},
    {{"--s", "x"}, USAGE, {"write it in full"}},
    /* Values that are not what they should be. */
    {{"--name", ""}, USAGE, {"--name", "empty"}},
    {{"--name", "two words"}, USAGE, {"--name", "'two words'", "A-Z a-z 0-9"}},
    {{"--name", LETTERS_100}, USAGE, {"--name", "63"}},
    {{"--cluster", "a/b"}, USAGE, {"--cluster", "'a/b'"}},
    {{"--heartbeat", "250"}, USAGE, {"--heartbeat", "no unit", "250ms"}},
    {{"--heartbeat", "fast"}, USAGE, {"--heartbeat", "'fast'", "250ms"}},
    {{"--heartbeat", "1ms"}, USAGE, {"--heartbeat", "5ms"}},
    {{"--fail-after", "-3s"}, USAGE, {"--fail-after", "'-3s'"}},
    {{"--join-timeout", "1.5s"}, USAGE, {"--join-timeout", "'1.5s'", "whole numbers"}},
    {{"--listen", "somewhere:7420"}, USAGE, {"--listen", "somewhere", "127.0.0.1:7420"}},
    {{"--listen", "127.0.0.1:0"}, USAGE, {"--listen", "'0'", "1 to 65535"}},
    {{"--listen", "127.0.0.1:65536"}, USAGE, {"--listen", "65535"}},
    {{"--listen", "127.0.0.1:http"}, USAGE, {"--listen", "'http'"}},
    {{"--listen", "300.0.0.1:7420"}, USAGE, {"--listen", "300.0.0.1"}},
    {{"--listen", "[::1:7420"}, USAGE, {"--listen", "bracket"}},
    {{"--advertise", "0.0.0.0:7420"}, USAGE, {"--advertise", "0.0.0.0"}},
    {{"--seed", "a b:7420"}, USAGE, {"--seed", "a b"}},
    {{"--seed", ":7420"}, USAGE, {"--seed", "HOST:PORT"}},
    {{"--seed", "10.0.0.999"}, USAGE, {"--seed", "10.0.0.999", "IPv4"}},
    {{"--seed", "10.0.0.1:7420:1"}, USAGE, {"--seed", "HOST:PORT"}},
    {{"--name", "-x"}, USAGE, {"--name", "'-x'", "dash"}},
    {{"--http", "8080"}, USAGE, {"--http", "127.0.0.1:8080"}},
    {{"--http", "127.0.0.1"}, USAGE, {"--http", "port"}},
    {{"--profile", "lann"}, USAGE, {"--profile", "did you mean 'lan'"}},
    {{"--log-level", "loud"}, USAGE, {"--log-level", "debug"}},
    {{"--log-format", "xml"}, USAGE, {"--log-format", "json"}},
    {{"--capacity", "5000"}, USAGE, {"--capacity", "4096"}},
    {{"--guard", "0"}, USAGE, {"--guard", "1"}},
    {{"--guard", "most"}, USAGE, {"--guard", "'most'", "none"}},
    {{"--tag", "novalue"}, USAGE, {"--tag", "KEY=VALUE"}},
    {{"--tag", "a=1", "--tag", "a=2"}, USAGE, {"--tag", "twice"}},
    {{"--tag", "long=" LETTERS_500 LETTERS_50}, USAGE, {"--tag", "512"}},
    {{"--control", "/tmp/" LETTERS_100 "abcdef"}, USAGE, {"--control", "107"}},
    /* What contradicts itself. */
    {{"--guard", "majority"}, CONFIGURATION, {"--guard", "majority", "--size N"}},
    {{"--guard", "strict"}, CONFIGURATION, {"--guard", "--voters A,B,C"}},
    {{"--size", "5"}, CONFIGURATION, {"--size", "--guard majority"}},
    {{"--voters", "a,b,c"}, CONFIGURATION, {"--voters", "--guard strict"}},
    {{"--guard", "5", "--capacity", "3"}, CONFIGURATION, {"--guard", "--capacity"}},
    {{"--fail-after", "15ms", "--heartbeat", "1s"}, CONFIGURATION, {"--fail-after", "too short"}},
    {{"--http", "127.0.0.1:7420", "--listen", "127.0.0.1:7420"}, CONFIGURATION, {"--http"}},
    {{"--config", "/no/such/file.ini"}, CONFIGURATION, {"/no/such/file.ini", "--config"}},
};

/* Exactly one line on stderr that has all the words, nothing on stdout, and the exit code. */
static void assert_refused(const struct outcome *outcome, int code, const char *const words[3])
{
    cr_assert_eq(outcome->code, code, "expected %d, not %d: %s", code, outcome->code, outcome->err);
    cr_assert_str_empty(outcome->out);
    cr_assert_eq(line_count(outcome->err), 1, "one line: %s", outcome->err);
    for (size_t i = 0; i < 3 && words[i] != NULL; i++) {
        assert_text_has(outcome->err, words[i]);
    }
}

Story(flags, each_wrong_command_line_is_refused_in_one_line)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *refusal = &refusals[i];
        const struct outcome outcome = doyend(cluster, refusal->arguments);
        assert_refused(&outcome, refusal->code, refusal->words);
    }
}

static const char *config_file(struct cluster *cluster, const char *text)
{
    const char *path = cluster_path(cluster, "doyend.ini");
    FILE *file = fopen(path, "we");

    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

struct file_refusal {
    const char *text;
    const char *words[3];
};

static const struct file_refusal file_refusals[] = {
    {"name = athens\nheartbeet = 1s\n", {"doyend.ini:2", "heartbeet", "did you mean 'heartbeat'"}},
    {"colour = red\n", {"doyend.ini:1", "colour", "--help"}},
    {"# a comment\n\nheartbeat = soon\n", {"doyend.ini:3", "heartbeat", "'soon'"}},
    {"name = athens\nname = byzantium\n", {"doyend.ini:2", "line 1"}},
    {"name athens\n", {"doyend.ini:1", "KEY = VALUE"}},
    {"[doyen]\nname = athens\n", {"doyend.ini:1", "no sections"}},
    {"name =\n", {"doyend.ini:1", "name", "empty"}},
    {"check = yes\n", {"doyend.ini:1", "--check"}},
    {"guard = majority\n", {"doyend.ini:1", "majority", "--size N"}},
};

Story(flags, each_wrong_configuration_file_is_refused_with_its_line)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    for (size_t i = 0; i < sizeof file_refusals / sizeof file_refusals[0]; i++) {
        const char *path = config_file(cluster, file_refusals[i].text);
        const struct outcome outcome = doyend(cluster, ARGS("--config", path));
        assert_refused(&outcome, CONFIGURATION, file_refusals[i].words);
    }
}

Story(flags, a_wrong_variable_of_the_environment_is_refused_by_its_name)
{
    static const char *const words[3] = {"DOYEN_HEARTBEAT", "'soon'"};
    struct cluster *cluster = cluster_new(NO_ARGS);

    cr_assert_eq(setenv("DOYEN_HEARTBEAT", "soon", 1), 0);
    const struct outcome outcome = doyend(cluster, ARGS("--check"));
    assert_refused(&outcome, CONFIGURATION, words);
}

Story(flags, help_and_version_are_answered_on_stdout)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    const struct outcome help = doyend(cluster, ARGS("--help"));
    cr_assert_eq(help.code, 0);
    assert_text_has(help.out, "--listen");
    const struct outcome version = doyend(cluster, ARGS("--version"));
    cr_assert_eq(version.code, 0);
    assert_text_has(version.out, "doyend ");
}

Story(flags, a_variable_that_no_setting_has_is_warned_of)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cr_assert_eq(setenv("DOYEN_SEEDS", "127.0.0.1", 1), 0);
    const struct daemon *athens = cluster_daemon(cluster, "athens");
    const struct outcome outcome = doyend(
        cluster, ARGS("--listen", athens->address, "--control", athens->control, "--check"));
    cr_assert_eq(outcome.code, 0, "%s", outcome.err);
    cr_assert_eq(line_count(outcome.err), 1, "%s", outcome.err);
    assert_text_has(outcome.err, "DOYEN_SEEDS (did you mean DOYEN_SEED?)");

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    cr_assert_eq(cluster_log_count(cluster, "athens", "environment"), 1);
}

/* flag > environment > file > default; each value comes with its origin. */
Story(flags, print_config_tells_each_value_and_where_it_comes_from)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *path = config_file(cluster, "name = filed\nprofile = wan\nguard = 3\n");

    cr_assert_eq(setenv("DOYEN_PROFILE", "local", 1), 0);
    const struct outcome outcome = doyend(
        cluster,
        ARGS("--config", path, "--guard", "2", "--listen", "127.0.0.1:7420", "--print-config"));
    cr_assert_eq(outcome.code, 0, "%s", outcome.err);
    assert_text_has(outcome.out, "name = filed");
    assert_text_has(outcome.out, "profile = local");
    assert_text_has(outcome.out, "guard = 2");
    assert_text_has(outcome.out, "doyend.ini:1");
    assert_text_has(outcome.out, "DOYEN_PROFILE");
}

/* The settings of a printed configuration, without what is said about their origins. */
static const char *settings_of(const char *printed)
{
    const char *settings = "";

    while (*printed != '\0') {
        const size_t length = strcspn(printed, "\n");
        if (*printed != '#' && *printed != '\n') {
            settings = text_kept("%s%.*s\n", settings, (int)strcspn(printed, ";#\n"), printed);
        }
        printed += length + (printed[length] == '\n');
    }
    return settings;
}

/* What --print-config prints is a file that --config reads. */
Story(flags, what_print_config_prints_can_be_read_back)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    const struct outcome first = doyend(
        cluster, ARGS("--name", "athens", "--listen", "[::]:7420", "--advertise", "127.0.0.1:7420",
                      "--seed", "localhost:7420", "--seed", "[::1]:7421", "--tag", "rack=a",
                      "--tag", "note=two words", "--guard", "3", "--heartbeat", "300ms",
                      "--control", "/tmp/doyen-x.sock", "--print-config"));
    cr_assert_eq(first.code, 0, "%s", first.err);
    const char *path = config_file(cluster, first.out);
    const struct outcome second = doyend(cluster, ARGS("--config", path, "--print-config"));
    cr_assert_eq(second.code, 0, "%s", second.err);

    cr_assert_str_eq(settings_of(second.out), settings_of(first.out));
}

Story(flags, a_daemon_runs_from_a_configuration_file_alone)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct daemon *athens = cluster_daemon(cluster, "athens");
    const char *path = config_file(
        cluster, text_kept("# the founder\nname = athens\nlisten = %s\ncontrol = %s\n",
                           athens->address, athens->control));

    cr_assert(process_start(&athens->process, ARGS(DOYEND_PATH, "--config", path), athens->log,
                            athens->log));
    assert_agreement(cluster, "athens");
}
