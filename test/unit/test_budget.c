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
            cr_assert_leq(timing.silent_ms + timing.heartbeat_ms, timing.lost_ms);
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

        cr_assert(budget_split(&usual, usual.lost_ms + usual.verify_ms, &heartbeat_ms, &lost_ms));
        cr_expect_eq(heartbeat_ms, usual.heartbeat_ms);
        cr_expect_eq(lost_ms, usual.lost_ms);
    }
}

/* lan: heartbeats at most 262 ms apart, so that three come for sure within 900 ms, the third no
 * earlier than after 712 ms; the kernel is asked at 625 and 762 ms; the last of four questions is
 * put at 1012 ms. */
Test(budget, an_outage_is_survived_up_to_the_last_question)
{
    const struct timing lan = timing_of(PROFILE_LAN);
    const struct promise promise = budget_promise(&lan, 0);

    cr_expect_eq(promise.unnoticed_ms, 762 - 262);
    cr_expect_eq(promise.survived_ms, 1012 - 262);
    cr_expect_eq(promise.removed_ms_min, 1050 - 262);
    cr_expect_eq(promise.removed_ms_max, 1050);
    cr_expect_eq(budget_promise(&lan, 12).unnoticed_ms, 750 - 262);
    cr_expect_eq(budget_promise(&lan, 12).removed_ms_max, 1062);
}

/* Sparse: a neighbour heard it up to 346 ms before the outage; questions are 68 ms apart, and the
 * view takes T_batch at most. */
Test(budget, sparse_heartbeats_are_split_and_promise_as_their_rules_say)
{
    const struct timing lean = timing_sparse_of(PROFILE_LAN);
    const struct promise promise = budget_promise(&lean, 0);
    uint64_t heartbeat_ms = 0;
    uint64_t lost_ms = 0;

    cr_expect_eq(promise.survived_ms, 1088 - 346 - 68);
    cr_expect_eq(promise.unnoticed_ms, promise.survived_ms);
    cr_expect_eq(promise.removed_ms_min, 1088 - 346);
    cr_expect_eq(promise.removed_ms_max, 1088 + 20);
    cr_assert(budget_split(&lean, promise.removed_ms_max, &heartbeat_ms, &lost_ms));
    cr_expect_eq(heartbeat_ms, lean.heartbeat_ms);
    cr_expect_eq(lost_ms, lean.lost_ms);
    cr_assert(budget_split(&lean, 3000, &heartbeat_ms, &lost_ms));
    struct timing slow = timing_of(PROFILE_LAN);
    timing_override(&slow, heartbeat_ms, lost_ms);
    cr_expect(timing_is_sparse(&slow));
    cr_expect_eq(budget_promise(&slow, 0).removed_ms_max, 3000);
    cr_expect_eq(budget_beats_per_1000_s(&lean, 4, 99), 5882);
}

/* R1's questions are put after T_doubt at the earliest, and answers are waited for. */
Test(budget, where_durations_are_very_short_the_questions_take_longer_than_the_silence)
{
    struct timing brief = timing_of(PROFILE_LAN);

    timing_override(&brief, 100, 160);
    cr_assert(timing_is_sparse(&brief));
    cr_expect_eq(budget_promise(&brief, 0).removed_ms_max, 110 + 150 + 20);
    timing_override(&brief, 268, 430);
    cr_expect_eq(budget_promise(&brief, 0).removed_ms_max, 294 + 150 + 20);
}

/* local and wan: the seventh heartbeat comes later than the kernel's second question. */
Test(budget, the_last_heartbeat_may_come_after_the_kernels_answer)
{
    const struct timing local = timing_of(PROFILE_LOCAL);
    const struct timing wan = timing_of(PROFILE_WAN);

    cr_expect_eq(budget_promise(&local, 0).unnoticed_ms, 7 * 25 * 95 / 100 - 26);
    cr_expect_eq(budget_promise(&wan, 0).unnoticed_ms, 7 * 950 - 1050);
    cr_expect_eq(budget_promise(&wan, 0).survived_ms, 8000 + 1500 - 1050);
}

Test(budget, ways_that_are_too_long_promise_nothing_rather_than_wrap)
{
    const struct timing local = timing_of(PROFILE_LOCAL);

    cr_expect_eq(budget_promise(&local, 10000).unnoticed_ms, 0);
}

Test(budget, heartbeats_go_to_all_others)
{
    const struct timing lan = timing_of(PROFILE_LAN);

    cr_expect_eq(budget_beats_per_1000_s(&lan, 255, 4), 16000);
    cr_expect_eq(budget_beats_per_1000_s(&lan, 255, 99), 396000);
    cr_expect_eq(budget_beats_per_1000_s(&lan, 4, 4), 16000);
    cr_expect_eq(budget_beats_per_1000_s(&lan, 4, 99), 16000);
}

/* 3.15e10 ms in a year, 4 watchers, a heartbeat each 250 ms. Half of the questions lost: a packet
 * is lost with 0.293, three of them and both of the kernel's answers with 0.0063; one more of three
 * others has the same; four questions fail with 0.0625, twelve through helpers with 0.75 each. */
Test(budget, loss_removes_members_by_chance)
{
    const struct timing lan = timing_of(PROFILE_LAN);

    cr_expect_float_eq(budget_removals_per_year(&lan, 4, 5, 0, 100), 0, 1e-9);
    cr_expect_float_eq(budget_removals_per_year(&lan, 4, 5, 0, 0), 0, 1e-9);
    cr_expect_float_eq(budget_removals_per_year(&lan, 4, 1, 50, 100), 0, 1e-9);
    cr_expect_float_eq(budget_removals_per_year(&lan, 4, 5, 50, 100) / 118.2, 1, 0.01);
    cr_expect_lt(budget_removals_per_year(&lan, 4, 5, 5, 100), 0.001);
    cr_expect_gt(budget_removals_per_year(&lan, 4, 2, 20, 100), 1, "nobody backs, nobody helps");
    cr_expect_lt(budget_removals_per_year(&lan, 4, 100, 50, 100),
                 budget_removals_per_year(&lan, 255, 100, 50, 100),
                 "of each fewer hear so little that they would begin");
}
