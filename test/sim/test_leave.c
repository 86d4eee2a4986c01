/* Going in good order: rules E1 to E3. */
#include "story.h"

/* Nobody took the leaver for dead, and nobody had to claim anything. */
static void check_good_order(struct sim *sim, uint64_t seed)
{
    story_check(sim_notices(sim, SIM_ANY, NOTICE_SUSPECT) == 0, seed);
    story_check(sim_claims(sim, SIM_ANY, CLAIM_STARTED) == 0, seed);
}

Story(leave, a_member_leaves_without_suspicion)
{
    struct sim *sim = story_of_five(seed);
    sim_leave(sim, C);
    story_check(sim_ends(sim, C, 500), seed);
    story_check(sim_converges(sim, REPAIR_MS), seed);
    story_sees(sim, A, "A B D E", seed);
    story_check(sim_gone(sim, E, C)->reason == GONE_LEFT, seed);
    sim_run(sim, 3000);
    check_good_order(sim, seed);
    sim_free(sim);
}

/* E2: the successor makes the view without it, at the next epoch. */
Story(leave, a_coordinator_hands_over_without_suspicion)
{
    struct sim *sim = story_of_five(seed);
    uint64_t epoch = sim_epoch(sim, A);
    sim_leave(sim, A);
    story_check(sim_ends(sim, A, 500), seed);
    story_check(sim_converges(sim, REPAIR_MS), seed);
    for (uint32_t host = B; host <= E; host++) {
        cr_assert_str_eq(sim_view_text(sim, host), "B C D E");
    }
    story_check(sim_gone(sim, E, A)->reason == GONE_LEFT, seed);
    story_check(sim_epoch(sim, B) == epoch + 1, seed);
    sim_run(sim, 3000);
    check_good_order(sim, seed);
    sim_free(sim);
}

Story(leave, the_last_one_just_goes)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 1});
    sim_leave(sim, A);
    story_check(sim_ends(sim, A, 500), seed);
    sim_free(sim);
}

Story(leave, two_may_go_at_once)
{
    struct sim *sim = story_of_five(seed);
    sim_leave(sim, C);
    sim_leave(sim, D);
    story_check(sim_ends(sim, C, 1000), seed);
    story_check(sim_ends(sim, D, 1000), seed);
    story_check(sim_converges(sim, REPAIR_MS), seed);
    story_sees(sim, E, "A B E", seed);
    check_good_order(sim, seed);
    sim_free(sim);
}

Story(leave, coordinator_and_next_oldest_may_go_at_once)
{
    struct sim *sim = story_of_five(seed);
    sim_leave(sim, A);
    sim_leave(sim, B);
    story_check(sim_ends(sim, A, 2500), seed);
    story_check(sim_ends(sim, B, 2500), seed);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, E, "C D E", seed);
    sim_free(sim);
}

Story(leave, all_may_go_at_once)
{
    struct sim *sim = story_of_five(seed);
    for (uint32_t host = A; host <= E; host++) {
        if (sim_is_running(sim, host)) {
            sim_leave(sim, host);
        }
    }
    for (uint32_t host = A; host <= E; host++) {
        story_check(sim_ends(sim, host, 10000), seed);
    }
    sim_free(sim);
}

/* E1: each message of it may be lost; after T_leave it goes anyway. */
Story(leave, a_leaver_goes_even_if_what_it_says_is_lost)
{
    for (uint32_t host = A; host <= C; host += C) {
        struct sim *sim = story_of_five(seed);
        sim_lose(sim, SIM_ANY, SIM_ANY, MESSAGE_WISH, 1);
        sim_lose(sim, SIM_ANY, SIM_ANY, MESSAGE_HANDOVER, 1);
        sim_lose(sim, SIM_ANY, SIM_ANY, MESSAGE_PREPARE, 2);
        sim_lose(sim, SIM_ANY, SIM_ANY, MESSAGE_ACK, 2);
        sim_lose(sim, SIM_ANY, SIM_ANY, MESSAGE_COMMIT, 2);
        sim_leave(sim, host);
        story_check(sim_ends(sim, host, 2100), seed);
        story_check(sim_converges(sim, SETTLE_MS), seed);
        story_check(sim_gone(sim, E, host) != NULL, seed);
        sim_free(sim);
    }
}

Story(leave, a_leaver_cut_off_goes_after_a_while)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 5, .disorder = true});
    sim_isolate(sim, C);
    sim_leave(sim, C);
    story_check(sim_ends(sim, C, 2100), seed);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, E, "A B D E", seed);
    sim_free(sim);
}

Story(leave, who_never_joined_just_goes)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 2});
    sim_start(sim, B);
    sim_run(sim, 1000);
    sim_leave(sim, B);
    story_check(sim_ends(sim, B, 2100), seed);
    sim_free(sim);
}

/* H29: a join under way when the coordinator goes is finished by the next. */
Story(leave, a_coordinator_may_go_at_any_moment_of_a_join)
{
    for (uint64_t after_ms = 0; after_ms < 60; after_ms += 3) {
        struct sim *sim = sim_new(
            &(struct sim_options){.seed = seed, .host_count = 4, .seed_count = 2});
        for (uint32_t host = A; host <= C; host++) {
            sim_start(sim, host);
        }
        cr_assert(sim_converges(sim, 2 * SETTLE_MS));
        sim_start(sim, D);
        sim_run(sim, after_ms);
        sim_leave(sim, A);
        cr_assert(sim_ends(sim, A, 2100));
        cr_assert(sim_converges(sim, 2 * SETTLE_MS), "seed %llu, left after %llu ms",
                  (unsigned long long)seed, (unsigned long long)after_ms);
        cr_assert_neq(sim_age(sim, B, D), 0);
        sim_free(sim);
    }
}

