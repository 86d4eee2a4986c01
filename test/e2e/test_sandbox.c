/* A running daemon is in its sandbox, unless --sandbox off lifts it; it keeps its state, is found
 * by names and goes in good order from inside. */
#include <string.h>
#include <unistd.h>

#include "fixture.h"

/* The line of /proc/PID/status that begins so. */
static const char *status_line(const struct daemon *daemon, const char *key)
{
    char *text = file_read(text_kept("/proc/%d/status", (int)daemon->process.pid), NULL);
    char *line = text == NULL ? NULL : strstr(text, key);

    cr_assert_not_null(line, "no %s", key);
    line[strcspn(line, "\n")] = '\0';
    const char *kept = text_kept("%s", line);
    free(text);
    return kept;
}

/* "localhost:PORT" is looked up again and again, by threads that start inside. */
Story(sandbox, a_daemon_works_from_inside)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *state = cluster_path(cluster, "state");
    const char *record = cluster_path(cluster, "athens.rec");

    struct daemon *athens = cluster_start(
        cluster, "athens", NULL,
        ARGS("--state-dir", state, "--record", record, "--seed",
             cluster_daemon(cluster, "athens")->address, "--seed",
             text_kept("localhost:%u", (unsigned)cluster_port(cluster))));
    assert_agreement(cluster, "athens");
    if (cluster_log_has(cluster, "athens", "built for finding faults")) {
        cr_skip_test("an instrumented build has no sandbox");
    }
    cr_expect_str_eq(status_line(athens, "NoNewPrivs:"), "NoNewPrivs:\t1");
    cr_expect_str_eq(status_line(athens, "Seccomp:"), "Seccomp:\t2");
    cr_expect(cluster_log_has(cluster, "athens", "on: no other program"));
    cr_expect_eq(cluster_terminate(cluster, "athens"), 0);
    cr_expect_neq(access(athens->control, F_OK), 0, "it removed its socket");
    cr_expect_not(cluster_log_has(cluster, "athens", "cannot"));
}

Story(sandbox, it_can_be_lifted)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    struct daemon *athens = cluster_start(cluster, "athens", NULL, ARGS("--sandbox", "off"));
    assert_agreement(cluster, "athens");
    cr_expect_str_eq(status_line(athens, "NoNewPrivs:"), "NoNewPrivs:\t0");
    cr_expect_str_eq(status_line(athens, "Seccomp:"), "Seccomp:\t0");
    cr_expect_eq(cluster_log_count(cluster, "athens", "sandbox"), 0);
}
