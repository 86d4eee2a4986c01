/* Signals that do not end a daemon: SIGUSR1 and SIGUSR2 answer on the log, SIGHUP does nothing. */
#include <signal.h>

#include "fixture.h"

static void send_signal(struct cluster *cluster, const char *name, int number)
{
    cr_assert_eq(kill(cluster_daemon(cluster, name)->process.pid, number), 0);
}

Story(signals, sigusr1_writes_the_state_whatever_the_log_level)
{
    struct cluster *cluster = cluster_new(ARGS("--log-level", "error"));

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    send_signal(cluster, "athens", SIGHUP);
    send_signal(cluster, "athens", SIGUSR1);
    assert_soon(cluster_log_count(cluster, "athens", "status") == 1);
    cr_assert(cluster_log_has(cluster, "athens", "phase=member view=1.1 members=1"));
    cr_assert(cluster_log_has(cluster, "athens", "coordinator=athens acting=yes"));
}

Story(signals, sigusr2_turns_debug_lines_on_and_off)
{
    struct cluster *cluster = cluster_new(ARGS("--log-level", "error"));

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    send_signal(cluster, "athens", SIGUSR2);
    assert_soon(cluster_log_has(cluster, "athens", "debug lines too"));
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    assert_soon(cluster_log_count(cluster, "athens", "joined") == 1);

    send_signal(cluster, "athens", SIGUSR2);
    assert_soon(cluster_log_has(cluster, "athens", "as --log-level has it"));
    cluster_start(cluster, "cyrene", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium cyrene");
    cr_assert_eq(cluster_log_count(cluster, "athens", "joined"), 1);
}
