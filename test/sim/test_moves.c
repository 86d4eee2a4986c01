/* Planned moves: rules E4 to E6. */
#include "story_voters.h"

/* Nobody was taken for dead, and nobody had to claim anything. */
static void check_good_order(struct sim *sim, uint64_t seed)
{
    story_check(sim_notices(sim, SIM_ANY, NOTICE_SUSPECT) == 0, seed);
    story_check(sim_claims(sim, SIM_ANY, CLAIM_STARTED) == 0, seed);
    story_check(sim_notices(sim, SIM_ANY, NOTICE_GONE) == 0, seed);
}

/* The longest time, in milliseconds, for which nobody acts until that one does. */
static uint64_t gap_until_acting(struct sim *sim, uint32_t host)
{
    uint64_t gap_ms = 0;
    uint64_t longest_ms = 0;

    for (int i = 0; i < 2000 && !sim_is_acting(sim, host); i++) {
        sim_run(sim, 1);
        gap_ms = sim_acting_count(sim) == 0 ? gap_ms + 1 : 0;
        longest_ms = gap_ms > longest_ms ? gap_ms : longest_ms;
    }
    return sim_is_acting(sim, host) ? longest_ms : UINT64_MAX;
}

/* E5 */
Story(moves, the_next_oldest_takes_over_and_nobody_leaves)
{
    struct sim *sim = story_of_five(seed);
    uint64_t epoch = sim_epoch(sim, A);

    sim_run(sim, 1000);
    sim_transfer(sim, A, B);
    story_check(gap_until_acting(sim, B) <= 3, seed);
    story_check(sim_converges(sim, REPAIR_MS), seed);
    for (uint32_t host = A; host <= E; host++) {
        cr_assert_str_eq(sim_view_text(sim, host), "B C D E A");
    }
    story_check(sim_epoch(sim, A) == epoch + 1, seed);
    story_check(sim_age(sim, C, A) == 6, seed);
    sim_run(sim, 3000);
    story_check(sim_two_acted_ms(sim) == 0, seed);
    check_good_order(sim, seed);
    sim_free(sim);
}

/* E1a, E5b: any member may ask, and any member may be next. */
Story(moves, any_member_may_ask_for_any_other)
{
    struct sim *sim = story_of_five(seed);

    sim_run(sim, 1000);
    sim_transfer(sim, E, D);
    story_check(gap_until_acting(sim, D) <= 3, seed);
    story_check(sim_converges(sim, REPAIR_MS), seed);
    for (uint32_t host = A; host <= E; host++) {
        cr_assert_str_eq(sim_view_text(sim, host), "D E A B C");
    }
    story_check(sim_two_acted_ms(sim) == 0, seed);
    check_good_order(sim, seed);
    sim_transfer(sim, C, A);
    story_check(sim_sees(sim, E, "A B C D E", REPAIR_MS), seed);
    sim_free(sim);
}

static struct sim *five_voters(uint64_t seed)
{
    struct sim *sim = story_of_voters_alone(seed, 5, 5);
    sim_run(sim, 1000);
    return sim;
}

/* E5d, Z7: the voters skip the lease of the one who stands down, and those who are older than the
 * successor do not stand in its way. */
Story(moves, voters_follow_the_word_of_their_coordinator)
{
    struct sim *sim = five_voters(seed);
    uint64_t views = sim_version(sim, E);

    sim_transfer(sim, E, D);
    story_check(gap_until_acting(sim, D) <= 20, seed);
    story_check(sim_converges(sim, REPAIR_MS), seed);
    for (uint32_t host = A; host <= E; host++) {
        story_check(sim_view_text(sim, host)[0] == 'D', seed);
    }
    story_check(sim_version(sim, E) == views + 1, seed);
    story_check(sim_notices(sim, SIM_ANY, NOTICE_SUSPECT) == 0, seed);
    story_check(sim_notices(sim, SIM_ANY, NOTICE_GONE) == 0, seed);
    sim_free(sim);
}

/* G2c: whoever asked for it, wherever, sees that it is done with the first message. */
Story(moves, everybody_names_the_successor_as_soon_as_it_acts)
{
    struct sim *sim = five_voters(seed);

    sim_transfer(sim, E, D);
    story_check(gap_until_acting(sim, D) <= 20, seed);
    sim_run(sim, 2);
    for (uint32_t host = A; host <= E; host++) {
        story_check(sim_coordinator(sim, host) == D, seed);
    }
    sim_free(sim);
}

/* E5a: what it asks may be lost, and what comes of it, too. */
Story(moves, a_lost_message_costs_one_repetition)
{
    const enum message_type types[] = {MESSAGE_WISH, MESSAGE_HANDOVER, MESSAGE_PREPARE, MESSAGE_ACK,
                                       MESSAGE_COMMIT};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct sim *sim = story_of_five(seed);
        sim_run(sim, 1000);
        sim_lose(sim, SIM_ANY, SIM_ANY, types[i], 1);
        sim_transfer(sim, C, B);
        story_check(sim_converges(sim, SETTLE_MS), seed);
        story_check(sim_sees(sim, A, "B C D E A", SETTLE_MS), seed);
        story_check(sim_two_acted_ms(sim) == 0, seed);
        check_good_order(sim, seed);
        sim_free(sim);
    }
}

