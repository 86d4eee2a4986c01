/* Founding and joining: rules F1, F2, J1 to J6, I2. */
#include "story.h"

/* V3: age is the order of joining, and every node sees the same. */
Story(join, five_join_through_one_seed_in_order_of_age)
{
    struct sim *sim = story_of_five(seed);

    for (uint32_t host = A; host <= E; host++) {
        cr_assert_str_eq(sim_view_text(sim, host), "A B C D E");
        cr_assert_eq(sim_coordinator(sim, host), (uint32_t)A);
        cr_assert_eq(sim_version(sim, host), 5);
        for (uint32_t member = A; member <= E; member++) {
            cr_assert_eq(sim_age(sim, host, member), member + 1);
        }
    }
    story_check(sim_foundings(sim, SIM_ANY) == 1, seed);
    story_check(sim_notices(sim, SIM_ANY, NOTICE_SUSPECT) == 0, seed);
    sim_free(sim);
}

/* F1: it may not found, so it asks for ever. */
Story(join, a_joiner_that_starts_before_its_seed_waits_and_then_joins)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 2});
    sim_start(sim, B);
    sim_run(sim, MINUTE_MS);
    story_check(sim_phase(sim, B) == PHASE_JOINING, seed);
    story_check(sim_coordinator(sim, B) == SIM_NOBODY, seed);

    sim_start(sim, A);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, B, "A B", seed);
    sim_free(sim);
}

/* J5: what arrives together is admitted together, each with an age of its own. */
Story(join, two_joins_at_once_share_a_view_or_follow_each_other)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 3});
    sim_start(sim, A);
    sim_run(sim, 500);
    sim_start(sim, B);
    sim_start(sim, C);
    story_check(sim_converges(sim, SETTLE_MS), seed);

    story_check(sim_age(sim, A, B) + sim_age(sim, A, C) == 5, seed);
    story_check(sim_version(sim, A) <= 3, seed);
    sim_free(sim);
}

Story(join, five_that_start_at_one_instant_form_one_cluster)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 5});
    sim_start_together(sim);
    story_check(sim_converges(sim, SETTLE_MS), seed);

    story_check(sim_coordinator(sim, E) == A, seed);
    story_check(sim_foundings(sim, SIM_ANY) == 1, seed);
    sim_free(sim);
}

/* F2: of several that may found and ask each other, the lowest address founds. */
Story(join, several_seeds_that_start_at_once_found_one_cluster)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 5, .seed_count = 3});
    sim_start_together(sim);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);

    story_check(sim_foundings(sim, SIM_ANY) == 1, seed);
    story_check(sim_coordinator(sim, E) == A, seed);
    sim_free(sim);
}

/* F2: the others go on asking, and start anew when the lowest has been silent for T_discover. */
Story(join, the_second_seed_founds_when_the_first_never_comes)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 4, .seed_count = 2});
    sim_start(sim, B);
    sim_start(sim, C);
    sim_start(sim, D);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_check(sim_coordinator(sim, D) == B, seed);

    sim_start(sim, A);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_check(sim_coordinator(sim, A) == B, seed);
    story_check(sim_foundings(sim, SIM_ANY) == 1, seed);
    sim_free(sim);
}

/* F2: the lowest dies while the others wait for it to found. */
Story(join, the_second_seed_founds_when_the_first_dies_before_it_could)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 3, .seed_count = 2});
    sim_start_together(sim);
    sim_run(sim, 50 * seed);
    sim_crash(sim, A);
    story_check(sim_converges(sim, 3 * SETTLE_MS), seed);
    story_check(sim_coordinator(sim, C) == B, seed);
    sim_free(sim);
}

/* J1: H26, H27. Any member hands the request on; only the coordinator admits. */
Story(join, any_member_is_a_door)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 4});
    sim_set_seeds(sim, D, (const uint32_t[]){C}, 1);
    for (uint32_t host = A; host <= C; host++) {
        sim_start(sim, host);
        sim_run(sim, 300);
    }
    sim_start(sim, D);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, D, "A B C D", seed);
    sim_free(sim);
}

