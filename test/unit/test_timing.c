#include <criterion/criterion.h>

#include "core/model/timing.h"

static void check_order(const struct timing *timing)
{
    const uint64_t round_ms = timing_round_ms(timing) * (100 + ROUND_JITTER_PERCENT) / 100;

    cr_assert(2 * round_ms <= timing_missed_ms(timing), "nobody is asked in quiet");
    cr_assert(timing_missed_ms(timing) < timing->silent_ms);
    cr_assert(timing_missed_ms(timing) <= timing_inquiry_ms(timing));
    cr_assert(timing_missed_ms(timing) + 4 * timing_question_ms(timing) <= timing->lost_ms);
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
            cr_assert_lt(9 * 10 * timing_act_ms(timing.lease_ms), 8 * 9 * timing.lease_ms);
        }
    }
}

/* Whatever is asked for, the durations that depend on each other stay in order. */
Test(timing, overrides_keep_the_order_of_durations)
{
    static const uint64_t heartbeats[] = {0, 5, 50, 250, 680, 1000, 60000};
    static const uint64_t losses[] = {0, 20, 100, 900, 3000, 600000};

    for (enum profile profile = PROFILE_LOCAL; profile <= PROFILE_WAN; profile++) {
        for (unsigned i = 0; i < sizeof heartbeats / sizeof heartbeats[0]; i++) {
            for (unsigned k = 0; k < sizeof losses / sizeof losses[0]; k++) {
                struct timing timing = timing_of(profile);
                timing_override(&timing, heartbeats[i], losses[k]);
                check_order(&timing);
            }
        }
    }
}

/* Five questions fit in between T_doubt and T_lost, and those of R1; one that is shorter is raised.
 */
Test(timing, a_silence_leaves_room_for_questions)
{
    for (uint64_t lost_ms = 200; lost_ms < 2000; lost_ms += 7) {
        struct timing timing = timing_of(PROFILE_LAN);
        timing_override(&timing, 600, lost_ms);
        cr_assert_eq(timing.lost_ms, lost_ms < 960 ? 960 : lost_ms);
    }
    struct timing brief = timing_of(PROFILE_LAN);
    timing_override(&brief, 100, 160);
    cr_assert_eq(brief.lost_ms, 110 + 150);
}

/* D8c: whether by rounds or by its pauses, a coordinator asks for a lease twice at least while one
 * is counted, and of the profiles' lengths three times. */
static uint64_t questions_per_lease(const struct timing *timing)
{
    const uint64_t round_ms = timing_round_ms(timing) * (100 + ROUND_JITTER_PERCENT) / 100;
    const uint64_t act_ms = timing_act_ms(timing->lease_ms);
    const uint64_t pause_ms = timing_question_ms(timing);
    const uint64_t pauses_ms = act_ms > 4 * pause_ms ? act_ms - 3 * pause_ms : pause_ms;
    uint64_t count = 0;

    for (uint64_t at = round_ms < pauses_ms ? round_ms : pauses_ms; at < act_ms;
         at += round_ms < pause_ms ? round_ms : pause_ms) {
        count++;
    }
    return count;
}

Test(timing, a_lease_outlasts_some_questions_for_the_next)
{
    for (enum profile profile = PROFILE_LOCAL; profile <= PROFILE_WAN; profile++) {
        const struct timing usual = timing_of(profile);
        cr_assert_geq(questions_per_lease(&usual), 3);
        for (uint64_t heartbeat_ms = 10; heartbeat_ms < 3000; heartbeat_ms += 77) {
            for (uint64_t lost_ms = heartbeat_ms; lost_ms < 4 * heartbeat_ms; lost_ms += 31) {
                struct timing timing = usual;
                timing_override(&timing, heartbeat_ms, lost_ms);
                cr_assert_geq(questions_per_lease(&timing), 2);
            }
        }
    }
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

    timing_override(&timing, 1360, 0);
    cr_assert_eq(timing.heartbeat_ms, 1360);
    cr_assert_eq(timing.lost_ms, 2176);
    cr_assert_eq(timing.silent_ms, 1849);
    cr_assert_eq(timing.fresh_ms, 1958);
    cr_assert_eq(timing.lease_ms, 1520);
}

/* Z2: clocks that are a ninth apart from the true time, one too fast and one too slow. */
Test(timing, a_lease_is_counted_for_less_than_it_lasts)
{
    for (enum profile profile = PROFILE_LOCAL; profile <= PROFILE_WAN; profile++) {
        struct timing timing = timing_of(profile);
        const uint64_t held_ms = timing.lease_ms * 9 / 10; /* true, at a fast voter */
        const uint64_t counted_ms = timing_act_ms(timing.lease_ms) * 9 /
                                    8; /* true, by a slow clock */
        cr_assert_lt(counted_ms, held_ms);
    }
    struct timing lan = timing_of(PROFILE_LAN);
    cr_assert_eq(lan.lease_ms, 760);
    cr_assert_eq(timing_act_ms(lan.lease_ms), 606);
}