/* E5c: until its successor has all the others behind it, the coordinator acts. */
Story(moves, a_slow_member_does_not_make_the_gap_longer)
{
    struct sim *sim = story_of_five(seed);

    sim_run(sim, 1000);
    sim_pause(sim, D);
    sim_transfer(sim, A, B);
    story_check(gap_until_acting(sim, B) <= 3, seed);
    story_check(sim_two_acted_ms(sim) == 0, seed);
    sim_resume(sim, D);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, D, "B C D E A", seed);
    sim_free(sim);
}

/* E6a: whoever did not give its reign up has lost nothing. */
Story(moves, a_successor_that_is_not_reached_changes_nothing)
{
    struct sim *sim = story_of_five(seed);

    sim_run(sim, 1000);
    sim_lose(sim, A, B, MESSAGE_HANDOVER, 1000);
    sim_transfer(sim, A, B);
    for (int i = 0; i < 2000; i++) {
        sim_run(sim, 1);
        story_check(sim_is_acting(sim, A), seed);
    }
    story_sees(sim, E, "A B C D E", seed);
    sim_leave(sim, C);
    story_check(sim_sees(sim, E, "A B D E", SETTLE_MS), seed);
    sim_free(sim);
}

/* E6a: the successor dies at any moment of it. Somebody coordinates soon, and no age comes back. */
Story(moves, a_successor_may_die_at_any_message)
{
    const enum message_type types[] = {MESSAGE_PREPARE, MESSAGE_COMMIT};

    for (uint32_t count = 1; count <= 4; count++) {
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            struct sim *sim = story_of_five(seed);
            sim_run(sim, 1000);
            sim_trip(sim, D, types[i], count);
            sim_transfer(sim, A, D);
            for (int k = 0; k < 1000 && sim_is_running(sim, D); k++) {
                sim_run(sim, 1);
            }
            story_check(!sim_is_running(sim, D), seed);
            story_check(sim_converges(sim, SETTLE_MS), seed);
            sim_start(sim, D);
            story_check(sim_converges(sim, SETTLE_MS), seed);
            story_check(sim_age(sim, A, D) >= 6, seed);
            sim_free(sim);
        }
    }
}

/* E6a: the successor was cut off after the coordinator had given its reign up. */
Story(moves, a_coordinator_that_stood_down_for_nobody_takes_its_place_again)
{
    struct sim *sim = story_of_five(seed);

    sim_run(sim, 1000);
    sim_lose(sim, A, B, MESSAGE_ACK, 1000);
    sim_transfer(sim, A, B);
    sim_run(sim, 100);
    story_check(sim_acting_count(sim) == 0, seed);
    sim_run(sim, SETTLE_MS);
    story_check(sim_agrees(sim), seed);
    story_sees(sim, E, "A B C D E", seed);
    story_check(sim_is_acting(sim, A), seed);
    story_check(sim_age(sim, C, A) == 6, seed);
    story_check(sim_age(sim, C, E) == 10, seed);
    sim_free(sim);
}

/* E6: the same under guard strict. */
Story(moves, voters_elect_somebody_when_the_successor_dies)
{
    for (uint32_t count = 1; count <= 3; count++) {
        struct sim *sim = five_voters(seed);
        sim_trip(sim, B, MESSAGE_CLAIM, count);
        sim_transfer(sim, A, B);
        sim_run(sim, 100);
        story_check(!sim_is_running(sim, B), seed);
        story_check(sim_converges(sim, 1000), seed);
        story_check(sim_acting_count(sim) == 1, seed);
        sim_free(sim);
    }
}

/* E4: nobody hands over to one whom it suspects. */
Story(moves, a_suspected_member_does_not_get_it)
{
    struct sim *sim = story_of_five(seed);

    sim_run(sim, 1000);
    sim_pause(sim, B);
    sim_run(sim, 2000);
    sim_transfer(sim, A, B);
    sim_run(sim, 1000);
    story_check(sim_sent(sim, A, MESSAGE_HANDOVER) == 0, seed);
    story_check(sim_is_acting(sim, A), seed);
    sim_resume(sim, B);
    sim_free(sim);
}

/* E3: a coordinator that is asked to leave while it stands down, leaves. */
Story(moves, a_coordinator_that_stands_down_may_leave)
{
    for (uint64_t after_us = 0; after_us < 4; after_us++) {
        struct sim *sim = story_of_five(seed);
        sim_run(sim, 1000);
        sim_transfer(sim, A, C);
        sim_run(sim, after_us);
        sim_leave(sim, A);
        story_check(sim_ends(sim, A, 2100), seed);
        story_check(sim_converges(sim, SETTLE_MS), seed);
        story_check(sim_gone(sim, E, A)->reason == GONE_LEFT, seed);
        sim_free(sim);
    }
}

/* E7: the coordinator is drained: it hands over, and stays behind the others, joiners among them.
 */