/* The coordinator is killed while a member leaves, and while it leaves itself. */
Story(leave, a_kill_may_come_between)
{
    for (uint64_t after_ms = 0; after_ms < 30; after_ms += 3) {
        struct sim *sim = story_of_five(seed);
        sim_leave(sim, C);
        sim_run(sim, after_ms);
        sim_crash(sim, A);
        cr_assert(sim_ends(sim, C, 2100));
        cr_assert(sim_converges(sim, SETTLE_MS), "seed %llu, killed after %llu ms",
                  (unsigned long long)seed, (unsigned long long)after_ms);
        cr_assert_str_eq(sim_view_text(sim, E), "B D E");

        if (sim_is_running(sim, B)) {
            sim_leave(sim, B);
        }
        sim_run(sim, after_ms);
        sim_crash(sim, B);
        cr_assert(sim_converges(sim, SETTLE_MS), "seed %llu, killed after %llu ms",
                  (unsigned long long)seed, (unsigned long long)after_ms);
        cr_assert_str_eq(sim_view_text(sim, E), "D E");
        sim_free(sim);
    }
}

/* E3, S6: the coordinator lets a member out and another in, and dies before the leaver hears of it.
 * A take-over by the leaver would give the newcomer's age a second time. */
Story(leave, a_leaver_takes_nothing_over)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 4, .seed_count = 3});
    sim_start(sim, A);
    cr_assert(sim_converges(sim, SETTLE_MS));
    sim_start(sim, B);
    cr_assert(sim_converges(sim, SETTLE_MS));

    sim_lose(sim, A, B, SIM_ANY, 1000);
    sim_leave(sim, B);
    sim_start(sim, C);
    for (int i = 0; i < 1000 && sim_age(sim, C, C) == 0; i++) {
        sim_run(sim, 1);
    }
    story_check(sim_age(sim, C, C) == 3, seed);
    sim_crash(sim, A);
    story_check(sim_ends(sim, B, SETTLE_MS), seed);
    story_check(sim_claims(sim, B, CLAIM_STARTED) == 0, seed);
    story_check(sim_sees(sim, C, "C", SETTLE_MS), seed);
    sim_start(sim, D);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, D, "C D", seed);
    story_check(sim_age(sim, D, D) == 4, seed);
    sim_free(sim);
}

/* C4, S6: one leaves and one comes in a view that only the newcomer sees whole; the others had
 * accepted it. Who takes over does not build on it, for it hears the leaver still, but gives the
 * newcomer's age to nobody else. */
Story(leave, an_age_in_a_view_that_got_lost_with_its_maker_is_not_given_again)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 6, .seed_count = 3});
    for (uint32_t host = A; host <= D; host++) {
        sim_start(sim, host);
        cr_assert(sim_converges(sim, SETTLE_MS));
    }
    sim_run(sim, 500);
    for (uint32_t host = B; host <= D; host++) {
        sim_lose(sim, A, host, MESSAGE_COMMIT, 1000);
        sim_lose(sim, A, host, MESSAGE_VIEW, 1000);
    }
    sim_start(sim, E);
    sim_leave(sim, D);
    for (int i = 0; i < 2000 && sim_age(sim, E, E) == 0; i++) {
        sim_run(sim, 1);
    }
    story_check(sim_age(sim, E, E) == 5, seed);
    sim_crash(sim, A);
    sim_lose_nothing(sim);
    story_check(sim_sees(sim, B, "B C E", 2 * SETTLE_MS), seed);
    sim_free(sim);
}

/* E3: nobody takes it for a failure that a leaver goes just after its coordinator died. */
Story(leave, who_leaves_beside_a_dead_coordinator_has_left)
{
    struct sim *sim = story_of_five(seed);
    sim_lose(sim, B, A, MESSAGE_WISH, 1000);
    sim_leave(sim, B);
    sim_run(sim, 5);
    sim_crash(sim, A);
    story_check(sim_ends(sim, B, 500), seed);
    story_check(sim_converges(sim, REPAIR_MS), seed);
    story_sees(sim, E, "C D E", seed);
    story_check(sim_gone(sim, E, A)->reason == GONE_FAILED, seed);
    story_check(sim_gone(sim, E, B)->reason == GONE_LEFT, seed);
    story_check(sim_claims(sim, B, CLAIM_STARTED) == 0, seed);
    sim_free(sim);
}

/* E2, S6: the successor sleeps through the hand-over. When it wakes up, others have gone on; what
 * it finds in its queue is old news, not an order. */
Story(leave, a_successor_that_wakes_up_late_does_not_take_over)
{
    for (uint64_t asleep_ms = 3000; asleep_ms <= 12000; asleep_ms += 3000) {
        struct sim *sim = story_of_five(seed);
        sim_pause(sim, B);
        sim_leave(sim, A);
        cr_assert(sim_ends(sim, A, 2100));
        sim_run(sim, asleep_ms);
        sim_resume(sim, B);
        cr_assert(sim_converges(sim, 2 * SETTLE_MS), "seed %llu, asleep for %llu ms",
                  (unsigned long long)seed, (unsigned long long)asleep_ms);
        cr_assert_eq(sim_age(sim, E, C), 3);
        cr_assert_eq(sim_age(sim, E, D), 4);
        sim_free(sim);
    }
}
