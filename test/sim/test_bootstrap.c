/* Founding in company, for nodes that were told how many to expect: rule F3. */
#include "story.h"

/* Each sees only itself at first, as pods do until the name service knows them all. */
Story(bootstrap, nodes_that_see_only_themselves_at_first_found_one_cluster)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 4, .expect = 3, .seed_count = 3});
    for (uint32_t host = A; host <= C; host++) {
        sim_set_seeds(sim, host, (const uint32_t[]){host}, 1);
    }
    sim_start(sim, A);
    sim_start(sim, B);
    sim_start(sim, C);
    sim_run(sim, MINUTE_MS);
    story_check(sim_foundings(sim, SIM_ANY) == 0, seed);
    story_check(sim_waiting(sim, B).met == 1, seed);

    for (uint32_t host = A; host <= C; host++) {
        sim_set_seeds(sim, host, (const uint32_t[]){A, B, C}, 3);
    }
    story_check(sim_sees(sim, C, "A B C", 2 * SETTLE_MS) || sim_sees(sim, C, "A C B", 0), seed);
    story_check(sim_foundings(sim, SIM_ANY) == 1 && sim_coordinator(sim, C) == A, seed);

    sim_start(sim, D); /* Once a cluster is there nobody waits. */
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(sim_foundings(sim, SIM_ANY) == 1, seed);
    sim_free(sim);
}

/* They wait as long as it takes, say how many they are, and go on when the last one comes. */
Story(bootstrap, fewer_than_expected_wait_and_say_so)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 3, .expect = 3, .seed_count = 3});
    sim_start(sim, B);
    sim_start(sim, C);
    sim_run(sim, MINUTE_MS);
    for (uint32_t host = B; host <= C; host++) {
        const struct waiting_state waiting = sim_waiting(sim, host);
        story_check(sim_phase(sim, host) == PHASE_JOINING, seed);
        story_check(waiting.expect == 3 && waiting.met == 2 && !waiting.may_found, seed);
    }
    sim_start(sim, A);
    story_check(sim_converges(sim, 3 * SETTLE_MS), seed);
    story_check(sim_foundings(sim, SIM_ANY) == 1, seed);
    sim_free(sim);
}

/* Who went again does not count: company is whoever waits now. */
Story(bootstrap, who_was_met_and_died_is_not_counted)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 3, .expect = 3, .seed_count = 3});
    sim_start(sim, A);
    sim_start(sim, B);
    sim_run(sim, 3000);
    sim_crash(sim, B);
    sim_run(sim, 10000);
    story_check(sim_waiting(sim, A).met == 1, seed);
    sim_start(sim, C);
    sim_run(sim, MINUTE_MS);
    story_check(sim_foundings(sim, SIM_ANY) == 0, seed);
    sim_start(sim, B);
    story_check(sim_converges(sim, 3 * SETTLE_MS), seed);
    sim_free(sim);
}

/* All know one of them alone, and that one's address is not the lowest: it has met them all, and so
 * founds. */
Story(bootstrap, the_one_that_met_them_all_founds)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 5, .expect = 5});
    for (uint32_t host = A; host <= E; host++) {
        sim_set_seeds(sim, host, (const uint32_t[]){C}, 1);
    }
    sim_start_together(sim);
    story_check(sim_converges(sim, 3 * SETTLE_MS), seed);
    story_check(sim_foundings(sim, SIM_ANY) == 1, seed);
    sim_free(sim);
}

/* Each knows but one other, the last nobody: whoever is asked asks back, until one has met them
 * all.
 */
Story(bootstrap, acquaintances_in_a_row_meet)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 3, .expect = 3});
    sim_set_seeds(sim, A, (const uint32_t[]){B}, 1);
    sim_set_seeds(sim, B, (const uint32_t[]){C}, 1);
    sim_set_seeds(sim, C, (const uint32_t[]){C}, 1);
    sim_start_together(sim);
    story_check(sim_converges(sim, 3 * SETTLE_MS), seed);
    story_check(sim_foundings(sim, SIM_ANY) == 1, seed);
    sim_free(sim);
}

/* The founder's host is lost for good, and all the others know each other: enough of them found
 * again, under a higher epoch (J8). */
