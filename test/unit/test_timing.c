#include <criterion/criterion.h>

#include "core/model/timing.h"

static void check_order(const struct timing *timing)
{
    cr_assert(timing->heartbeat_ms < timing->silent_ms);
    cr_assert(timing_is_sparse(timing) ||
              timing->silent_ms + timing->heartbeat_ms <= timing->lost_ms);
    cr_assert(2 * timing->lost_ms <= timing->stall_ms);
    cr_assert(timing->silent_ms < timing->lost_ms && timing->fresh_ms < timing->lost_ms);
    cr_assert(timing->verify_ms > 0 && timing->batch_ms < timing->prepare_ms);
    cr_assert(timing->lease_ms > 2 && timing->lease_ms <= timing->lost_ms);
    cr_assert(timing->retry_ms_min > 0 && timing->retry_ms_min < timing->retry_ms_max);
}

Test(timing, every_profile_keeps_the_order_of_durations)
{
    for (enum profile profile = PROFILE_LOCAL; profile <= PROFILE_WAN; profile++) {
        struct timing timing = timing_of(profile);
        check_order(&timing);
    }
}

/* H52: what a coordinator with a clock a ninth too slow counts, T_act / (1 - 1/9), is over before
 * the lease of a voter with one a ninth too fast, T_lease / (1 + 1/9). */
Test(timing, a_lease_is_counted_for_less_than_it_lasts_however_wrong_the_clocks_are)
{
    static const uint64_t heartbeats[] = {0, 5, 50, 60000};

    for (enum profile profile = PROFILE_LOCAL; profile <= PROFILE_WAN; profile++) {
        for (unsigned i = 0; i < sizeof heartbeats / sizeof heartbeats[0]; i++) {
            struct timing timing = timing_of(profile);
            timing_override(&timing, heartbeats[i], 0);
            cr_assert_lt(9 * 10 * timing_act_ms(&timing), 8 * 9 * timing.lease_ms);
        }
    }
}

/* Whatever is asked for, the durations that depend on each other stay in order. */
Test(timing, overrides_keep_the_order_of_durations)
{
    static const uint64_t heartbeats[] = {0, 5, 50, 250, 1000, 60000};
    static const uint64_t losses[] = {0, 20, 100, 900, 3000, 600000};

    for (unsigned i = 0; i < sizeof heartbeats / sizeof heartbeats[0]; i++) {
        for (unsigned k = 0; k < sizeof losses / sizeof losses[0]; k++) {
            struct timing timing = timing_of(PROFILE_LAN);
            timing_override(&timing, heartbeats[i], losses[k]);
            check_order(&timing);
        }
    }
}

/* D2e, D2g: T_doubt is over before T_silent, and the fourth question before T_lost; one that is
 * shorter is raised. */
Test(timing, a_silence_that_is_short_of_three_heartbeats_leaves_room_for_questions)
{
    for (uint64_t lost_ms = 200; lost_ms < 2000; lost_ms += 7) {
        struct timing timing = timing_of(PROFILE_LAN);
        timing_override(&timing, 600, lost_ms);
        cr_assert_eq(timing.lost_ms, lost_ms < 960 ? 960 : lost_ms);
        cr_assert(timing_is_sparse(&timing));
        cr_assert_lt(timing_missed_ms(&timing), timing.silent_ms);
        cr_assert_leq(timing_missed_ms(&timing) + 4 * timing_question_ms(&timing), timing.lost_ms);
    }
    struct timing timing = timing_of(PROFILE_LAN);
    timing_override(&timing, 600, timing_dense_lost_ms(PROFILE_LAN, 600));
    cr_assert_not(timing_is_sparse(&timing));
}

Test(timing, lan_is_lean)
{
    struct timing lan = timing_sparse_of(PROFILE_LAN);
    struct timing wan = timing_sparse_of(PROFILE_WAN);

    check_order(&lan);
    cr_assert(timing_is_sparse(&lan));
    cr_assert_eq(lan.heartbeat_ms, 680);
    cr_assert_eq(lan.lost_ms, 1088);
    cr_assert_not(timing_is_sparse(&wan));
}

/* Z6a, D8c: there is one round, and as many questions as are put before the right to act ends,
 * while a lease is counted. */
static void check_lease(const struct timing *timing)
{
    const uint64_t round_ms = timing_round_ms(timing) * (100 + timing_jitter_percent(timing)) / 100;

    cr_assert_geq(timing_act_ms(timing), round_ms + 3 * timing_question_ms(timing), "%llu, %llu",
                  (unsigned long long)timing->heartbeat_ms, (unsigned long long)timing->lost_ms);
}

Test(timing, a_lease_outlasts_a_round_and_three_questions)
{
    for (enum profile profile = PROFILE_LOCAL; profile <= PROFILE_WAN; profile++) {
        const struct timing timing = timing_of(profile);
        const struct timing sparse = timing_sparse_of(profile);
        check_lease(&timing);
        check_lease(&sparse);
    }
    for (uint64_t heartbeat_ms = 100; heartbeat_ms < 3000; heartbeat_ms += 77) {
        for (uint64_t lost_ms = heartbeat_ms; lost_ms < 4 * heartbeat_ms; lost_ms += 31) {
            struct timing timing = timing_of(PROFILE_LAN);
            timing_override(&timing, heartbeat_ms, lost_ms);
            check_lease(&timing);
        }
    }
}

/* T_lease of sparse heartbeats follows from T_lost: four fifths of it. */
Test(timing, a_sparse_lease_is_four_fifths_of_a_loss)
{
    struct timing lan = timing_sparse_of(PROFILE_LAN);

    cr_assert_eq(lan.lease_ms, 870);
    cr_assert_eq(timing_act_ms(&lan), 694);
    timing_override(&lan, 1000, 1600);
    cr_assert_eq(lan.lease_ms, 1280);
}

Test(timing, no_override_changes_nothing)
{
    struct timing before = timing_of(PROFILE_LAN);
    struct timing after = before;

    timing_override(&after, 0, 0);
    cr_assert_arr_eq(&before, &after, sizeof before);
}

Test(timing, a_slower_heartbeat_takes_its_time_outs_along)
{
    struct timing timing = timing_of(PROFILE_LAN);

    timing_override(&timing, 500, 0);
    cr_assert_eq(timing.heartbeat_ms, 500);
    cr_assert_eq(timing.silent_ms, 1250);
    cr_assert_eq(timing.lost_ms, 1800);
    cr_assert_eq(timing.lease_ms, 1400);
}

/* Z2: clocks that are a ninth apart from the true time, one too fast and one too slow. */
Test(timing, a_lease_is_counted_for_less_than_it_lasts)
{
    for (enum profile profile = PROFILE_LOCAL; profile <= PROFILE_WAN; profile++) {
        struct timing timing = timing_of(profile);
        const uint64_t held_ms = timing.lease_ms * 9 / 10;          /* true, at a fast voter */
        const uint64_t counted_ms = timing_act_ms(&timing) * 9 / 8; /* true, by a slow clock */
        cr_assert_lt(counted_ms, held_ms);
    }
    struct timing lan = timing_of(PROFILE_LAN);
    cr_assert_eq(lan.lease_ms, 700);
    cr_assert_eq(timing_act_ms(&lan), 558);
}
