/* Coming back: rules I1, I2, J4, V3, F2, L1, M4. */
#include "story.h"

/* H19: the new life takes the old one's place at once, as the youngest. */
Story(return, a_restart_before_anybody_noticed_is_a_new_member)
{
    struct sim *sim = story_of_five(seed);
    sim_crash(sim, C);
    sim_start(sim, C);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, A, "A B D E C", seed);
    story_check(sim_age(sim, A, C) == 6, seed);
    sim_free(sim);
}

/* J4: the same without any connection closing: the whole host was reset. */
Story(return, a_host_that_was_reset_is_back_before_it_was_missed)
{
    struct sim *sim = story_of_five(seed);
    sim_vanish(sim, C);
    sim_run(sim, 100);
    sim_start(sim, C);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, A, "A B D E C", seed);
    story_check(sim_age(sim, A, C) == 6, seed);
    sim_free(sim);
}

/* H24: it remembers its peers, asks them, and is the youngest under the new coordinator. */
Story(return, a_coordinator_with_a_memory_comes_back_youngest)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 5, .disks = true});
    sim_crash(sim, A);
    story_check(sim_converges(sim, FAST_MS), seed);
    sim_start(sim, A);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, A, "B C D E A", seed);
    story_check(sim_foundings(sim, SIM_ANY) == 1, seed);
    sim_free(sim);
}

/* The same before anybody noticed that it was gone. */
Story(return, a_coordinator_with_a_memory_may_restart_at_once)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 5, .disks = true});
    sim_crash(sim, A);
    sim_start(sim, A);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, A, "B C D E A", seed);
    story_check(sim_foundings(sim, SIM_ANY) == 1, seed);
    sim_free(sim);
}

/* H24, M4: the only seed knows nobody, so it founds; the larger part finds it and takes it up. */
Story(return, a_seed_without_a_memory_founds_no_lasting_second_cluster)
{
    struct sim *sim = story_of_five(seed);
    sim_crash(sim, A);
    story_check(sim_converges(sim, FAST_MS), seed);
    sim_start(sim, A);
    sim_run(sim, 100);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_sees(sim, A, "B C D E A", seed);
    sim_free(sim);
}

/* The same at once: the others have not even begun to succeed it. */
Story(return, a_seed_without_a_memory_may_restart_at_once)
{
    struct sim *sim = story_of_five(seed);
    sim_crash(sim, A);
    sim_start(sim, A);
    sim_run(sim, 100);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_sees(sim, A, "B C D E A", seed);
    sim_free(sim);
}

/* H24: with a second seed to ask it never founds at all. */
Story(return, one_of_two_seeds_comes_back_without_founding)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 5, .seed_count = 2});
    sim_crash(sim, A);
    story_check(sim_converges(sim, FAST_MS), seed);
    sim_start(sim, A);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(sim_age(sim, B, A) == 6, seed);
    story_check(sim_foundings(sim, SIM_ANY) == 1, seed);
    sim_free(sim);
}

/* H18: the age of a youngest that is gone is not given again. */
Story(return, ages_are_never_given_twice)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 6});
    for (uint32_t host = A; host <= E; host++) {
        sim_start(sim, host);
        sim_run(sim, 300);
    }
    sim_crash(sim, E);
    story_check(sim_converges(sim, FAST_MS), seed);
    sim_start(sim, F);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(sim_age(sim, A, F) == 6, seed);

    for (uint64_t age = 7; age < 12; age++) {
        sim_crash(sim, F);
        sim_start(sim, F);
        story_check(sim_converges(sim, SETTLE_MS), seed);
        story_check(sim_age(sim, A, F) == age, seed);
    }
    sim_free(sim);
}

