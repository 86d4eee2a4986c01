/* A firewall that drops one protocol of a member: each is named as what it is, with the remedy. */
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "netns_story.h"

static const char three[] = "athens byzantium cyrene";
static const struct link_faults no_udp = {.drop_protocol = IPPROTO_UDP};
static const struct link_faults no_tcp = {.drop_protocol = IPPROTO_TCP};

static void bar(struct cluster *cluster, const char *name, struct link_faults faults)
{
    static const char *const all[] = {"athens", "byzantium", "cyrene"};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(all[i], name) != 0) {
            network_set(cluster, name, all[i], faults);
            network_set(cluster, all[i], name, faults);
        }
    }
}

static bool says(struct cluster *cluster, const char *at, const char *const *arguments,
                 const char *words)
{
    return strstr(doyen(cluster, at, arguments).out, words) != NULL;
}

Story(firewall, udp_that_is_dropped_is_named)
{
    static const char words[] = "TCP of cyrene answers and UDP does not: a firewall between them "
                                "drops UDP to port 7420";
    struct cluster *cluster = cluster_formed_apart(three, NO_ARGS);

    bar(cluster, "cyrene", no_udp);
    assert_soon(says(cluster, "athens", ARGS("why", "cyrene"), words));
    assert_soon(says(cluster, "athens", ARGS("status"), words));
    assert_soon(says(cluster, "athens", ARGS("status"), "next         permit UDP to port 7420"));
    assert_soon(says(cluster, "cyrene", ARGS("status"), "answers and UDP does not"));
    cr_assert(cluster_log_has(cluster, "athens", words));
    cr_assert_eq(cluster_log_count(cluster, "athens", "way"), 1);
    network_heal(cluster);
    assert_heals(cluster, three);
    cr_assert(!says(cluster, "athens", ARGS("status"), "UDP"));
}

/* Between two of three: nobody goes, for the third hears both, and doctor measures it. */
Story(firewall, udp_that_is_dropped_between_two_is_measured)
{
    static const char words[] = "TCP of cyrene answers and UDP does not";
    struct cluster *cluster = cluster_formed_apart(three, NO_ARGS);

    network_set(cluster, "byzantium", "cyrene", no_udp);
    network_set(cluster, "cyrene", "byzantium", no_udp);
    assert_soon(says(cluster, "byzantium", ARGS("doctor", "--for", "1s"), words));
    assert_soon(says(cluster, "byzantium", ARGS("why", "cyrene"), words));
}

/* Its process does not answer by TCP either. */
Story(firewall, a_stopped_process_is_no_firewall)
{
    struct cluster *cluster = cluster_formed_apart(three, NO_ARGS);

    cluster_pause(cluster, "cyrene");
    assert_soon(says(cluster, "athens", ARGS("why", "cyrene"), "cyrene was removed: stalled"));
    cluster_resume(cluster, "cyrene");
    assert_heals(cluster, three);
    cr_assert_eq(cluster_log_count(cluster, "athens", "way"), 0);
}

/* All are heard, and no connection comes about. */
Story(firewall, tcp_that_is_dropped_is_named)
{
    static const char words[] = "UDP of cyrene arrives and TCP to it does not connect: a firewall "
                                "between them drops TCP to port 7420";
    struct cluster *cluster = cluster_apart(three, NO_ARGS);

    bar(cluster, "cyrene", no_tcp);
    cluster_form(cluster, three);
    assert_soon(says(cluster, "athens", ARGS("why", "cyrene"), words));
    assert_soon(says(cluster, "athens", ARGS("status"), words));
    assert_soon(says(cluster, "athens", ARGS("status"), "next         permit TCP to port 7420"));
    assert_soon(says(cluster, "athens", ARGS("doctor", "--for", "1s"), words));
    network_heal(cluster);
    assert_heals(cluster, three);
    assert_soon(says(cluster, "athens", ARGS("status"), "healthy: 3 of 3"));
}

/* The connections are up, and nothing goes over them but what the kernels ask each other. */
Story(firewall, tcp_that_is_dropped_later_is_named)
{
    static const char words[] = "UDP of athens arrives and TCP to it does not connect";
    struct cluster *cluster = cluster_formed_apart(three, NO_ARGS);

    bar(cluster, "athens", no_tcp);
    assert_soon(says(cluster, "byzantium", ARGS("status"), words));
    assert_soon(says(cluster, "athens", ARGS("status"), "and TCP to it does not connect"));
    network_heal(cluster);
    assert_soon(says(cluster, "byzantium", ARGS("status"), "healthy: 3 of 3"));
}

/* Runs nft in the namespace of that one; skips the story where there is no nft. */
static void nft(struct cluster *cluster, const char *name, const char *rules)
{
    struct process process = {.pid = 0};
    const size_t index = (size_t)(cluster_daemon(cluster, name) - cluster->daemons);
    const struct place place = netns_place(&cluster->netns, index);
    const char *const argv[] = {"/usr/sbin/nft", rules, NULL};
    const char *out = cluster_path(cluster, "nft");

    if (access(argv[0], X_OK) != 0) {
        cr_skip_test("no nft here");
    }
    cr_assert(process_start_at(&process, &place, argv, out, out));
    cr_assert(process_wait(&process, LIMIT_MS));
    if (process_exit_code(&process) != 0) {
        cr_skip_test("nft can do nothing here");
    }
}

/* The kernel of cyrene's own host says EPERM, at once. */
Story(firewall, what_the_own_host_forbids_is_named)
{
    static const char words[] = "this host's own firewall forbids sending UDP to athens, port 7420 "
                                "(EPERM)";
    struct cluster *cluster = cluster_formed_apart(three, NO_ARGS);

    nft(cluster, "cyrene",
        "add table ip t; add chain ip t out { type filter hook output priority 0 ; }; "
        "add rule ip t out udp dport 7420 ip daddr 10.77.0.1 drop");
    assert_soon(says(cluster, "cyrene", ARGS("status"), words));
    assert_soon(says(cluster, "cyrene", ARGS("why", "athens"), words));
    assert_soon(says(cluster, "cyrene", ARGS("status"), "permit outgoing UDP to port 7420"));
    assert_soon(says(cluster, "cyrene", ARGS("doctor", "--for", "1s"), words));
    cr_assert_eq(cluster_log_count(cluster, "cyrene", "way"), 1);
    nft(cluster, "cyrene", "delete table ip t");
    assert_heals(cluster, three);
    assert_soon(says(cluster, "cyrene", ARGS("status"), "healthy: 3 of 3"));
}