Story(moves, a_drained_coordinator_hands_over_and_stays_behind)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 5});

    sim_run(sim, 1000);
    sim_drain(sim, C, A);
    story_check(sim_sees(sim, E, "B C D E A", SETTLE_MS), seed);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    check_good_order(sim, seed);
    sim_leave(sim, C);
    story_check(sim_ends(sim, C, 500), seed);
    sim_start(sim, C);
    story_check(sim_sees(sim, E, "B D E C A", SETTLE_MS), seed);
    story_check(sim_converges(sim, SETTLE_MS), seed);

    sim_undrain(sim, A, A);
    sim_run(sim, 1000);
    sim_transfer(sim, D, A);
    story_check(sim_sees(sim, E, "A B D E C", SETTLE_MS), seed);
    story_check(sim_two_acted_ms(sim) == 0, seed);
    sim_free(sim);
}

/* E7b: with nobody else left a drained member coordinates, and gives way to the next who comes. */
Story(moves, a_drained_member_coordinates_if_nobody_else_is_left)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 3});

    sim_drain(sim, A, B);
    sim_drain(sim, C, C);
    sim_run(sim, 1000);
    story_sees(sim, A, "A B C", seed);
    sim_crash(sim, A);
    story_check(sim_sees(sim, C, "B C", SETTLE_MS), seed);
    story_check(sim_is_acting(sim, B), seed);
    sim_transfer(sim, B, C);
    sim_run(sim, 1000);
    story_check(sim_is_acting(sim, B), seed);
    sim_start(sim, A);
    story_check(sim_sees(sim, C, "A C B", SETTLE_MS), seed);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_free(sim);
}

/* C4e: the coordinator let a newcomer in ahead of the drained ones, and died when nobody but the
 * newcomer had heard so. The oldest of the others takes over, and the newcomer stays, to be handed
 * over to (E7b). */
Story(moves, a_newcomer_ahead_of_the_drained_outlives_the_coordinator)
{
    for (uint32_t heard = 1; heard <= 4; heard++) {
        struct sim *sim = story_of_five(seed);
        sim_run(sim, 1000);
        for (uint32_t host = B; host <= D; host++) {
            sim_drain(sim, A, host);
        }
        sim_crash(sim, E);
        story_check(sim_sees(sim, A, "A B C D", SETTLE_MS), seed);
        sim_trip(sim, A, MESSAGE_COMMIT, heard);
        sim_start(sim, E);
        story_check(sim_ends(sim, A, SETTLE_MS), seed);
        struct node_id life = core_self(sim_core(sim, E))->id;
        sim_run(sim, STALLED_MS);
        story_check(sim_converges(sim, SETTLE_MS), seed);
        story_check(sim_coordinator(sim, B) == E, seed);
        story_check(id_equal(&core_self(sim_core(sim, E))->id, &life), seed);
        sim_free(sim);
    }
}

/* E7a: after a merge those who are drained stand behind the members of both parts. */
Story(moves, a_merge_keeps_the_drained_behind)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 5, .seed_count = 2, .disorder = true});
    const uint32_t left[] = {A, B, C};

    sim_drain(sim, A, B);
    sim_run(sim, 1000);
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        sim_cut(sim, left[i], D);
        sim_cut(sim, left[i], E);
    }
    story_check(sim_sees(sim, E, "D E", STALLED_MS), seed);
    story_check(sim_sees(sim, A, "A C B", STALLED_MS), seed);
    sim_heal(sim);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    story_sees(sim, E, "A C D E B", seed);
    sim_free(sim);
}

/* E7 under guard strict. */
Story(moves, a_drained_voter_hands_over)
{
    struct sim *sim = five_voters(seed);
    uint32_t first = sim_coordinator(sim, E);

    sim_drain(sim, E, first);
    sim_run(sim, 1000);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(sim_coordinator(sim, E) != first, seed);
    story_check(sim_view_text(sim, E)[8] == (char)('A' + first), seed);
    story_check(sim_notices(sim, SIM_ANY, NOTICE_GONE) == 0, seed);
    sim_free(sim);
}

/* E4: it is asked for its place by nobody who could tell it so, and acts. */
Story(moves, a_drained_voter_stays_if_the_only_other_is_deaf)
{
    struct sim *sim = story_of_voters_alone(seed, 3, 3);
    sim_run(sim, 1000);
    uint32_t first = sim_coordinator(sim, A);
    for (uint32_t host = A; host <= C; host++) {
        if (host != first) {
            sim_drain(sim, first, host);
            sim_run(sim, 1000);
            sim_cut_one_way(sim, host, first);
        }
    }
    sim_run(sim, STALLED_MS);
    uint32_t other = (first + 1) % 3;
    uint32_t second = sim_coordinator(sim, other);
    story_check(second != SIM_NOBODY && second != first, seed);
    uint64_t version = sim_version(sim, other);
    sim_run(sim, MINUTE_MS);
    story_check(sim_is_acting(sim, second), seed);
    story_check(sim_version(sim, other) == version, seed);
    sim_free(sim);
}