/* V3: nor by a successor, who learned the count from the view. */
Story(return, a_successor_goes_on_counting_ages)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 4, .seed_count = 2});
    for (uint32_t host = A; host <= C; host++) {
        sim_start(sim, host);
        sim_run(sim, 1500);
    }
    sim_crash(sim, C);
    story_check(sim_converges(sim, FAST_MS), seed);
    sim_crash(sim, A);
    story_check(sim_converges(sim, FAST_MS), seed);
    sim_start(sim, D);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(sim_age(sim, B, D) == 4, seed);
    sim_free(sim);
}

/* H25: power comes back everywhere at once. The epoch goes on from what the disks remember. */
Story(return, a_total_restart_with_memories_is_one_cluster)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 5, .seed_count = 2, .disks = true});
    uint64_t epoch = sim_epoch(sim, A);
    for (uint32_t host = A; host <= E; host++) {
        sim_crash(sim, host);
    }
    sim_run(sim, 1000);
    sim_start_together(sim);
    story_check(sim_converges(sim, 4 * SETTLE_MS), seed);
    story_check(sim_epoch(sim, A) > epoch, seed);
    sim_free(sim);
}

Story(return, a_total_restart_without_memories_is_one_cluster)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 5, .seed_count = 2});
    for (uint32_t host = A; host <= E; host++) {
        sim_crash(sim, host);
    }
    sim_run(sim, 1000);
    sim_start_together(sim);
    story_check(sim_converges(sim, 4 * SETTLE_MS), seed);
    sim_free(sim);
}

/* A leaver may come back, as the youngest. */
Story(return, who_left_may_come_back)
{
    struct sim *sim = story_of_five(seed);
    sim_leave(sim, B);
    story_check(sim_ends(sim, B, 1000), seed);
    sim_start(sim, B);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, A, "A C D E B", seed);
    sim_free(sim);
}

/* R4, Y6: who restarts again and again disturbs nobody else. */
Story(return, one_that_keeps_dying_does_not_stop_the_others)
{
    struct sim *sim = story_of_five(seed);
    for (int i = 0; i < 20; i++) {
        sim_crash(sim, D);
        sim_run(sim, 200);
        sim_start(sim, D);
        sim_run(sim, 300);
    }
    story_check(sim_converges(sim, 2 * MINUTE_MS), seed);
    story_check(sim_coordinator(sim, D) == A, seed);
    story_check(sim_age(sim, A, B) == 2 && sim_age(sim, A, E) == 5, seed);
    sim_free(sim);
}

/* J3, S5: requests of lives that are over come again and again: they bring nobody back, and do
 * not throw out who lives at that address now. */
Story(return, replayed_requests_of_former_lives_admit_nobody)
{
    struct sim *sim = story_of_five(seed);
    struct quality quality = sim_default_quality();
    quality.replay_ppm = 700000;
    sim_set_quality(sim, &quality);
    for (int i = 0; i < 10; i++) {
        sim_crash(sim, D);
        sim_start(sim, D);
        sim_run(sim, 400);
    }
    sim_heal(sim);
    story_check(sim_converges(sim, 2 * MINUTE_MS), seed);
    uint64_t version = sim_version(sim, A);
    sim_run(sim, 5000);
    story_check(sim_version(sim, A) == version, seed);
    sim_free(sim);
}

/* I1: it acknowledged its admission and never heard that it held. Removed meanwhile, it must not
 * come back under the same id. */
Story(return, a_joiner_removed_before_it_knew_that_it_was_in_is_a_new_life)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 4});
    for (uint32_t host = A; host <= C; host++) {
        sim_start(sim, host);
        sim_run(sim, 300);
    }
    for (uint32_t host = A; host <= C; host++) {
        sim_lose(sim, host, D, MESSAGE_COMMIT, UINT32_MAX);
        sim_lose(sim, host, D, MESSAGE_VIEW, UINT32_MAX);
    }
    sim_start(sim, D);
    story_check(sim_sees(sim, A, "A B C D", SETTLE_MS), seed);
    sim_run(sim, STALLED_MS);
    sim_heal(sim);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_check(sim_age(sim, A, D) > 4, seed);
    sim_free(sim);
}