Story(bootstrap, enough_of_the_rest_found_when_the_founder_is_lost)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 3, .expect = 2, .disks = true});
    sim_start_together(sim);
    story_check(sim_converges(sim, 3 * SETTLE_MS), seed);
    uint64_t epoch = sim_epoch(sim, C);
    for (uint32_t host = A; host <= C; host++) {
        sim_crash(sim, host);
    }
    sim_run(sim, 1000);
    sim_start(sim, B);
    sim_run(sim, 20000);
    story_check(sim_phase(sim, B) == PHASE_JOINING, seed);
    sim_start(sim, C);
    story_check(sim_converges(sim, 4 * SETTLE_MS), seed);
    story_check(sim_coordinator(sim, C) == B && sim_epoch(sim, C) > epoch, seed);
    sim_free(sim);
}

/* Without that they wait for ever; each knows that it is not alone, so that it can be told. */
Story(bootstrap, the_rest_of_a_lost_founder_know_of_each_other)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 3, .disks = true});
    for (uint32_t host = A; host <= C; host++) {
        sim_crash(sim, host);
    }
    sim_start(sim, B);
    sim_start(sim, C);
    sim_run(sim, MINUTE_MS);
    const struct waiting_state waiting = sim_waiting(sim, B);
    story_check(sim_phase(sim, B) == PHASE_JOINING && sim_phase(sim, C) == PHASE_JOINING, seed);
    story_check(waiting.expect == 0 && waiting.met == 2 && !waiting.may_found, seed);
    sim_free(sim);
}

/* I2: two under one name are never members together, and count for one. */
Story(bootstrap, two_of_one_name_are_not_two)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 3, .expect = 3, .seed_count = 3});
    sim_rename(sim, C, "byzantium");
    sim_start_together(sim);
    sim_run(sim, MINUTE_MS);
    story_check(sim_foundings(sim, SIM_ANY) == 0, seed);
    story_check(sim_waiting(sim, A).met == 2, seed);
    sim_free(sim);
}

/* F3b: a node that comes back under the name of another that has gone is one, not two. */
Story(bootstrap, who_takes_the_name_of_another_is_one)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 4, .expect = 4, .seed_count = 4});
    sim_start(sim, A);
    sim_start(sim, B);
    sim_start(sim, C);
    sim_run(sim, 3000);
    story_check(sim_waiting(sim, A).met == 3, seed);
    sim_crash(sim, B);
    sim_crash(sim, C);
    sim_rename(sim, C, "byzantium");
    sim_start(sim, C);
    sim_run(sim, 3000);
    story_check(sim_waiting(sim, A).met == 2, seed);
    sim_free(sim);
}

/* F2a: whoever expects company asks for three times T_discover before it founds: a cluster that has
 * just lost its coordinator lets nobody in for a while. */
Story(bootstrap, company_asks_three_times_as_long)
{
    const struct timing timing = timing_of(PROFILE_LAN);
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 2, .expect = 2, .seed_count = 2});
    sim_start_together(sim);
    sim_run(sim, 2 * timing.discover_ms);
    story_check(sim_foundings(sim, SIM_ANY) == 0, seed);
    story_check(sim_converges(sim, 3 * SETTLE_MS), seed);
    story_check(sim_foundings(sim, SIM_ANY) == 1, seed);
    sim_free(sim);
}

/* A majority of five is expected, and the net is cut before any has met the other side: the side
 * that has too few waits, and joins the others when it hears them. */
Story(bootstrap, of_two_sides_that_never_met_only_the_larger_founds)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 5, .expect = 3, .seed_count = 5});
    for (uint32_t host = A; host <= B; host++) {
        for (uint32_t other = C; other <= E; other++) {
            sim_cut(sim, host, other);
        }
    }
    sim_start_together(sim);
    sim_run(sim, 20000);
    story_check(sim_foundings(sim, SIM_ANY) == 1 && sim_coordinator(sim, E) == C, seed);
    story_check(sim_phase(sim, A) == PHASE_JOINING, seed);
    sim_heal(sim);
    story_check(sim_converges(sim, 3 * SETTLE_MS), seed);
    story_check(sim_foundings(sim, SIM_ANY) == 1, seed);
    sim_free(sim);
}
