/* Slow processes and bad links: rules D2 to D7, R1 to R3, C2. */
#include "story.h"

/* Nobody was lost, nobody took over: the cluster is as it was before. */
static void check_untouched(struct sim *sim, uint64_t seed, uint64_t version)
{
    for (uint32_t host = A; host < sim_host_count(sim); host++) {
        cr_assert_str_eq(sim_view_text(sim, host), "A B C D E", "seed %llu",
                         (unsigned long long)seed);
        cr_assert_eq(sim_version(sim, host), version, "seed %llu", (unsigned long long)seed);
    }
    story_check(sim_acting_count(sim) == 1, seed);
}

/* D2: the kernel answers, so there is patience. */
Story(detection, a_member_stopped_for_three_seconds_is_nobodys_loss)
{
    struct sim *sim = story_of_five(seed);
    uint64_t version = sim_version(sim, A);
    sim_pause(sim, D);
    sim_run(sim, PATIENT_MS);
    sim_resume(sim, D);
    sim_run(sim, 2000);
    check_untouched(sim, seed, version);
    sim_free(sim);
}

/* H5, D4: it must not take its own sleep for the death of all others. */
Story(detection, a_coordinator_stopped_for_three_seconds_is_nobodys_loss)
{
    struct sim *sim = story_of_five(seed);
    uint64_t version = sim_version(sim, A);
    sim_pause(sim, A);
    sim_run(sim, PATIENT_MS);
    sim_resume(sim, A);
    sim_run(sim, 2000);
    check_untouched(sim, seed, version);
    sim_free(sim);
}

/* All at once, waking one after the other: they must not accuse each other. */
Story(detection, all_stopped_for_three_seconds_is_nobodys_loss)
{
    struct sim *sim = story_of_five(seed);
    uint64_t version = sim_version(sim, A);
    for (uint32_t host = A; host <= E; host++) {
        sim_pause(sim, host);
    }
    sim_run(sim, PATIENT_MS);
    for (uint32_t host = A; host <= E; host++) {
        sim_resume(sim, host);
        sim_run(sim, 40);
    }
    sim_run(sim, 2000);
    check_untouched(sim, seed, version);
    sim_free(sim);
}

/* D2, L1: T_stall has an end; who wakes up later comes back as the youngest. */
Story(detection, a_member_stopped_for_ten_seconds_is_removed_and_comes_back_youngest)
{
    struct sim *sim = story_of_five(seed);
    sim_pause(sim, B);
    sim_run(sim, STALLED_MS);
    story_sees(sim, A, "A C D E", seed);
    story_check(sim_gone(sim, A, B)->verdict == VERDICT_STALLED, seed);

    sim_resume(sim, B);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, B, "A C D E B", seed);
    story_check(sim_age(sim, A, B) == 6, seed);
    sim_free(sim);
}

/* H5 in full. */
Story(detection, a_coordinator_stopped_for_ten_seconds_is_succeeded_and_comes_back_youngest)
{
    struct sim *sim = story_of_five(seed);
    sim_pause(sim, A);
    sim_run(sim, STALLED_MS);
    story_sees(sim, E, "B C D E", seed);
    story_check(sim_is_acting(sim, B), seed);

    sim_resume(sim, A);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, A, "B C D E A", seed);
    sim_free(sim);
}

/* A stopped process is killed: its kernel closes what it had open. */
Story(detection, a_stopped_process_that_is_killed_is_dead_at_once)
{
    struct sim *sim = story_of_five(seed);
    sim_pause(sim, C);
    sim_run(sim, 2000);
    sim_crash(sim, C);
    story_check(sim_converges(sim, FAST_MS), seed);
    sim_free(sim);
}

/* H47, D4: a node whose loop is late blames itself. */
Story(detection, an_observer_that_is_late_accuses_nobody)
{
    struct sim *sim = story_of_five(seed);
    uint64_t version = sim_version(sim, A);
    sim_slow(sim, C, 900);
    sim_run(sim, 20000);
    sim_slow(sim, C, 0);
    sim_run(sim, 2000);
    check_untouched(sim, seed, version);
    story_check(sim_notices(sim, C, NOTICE_SUSPECT) == 0, seed);
    sim_free(sim);
}

