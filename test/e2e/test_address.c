/* The addresses of the host itself: they may come after doyend does, be several, and go. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netns_story.h"

enum { NOT_HEALTHY = 6 }; /* the status of doyen status */

/* On the wildcard, as without any configuration. */
static void start_on_all(struct cluster *cluster, const char *name, const char *seeds)
{
    cluster_start(cluster, name, seeds, ARGS("--listen", "0.0.0.0:7420"));
}

Story(address, a_daemon_waits_for_the_address_that_it_listens_on)
{
    struct cluster *cluster = cluster_apart("athens byzantium", NO_ARGS);

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    cr_assert(netns_take_address(&cluster->netns, 1));
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_soon(
        cluster_log_has(cluster, "byzantium", "waits until 10.77.0.2 is an address of this host"));
    cr_assert(process_is_running(&cluster_daemon(cluster, "byzantium")->process));
    cr_assert(netns_give_address(&cluster->netns, 1));
    assert_agreement(cluster, "athens byzantium");
    cr_assert_eq(cluster_log_count(cluster, "byzantium", "address"), 1);
}

Story(address, a_daemon_that_listens_on_all_waits_for_any)
{
    struct cluster *cluster = cluster_apart("athens byzantium", NO_ARGS);

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    cr_assert(netns_take_address(&cluster->netns, 1));
    start_on_all(cluster, "byzantium", "athens");
    assert_soon(cluster_log_has(cluster, "byzantium", "this host has no address but loopback"));
    cr_assert(netns_give_address(&cluster->netns, 1));
    assert_agreement(cluster, "athens byzantium");
}

static bool is_known_by(struct cluster *cluster, const char *name, const char *host)
{
    const json_t *entry = entry_of(cluster_members(cluster, "athens"), "members", name);

    return entry != NULL && strncmp(text_of(entry, "address"), host, strlen(host)) == 0;
}

Story(address, of_several_the_one_that_leads_to_the_seeds_is_taken)
{
    struct cluster *cluster = cluster_apart("athens byzantium", NO_ARGS);

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    cr_assert(netns_float_address(&cluster->netns, 1));
    start_on_all(cluster, "byzantium", "athens");
    assert_agreement(cluster, "athens byzantium");
    cr_assert(is_known_by(cluster, "byzantium", "10.77.0.2:"));
}

/* Two networks that lead nowhere are up before the one that does: none of their addresses is taken.
 */
Story(address, a_way_to_the_seeds_is_waited_for)
{
    struct cluster *cluster = cluster_apart("athens byzantium", NO_ARGS);

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    cr_assert(netns_float_address(&cluster->netns, 1));
    cr_assert(netns_take_address(&cluster->netns, 1));
    start_on_all(cluster, "byzantium", "athens");
    assert_soon(cluster_log_has(cluster, "byzantium", "known to lead to a seed"));
    cr_assert(netns_give_address(&cluster->netns, 1));
    assert_agreement(cluster, "athens byzantium");
    cr_assert(is_known_by(cluster, "byzantium", "10.77.0.2:"));
}

/* doyend where no question to a name server is answered. */
static const char *without_names(struct cluster *cluster)
{
    const char *path = cluster_path(cluster, "without-names");
    const char *servers = cluster_path(cluster, "resolv.conf");
    FILE *file = fopen(servers, "w");

    cr_assert_not_null(file);
    fputs("nameserver 10.77.0.250\noptions timeout:5 attempts:2\n", file);
    cr_assert_eq(fclose(file), 0);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file,
            "#!/bin/sh\nexec unshare -m sh -c 'mount --bind %s /etc/resolv.conf && exec %s \"$@\"' "
            "doyend \"$@\"\n",
            servers, DOYEND_PATH);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(chmod(path, S_IRWXU), 0);
    return path;
}