/* H26: one dead seed does not close the cluster. */
Story(join, a_dead_seed_keeps_nobody_out)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 4, .seed_count = 2});
    for (uint32_t host = A; host <= C; host++) {
        sim_start(sim, host);
        sim_run(sim, 1500);
    }
    sim_crash(sim, A);
    story_check(sim_converges(sim, SETTLE_MS), seed);

    sim_start(sim, D);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, D, "B C D", seed);
    sim_free(sim);
}

Story(join, a_resolver_that_fails_at_first_only_delays)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 3});
    sim_start(sim, A);
    sim_run(sim, 300);
    sim_set_resolver(sim, 1000, true);
    sim_start(sim, B);
    sim_start(sim, C);
    sim_run(sim, 5000);
    story_check(sim_phase(sim, B) == PHASE_JOINING, seed);

    sim_set_resolver(sim, 20, false);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_free(sim);
}

/* H12, J3: every step of a join may be lost, and repeated, without harm. */
Story(join, each_message_of_a_join_may_be_lost)
{
    static const enum message_type steps[] = {MESSAGE_JOIN,    MESSAGE_OFFER, MESSAGE_READY,
                                              MESSAGE_PREPARE, MESSAGE_ACK,   MESSAGE_COMMIT};

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 4});
        for (uint32_t host = A; host <= C; host++) {
            sim_start(sim, host);
            sim_run(sim, 300);
        }
        sim_lose(sim, SIM_ANY, SIM_ANY, steps[i], 3);
        sim_start(sim, D);
        cr_assert(sim_converges(sim, 2 * SETTLE_MS), "seed %llu, message %d",
                  (unsigned long long)seed, (int)steps[i]);
        cr_assert_str_eq(sim_view_text(sim, D), "A B C D");
        sim_free(sim);
    }
}

/* H14: the coordinator dies at any moment of a join. */
Story(join, the_coordinator_may_die_at_any_moment_of_a_join)
{
    for (uint64_t after_ms = 0; after_ms < 60; after_ms += 3) {
        struct sim *sim = sim_new(
            &(struct sim_options){.seed = seed, .host_count = 5, .seed_count = 3});
        for (uint32_t host = A; host <= D; host++) {
            sim_start(sim, host);
        }
        cr_assert(sim_converges(sim, 2 * SETTLE_MS));
        sim_start(sim, E);
        sim_run(sim, after_ms);
        sim_crash(sim, A);
        cr_assert(sim_converges(sim, 2 * SETTLE_MS), "seed %llu, dead after %llu ms",
                  (unsigned long long)seed, (unsigned long long)after_ms);
        cr_assert_neq(sim_age(sim, B, E), 0);
        cr_assert_neq(sim_coordinator(sim, E), (uint32_t)A);
        sim_free(sim);
    }
}

/* H12, H13: the joiner dies at any moment of its join, and leaves no ghost. */
Story(join, a_joiner_may_die_at_any_moment_of_its_join)
{
    for (uint64_t after_ms = 0; after_ms < 60; after_ms += 3) {
        struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 4});
        for (uint32_t host = A; host <= C; host++) {
            sim_start(sim, host);
            sim_run(sim, 300);
        }
        sim_start(sim, D);
        sim_run(sim, after_ms);
        sim_crash(sim, D);
        sim_run(sim, 50);
        cr_assert(sim_converges(sim, SETTLE_MS), "seed %llu, dead after %llu ms",
                  (unsigned long long)seed, (unsigned long long)after_ms);
        cr_assert_str_eq(sim_view_text(sim, A), "A B C");
        sim_free(sim);
    }
}

/* S5: who was let in without hearing of it takes a new id in the end. Its connections go with the
 * old one, so the others need not wait for T_stall until they can go on without it. */