/* The same of the coordinator, whose accusations would count. */
Story(detection, a_coordinator_that_is_late_removes_nobody)
{
    struct sim *sim = story_of_five(seed);
    uint64_t version = sim_version(sim, A);
    sim_slow(sim, A, 900);
    sim_run(sim, 20000);
    sim_slow(sim, A, 0);
    sim_run(sim, 2000);
    check_untouched(sim, seed, version);
    sim_free(sim);
}

static void tell_of_cut(uint64_t seed, uint32_t from, uint32_t to, bool both_ways)
{
    struct sim *sim = story_of_five(seed);
    uint64_t version = sim_version(sim, A);
    sim_cut_one_way(sim, from, to);
    if (both_ways) {
        sim_cut_one_way(sim, to, from);
    }
    sim_run(sim, 20000);
    check_untouched(sim, seed, version);
    sim_heal(sim);
    sim_run(sim, 5000);
    check_untouched(sim, seed, version);
    sim_free(sim);
}

/* R1: the coordinator does not hear it, others do. */
Story(detection, a_member_that_only_the_coordinator_cannot_hear_stays)
{
    tell_of_cut(seed, D, A, false);
}

/* H7, C2: one that cannot hear the coordinator deposes nobody whom others hear. */
Story(detection, the_next_oldest_deposes_no_coordinator_that_others_hear)
{
    tell_of_cut(seed, A, B, false);
}

/* H8: both sides of the bad link, and it is the one that matters most. */
Story(detection, a_bad_link_between_coordinator_and_next_oldest_deposes_nobody)
{
    tell_of_cut(seed, A, B, true);
}

/* R3, H51 */
Story(detection, a_bad_link_between_two_members_removes_nobody)
{
    tell_of_cut(seed, C, D, true);
}

/* H8: A and B do not hear each other, and a third dies: it is removed all the same. */
Story(detection, a_bad_link_hides_no_real_death)
{
    struct sim *sim = story_of_five(seed);
    sim_cut(sim, A, B);
    sim_run(sim, 3000);
    sim_crash(sim, C);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, E, "A B D E", seed);
    sim_free(sim);
}

/* C1: a coordinator that is killed behind a bad link is succeeded all the same. */
Story(detection, a_coordinator_with_a_bad_link_is_succeeded_when_it_dies)
{
    struct sim *sim = story_of_five(seed);
    sim_cut(sim, A, B);
    sim_run(sim, 3000);
    sim_crash(sim, A);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, E, "B C D E", seed);
    sim_free(sim);
}

static void tell_of_loss(uint64_t seed, uint32_t loss_ppm)
{
    struct sim *sim = story_of_five(seed);
    uint64_t version = sim_version(sim, A);
    struct quality quality = sim_default_quality();
    quality.loss_ppm = loss_ppm;
    sim_set_quality(sim, &quality);
    sim_run(sim, 10 * MINUTE_MS);
    sim_heal(sim);
    sim_run(sim, 1000);
    check_untouched(sim, seed, version);
    sim_free(sim);
}

Story(detection, ten_minutes_of_one_percent_loss_change_nothing)
{
    tell_of_loss(seed, 10000);
}

Story(detection, ten_minutes_of_five_percent_loss_change_nothing)
{
    tell_of_loss(seed, 50000);
}

/* H20, H48, D6: copies, latecomers and packets from long ago prove nothing. */
Story(detection, repeated_late_and_replayed_packets_change_nothing)
{
    struct sim *sim = story_of_five(seed);
    struct quality quality = sim_default_quality();
    quality.duplicate_ppm = 200000;
    quality.late_ppm = 50000;
    quality.late_us_max = 300000;
    quality.replay_ppm = 100000;
    uint64_t version = sim_version(sim, A);
    sim_set_quality(sim, &quality);
    sim_run(sim, 2 * MINUTE_MS);
    check_untouched(sim, seed, version);
    sim_free(sim);
}

/* H20: packets of a life that is over keep nobody alive, and bring nobody back. */
Story(detection, replayed_packets_of_the_dead_do_not_keep_them_alive)
{
    struct sim *sim = story_of_five(seed);
    struct quality quality = sim_default_quality();
    quality.replay_ppm = 500000;
    sim_set_quality(sim, &quality);
    sim_run(sim, 2000);
    sim_crash(sim, A);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_crash(sim, C);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_run(sim, 5000);
    story_sees(sim, E, "B D E", seed);
    sim_free(sim);
}

