/* Signals that do not end a daemon: SIGUSR1 and SIGUSR2 answer on the log, SIGHUP reads the
 * configuration again. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* --- SIGHUP --- */

static void write_config(struct cluster *cluster, const char *text)
{
    FILE *file = fopen(cluster_path(cluster, "doyend.conf.new"), "w");

    cr_assert_not_null(file);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(
        rename(cluster_path(cluster, "doyend.conf.new"), cluster_path(cluster, "doyend.conf")),
        0); /* As most tools replace a file. */
}

static struct cluster *athens_with_config(const char *text)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    write_config(cluster, text);
    cluster_start(cluster, "athens", "athens",
                  ARGS("--config", cluster_path(cluster, "doyend.conf")));
    assert_agreement(cluster, "athens");
    return cluster;
}

Story(signals, sighup_takes_the_log_level_and_says_so)
{
    struct cluster *cluster = athens_with_config("log-level = info\n");

    send_signal(cluster, "athens", SIGHUP);
    assert_soon(cluster_log_has(cluster, "athens", "the configuration is as it was"));
    write_config(cluster, "log-level = debug\n");
    send_signal(cluster, "athens", SIGHUP);
    assert_soon(cluster_log_has(cluster, "athens", "log-level: info -> debug"));
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    assert_soon(cluster_log_count(cluster, "athens", "joined") == 1);
    write_config(cluster, "log-level = error\n");
    send_signal(cluster, "athens", SIGHUP);
    assert_soon(cluster_log_has(cluster, "athens", "log-level: debug -> error"));
}

Story(signals, sighup_names_what_needs_a_restart)
{
    struct cluster *cluster = athens_with_config("guard = none\n");

    write_config(cluster, "guard = 3\nlog-level = debug\n");
    send_signal(cluster, "athens", SIGHUP);
    assert_soon(cluster_log_has(cluster, "athens", "log-level: info -> debug"));
    cr_assert(cluster_log_has(cluster, "athens", "guard: none -> 3 needs a restart"));
    cr_assert_str_eq(cluster_view(cluster, "athens"), "1.1 athens/1");
}

/* E8: what was set at run time gives way to a file that says something else. */
Story(signals, sighup_takes_tags_and_says_so)
{
    struct cluster *cluster = athens_with_config("tag = zone=eu\n");

    cr_assert_eq(doyen(cluster, "athens", ARGS("tag", "set", "zone=us")).code, 0);
    send_signal(cluster, "athens", SIGHUP);
    assert_soon(cluster_log_has(cluster, "athens", "the configuration is as it was"));
    write_config(cluster, "tag = zone=asia\ntag = rack=7\n");
    send_signal(cluster, "athens", SIGHUP);
    assert_soon(cluster_log_has(cluster, "athens", "tag: zone=eu -> zone=asia,rack=7"));
    assert_soon(strcmp(doyen(cluster, "athens", ARGS("tag")).out, "zone=asia\nrack=7\n") == 0);
}

Story(signals, sighup_leaves_all_as_it_is_where_the_file_is_wrong)
{
    struct cluster *cluster = athens_with_config("log-level = info\n");

    write_config(cluster, "log-level = loud\n");
    send_signal(cluster, "athens", SIGHUP);
    assert_soon(cluster_log_has(cluster, "athens", "the configuration stays as it is"));
    cr_assert(cluster_log_has(cluster, "athens", "doyend.conf:1"));
    cr_assert_eq(unlink(cluster_path(cluster, "doyend.conf")), 0);
    send_signal(cluster, "athens", SIGHUP);
    assert_soon(cluster_log_count(cluster, "athens", "reload") == 2);
}

/* Two clusters whose seeds do not know each other become one when a file names the other's. */
Story(signals, sighup_takes_seeds)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *own = text_kept("seed = %s\n", cluster_daemon(cluster, "athens")->address);

    write_config(cluster, own);
    cluster_start(cluster, "athens", NULL, ARGS("--config", cluster_path(cluster, "doyend.conf")));
    cluster_start(cluster, "byzantium", "byzantium", NO_ARGS);
    assert_agreement(cluster, "athens");
    assert_agreement(cluster, "byzantium");
    write_config(cluster,
                 text_kept("%sseed = %s\n", own, cluster_daemon(cluster, "byzantium")->address));
    send_signal(cluster, "athens", SIGHUP);
    assert_soon(cluster_log_count(cluster, "athens", "reload") == 1);
    assert_soon(strcmp(cluster_view(cluster, "athens"), cluster_view(cluster, "byzantium")) == 0);
}