Story(join, a_joiner_that_never_heard_that_it_is_in_holds_nobody_up)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 3});
    sim_start(sim, A);
    sim_run(sim, 300);
    sim_start(sim, B);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_trip(sim, A, MESSAGE_COMMIT, 1);
    sim_start(sim, C);
    story_check(sim_sees(sim, B, "A B C", SETTLE_MS), seed);
    story_check(!sim_is_running(sim, A) && sim_phase(sim, C) == PHASE_JOINING, seed);
    sim_lose(sim, B, C, MESSAGE_VIEW, 100);
    story_check(sim_sees(sim, B, "B", PATIENT_MS), seed);
    sim_lose_nothing(sim);
    sim_free(sim);
}

/* S5: who was let in, and out again, without hearing even of the proposal, may come in under its
 * id: the list of the gone no longer names it once another node of its name was in. */
Story(join, a_joiner_whose_name_was_taken_meanwhile_comes_in_all_the_same)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 5});
    static const uint32_t seeds[] = {A, B};
    sim_rename(sim, E, "delphi");
    sim_set_seeds(sim, D, seeds, 2);
    sim_set_seeds(sim, E, seeds, 2);
    for (uint32_t host = A; host <= C; host++) {
        sim_start(sim, host);
        sim_run(sim, 300);
    }
    for (uint32_t host = A; host <= C; host++) {
        sim_lose(sim, host, D, MESSAGE_PREPARE, 100);
    }
    sim_start(sim, D);
    sim_run(sim, 150);
    sim_crash(sim, A);
    sim_isolate(sim, D);
    story_check(sim_sees(sim, B, "B C", PATIENT_MS), seed);
    story_check(sim_gone(sim, B, D) != NULL, seed);

    sim_start(sim, E);
    story_check(sim_sees(sim, B, "B C E", SETTLE_MS), seed);
    sim_crash(sim, E);
    story_check(sim_sees(sim, B, "B C", SETTLE_MS), seed);
    sim_lose_nothing(sim);
    sim_rejoin_network(sim, D);
    story_check(sim_sees(sim, B, "B C D", SETTLE_MS), seed);
    story_check(sim_failure(sim) == NULL, seed);
    sim_free(sim);
}

/* I2: H22. The name of a live member at another address is refused, with that address. */
Story(join, a_name_in_use_is_refused_until_its_holder_is_dead)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 4});
    sim_rename(sim, D, "byzantium");
    for (uint32_t host = A; host <= C; host++) {
        sim_start(sim, host);
        sim_run(sim, 300);
    }
    sim_start(sim, D);
    sim_run(sim, 10000);
    story_check(sim_phase(sim, D) == PHASE_JOINING, seed);
    story_check(sim_refusal(sim, D).reason == JOIN_REFUSED_NAME, seed);
    story_check(sim_refusal(sim, D).address.bytes[3] == B + 1, seed);
    story_sees(sim, A, "A B C", seed);

    sim_crash(sim, B);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_sees(sim, A, "A C D", seed);
    sim_free(sim);
}

/* J2: what must be equal is compared, and the difference is told. */
Story(join, a_joiner_with_another_guard_is_refused)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 3});
    sim_set_guard(sim, C, (struct guard){.policy = GUARD_COUNT, .count = 2});
    sim_start_in_order(sim, 500);
    sim_run(sim, 5000);
    story_check(sim_phase(sim, C) == PHASE_JOINING, seed);
    story_check(sim_refusal(sim, C).reason == JOIN_REFUSED_TERMS, seed);
    story_check(sim_refusal(sim, C).terms.guard.policy == GUARD_NONE, seed);
    story_sees(sim, A, "A B", seed);
    sim_free(sim);
}

