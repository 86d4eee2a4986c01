/* Clocks that are wrong. */
#include <stdlib.h>

#include "cluster.h"
#include "story.h"

static const int64_t rates_ppm[] = {
    0, 1, -1, 12345, -12345, CLOCK_RATE_PPM_MAX, -CLOCK_RATE_PPM_MAX};

enum { RATES = sizeof rates_ppm / sizeof rates_ppm[0] };

Test(clocks, go_on_from_what_they_show_and_stay_within_their_bounds)
{
    struct clock clock = {.shown_us = 5000};
    uint64_t now_us = 0;
    uint64_t before_us = clock_us(&clock, now_us);

    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t step_us = 1 + i * 7919 % 100000;
        clock_set_rate(&clock, now_us, rates_ppm[i % RATES]);
        cr_assert_eq(clock_us(&clock, now_us), before_us);
        now_us += step_us;
        uint64_t passed_us = clock_us(&clock, now_us) - before_us;
        cr_assert(9 * (passed_us + 1) >= 8 * step_us && 9 * passed_us <= 10 * step_us);
        before_us += passed_us;
    }
}

Test(clocks, say_when_they_will_show_a_time)
{
    for (uint32_t i = 0; i < RATES; i++) {
        struct clock clock = {.since_us = 77, .shown_us = 123456, .rate_ppm = rates_ppm[i]};
        for (uint64_t ms = 124; ms < 3000; ms += 13) {
            uint64_t at_us = clock_reaches_us(&clock, 77, ms);
            cr_assert_eq(clock_ms(&clock, at_us), ms);
            cr_assert_eq(clock_ms(&clock, at_us - 1), ms - 1);
            cr_assert_geq(clock_reaches_us_max(&clock, 77, ms), at_us);
        }
        cr_assert_eq(clock_reaches_us(&clock, 1000000, 5), 1000000);
        cr_assert_eq(clock_reaches_us_max(&clock, 1000000, 5), 1000000);
        cr_assert_eq(clock_reaches_us_max(&clock, 77, NEVER_MS), UINT64_MAX);
    }
}

static uint64_t heartbeats_in(uint64_t seed, int64_t rate_ppm, uint64_t ms)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 2});
    sim_skew(sim, A, rate_ppm);
    sim_skew(sim, B, rate_ppm);
    uint64_t before = sim_sent(sim, SIM_ANY, MESSAGE_HEARTBEAT);
    uint64_t shown_ms = host_now_ms(sim, &sim->hosts[A]);
    sim_run(sim, ms);
    shown_ms = host_now_ms(sim, &sim->hosts[A]) - shown_ms;
    cr_assert_leq(llabs((int64_t)shown_ms - (int64_t)ms * (1000000 + rate_ppm) / 1000000), 1);
    uint64_t count = sim_sent(sim, SIM_ANY, MESSAGE_HEARTBEAT) - before;
    sim_free(sim);
    return count;
}

/* Every timer of a process goes by its host's clock: the fast ones fire five times where the slow
 * ones fire four times. */
Story(clocks, set_the_pace_of_their_hosts)
{
    uint64_t fast = heartbeats_in(seed, CLOCK_RATE_PPM_MAX, MINUTE_MS);
    uint64_t slow = heartbeats_in(seed, -CLOCK_RATE_PPM_MAX, MINUTE_MS);

    cr_assert(100 * fast > 118 * slow && 100 * fast < 132 * slow,
              "seed %llu: %llu heartbeats by fast clocks, %llu by slow ones",
              (unsigned long long)seed, (unsigned long long)fast, (unsigned long long)slow);
}

/* A timer that was set before the clock became fast fires when the clock shows its time. */
Story(clocks, that_change_move_the_timers_that_are_set)
{
    struct sim *sim = story_of_five(seed);
    sim_skew(sim, A, -CLOCK_RATE_PPM_MAX);
    sim_run(sim, 1);
    sim_skew(sim, A, CLOCK_RATE_PPM_MAX);
    uint64_t due_ms = core_deadline_ms(sim_core(sim, A));
    uint64_t due_us = clock_reaches_us(&sim->hosts[A].clock, sim->now_us, due_ms);
    story_check(sim->hosts[A].tick_at_us <= due_us + TICK_LATE_US, seed);
    sim_free(sim);
}

/* D2: at both ends of what clocks may be wrong by, nobody is suspected for it. */
Story(clocks, that_are_as_wrong_as_they_may_be_are_no_failure)
{
    struct sim *sim = story_of_five(seed);
    for (uint32_t host = A; host <= E; host++) {
        sim_skew(sim, host, (host + seed) % 2 == 0 ? CLOCK_RATE_PPM_MAX : -CLOCK_RATE_PPM_MAX);
    }
    sim_run(sim, 2 * MINUTE_MS);
    story_check(sim_sound_removals(sim) == 0, seed);
    story_sees(sim, E, "A B C D E", seed);
    story_check(sim_is_acting(sim, A), seed);
    sim_free(sim);
}
