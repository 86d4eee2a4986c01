/* Crashes, silence and take-over: rules D1 to D3, D7, R1, C1 to C5. */
#include "story.h"

/* H1: the next oldest leads, and only one ever claimed. */
Story(succession, the_next_oldest_leads_when_the_coordinator_is_killed)
{
    struct sim *sim = story_of_five(seed);
    uint64_t epoch = sim_epoch(sim, A);

    sim_crash(sim, A);
    story_check(sim_converges(sim, FAST_MS), seed);

    for (uint32_t host = B; host <= E; host++) {
        cr_assert_str_eq(sim_view_text(sim, host), "B C D E");
        cr_assert_eq(sim_coordinator(sim, host), (uint32_t)B);
    }
    story_check(sim_epoch(sim, B) > epoch, seed);
    story_check(sim_claims(sim, SIM_ANY, CLAIM_STARTED) == 1, seed);
    story_check(sim_gone(sim, E, A)->verdict == VERDICT_DEAD, seed);
    sim_free(sim);
}

/* H2: the coordinator alone removes; nobody claims anything. */
Story(succession, a_killed_member_is_removed_by_the_coordinator)
{
    struct sim *sim = story_of_five(seed);
    uint64_t epoch = sim_epoch(sim, A);

    sim_crash(sim, C);
    story_check(sim_converges(sim, FAST_MS), seed);
    story_sees(sim, E, "A B D E", seed);
    story_check(sim_epoch(sim, E) == epoch, seed);
    story_check(sim_claims(sim, SIM_ANY, CLAIM_STARTED) == 0, seed);
    story_check(sim_gone(sim, E, C)->reason == GONE_FAILED, seed);
    sim_free(sim);
}

/* D2: without a lifeline that closed, refusals and more than a heartbeat's silence are proof. */
Story(succession, a_member_killed_before_its_lifelines_are_up_is_soon_out)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 3});
    sim_start_in_order(sim, 0);
    story_check(sim_sees(sim, C, "A B C", SETTLE_MS) || sim_sees(sim, C, "A C B", 0), seed);
    sim_crash(sim, C);
    sim_run(sim, 10);
    story_check(sim_converges(sim, 1000), seed);
    story_sees(sim, A, "A B", seed);
    sim_free(sim);
}

/* H4 */
Story(succession, the_third_leads_when_both_oldest_are_killed_at_once)
{
    struct sim *sim = story_of_five(seed);
    sim_crash(sim, A);
    sim_crash(sim, B);
    story_check(sim_converges(sim, 3 * FAST_MS), seed);
    story_sees(sim, E, "C D E", seed);
    sim_free(sim);
}

/* H3: the naive rule leaves this cluster without a head for ever. */
Story(succession, the_second_leads_when_coordinator_and_youngest_are_killed_at_once)
{
    struct sim *sim = story_of_five(seed);
    sim_crash(sim, A);
    sim_crash(sim, E);
    story_check(sim_converges(sim, 3 * FAST_MS), seed);
    story_sees(sim, D, "B C D", seed);
    sim_free(sim);
}

Story(succession, the_youngest_leads_itself_when_all_others_are_killed)
{
    struct sim *sim = story_of_five(seed);
    for (uint32_t host = A; host <= D; host++) {
        sim_crash(sim, host);
    }
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, E, "E", seed);
    sim_free(sim);
}

/* H14: the successor dies at any moment of its take-over. */
Story(succession, the_successor_may_die_at_any_moment_of_its_take_over)
{
    for (uint64_t after_ms = 0; after_ms < 40; after_ms += 2) {
        struct sim *sim = story_of_five(seed);
        sim_crash(sim, A);
        sim_run(sim, after_ms);
        sim_crash(sim, B);
        cr_assert(sim_converges(sim, SETTLE_MS), "seed %llu, dead after %llu ms",
                  (unsigned long long)seed, (unsigned long long)after_ms);
        cr_assert_str_eq(sim_view_text(sim, E), "C D E");
        sim_free(sim);
    }
}

Story(succession, coordinators_may_die_one_after_the_other)
{
    struct sim *sim = story_of_five(seed);
    for (uint32_t host = A; host <= D; host++) {
        sim_crash(sim, host);
        story_check(sim_converges(sim, SETTLE_MS), seed);
        story_check(sim_coordinator(sim, E) == host + 1, seed);
    }
    sim_free(sim);
}

/* D2, verdict lost: neither process nor kernel answers. */
Story(succession, a_member_whose_host_falls_silent_is_out_in_time)
{
    struct sim *sim = story_of_five(seed);
    sim_vanish(sim, D);
    story_check(sim_converges(sim, LOST_MS), seed);
    story_sees(sim, A, "A B C E", seed);
    story_check(sim_gone(sim, A, D)->verdict == VERDICT_LOST, seed);
    sim_free(sim);
}

Story(succession, a_coordinator_whose_host_falls_silent_is_succeeded_in_time)
{
    struct sim *sim = story_of_five(seed);
    sim_vanish(sim, A);
    story_check(sim_converges(sim, LOST_MS + 300), seed); /* and T_claim */
    story_sees(sim, E, "B C D E", seed);
    sim_free(sim);
}