/* J2c: who speaks none of the versions that all members speak is told them. */
Story(join, who_speaks_none_of_our_versions_is_refused)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 3});
    sim_set_versions(sim, A, 0, 1);
    sim_set_versions(sim, C, 1, 2);
    sim_start_in_order(sim, 500);
    sim_run(sim, 5000);
    story_check(sim_phase(sim, C) == PHASE_JOINING, seed);
    story_check(sim_refusal(sim, C).reason == JOIN_REFUSED_VERSIONS, seed);
    story_check(sim_refusal(sim, C).versions.low == 0, seed);
    story_check(sim_refusal(sim, C).versions.high == 0, seed);
    story_check(sim_refusal(sim, C).joiner.low == 1, seed);
    story_check(sim_refusal(sim, C).joiner.high == 2, seed);
    story_sees(sim, A, "A B", seed);

    sim_crash(sim, B);
    sim_set_versions(sim, B, 0, 1); /* The last old one. */
    sim_start(sim, B);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_check(sim_protocol(sim, A) == 1, seed);
    sim_free(sim);
}

/* J2c: its own former life, whose place a joiner takes, is not asked what it speaks. */
Story(join, who_comes_back_with_another_version_need_not_get_on_with_itself)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 3});
    sim_set_versions(sim, A, 0, 1);
    sim_set_versions(sim, C, 0, 1);
    sim_start_in_order(sim, 500);
    sim_run(sim, 3000);
    sim_vanish(sim, B); /* It is in the view yet when it is back. */
    sim_set_versions(sim, B, 1, 1);
    sim_start(sim, B);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(sim_refusal(sim, B).reason == 0, seed);
    story_check(sim_protocol(sim, A) == 1, seed);
    sim_free(sim);
}

/* J2c: each of two gets on with all members, and they do not with each other. One comes in. */
Story(join, of_two_who_share_no_version_one_comes_in)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 4});
    sim_set_versions(sim, A, 0, 1);
    sim_set_versions(sim, B, 0, 1);
    sim_set_versions(sim, D, 1, 1);
    sim_start(sim, A);
    sim_start(sim, B);
    sim_run(sim, 3000);
    sim_start(sim, C);
    sim_start(sim, D);
    sim_run(sim, 10000);
    story_check(sim_phase(sim, C) == PHASE_MEMBER || sim_phase(sim, D) == PHASE_MEMBER, seed);
    story_check(sim_phase(sim, C) == PHASE_JOINING || sim_phase(sim, D) == PHASE_JOINING, seed);
    story_check(core_view(sim_core(sim, A))->member_count == 3, seed);
    sim_free(sim);
}

/* J2d: one after the other goes to the next version and back. All write in the highest that all of
 * them speak. */
Story(join, the_version_rises_with_the_last_and_falls_with_the_first)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 5});
    sim_start_in_order(sim, 300);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    for (int back = 0; back < 2; back++) {
        for (uint32_t host = A; host <= E; host++) {
            story_check(sim_protocol(sim, A) == (back == 1 && host == A), seed);
            sim_crash(sim, host);
            sim_set_versions(sim, host, 0, back == 0 ? 1 : 0);
            sim_start(sim, host);
            story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
        }
        for (uint32_t host = A; host <= E; host++) {
            story_check(sim_protocol(sim, host) == (back == 0), seed);
        }
    }
    sim_free(sim);
}

/* B1: a full cluster says so, and takes the joiner in when there is room. */
Story(join, a_full_cluster_refuses_until_there_is_room)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 4, .capacity = 3});
    sim_start_in_order(sim, 500);
    sim_run(sim, 3000);
    story_check(sim_phase(sim, D) == PHASE_JOINING, seed);
    story_check(sim_refusal(sim, D).reason == JOIN_REFUSED_FULL, seed);
    story_check(sim_refusal(sim, D).limit == 3, seed);

    sim_crash(sim, B);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_sees(sim, A, "A C D", seed);
    sim_free(sim);
}

