/* doyend --check: tries what a start would meet, says each thing that stands against it in one
 * line, and leaves nothing behind. What can change is status 1, the configuration's own faults
 * are 78. */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "fixture.h"

enum { CAN_CHANGE = 1, CONFIGURATION = 78 };

/* --check with an address and a control socket of the test's own, and what is given besides. */
static struct outcome check(struct cluster *cluster, const char *const *arguments)
{
    const struct daemon *daemon = cluster_daemon(cluster, "athens");
    const char *all[ARGUMENTS_MAX] = {"--check",       "--name",    "athens",       "--listen",
                                      daemon->address, "--control", daemon->control};
    size_t count = 7;

    add_arguments(all, &count, arguments);
    all[count] = NULL;
    return doyend(cluster, all);
}

static size_t entries(const char *path)
{
    DIR *directory = opendir(path);
    size_t count = 0;

    cr_assert_not_null(directory);
    while (readdir(directory) != NULL) {
        count++;
    }
    closedir(directory);
    return count;
}

static const char *file_with(struct cluster *cluster, const char *name, const char *text)
{
    const char *path = cluster_path(cluster, name);
    FILE *file = fopen(path, "we");

    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

Story(check, a_sound_start_is_said_to_be_and_leaves_nothing_behind)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *own = cluster_path(cluster, "own");
    const char *const *arguments = ARGS("--state-dir", text_kept("%s/state", own), "--record",
                                        text_kept("%s/a.rec", own), "--control",
                                        text_kept("%s/run/a.sock", own));

    cr_assert_eq(mkdir(own, 0700), 0);
    for (int i = 0; i < 2; i++) { /* Twice: what was bound and locked is free again. */
        const struct outcome outcome = check(cluster, arguments);
        cr_assert_eq(outcome.code, 0, "%s", outcome.err);
        assert_text_has(outcome.out, "sound");
        cr_assert_str_empty(outcome.err);
        cr_assert_eq(entries(own), 2, "only . and ..");
    }
}

Story(check, what_a_running_daemon_holds_is_reported_each_in_a_line)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *state = cluster_path(cluster, "state");
    const char *record = cluster_path(cluster, "a.rec");

    cluster_start(cluster, "athens", NULL, ARGS("--state-dir", state, "--record", record));
    assert_agreement(cluster, "athens");
    const struct outcome outcome = check(cluster, ARGS("--state-dir", state, "--record", record));
    cr_assert_eq(outcome.code, CAN_CHANGE, "%s", outcome.err);
    cr_assert_str_empty(outcome.out);
    cr_assert_eq(line_count(outcome.err), 4, "%s", outcome.err);
    assert_text_has(outcome.err,
                    text_kept("address %s is in use", cluster_daemon(cluster, "athens")->address));
    assert_text_has(outcome.err, "belongs to another daemon");
    assert_text_has(outcome.err, "a.rec is being written by another process");
    assert_text_has(outcome.err, "another process answers at");
    assert_agreement(cluster, "athens");
}

Story(check, each_thing_that_a_start_would_meet_is_named)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *file = file_with(cluster, "file", "no recording, no socket, no directory");
    const struct {
        const char *option;
        const char *value;
        const char *words;
    } faults[] = {
        {"--state-dir", "/proc/doyen", "cannot make the state directory /proc/doyen"},
        {"--state-dir", text_kept("%s/x", file), "state directory"},
        {"--state-dir", file, "cannot open the state directory"},
        {"--listen", "192.0.2.1:7420", "192.0.2.1:7420 is not an address of this host"},
        {"--http", "192.0.2.1:80", "choose another --http"},
        {"--control", "/no/such/a.sock", "cannot make /no/such for the control socket"},
        {"--control", file, "is there already and is no socket"},
        {"--record", file, "is there and is not a recording"},
        {"--record", "/no/such/a.rec", "cannot make /no/such/a.rec"},
    };

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        const struct outcome outcome = check(cluster,
                                             ARGS(faults[i].option, faults[i].value, "--insecure"));
        cr_assert_eq(outcome.code, CAN_CHANGE, "%s %s: %d %s", faults[i].option, faults[i].value,
                     outcome.code, outcome.err);
        cr_assert_eq(line_count(outcome.err), 1, "%s", outcome.err);
        assert_text_has(outcome.err, faults[i].words);
        cr_assert_str_empty(outcome.out);
    }
}

Story(check, what_the_configuration_alone_makes_impossible_is_its_fault)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    const struct outcome loopback = check(cluster, ARGS("--seed", "192.0.2.1:7420"));
    cr_assert_eq(loopback.code, CONFIGURATION);
    assert_text_has(loopback.err, "is an address for this host alone");
    const struct outcome family = check(cluster, ARGS("--seed", "[2001:db8::1]:7420"));
    cr_assert_eq(family.code, CONFIGURATION);
    assert_text_has(family.err, "is IPv6 and --listen is IPv4");
}

/* The name may be known by the time of the start, or later. */
Story(check, a_seed_that_does_not_resolve_is_warned_of)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    const struct outcome outcome = check(cluster, ARGS("--seed", "nobody.invalid:7420"));
    cr_assert_eq(outcome.code, 0, "%s", outcome.err);
    assert_text_has(outcome.out, "sound");
    cr_assert_eq(line_count(outcome.err), 1, "%s", outcome.err);
    assert_text_has(outcome.err, "warning: --seed nobody.invalid:7420 does not resolve");
}