Story(succession, two_of_five_hosts_may_fall_silent_at_once)
{
    struct sim *sim = story_of_five(seed);
    sim_vanish(sim, A);
    sim_vanish(sim, C);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, E, "B D E", seed);
    sim_free(sim);
}

/* H30: what fails together goes together, in few views. */
Story(succession, three_members_killed_at_once_cost_few_views)
{
    struct sim *sim = story_of_five(seed);
    uint64_t version = sim_version(sim, A);
    for (uint32_t host = C; host <= E; host++) {
        sim_crash(sim, host);
    }
    story_check(sim_converges(sim, 3 * FAST_MS), seed);
    story_sees(sim, B, "A B", seed);
    story_check(sim_version(sim, A) - version <= 2, seed);
    sim_free(sim);
}

/* Two hosts are the smallest cluster in which anything can be taken over. */
Story(succession, the_second_of_two_leads_alone)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 2});
    sim_crash(sim, A);
    story_check(sim_converges(sim, FAST_MS), seed);
    story_sees(sim, B, "B", seed);
    sim_free(sim);
}

/* C1: B alone cannot hear A and claims nothing, for the others hear it. Then all but E die: what
 * was held against A must not keep E from its own claim. */
Story(succession, the_last_one_leads_after_a_bad_link_between_the_two_oldest)
{
    for (uint64_t after_ms = 650; after_ms < 5000; after_ms += 75) {
        struct sim *sim = story_of_five(seed);
        sim_cut_one_way(sim, A, B);
        sim_run(sim, after_ms);
        for (uint32_t host = B; host <= D; host++) {
            sim_crash(sim, host);
        }
        sim_run(sim, 2);
        sim_crash(sim, A);
        cr_assert(sim_converges(sim, 2 * SETTLE_MS), "seed %llu, dead after %llu ms",
                  (unsigned long long)seed, (unsigned long long)after_ms);
        cr_assert_str_eq(sim_view_text(sim, E), "E");
        sim_free(sim);
    }
}

/* B is cut off and takes over alone, by a view that was made before E came; C refuses that view
 * when it is shown, and takes over itself when its seniors die. */
static struct sim *story_of_a_refused_view(uint64_t seed, bool stays)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 6, .disorder = true});
    for (uint32_t host = A; host <= D; host++) {
        sim_start(sim, host);
        sim_run(sim, 300);
    }
    sim_run(sim, 3000);
    story_sees(sim, B, "A B C D", seed);
    sim_isolate(sim, B);
    sim_run(sim, 100);
    sim_start(sim, E);
    story_check(sim_sees(sim, C, "A B C D E", 1000), seed);
    story_check(sim_age(sim, C, E) == 5, seed);
    if (stays) {
        sim_cut_one_way(sim, E, C);
    } else {
        sim_leave(sim, E);
    }
    story_check(sim_sees(sim, B, "B C D", 2000), seed);
    sim_run(sim, stays ? 0 : 300);
    sim_rejoin_network(sim, B);
    sim_run(sim, 500);
    return sim;
}

/* C4, S6: E has a bad link to C, which is no reason to lose it. */
Story(succession, a_claim_does_not_lose_whom_a_refused_view_never_held)
{
    struct sim *sim = story_of_a_refused_view(seed, true);
    if (sim_age(sim, C, A) != 0) { /* B has not been let back in yet. */
        sim_crash(sim, A);
        sim_crash(sim, B);
        sim_run(sim, 500);
        sim_heal(sim);
        sim_run(sim, 5000);
        story_sees(sim, C, "C D E", seed);
        story_check(sim_age(sim, C, E) == 5, seed);
        story_check(sim_notices(sim, E, NOTICE_PHASE) == 1, seed);
    }
    sim_free(sim);
}

/* C4, S6: E has left, in good order; the next one is not given its age. */
Story(succession, a_claim_on_a_refused_view_gives_no_age_again)
{
    struct sim *sim = story_of_a_refused_view(seed, false);
    if (strcmp(sim_view_text(sim, C), "A B C D") == 0) {
        sim_crash(sim, A);
        sim_crash(sim, B);
        story_check(sim_sees(sim, C, "C D", 2000), seed);
        sim_set_seeds(sim, F, (const uint32_t[]){C}, 1);
        sim_start(sim, F);
        story_check(sim_sees(sim, C, "C D F", 3000), seed);
        story_check(sim_age(sim, C, F) > 5, seed);
    }
    sim_free(sim);
}

/* C3, D4: all loops are slow; the answers to a claim are read before its time counts as up. */
Story(succession, slow_voters_are_heard_by_a_slow_claimant)
{
    for (uint64_t turn_ms = 322; turn_ms <= 451; turn_ms += 43) {
        struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 3});
        for (uint32_t host = A; host <= C; host++) {
            sim_slow(sim, host, turn_ms);
        }
        sim_run(sim, 3000);
        sim_crash(sim, A);
        cr_assert(sim_sees(sim, C, "B C", 30000), "seed %llu, a turn takes %llu ms",
                  (unsigned long long)seed, (unsigned long long)turn_ms);
        sim_free(sim);
    }
}