/* One after the other they would take ten seconds each. */
Story(address, names_that_nobody_knows_hold_up_no_start)
{
    static const char *const names[] = {
        "--listen", "0.0.0.0:7420", "--seed", "a.example", "--seed", "b.example",
        "--seed",   "c.example",    "--seed", "d.example", "--seed", "e.example",
        "--seed",   "f.example",    "--seed", "g.example", "--seed", "h.example",
        "--seed",   "10.77.0.1",    NULL};
    struct cluster *cluster = cluster_apart("athens byzantium", NO_ARGS);

    if (geteuid() != 0) {
        cr_skip_test("only root may mount a file over another");
    }
    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    cluster_start(cluster, "byzantium", NULL, names); /* One address is taken without a look. */
    assert_agreement(cluster, "athens byzantium");
    cluster_kill(cluster, "byzantium");
    cr_assert(netns_float_address(&cluster->netns, 1));
    cluster_replace(cluster, "byzantium", without_names(cluster));
    cluster_restart(cluster, "byzantium");
    assert_agreement(cluster, "athens byzantium");
}

/* Without a seed there is no way that would tell. */
Story(address, of_several_the_one_of_the_last_start_is_taken)
{
    struct cluster *cluster = cluster_apart("athens", NO_ARGS);
    const char *state = cluster_path(cluster, "state");

    cluster_start(cluster, "athens", NULL, ARGS("--state-dir", state));
    assert_agreement(cluster, "athens");
    cr_assert_eq(cluster_terminate(cluster, "athens"), 0);
    cr_assert(netns_float_address(&cluster->netns, 0));
    cluster_start(cluster, "athens", NULL, ARGS("--listen", "0.0.0.0:7420", "--state-dir", state));
    assert_agreement(cluster, "athens");
    cr_assert(is_known_by(cluster, "athens", "10.77.0.1:"));
}

Story(address, a_daemon_that_waits_ends_when_it_is_told_to)
{
    struct cluster *cluster = cluster_apart("athens", NO_ARGS);

    cr_assert(netns_take_address(&cluster->netns, 0));
    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_soon(cluster_log_count(cluster, "athens", "address") == 1);
    cr_assert_eq(cluster_terminate(cluster, "athens"), 0);
}

static bool status_says(struct cluster *cluster, const char *name, const char *words)
{
    const struct outcome status = doyen(cluster, name, ARGS("status"));

    return status.code == NOT_HEALTHY && strstr(status.out, words) != NULL;
}

Story(address, one_that_has_gone_is_told_until_it_is_back)
{
    struct cluster *cluster = cluster_formed_apart("athens byzantium", NO_ARGS);

    cr_assert(netns_take_address(&cluster->netns, 0));
    assert_soon(status_says(cluster, "athens",
                            "this node cannot be reached: 10.77.0.1, by which the others know "
                            "this node, is gone from its host"));
    cr_assert(cluster_log_has(cluster, "athens",
                              "10.77.0.1, by which the others know this node, is gone from"));
    cr_assert(netns_give_address(&cluster->netns, 0));
    assert_soon(cluster_log_has(cluster, "athens", "10.77.0.1 is on this host again"));
    assert_soon(!status_says(cluster, "athens", "is gone from its host"));
    const char *why = doyen(cluster, "athens", ARGS("why", "athens")).out;
    assert_text_has(why, "is gone from its host: give the host that address back");
    assert_text_has(why, "10.77.0.1 is on this node's host again");
}

/* As with a new DHCP lease. */
Story(address, another_that_has_come_is_named)
{
    struct cluster *cluster = cluster_formed_apart("athens byzantium", NO_ARGS);

    cr_assert(netns_renew_address(&cluster->netns, 0));
    assert_soon(status_says(cluster, "athens", "gone from its host, which has 10.77.0.200 now"));
    assert_text_has(doyen(cluster, "athens", ARGS("why")).out,
                    "gone from its host, which has 10.77.0.200 now: give the host");
    cr_assert(cluster_log_has(cluster, "athens", "which has 10.77.0.200 now: give the host"));
}
