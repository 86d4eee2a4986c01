/* A running daemon goes before other programs, where its account may and a lateness could end its
 * right to act. */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

static int policy_of(const struct daemon *daemon)
{
    return sched_getscheduler(daemon->process.pid);
}

/* Threads that have this policy, and all of them. */
static size_t count_threads(const struct daemon *daemon, int policy, size_t *all)
{
    DIR *tasks = opendir(text_kept("/proc/%d/task", (int)daemon->process.pid));
    size_t count = 0;

    *all = 0;
    cr_assert_not_null(tasks);
    for (const struct dirent *task = readdir(tasks); task != NULL; task = readdir(tasks)) {
        const int id = atoi(task->d_name);
        if (id > 0) {
            ++*all;
            count += sched_getscheduler(id) == policy;
        }
    }
    (void)closedir(tasks);
    return count;
}

/* May what runs these stories have the priority? */
static bool is_permitted(void)
{
    const struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_RR)};
    int status = -1;
    const pid_t child = fork();

    cr_assert_geq(child, 0);
    if (child == 0) {
        _exit(sched_setscheduler(0, SCHED_RR, &lowest) == 0 ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status == 0;
}

Story(scheduling, a_daemon_goes_before_other_programs)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    struct daemon *athens = cluster_start(cluster, "athens", NULL, ARGS("--profile", "local"));
    assert_agreement(cluster, "athens");
    cr_assert(cluster_log_has(cluster, "athens", "scheduling"));
    cr_expect_eq(policy_of(athens), is_permitted() ? SCHED_RR : SCHED_OTHER);
    cr_expect_eq(cluster_terminate(cluster, "athens"), 0);
}

/* A thread with less would not run before one that waits for it by sched_yield(). */
Story(scheduling, all_threads_of_a_daemon_have_the_same)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *state = cluster_path(cluster, "state");
    size_t all = 0;

    struct daemon *athens = cluster_start(cluster, "athens", NULL,
                                          ARGS("--state-dir", state, "--profile", "local"));
    assert_agreement(cluster, "athens");
    cr_expect_eq(count_threads(athens, policy_of(athens), &all), all);
    cr_expect_gt(all, 1);
}

/* What the kernel does to one that keeps the processor to itself. It works on, in its sandbox. */
Story(scheduling, a_daemon_that_is_told_to_give_way_does)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    struct daemon *athens = cluster_start(cluster, "athens", NULL, ARGS("--profile", "local"));
    assert_agreement(cluster, "athens");
    if (policy_of(athens) != SCHED_RR) {
        cr_skip_test("this account, kernel or container gives no real-time priority");
    }
    cr_assert_eq(kill(athens->process.pid, SIGXCPU), 0);
    assert_soon(policy_of(athens) == SCHED_OTHER);
    cr_expect_eq(cluster_terminate(cluster, "athens"), 0);
}

Story(scheduling, with_the_profile_lan_it_is_not)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    struct daemon *athens = cluster_start(cluster, "athens", NULL, ARGS("--profile", "lan"));
    assert_agreement(cluster, "athens");
    cr_expect_eq(policy_of(athens), SCHED_OTHER);
    cr_expect_eq(cluster_log_count(cluster, "athens", "scheduling"), 0);
}