/* H28: a joiner that cannot be reached is never admitted, and disturbs nobody. */
Story(join, a_joiner_without_a_way_back_is_not_admitted)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 4});
    for (uint32_t host = A; host <= C; host++) {
        sim_start(sim, host);
        sim_run(sim, 300);
        sim_cut_one_way(sim, host, D);
    }
    uint64_t version = sim_version(sim, A);
    sim_start(sim, D);
    sim_run(sim, 20000);
    story_check(sim_version(sim, A) == version, seed);

    sim_heal(sim);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, D, "A B C D", seed);
    sim_free(sim);
}

/* I3, S2: two clusters, and one that asks both to let it in. It becomes a member of the one that
 * commits first; the other's COMMIT, late, moves it nowhere. The lone founder of the smaller part
 * is then taken up by the larger (M4). */
Story(join, who_is_admitted_by_two_clusters_is_a_member_of_one)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 3});
    for (uint32_t host = A; host <= C; host++) {
        sim_set_seeds(sim, host, (const uint32_t[]){A, C}, 2);
    }
    sim_cut(sim, A, C);
    sim_start(sim, A);
    sim_start(sim, C);
    sim_run(sim, 3000);
    story_check(sim_foundings(sim, SIM_ANY) == 2, seed);
    sim_lose(sim, seed % 2 == 0 ? A : C, B, MESSAGE_COMMIT, 1);
    sim_lose(sim, B, seed % 2 == 0 ? A : C, MESSAGE_ACK, 1);
    sim_start(sim, B);
    sim_run(sim, 2000);
    story_check(sim_phase(sim, B) == PHASE_MEMBER, seed);
    sim_mend(sim, A, C);
    story_check(sim_converges(sim, 4 * SETTLE_MS), seed);
    sim_free(sim);
}

/* J7: two foundings let the same joiner in, and the COMMIT of the first is lost. It is not in the
 * second under the id that the first has. */
Story(join, a_joiner_is_not_in_two_clusters_under_one_id)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 3, .seed_count = 2, .disorder = true});
    sim_cut(sim, A, B);
    sim_cut(sim, B, C);
    sim_start(sim, A);
    sim_start(sim, B);
    sim_run(sim, 5000);
    story_sees(sim, A, "A", seed);
    story_sees(sim, B, "B", seed);
    sim_lose(sim, A, C, MESSAGE_COMMIT, 1000);
    sim_lose(sim, A, C, MESSAGE_VIEW, 1000);
    sim_start(sim, C);
    for (int i = 0; i < 20000 && sim_sent(sim, C, MESSAGE_ACK) == 0; i++) {
        sim_run(sim, 1);
    }
    struct node_id promised = core_self(sim_core(sim, C))->id;
    sim_cut(sim, A, C);
    sim_mend(sim, B, C);
    story_check(sim_sees(sim, C, "B C", 20000), seed);
    story_check(!id_equal(&core_self(sim_core(sim, C))->id, &promised), seed);
    sim_heal(sim);
    story_check(sim_converges(sim, 20000), seed);
    sim_free(sim);
}

/* U1, D4: all loops are slow; what they answer is read before the time for it counts as up. */
Story(join, slow_members_let_a_slow_joiner_in)
{
    for (uint64_t turn_ms = 280; turn_ms <= 480; turn_ms += 20) {
        struct sim *sim = sim_new(
            &(struct sim_options){.seed = seed, .host_count = 5, .disorder = true});
        for (uint32_t host = A; host <= D; host++) {
            sim_start(sim, host);
            sim_run(sim, 300);
        }
        cr_assert(sim_sees(sim, D, "A B C D", SETTLE_MS));
        for (uint32_t host = A; host <= E; host++) {
            sim_slow(sim, host, turn_ms);
        }
        sim_run(sim, 5000);
        sim_start(sim, E);
        cr_assert(sim_sees(sim, D, "A B C D E", 12000), "seed %llu, a turn takes %llu ms",
                  (unsigned long long)seed, (unsigned long long)turn_ms);
        sim_free(sim);
    }
}
