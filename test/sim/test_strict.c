/* Guard strict: never two that act, one chain of views, and epochs that only rise (Z1 to Z9). */
#include "story.h"

static struct sim *strict(uint64_t seed, uint32_t hosts, uint32_t voters)
{
    return story_of(&(struct sim_options){.seed = seed,
                                          .host_count = hosts,
                                          .seed_count = voters,
                                          .voter_count = voters,
                                          .disks = true,
                                          .guard = {GUARD_STRICT, voters}});
}

/* The host that acts, or SIM_NOBODY. */
static uint32_t acting(struct sim *sim)
{
    for (uint32_t host = A; sim_acting_count(sim) > 0; host++) {
        if (sim_is_acting(sim, host)) {
            return host;
        }
    }
    return SIM_NOBODY;
}

/* Runs until another than `before` acts; never two at once all the while. */
static uint32_t next_to_act(struct sim *sim, uint32_t before, uint64_t limit_ms, uint64_t seed)
{
    for (uint64_t ms = 0; ms < limit_ms; ms++) {
        uint32_t now = acting(sim);
        story_check(sim_acting_count(sim) <= 1, seed);
        if (now != SIM_NOBODY && now != before) {
            return now;
        }
        sim_run(sim, 1);
    }
    return SIM_NOBODY;
}

Story(strict, three_voters_found_once_all_are_there)
{
    struct sim *sim = strict(seed, 3, 3);
    story_check(next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed) == A, seed);
    sim_free(sim);
}

Story(strict, a_killed_coordinator_is_succeeded)
{
    struct sim *sim = strict(seed, 5, 5);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    sim_crash(sim, first);
    uint32_t second = next_to_act(sim, first, 1000, seed);
    story_check(second != SIM_NOBODY, seed);
    sim_start(sim, first);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(acting(sim) == second, seed);
    sim_free(sim);
}

Story(strict, a_coordinator_cut_off_stops_before_another_acts)
{
    struct sim *sim = strict(seed, 5, 5);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    sim_isolate(sim, first);
    uint32_t second = next_to_act(sim, first, 2000, seed);
    story_check(second != SIM_NOBODY, seed);
    sim_run(sim, STALLED_MS);
    sim_rejoin_network(sim, first);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_check(acting(sim) == second, seed);
    sim_free(sim);
}

Story(strict, a_minority_has_no_coordinator)
{
    struct sim *sim = strict(seed, 5, 5);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    uint32_t beside = first == A ? B : A;
    for (uint32_t host = A; host <= E; host++) {
        if (host != first && host != beside) {
            sim_cut(sim, first, host);
            sim_cut(sim, beside, host);
        }
    }
    uint32_t second = next_to_act(sim, first, 2000, seed);
    story_check(second != SIM_NOBODY && second != beside, seed);
    sim_run(sim, STALLED_MS);
    story_check(sim_coordinator(sim, beside) == SIM_NOBODY, seed);
    sim_heal(sim);
    story_check(sim_converges(sim, 3 * SETTLE_MS), seed);
    story_check(acting(sim) == second, seed);
    sim_free(sim);
}

Story(strict, all_restart_and_go_on_where_they_were)
{
    struct sim *sim = strict(seed, 3, 3);
    story_check(next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed) != SIM_NOBODY, seed);
    for (uint32_t i = A; i <= C; i++) {
        sim_crash(sim, i);
    }
    sim_run(sim, 1000);
    sim_start_together(sim);
    story_check(sim_converges(sim, 5 * SETTLE_MS), seed);
    story_check(sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

Story(strict, a_leaving_coordinator_is_succeeded_at_once)
{
    struct sim *sim = strict(seed, 5, 5);
    uint32_t first = next_to_act(sim, SIM_NOBODY, SETTLE_MS, seed);
    sim_leave(sim, first);
    story_check(next_to_act(sim, first, 100, seed) != SIM_NOBODY, seed);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_free(sim);
}
