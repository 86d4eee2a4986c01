/* A right to act is read by the clock that it was given by, or not at all: readers beside a daemon
 * in another time namespace, whose clock is ahead of theirs or behind. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "doyen/client.h"
#include "doyen/lease.h"
#include "other_clock.h"

enum { DONE = 0, REFUSED = 1, NOT_ACTING = 3 };

static bool is_acting(struct cluster *cluster, const char *name)
{
    return json_is_true(json_object_get(cluster_members(cluster, name), "acting"));
}

/* One node that acts; `ahead`: in a namespace of its own. */
static struct cluster *acting_cluster(bool ahead)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    other_clock_require(cluster);
    cluster_form(cluster, "athens");
    if (ahead) {
        cluster_kill(cluster, "athens");
        cluster_replace(cluster, "athens", other_clock_program(cluster, DOYEND_PATH));
        cluster_restart(cluster, "athens");
    }
    assert_soon(is_acting(cluster, "athens"));
    return cluster;
}

/* What doyen/lease.h says of the page of that control socket: the errno, 0 for a page. */
static int map_page(void *control)
{
    struct doyen_lease lease;
    int page = -1;
    const int connection = doyen_lease_connect(control, LIMIT_MS, &page);
    const int error = connection < 0 ? connection : doyen_lease_map(&lease, page);

    return -error;
}

/* Does libdoyen refuse it, in words, and act by nothing? 0: it does. */
static int refuses(void *control)
{
    const struct doyen_options options = {.size = sizeof options, .control = control};
    struct doyen_right right;
    struct doyen *d = NULL;

    if (doyen_open(&d, &options) != 0) {
        return 1;
    }
    const bool refused = doyen_lease_get(d, LIMIT_MS) == DOYEN_E_REFUSED &&
                         strstr(doyen_error(d), "goes by another clock") != NULL;
    const uint64_t until_ms = clock_now_ms() + 500; /* It asks for a page by itself, too. */
    bool acts = false;
    while (!acts && clock_now_ms() < until_ms) {
        acts = doyen_acting(d, &right);
        clock_nap_ms(LOOK_AGAIN_MS);
    }
    doyen_close(d);
    return refused && !acts ? 0 : 2;
}

Story(clocks, a_page_whose_clock_is_ahead_is_read_by_nobody)
{
    struct cluster *cluster = acting_cluster(true);
    char *control = strdup(cluster_daemon(cluster, "athens")->control);

    cr_assert_eq(map_page(control), EXDEV);
    cr_assert_eq(refuses(control), 0);
    cr_assert_eq(other_clock_call(map_page, control), EXDEV, "nor in one more namespace");
    const struct outcome asked = doyen(cluster, "athens", ARGS("lease"));
    cr_assert_eq(asked.code, DONE, "a length means the same everywhere: %s", asked.err);
    free(control);
}

Story(clocks, a_page_whose_clock_is_behind_is_read_by_nobody)
{
    struct cluster *cluster = acting_cluster(false);
    char *control = strdup(cluster_daemon(cluster, "athens")->control);
    const char *said = cluster_path(cluster, "said");
    struct process run = {.pid = 0};

    cr_assert_eq(map_page(control), 0);
    cr_assert_eq(other_clock_call(map_page, control), EXDEV);
    cr_assert_eq(other_clock_call(refuses, control), 0);
    cr_assert(process_start(&run, ARGS(OTHER_CLOCK, DOYEN_PATH, "--control", control, "lease"),
                            said, said));
    cr_assert(process_wait(&run, LIMIT_MS));
    cr_assert_eq(process_exit_code(&run), DONE, "it asks for a length");
    free(control);
}

/* The command of doyen run has the page, and enters another namespace with it. */
Story(clocks, below_doyen_run_another_clock_is_told_in_one_line)
{
    struct cluster *cluster = acting_cluster(false);
    const char *script = text_kept("%s %s lease && exec unshare -T --boottime %d %s lease",
                                   "exec 2>&1;", DOYEN_PATH, OTHER_CLOCK_S, DOYEN_PATH);
    const struct outcome run = doyen(cluster, "athens",
                                     ARGS("run", "--once", "--", "/bin/sh", "-c", script));

    cr_assert_eq(run.code, REFUSED, "%s%s", run.out, run.err);
    assert_text_has(run.out, "athens acts under epoch 1");
    assert_text_has(run.out, "the lease page of DOYEN_LEASE_FD is of another clock");
    cr_assert_eq(line_count(run.out), 2, "%s", run.out);
}
