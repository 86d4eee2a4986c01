/* Many nodes: views that no longer fit a datagram, and many failures at once. */
#include "story.h"

Test(large, fifty_form_a_cluster_and_survive_ten_deaths)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = 1, .host_count = 50, .disks = true});
    sim_start_together(sim);
    cr_assert(sim_converges(sim, 10000));
    sim_run(sim, 500);
    cr_assert_eq(sim_coordinator(sim, 49), (uint32_t)A);

    for (uint32_t host = 0; host < 50; host += 5) {
        sim_crash(sim, host);
    }
    cr_assert(sim_converges(sim, SETTLE_MS));
    cr_assert_neq(sim_coordinator(sim, 49), (uint32_t)A);

    for (uint32_t host = 0; host < 50; host += 5) {
        sim_start(sim, host);
    }
    sim_run(sim, 200);
    cr_assert(sim_converges(sim, 20000));
    sim_free(sim);
}

/* B1: one that is cut off suspects more than a heartbeat can name. The codec asserts that it names
 * no more. */
Test(large, twenty_go_on_with_one_that_suspects_them_all)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = 1, .host_count = 21});
    cr_assert_gt(sim_host_count(sim), SUSPECTS_MAX + 1);
    for (uint32_t host = A; host < 20; host++) {
        sim_cut_one_way(sim, host, 20);
    }
    sim_run(sim, STALLED_MS);
    sim_heal(sim);
    cr_assert(sim_converges(sim, STALLED_MS));
    sim_free(sim);
}

/* What bench_large measures with as many hosts as there is room for. */
Test(large, on_rings_many_form_lose_and_split_and_heal)
{
    enum { HOSTS = 130 };
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = 1, .host_count = HOSTS, .disks = true, .spares_codec = true});
    sim_start_together(sim);
    cr_assert(sim_converges(sim, 200));
    sim_run(sim, 1500);
    sim_vanish(sim, HOSTS / 3);
    cr_assert(sim_converges(sim, LOST_MS));
    sim_vanish(sim, sim_coordinator(sim, HOSTS - 1));
    cr_assert(sim_converges(sim, LOST_MS));
    for (uint32_t host = 0; host < HOSTS; host++) {
        if (!sim_is_running(sim, host)) {
            sim_start(sim, host);
        }
    }
    cr_assert(sim_converges(sim, SETTLE_MS));
    sim_run(sim, 1500);

    for (uint32_t host = 0; host < HOSTS / 2; host++) {
        for (uint32_t other = HOSTS / 2; other < HOSTS; other++) {
            sim_cut(sim, host, other);
        }
    }
    sim_run(sim, 2 * LOST_MS);
    cr_assert_eq(core_view(sim_core(sim, A))->member_count, HOSTS / 2);
    cr_assert_eq(core_view(sim_core(sim, HOSTS - 1))->member_count, HOSTS / 2);
    sim_heal(sim);
    cr_assert(sim_converges(sim, SETTLE_MS));
    sim_run(sim, 1500);
    for (uint32_t host = 0; host < HOSTS; host += 2) {
        sim_vanish(sim, host);
    }
    cr_assert(sim_converges(sim, 2 * LOST_MS));
    sim_free(sim);
}