/* D2, M4: a pulled cable; the part of one is taken up when it is plugged in. */
Story(detection, a_member_whose_cable_is_pulled_is_out_and_comes_back)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 5, .disorder = true});
    sim_isolate(sim, D);
    story_check(sim_converges(sim, LOST_MS), seed);
    story_sees(sim, A, "A B C E", seed);
    sim_run(sim, 5000);

    sim_rejoin_network(sim, D);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_sees(sim, D, "A B C E D", seed);
    sim_free(sim);
}

Story(detection, a_coordinator_whose_cable_is_pulled_is_succeeded_and_comes_back)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 5, .disorder = true});
    sim_isolate(sim, A);
    story_check(sim_converges(sim, LOST_MS + 300), seed);
    story_sees(sim, E, "B C D E", seed);
    sim_run(sim, 5000);

    sim_rejoin_network(sim, A);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_sees(sim, A, "B C D E A", seed);
    sim_free(sim);
}

/* D7, H47: a witness whose loop is always late accuses nobody, and nobody waits for it to. */
Story(detection, a_slow_witness_does_not_keep_the_dead_in)
{
    for (int vanishes = 0; vanishes <= 1; vanishes++) {
        struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 3});
        sim_slow(sim, B, 300);
        sim_run(sim, 3000);
        if (vanishes) {
            sim_vanish(sim, C);
        } else {
            sim_crash(sim, C);
        }
        story_check(sim_sees(sim, A, "A B", SETTLE_MS), seed);
        sim_free(sim);
    }
}

/* Loops that are slow, not asleep. */
static const struct {
    enum profile profile;
    uint64_t turn_ms;
} slow_loops[] = {{PROFILE_LOCAL, 40}, {PROFILE_LOCAL, 60}, {PROFILE_LOCAL, 142},
                  {PROFILE_LAN, 100},  {PROFILE_LAN, 200},  {PROFILE_LAN, 300}};
enum { SLOW_LOOPS = sizeof slow_loops / sizeof slow_loops[0] };

/* D4, H47: a loop that is always a little late is slow, not asleep; its node coordinates, or takes
 * over, all the same. */
Story(detection, a_slow_coordinator_lets_in_and_removes)
{
    for (size_t i = 0; i < SLOW_LOOPS; i++) {
        struct sim *sim = sim_new(&(struct sim_options){
            .seed = seed, .host_count = 6, .profile = slow_loops[i].profile, .disorder = true});
        for (uint32_t host = A; host <= E; host++) {
            sim_start(sim, host);
            sim_run(sim, 300);
        }
        cr_assert(sim_sees(sim, E, "A B C D E", 5000));
        sim_slow(sim, A, slow_loops[i].turn_ms);
        sim_run(sim, 3000);
        sim_crash(sim, D);
        sim_start(sim, F);
        cr_assert(sim_sees(sim, C, "A B C E F", 10000), "seed %llu, a turn takes %llu ms",
                  (unsigned long long)seed, (unsigned long long)slow_loops[i].turn_ms);
        sim_free(sim);
    }
}

Story(detection, a_slow_heir_takes_over)
{
    for (size_t i = 0; i < 2 * SLOW_LOOPS; i++) {
        struct sim *sim = story_of(&(struct sim_options){
            .seed = seed, .host_count = 5, .profile = slow_loops[i / 2].profile});
        sim_slow(sim, B, slow_loops[i / 2].turn_ms);
        sim_run(sim, 3000);
        if (i % 2 == 0) {
            sim_crash(sim, A);
        } else {
            sim_vanish(sim, A);
        }
        cr_assert(sim_sees(sim, C, "B C D E", 20000), "seed %llu, a turn takes %llu ms, %d",
                  (unsigned long long)seed, (unsigned long long)slow_loops[i / 2].turn_ms,
                  (int)(i % 2));
        sim_free(sim);
    }
}

/* R2, R3: a bad link to the coordinator is nobody's death, however slow those are who can tell. */
Story(detection, slow_witnesses_are_waited_for)
{
    for (uint32_t hosts = 3; hosts <= 5; hosts += 2) {
        struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = hosts});
        uint32_t last = hosts - 1;
        for (uint32_t host = B; host < last; host++) {
            sim_slow(sim, host, 500);
        }
        sim_run(sim, 3000);
        sim_cut_one_way(sim, last, A);
        sim_run(sim, 30000);
        story_check(sim_age(sim, A, last) == last + 1, seed);
        sim_free(sim);
    }
}
