/* Much at once: whole clusters that stop, die and start again, also while the network is parted:
 * rules F2, L1, D4, M1, R4, V2. */
#include <stdlib.h>
#include <string.h>

#include "garbage.h"
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
    clock_nap_ms(1500);
    for (size_t i = 0; i < 5; i++) {
        cluster_resume(cluster, cluster->daemons[i].name);
    }
    (void)network_watch(cluster, 1000);
    cr_assert_str_eq(cluster_view(cluster, "athens"), before);
    cr_assert(network_agrees(cluster, five, LIMIT_MS), "%s", cluster_text(cluster));
}

/* F2: they remember whom to ask. */
Story(storm, after_a_restart_of_all_there_is_one_cluster)
{
    struct cluster *cluster = five_with_states(ARGS("--profile", "local"));

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
    struct cluster *cluster = five_with_states(ARGS("--profile", "local"));

    network_part(cluster, "athens | byzantium cyrene delphi ephesus");
    cluster_kill(cluster, "athens");
    cluster_restart(cluster, "athens");
    assert_parts(cluster, "athens | byzantium cyrene delphi ephesus");
    assert_heals(cluster, "byzantium cyrene delphi ephesus athens");
}

/* M1, L1: the whole smaller part is restarted behind the cut. */
Story(storm, a_part_restarted_behind_a_cut_comes_back)
{
    struct cluster *cluster = five_with_states(ARGS("--profile", "local"));

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

/* --- Whatever happens ------------------------------------------------------------------------ */

enum { CHAOS_MS = 6000 };

static const char *any(struct cluster *cluster, struct garbage *chance)
{
    return cluster->daemons[garbage_below(chance, cluster->daemon_count)].name;
}

/* Into two or three parts by lot. */
static void part_by_lot(struct cluster *cluster, struct garbage *chance)
{
    const char *parts[3] = {"", "", ""};
    const size_t count = 2 + garbage_below(chance, 2);

    for (size_t i = 0; i < cluster->daemon_count; i++) {
        const char **part = &parts[garbage_below(chance, count)];
        *part = text_kept("%s %s", *part, cluster->daemons[i].name);
    }
    network_part(cluster, text_kept("%s | %s | %s", parts[0], parts[1], parts[2]));
}

static void one_bad_link(struct cluster *cluster, struct garbage *chance)
{
    const char *from = any(cluster, chance);
    const char *to = any(cluster, chance);
    const uint64_t kind = garbage_below(chance, 4);

    network_set(cluster, kind == 0 ? NULL : from, kind == 1 ? NULL : to, link_cut);
    if (kind == 2) {
        network_set(cluster, to, from, link_cut);
    }
}

static void bad_network(struct cluster *cluster, struct garbage *chance)
{
    const uint64_t delay_ms = garbage_below(chance, 60);

    network_set(cluster, NULL, NULL,
                (struct link_faults){.drop_percent = (unsigned)garbage_below(chance, 30),
                                     .repeat_percent = (unsigned)garbage_below(chance, 60),
                                     .repeat_ms = garbage_below(chance, 800),
                                     .corrupt_percent = (unsigned)garbage_below(chance, 6),
                                     .delay_ms_min = delay_ms / 2,
                                     .delay_ms_max = delay_ms});
}

static void kill_or_stop(struct cluster *cluster, const char *name, bool stop)
{
    struct daemon *daemon = cluster_daemon(cluster, name);

    if (daemon->process.pid == 0) {
        cluster_restart(cluster, name);
    } else if (daemon->stopped) {
        cluster_resume(cluster, name);
    } else if (stop) {
        cluster_pause(cluster, name);
    } else {
        cluster_kill(cluster, name);
    }
}

static void something_happens(struct cluster *cluster, struct garbage *chance)
{
    switch (garbage_below(chance, 8)) {
    case 0:
    case 1:
        part_by_lot(cluster, chance);
        break;
    case 2:
        one_bad_link(cluster, chance);
        break;
    case 3:
        bad_network(cluster, chance);
        break;
    case 4:
    case 5:
        network_heal(cluster);
        break;
    case 6:
        kill_or_stop(cluster, any(cluster, chance), false);
        break;
    default:
        kill_or_stop(cluster, any(cluster, chance), true);
        break;
    }
}

static void put_right(struct cluster *cluster)
{
    network_heal(cluster);
    for (size_t i = 0; i < cluster->daemon_count; i++) {
        const struct daemon *daemon = &cluster->daemons[i];
        if (daemon->process.pid == 0) {
            cluster_restart(cluster, daemon->name);
        } else if (daemon->stopped) {
            cluster_resume(cluster, daemon->name);
        }
    }
}

/* Y1, Y2, Y5: the swarm of the simulator in the small, on real kernels. DOYEN_E2E_SEED draws
 * another story, DOYEN_E2E_SECONDS makes it longer. */
Story(storm, whatever_happens_all_become_one_again)
{
    const char *seed = getenv("DOYEN_E2E_SEED");
    const char *seconds = getenv("DOYEN_E2E_SECONDS");
    const uint64_t length_ms = seconds == NULL ? CHAOS_MS : strtoull(seconds, NULL, 10) * 1000;
    struct garbage *chance = garbage_new(seed == NULL ? 1 : strtoull(seed, NULL, 10));
    struct cluster *cluster = cluster_formed_apart(five, ARGS("--profile", "local"));

    for (const uint64_t until_ms = clock_now_ms() + length_ms; clock_now_ms() < until_ms;) {
        something_happens(cluster, chance);
        (void)network_watch(cluster, garbage_below(chance, 400));
    }
    put_right(cluster);
    const uint64_t healed_ms = clock_now_ms();
    cr_assert(network_agrees_on_count(cluster, 5, LIMIT_MS), "%s", cluster_text(cluster));
    cr_log_info("put right in %llu ms", (unsigned long long)(clock_now_ms() - healed_ms));
    assert_steady(cluster, 600);
    free(chance);
}
