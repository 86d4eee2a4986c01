/* A change of the view by way of the others: rule U4. */
#include "core/core.h"
#include "story.h"

enum { HOSTS = 30, FANOUT = FANOUT_LEAST };

static struct sim *story_gossiping(uint64_t seed)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = HOSTS, .fanout = FANOUT});

    sim_start_together(sim);
    cr_assert(sim_converges(sim, SETTLE_MS), "seed %llu: no cluster to begin with",
              (unsigned long long)seed);
    sim_run(sim, SETTLE_MS);
    return sim;
}

static uint32_t member_at(const struct sim *sim, uint32_t place)
{
    const struct core *core = sim_core(sim, A);

    for (uint32_t host = 0; host < HOSTS; host++) {
        if (id_equal(&core_view(core)->members[place].id, &core_self(sim_core(sim, host))->id)) {
            return host;
        }
    }
    return SIM_NOBODY;
}

/* U4a: what it sends does not grow with the members; nor does anybody wait for the second sending.
 */
Story(gossip, the_coordinator_sends_a_change_to_a_few)
{
    struct sim *sim = story_gossiping(seed);
    const uint32_t first = member_at(sim, 0);
    const uint64_t prepares = sim_sent(sim, first, MESSAGE_PREPARE);
    const uint64_t commits = sim_sent(sim, first, MESSAGE_COMMIT);

    sim_crash(sim, member_at(sim, HOSTS / 2));
    story_check(sim_converges(sim, sim_timing(sim).prepare_ms / 25), seed);
    story_check(sim_sent(sim, first, MESSAGE_PREPARE) - prepares == FANOUT, seed);
    story_check(sim_sent(sim, first, MESSAGE_COMMIT) - commits == FANOUT, seed);
    sim_free(sim);
}

/* U4b: who dies, or is slow, or lies, hands nothing on; there are three other ways to each. */
Story(gossip, one_who_hands_nothing_on_delays_nobody)
{
    struct sim *sim = story_gossiping(seed);
    const uint32_t first = member_at(sim, 0);
    const uint32_t idle = member_at(sim, 1);
    const uint64_t prepares = sim_sent(sim, first, MESSAGE_PREPARE);

    sim_lose(sim, idle, SIM_ANY, MESSAGE_PREPARE, UINT32_MAX);
    sim_lose(sim, idle, SIM_ANY, MESSAGE_COMMIT, UINT32_MAX);
    sim_crash(sim, member_at(sim, HOSTS / 2));
    story_check(sim_converges(sim, sim_timing(sim).prepare_ms / 25), seed);
    story_check(sim_sent(sim, first, MESSAGE_PREPARE) - prepares == FANOUT, seed);
    sim_free(sim);
}

/* H17, U1a, U2f: nothing that is handed on arrives anywhere. */
Story(gossip, whom_nobody_hands_it_on_to_gets_it_all_the_same)
{
    struct sim *sim = story_gossiping(seed);

    for (uint32_t place = 1; place <= FANOUT; place++) {
        const uint32_t host = member_at(sim, place);
        sim_lose(sim, host, SIM_ANY, MESSAGE_PREPARE, UINT32_MAX);
        sim_lose(sim, host, SIM_ANY, MESSAGE_COMMIT, UINT32_MAX);
    }
    sim_crash(sim, member_at(sim, HOSTS / 2));
    story_check(sim_converges(sim, FAST_MS), seed);
    sim_free(sim);
}

/* U4a: the voters have to be asked in any case. */
Story(gossip, under_strict_each_is_sent_it)
{
    const struct sim_options options = {.seed = seed,
                                        .host_count = 10,
                                        .seed_count = 3,
                                        .guard = {.policy = GUARD_STRICT, .count = 3},
                                        .voter_count = 3,
                                        .fanout = FANOUT_LEAST,
                                        .disks = true};
    struct sim *sim = story_of(&options);
    const uint32_t first = sim_coordinator(sim, 9);
    const uint64_t prepares = sim_sent(sim, first, MESSAGE_PREPARE);

    sim_crash(sim, 9);
    for (int ms = 0; ms < SETTLE_MS && sim_sent(sim, first, MESSAGE_PREPARE) == prepares; ms++) {
        sim_run(sim, 1);
    }
    story_check(sim_sent(sim, first, MESSAGE_PREPARE) - prepares >= 8, seed);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_free(sim);
}

/* Those who come are not in the base, and those who go not in the view. */
Story(gossip, many_come_and_go_at_once)
{
    struct sim *sim = story_gossiping(seed);

    for (uint32_t host = 1; host < HOSTS; host += 3) {
        sim_crash(sim, host);
    }
    story_check(sim_converges(sim, SETTLE_MS), seed);
    for (uint32_t host = 1; host < HOSTS; host += 3) {
        sim_start(sim, host);
        sim_run(sim, 10);
    }
    sim_crash(sim, A);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    sim_free(sim);
}
