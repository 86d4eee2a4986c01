/* Much at once: whole clusters that stop, die and start again, also while the network is parted:
 * rules F2, L1, D4, M1, R4, V2. */
#include <string.h>

#include "netns_story.h"

static const char five[] = "athens byzantium cyrene delphi ephesus";

static void start_with_state(struct cluster *cluster, const char *name)
{
    cluster_start(cluster, name, "athens",
                  ARGS("--state-dir", cluster_path(cluster, text_kept("%s.state", name))));
}

static struct cluster *five_with_states(const char *const *arguments)
{
    struct cluster *cluster = cluster_apart(five, arguments);

    for (size_t i = 0; i < 5; i++) {
        start_with_state(cluster, cluster->daemons[i].name);
        cr_assert(network_agrees_on_count(cluster, i + 1, LIMIT_MS), "%s", cluster_text(cluster));
    }
    return cluster;
}

/* D2, D4, L1: longer than T_stall, at default settings. It wakes up as the coordinator of a view
 * that the others have left, and accuses nobody. */
Story(storm, a_coordinator_stopped_longer_than_every_time_out_follows_its_heir)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    cluster_pause(cluster, "athens");
    cr_assert(network_agrees(cluster, "byzantium cyrene delphi ephesus", LIMIT_MS), "%s",
              cluster_text(cluster));
    (void)network_watch(cluster, 500);
    const uint64_t woken_ms = clock_now_ms();
    cluster_resume(cluster, "athens");
    cr_assert(network_agrees(cluster, "byzantium cyrene delphi ephesus athens", LIMIT_MS), "%s",
              cluster_text(cluster));
    cr_log_info("back in %llu ms", (unsigned long long)(clock_now_ms() - woken_ms));
    assert_steady(cluster, 400);
}

/* D4: everybody stops, as on a laptop that sleeps; nobody has lost anybody. */
Story(storm, when_all_are_stopped_for_a_while_nobody_is_removed)
{
    struct cluster *cluster = cluster_formed_apart(five, ARGS("--profile", "local"));
    const char *before = cluster_view(cluster, "athens");

    for (size_t i = 0; i < 5; i++) {
        cluster_pause(cluster, cluster->daemons[i].name);
    }
    clock_nap_ms(2500);
    for (size_t i = 0; i < 5; i++) {
        cluster_resume(cluster, cluster->daemons[i].name);
    }
    (void)network_watch(cluster, 1500);
    cr_assert_str_eq(cluster_view(cluster, "athens"), before);
    cr_assert(network_agrees(cluster, five, LIMIT_MS), "%s", cluster_text(cluster));
}

/* F2: they remember whom to ask. */
Story(storm, after_a_restart_of_all_there_is_one_cluster)
{
    struct cluster *cluster = five_with_states(NO_ARGS);

    for (size_t i = 0; i < 5; i++) {
        cluster_kill(cluster, cluster->daemons[i].name);
    }
    for (size_t i = 5; i-- > 0;) {
        cluster_restart(cluster, cluster->daemons[i].name);
    }
    cr_assert(network_agrees_on_count(cluster, 5, LIMIT_MS), "%s", cluster_text(cluster));
    assert_steady(cluster, 400);
}

/* F2, M1, I3: the founder founds a second cluster because it can reach nobody of the first. */
Story(storm, a_founder_restarted_behind_a_cut_comes_back_as_the_youngest)
{
    struct cluster *cluster = five_with_states(NO_ARGS);

    network_part(cluster, "athens | byzantium cyrene delphi ephesus");
    cluster_kill(cluster, "athens");
    cluster_restart(cluster, "athens");
    assert_parts(cluster, "athens | byzantium cyrene delphi ephesus");
    assert_heals(cluster, "byzantium cyrene delphi ephesus athens");
}

/* M1, L1: the whole smaller part is restarted behind the cut. */
Story(storm, a_part_restarted_behind_a_cut_comes_back)
{
    struct cluster *cluster = five_with_states(NO_ARGS);

    network_part(cluster, "athens byzantium | cyrene delphi ephesus");
    assert_parts(cluster, "athens byzantium | cyrene delphi ephesus");
    cluster_kill(cluster, "athens");
    cluster_kill(cluster, "byzantium");
    cluster_restart(cluster, "byzantium");
    cluster_restart(cluster, "athens");
    assert_parts(cluster, "cyrene delphi ephesus");
    network_heal(cluster);
    cr_assert(network_agrees_on_count(cluster, 5, LIMIT_MS), "%s", cluster_text(cluster));
    assert_steady(cluster, 400);
}

/* R4, J4: each is killed and started again several times, faster than it can be missed, and two at
 * a time. Names that failed often may have to wait, and then are in. */
Story(storm, restarts_in_quick_succession_end_in_one_cluster)
{
    struct cluster *cluster = cluster_formed_apart(five, ARGS("--profile", "local"));

    for (size_t round = 0; round < 15; round++) {
        const char *one = cluster->daemons[round % 5].name;
        const char *other = cluster->daemons[(round + 2) % 5].name;
        cluster_kill(cluster, one);
        cluster_kill(cluster, other);
        clock_nap_ms(round * 13 % 60);
        cluster_restart(cluster, one);
        (void)network_watch(cluster, round * 7 % 50);
        cluster_restart(cluster, other);
        (void)network_watch(cluster, 30 + round * 29 % 150);
    }
    cr_assert(network_agrees_on_count(cluster, 5, LIMIT_MS), "%s", cluster_text(cluster));
    assert_steady(cluster, 400);
}
