/* What timings promise about lost hosts, by the rules D2, D7, D8 and R1, and what loss makes of it.
 */
#include <criterion/criterion.h>

#include "runtime/options/budget.h"

Test(budget, a_lost_host_is_out_within_the_time_that_was_given)
{
    uint64_t heartbeat_ms = 0;
    uint64_t lost_ms = 0;

    for (enum profile profile = PROFILE_LOCAL; profile <= PROFILE_WAN; profile++) {
        const struct timing usual = timing_of(profile);
        for (uint64_t detect_ms = budget_least_ms(&usual); detect_ms < 100000; detect_ms += 77) {
            struct timing timing = usual;
            cr_assert(budget_split(&usual, detect_ms, &heartbeat_ms, &lost_ms));
            timing_override(&timing, heartbeat_ms, lost_ms);
            cr_assert_eq(timing.lost_ms, lost_ms, "%llu is raised", (unsigned long long)detect_ms);
            cr_assert_eq(budget_promise(&timing, 0).removed_ms_max, detect_ms);
            cr_assert_geq(timing.heartbeat_ms, 5, "what --heartbeat takes");
        }
        cr_expect(!budget_split(&usual, budget_least_ms(&usual) - 1, &heartbeat_ms, &lost_ms));
    }
}

Test(budget, the_profiles_time_gives_the_profile)
{
    for (enum profile profile = PROFILE_LOCAL; profile <= PROFILE_WAN; profile++) {
        const struct timing usual = timing_of(profile);
        uint64_t heartbeat_ms = 0;
        uint64_t lost_ms = 0;

        cr_assert(budget_split(&usual, usual.lost_ms + usual.batch_ms, &heartbeat_ms, &lost_ms));
        cr_expect_eq(heartbeat_ms, usual.heartbeat_ms);
        cr_expect_eq(lost_ms, usual.lost_ms);
    }
}

/* lan: a neighbour heard it up to 346 ms before the outage; questions are 68 ms apart, and the view
 * takes T_batch at most. */
Test(budget, an_outage_is_survived_up_to_the_last_question)
{
    const struct timing lan = timing_of(PROFILE_LAN);
    const struct promise promise = budget_promise(&lan, 0);

    cr_expect_eq(promise.survived_ms, 1088 - 346 - 68);
    cr_expect_eq(promise.removed_ms_min, 1088 - 346);
    cr_expect_eq(promise.removed_ms_max, 1088 + 20);
    cr_expect_eq(budget_promise(&lan, 12).survived_ms, 1088 - 346 - 68 - 12);
    cr_expect_eq(budget_promise(&lan, 12).removed_ms_max, 1088 + 20 + 12);
}

Test(budget, ways_that_are_too_long_promise_nothing_rather_than_wrap)
{
    const struct timing local = timing_of(PROFILE_LOCAL);

    cr_expect_eq(budget_promise(&local, 10000).survived_ms, 0);
}

Test(budget, heartbeats_go_to_all_who_watch)
{
    const struct timing lan = timing_of(PROFILE_LAN);

    cr_expect_eq(budget_beats_per_1000_s(&lan, 255, 4), 5882);
    cr_expect_eq(budget_beats_per_1000_s(&lan, 255, 99), 145588);
    cr_expect_eq(budget_beats_per_1000_s(&lan, 4, 4), 5882);
    cr_expect_eq(budget_beats_per_1000_s(&lan, 4, 99), 5882);
}

/* 3.15e10 ms in a year, 4 watchers, a heartbeat each 680 ms. Half of the questions lost: a packet
 * is lost with 0.293, one of them, five questions and both of the kernel's answers with 0.0023; one
 * more of three others has the same; four questions fail with 0.0625, twelve through helpers with
 * 0.75 each. */
Test(budget, loss_removes_members_by_chance)
{
    const struct timing lan = timing_of(PROFILE_LAN);

    cr_expect_float_eq(budget_removals_per_year(&lan, 4, 5, 0, 100), 0, 1e-9);
    cr_expect_float_eq(budget_removals_per_year(&lan, 4, 5, 0, 0), 0, 1e-9);
    cr_expect_float_eq(budget_removals_per_year(&lan, 4, 1, 50, 100), 0, 1e-9);
    cr_expect_float_eq(budget_removals_per_year(&lan, 4, 5, 50, 100) / 5.79, 1, 0.01);
    cr_expect_lt(budget_removals_per_year(&lan, 4, 5, 5, 100), 0.001);
    cr_expect_gt(budget_removals_per_year(&lan, 4, 2, 50, 100), 1, "nobody backs, nobody helps");
    cr_expect_lt(budget_removals_per_year(&lan, 4, 100, 50, 100),
                 budget_removals_per_year(&lan, 255, 100, 50, 100),
                 "of each fewer hear so little that they would begin");
}
