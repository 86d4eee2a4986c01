/* Watch rings: whoever cannot be reached for a short while is neither removed nor deposed (D2f). */
#include "rings_story.h"

static bool is_undisturbed(struct sim *sim, uint32_t host, uint64_t ms)
{
    uint32_t other = host == A ? B : A;
    uint64_t version = sim_version(sim, other);

    sim_isolate(sim, host);
    sim_run(sim, ms);
    sim_rejoin_network(sim, host);
    sim_run(sim, SETTLE_MS + random_below(sim_random(sim), 1000));
    return sim_version(sim, other) == version;
}

/* H2, H7, D2f: T_lost, less the longest half of an interval, and the pause between two questions.
 */
Story(rings, an_outage_that_is_short_removes_nobody_and_deposes_nobody)
{
    struct sim *sim = story_on_rings(seed);
    struct timing timing = sim_timing(sim);
    uint64_t short_ms = timing.lost_ms - timing_round_ms(&timing) - timing_question_ms(&timing);
    for (int i = 0; i < 8; i++) {
        story_check(is_undisturbed(sim, host_at_age(sim, HOSTS / 2), short_ms), seed);
        story_check(is_undisturbed(sim, host_at_age(sim, 0), short_ms), seed);
    }
    sim_free(sim);
}

static void check_short_outages(struct sim *sim, uint64_t seed, uint32_t hosts)
{
    const struct timing timing = timing_of(PROFILE_LAN);
    const uint64_t short_ms = timing.lost_ms - timing_round_ms(&timing) -
                              timing_question_ms(&timing);

    for (uint32_t i = 0; i < 8 * hosts; i++) {
        const uint32_t host = i % hosts;
        sim_run(sim, SETTLE_MS);
        story_check(is_undisturbed(sim, host, short_ms), seed);
    }
}

/* H2, D8e: whoever is cut off has heard somebody within half of an interval, or it would find all
 * others lost much sooner than they find it lost. */
Story(rings, of_five_an_outage_that_is_short_removes_nobody_either)
{
    struct sim *sim = just_formed(seed, 5);

    check_short_outages(sim, seed, 5);
    sim_free(sim);
}

/* H72, D2f: among six and seven one may hear all others at the same moment. */
Story(rings, of_six_and_seven_an_outage_that_is_short_removes_nobody_either)
{
    for (uint32_t hosts = 6; hosts <= 7; hosts++) {
        struct sim *sim = just_formed(seed, hosts);
        check_short_outages(sim, seed, hosts);
        sim_free(sim);
    }
}

/* H72, D2f: a coordinator that is cut off removes nobody whom it heard long before, neither while
 * it hears nobody nor when it hears the first of them again. */
Story(rings, of_ten_a_short_outage_of_the_coordinator_removes_nobody)
{
    struct sim *sim = just_formed(seed, 10);
    const struct timing timing = timing_of(PROFILE_LAN);
    const uint64_t longest_ms = timing.lost_ms - timing_question_ms(&timing) / 4 -
                                timing_round_ms(&timing) * (100 + ROUND_JITTER_PERCENT) / 100;
    const uint64_t spread_ms = 2 * timing_question_ms(&timing);

    for (uint32_t i = 0; i < 20; i++) {
        const uint32_t victim = host_at_age(sim, i % 10);
        sim_vanish(sim, victim);
        sim_run(sim, LOST_MS);
        sim_start(sim, victim);
        story_check(sim_converges(sim, SETTLE_MS), seed);
        for (int k = 0; k < 6; k++) {
            const uint64_t short_ms = longest_ms - random_below(sim_random(sim), spread_ms);
            sim_run(sim, SETTLE_MS);
            story_check(is_undisturbed(sim, host_at_age(sim, 0), short_ms), seed);
        }
    }
    sim_free(sim);
}
