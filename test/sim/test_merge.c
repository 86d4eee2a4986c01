/* Split brain and its healing (M1 to M8). Groups are cut off from each other for longer than any
 * detection takes; then the links come back. What the oracle holds all the while: winners keep
 * their ages, losers come behind in their order, nobody is lost, no age is given twice. */
#include <string.h>

#include "story.h"

enum {
    CUT_MS = 30000,
    HEAL_MS = 1000, /* two parts are one again within it, with the lan profile */
};

/* Cuts each group off from the others: "AC|B" leaves A and C together. */
static void split(struct sim *sim, const char *groups)
{
    uint32_t group_of[16] = {0};
    uint32_t group = 0;

    for (; *groups != '\0'; groups++) {
        if (*groups == '|') {
            group++;
        } else {
            group_of[*groups - 'A'] = group;
        }
    }
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        for (uint32_t k = i + 1; k < sim_host_count(sim); k++) {
            if (group_of[i] != group_of[k]) {
                sim_cut(sim, i, k);
            }
        }
    }
}

static uint64_t phase_changes(const struct sim *sim)
{
    return sim_notices(sim, SIM_ANY, NOTICE_PHASE);
}

/* Splits, looks at one view in each part, heals, and looks at the whole. Nobody restarts. */
static void tell(uint64_t seed, uint32_t hosts, const char *groups, const char *first,
                 const char *second, const char *whole)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = hosts});
    uint32_t one = (uint32_t)(first[0] - 'A');
    uint32_t other = (uint32_t)(second[0] - 'A');

    split(sim, groups);
    sim_run(sim, CUT_MS);
    story_sees(sim, one, first, seed);
    story_sees(sim, other, second, seed);
    story_check(sim_is_acting(sim, one) && sim_is_acting(sim, other), seed);
    uint64_t before = phase_changes(sim);

    sim_heal(sim);
    story_check(sim_converges(sim, HEAL_MS), seed);
    story_sees(sim, one, whole, seed);
    story_check(sim_coordinator(sim, other) == (uint32_t)(whole[0] - 'A'), seed);
    story_check(phase_changes(sim) == before, seed);
    story_check(sim_notices(sim, other, NOTICE_MERGE) == 1, seed);
    sim_free(sim);
}

/* The example that the pattern is told with: byzantium and cyrene join athens. */
Story(merge, the_smaller_part_joins_the_larger)
{
    tell(seed, 5, "ADE|BC", "A D E", "B C", "A D E B C");
}

/* Its mirror image: the oldest is in the minority, and the majority's coordinator wins. */
Story(merge, the_oldest_loses_with_the_smaller_part)
{
    tell(seed, 5, "AB|CDE", "A B", "C D E", "C D E A B");
}

/* H34: of two equal halves the one with the oldest member wins, in the eyes of both. */
Story(merge, of_equal_halves_the_older_wins)
{
    tell(seed, 4, "AD|BC", "A D", "B C", "A D B C");
}

Story(merge, a_part_of_one_is_taken_up)
{
    tell(seed, 5, "ABCD|E", "A B C D", "E", "A B C D E");
}

Story(merge, a_coordinator_that_was_alone_comes_last)
{
    tell(seed, 5, "A|BCDE", "B C D E", "A", "B C D E A");
}

/* While the parts were apart the larger one got another node under the name of the other's
 * coordinator, F. */
static struct sim *apart_with_a_second_athens(uint64_t seed)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 6, .disorder = true});
    for (uint32_t host = A; host <= E; host++) {
        sim_start(sim, host);
        sim_run(sim, 300);
    }
    story_check(sim_converges(sim, SETTLE_MS), seed);
    split(sim, "AB|CDEF");
    sim_run(sim, CUT_MS);
    sim_rename(sim, F, "athens");
    sim_set_seeds(sim, F, (uint32_t[]){C}, 1);
    sim_start(sim, F);
    story_check(sim_sees(sim, C, "C D E F", SETTLE_MS), seed);
    return sim;
}

/* M5: it must not keep the rest of its part out for ever; it steps down, and is told why. */
Story(merge, a_losing_coordinator_whose_name_was_taken_steps_down)
{
    struct sim *sim = apart_with_a_second_athens(seed);
    sim_heal(sim);
    story_check(sim_sees(sim, C, "C D E F B", 4 * HEAL_MS), seed);
    story_check(sim_sees(sim, B, "C D E F B", HEAL_MS), seed);
    sim_run(sim, SETTLE_MS);
    story_check(sim_phase(sim, A) == PHASE_JOINING, seed);
    story_check(sim_refusal(sim, A).reason == JOIN_REFUSED_NAME, seed);
    sim_leave(sim, F);
    story_check(sim_sees(sim, A, "C D E B A", SETTLE_MS), seed);
    sim_free(sim);
}

/* M4: a holder of the name that is silent may be dead; then the name is free. */
Story(merge, waits_until_a_silent_holder_of_a_name_is_out)
{
    struct sim *sim = apart_with_a_second_athens(seed);
    sim_vanish(sim, F);
    sim_run(sim, FRESH_MS);
    sim_heal(sim);
    story_check(sim_sees(sim, B, "C D E A B", LOST_MS + 3 * HEAL_MS), seed);
    story_check(sim_notices(sim, A, NOTICE_PHASE) == 1, seed);
    sim_free(sim);
}

/* I3: cyrene's seed is a mere member of the cluster of athens, and tells it whom to talk to. */
Story(merge, a_part_whose_seed_is_a_member_of_the_other_is_related)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 3, .disorder = true});
    sim_set_seeds(sim, B, (const uint32_t[]){A}, 1);
    sim_set_seeds(sim, C, (const uint32_t[]){C, B}, 2);
    sim_start(sim, C);
    sim_start(sim, A);
    sim_run(sim, 2 * SETTLE_MS);
    sim_start(sim, B);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    sim_free(sim);
}

/* J2: no merge makes one cluster out of nodes that were told different things of it. Both sides say
 * so, and once that is put right they are one. */
Story(merge, foundings_with_different_terms_stay_apart)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 2, .seed_count = 2, .disorder = true});
    sim_set_guard(sim, B, (struct guard){.policy = GUARD_COUNT, .count = 1});
    sim_cut(sim, A, B);
    sim_start_in_order(sim, 300);
    sim_run(sim, CUT_MS);
    sim_heal(sim);
    sim_run(sim, CUT_MS);
    story_sees(sim, A, "A", seed);
    story_sees(sim, B, "B", seed);
    story_check(sim_notices(sim, A, NOTICE_OTHER_TERMS) == 1, seed);
    story_check(sim_notices(sim, B, NOTICE_OTHER_TERMS) == 1, seed);
    sim_crash(sim, B);
    sim_set_guard(sim, B, (struct guard){.policy = GUARD_NONE});
    sim_start(sim, B);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    sim_free(sim);
}

/* J2d: no merge brings together who cannot talk to each other. */
Story(merge, parts_that_share_no_version_stay_apart)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 2, .seed_count = 2, .disorder = true});
    sim_set_versions(sim, B, 1, 2);
    sim_cut(sim, A, B);
    sim_start_in_order(sim, 300);
    sim_run(sim, CUT_MS);
    sim_heal(sim);
    sim_run(sim, CUT_MS);
    story_sees(sim, A, "A", seed);
    story_sees(sim, B, "B", seed);
    sim_crash(sim, B);
    sim_set_versions(sim, B, 0, 2);
    sim_start(sim, B);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    sim_free(sim);
}

/* H35, M6: three parts need two merges, and no cycle comes of it. Which meet first is chance. */
Story(merge, three_parts_become_one)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 7});
    split(sim, "AB|CD|EFG");
    sim_run(sim, CUT_MS);
    story_sees(sim, A, "A B", seed);
    story_sees(sim, C, "C D", seed);
    story_sees(sim, E, "E F G", seed);
    sim_heal(sim);
    story_check(sim_converges(sim, 3 * HEAL_MS), seed);
    sim_free(sim);
}

/* H39: all seeds are gone, and the parts still know each other. */
Story(merge, parts_find_each_other_without_their_seed)
{
    struct sim *sim = story_of_five(seed);
    split(sim, "A|BC|DE");
    sim_run(sim, CUT_MS);
    sim_vanish(sim, A);
    sim_heal(sim);
    story_check(sim_sees(sim, D, "B C D E", 3 * HEAL_MS), seed);
    sim_free(sim);
}

/* H40: whatever a flapping link does, in the end there is one part, and ages still rise. */
Story(merge, a_flapping_split_ends_in_one_part)
{
    struct sim *sim = story_of_five(seed);
    for (int i = 0; i < 8; i++) {
        split(sim, "AB|CDE");
        sim_run(sim, 3000);
        sim_heal(sim);
        sim_run(sim, 700);
    }
    story_check(sim_converges(sim, 10 * HEAL_MS), seed);
    sim_free(sim);
}

/* H37, M7: either coordinator is killed at any point of the merge; the others become one. */
static void tell_of_kill(uint64_t seed, uint32_t victim, enum message_type type, uint32_t count)
{
    struct sim *sim = story_of_five(seed);
    split(sim, "AB|CDE");
    sim_run(sim, CUT_MS);
    sim_heal(sim);
    sim_trip(sim, victim, type, count);
    sim_run(sim, STALLED_MS);
    story_check(sim_converges(sim, STALLED_MS), seed);
    story_check(!sim_is_running(sim, victim), seed);
    sim_free(sim);
}

Story(merge, the_loser_is_killed_when_it_asks)
{
    tell_of_kill(seed, A, MESSAGE_MERGE, 1);
}

Story(merge, the_loser_is_killed_when_it_has_agreed)
{
    tell_of_kill(seed, A, MESSAGE_ACK, 1);
}

Story(merge, the_winner_is_killed_while_it_proposes)
{
    for (uint32_t count = 1; count <= 4; count++) {
        tell_of_kill(seed, C, MESSAGE_PREPARE, count);
    }
}

Story(merge, the_winner_is_killed_while_it_commits)
{
    tell_of_kill(seed, C, MESSAGE_COMMIT, 1);
    tell_of_kill(seed, C, MESSAGE_COMMIT, 2);
}

/* M4: the loser's member needs no message of its own; it follows its coordinator. */
Story(merge, a_loser_that_missed_the_proposal_follows)
{
    struct sim *sim = story_of_five(seed);
    split(sim, "AB|CDE");
    sim_run(sim, CUT_MS);
    sim_lose(sim, C, B, MESSAGE_PREPARE, 100);
    sim_lose(sim, C, B, MESSAGE_VIEW, 1);
    sim_heal(sim);
    story_check(sim_converges(sim, 2 * HEAL_MS), seed);
    story_sees(sim, B, "C D E A B", seed);
    story_check(sim_notices(sim, B, NOTICE_PHASE) == 1, seed);
    sim_free(sim);
}

/* M4, H38: the parts heal in the middle of parting. byzantium has taken over and still counts
 * ephesus in, which is on the side of athens; and athens still counts byzantium in. So each list
 * names who lives by the other one, and yet all end in one, once, and nobody starts anew. */
static struct sim *healing_while_parting(uint64_t seed)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = 5, .disorder = true});

    sim_start_in_order(sim, 300);
    cr_assert(sim_converges(sim, SETTLE_MS));
    split(sim, "AE|BCD");
    for (uint64_t ms = 0; ms < 2 * LOST_MS; ms++) {
        sim_run(sim, 1);
        if (sim_age(sim, A, B) != 0 && sim_age(sim, A, E) != 0 &&
            strcmp(sim_view_text(sim, B), "B C D E") == 0) {
            return sim;
        }
    }
    sim_free(sim);
    return NULL;
}

Story(merge, who_is_in_the_lists_of_both_parts_ends_in_one)
{
    struct sim *sim = NULL;

    for (uint64_t i = 0; sim == NULL && i < 500; i++) {
        sim = healing_while_parting(1000 * seed + i);
    }
    cr_assert_not_null(sim, "seed %llu: never in both", (unsigned long long)seed);
    uint64_t before = phase_changes(sim);

    sim_heal(sim);
    story_check(sim_converges(sim, 2 * HEAL_MS), seed);
    story_sees(sim, A, "B C D A E", seed);
    story_check(phase_changes(sim) == before, seed);
    sim_free(sim);
}

/* M6, M7: delphi's part asks athens to take it up, and athens is killed in the middle of that. The
 * part of ephesus, which is larger than both, finds all who are left. */
static void tell_of_kill_between(uint64_t seed, enum message_type type, uint32_t count)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 7});
    split(sim, "AB|CD|EFG");
    sim_run(sim, CUT_MS);
    sim_trip(sim, A, type, count);
    for (uint32_t host = C; host <= D; host++) {
        sim_mend(sim, A, host);
        sim_mend(sim, B, host);
    }
    sim_run(sim, HEAL_MS);
    story_check(!sim_is_running(sim, A), seed);
    sim_heal(sim);
    story_check(sim_converges(sim, STALLED_MS), seed);
    sim_free(sim);
}

Story(merge, the_winner_of_two_parts_is_killed_while_it_proposes_and_a_third_finds_them)
{
    for (uint32_t count = 1; count <= 3; count++) {
        tell_of_kill_between(seed, MESSAGE_PREPARE, count);
    }
}

/* What it committed holds: two parts of three, and the older one wins. */
Story(merge, the_winner_of_two_parts_is_killed_while_it_commits_and_a_third_finds_them)
{
    tell_of_kill_between(seed, MESSAGE_COMMIT, 1);
    tell_of_kill_between(seed, MESSAGE_COMMIT, 2);
}

/* And while it is taken up itself, by the third, with delphi's part already in its own. */
Story(merge, the_winner_of_two_parts_is_killed_while_it_joins_the_third)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed, .host_count = 7});
    split(sim, "AB|C|DEFG");
    sim_run(sim, CUT_MS);
    sim_mend(sim, A, C);
    sim_mend(sim, B, C);
    story_check(sim_sees(sim, C, "A B C", 2 * HEAL_MS), seed);
    sim_heal(sim);
    sim_trip(sim, A, seed % 2 == 0 ? MESSAGE_MERGE : MESSAGE_ACK, 1);
    sim_run(sim, HEAL_MS);
    story_check(!sim_is_running(sim, A), seed);
    story_check(sim_converges(sim, STALLED_MS), seed);
    story_check(sim_coordinator(sim, C) == D, seed);
    sim_free(sim);
}

/* Two clusters that were founded apart, because their seeds could not see each other. */
static struct sim *founded_apart(const struct sim_options *options, uint32_t first,
                                 const char *groups)
{
    struct sim *sim = sim_new(options);
    for (uint32_t host = A; host < options->host_count; host++) {
        sim_set_seeds(sim, host, (const uint32_t[]){A, first}, 2);
    }
    split(sim, groups);
    sim_start(sim, A);
    sim_start(sim, first);
    for (uint32_t host = B; host < options->host_count; host++) {
        sim_run(sim, SETTLE_MS);
        if (host != first) {
            sim_start(sim, host);
        }
    }
    sim_run(sim, SETTLE_MS);
    return sim;
}

/* M3, G1: both together are more than the size that the majority is of. None even asks; each goes
 * on by itself, until somebody has left. */
Story(merge, parts_beyond_the_stated_size_wait_until_there_is_room)
{
    struct guard majority = {.policy = GUARD_MAJORITY, .count = 5};
    struct sim *sim = founded_apart(
        &(struct sim_options){.seed = seed, .host_count = 6, .guard = majority}, D, "ABC|DEF");
    sim_heal(sim);
    sim_run(sim, CUT_MS);
    story_sees(sim, A, "A B C", seed);
    story_sees(sim, D, "D E F", seed);
    story_check(sim_is_acting(sim, A) && sim_is_acting(sim, D), seed);
    story_check(sim_sent(sim, SIM_ANY, MESSAGE_MERGE) == 0, seed);

    sim_leave(sim, seed % 2 == 0 ? C : F);
    story_check(sim_converges(sim, 3 * HEAL_MS), seed);
    story_check(sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

/* M3, M5: athens counts three who hold its view, because it does not hear delphi itself; with
 * delphi there is no room for two more. They ask and are refused, ever less often, and are let in
 * when delphi has left. */
Story(merge, a_part_refused_for_want_of_room_asks_less_often_and_is_let_in_later)
{
    struct sim *sim = founded_apart(
        &(struct sim_options){.seed = seed, .host_count = 6, .capacity = 5}, E, "ABCD|EF");
    sim_cut(sim, A, D);
    sim_run(sim, STALLED_MS);
    for (uint32_t host = A; host <= D; host++) {
        sim_mend(sim, host, E);
        sim_mend(sim, host, F);
    }
    sim_run(sim, MINUTE_MS);
    story_sees(sim, A, "A B C D", seed);
    story_sees(sim, E, "E F", seed);
    story_check(sim_is_acting(sim, A) && sim_is_acting(sim, E), seed);
    uint64_t refusals = sim_sent(sim, A, MESSAGE_MERGE_REFUSED);
    story_check(refusals >= 3 && refusals <= 12, seed);

    sim_leave(sim, D);
    story_check(sim_converges(sim, 2 * MINUTE_MS), seed);
    story_sees(sim, E, "A B C E F", seed);
    sim_free(sim);
}

/* M3, M5: requests, refusals and probes are lost; nothing is waited for without end. */
Story(merge, lost_requests_and_refusals_only_cost_time)
{
    struct sim *sim = story_of_five(seed);
    split(sim, "AB|CDE");
    sim_run(sim, CUT_MS);
    sim_lose(sim, SIM_ANY, SIM_ANY, MESSAGE_MERGE, 2);
    sim_lose(sim, SIM_ANY, SIM_ANY, MESSAGE_MERGE_REFUSED, 2);
    sim_lose(sim, SIM_ANY, SIM_ANY, MESSAGE_PROBE, 4);
    sim_heal(sim);
    story_check(sim_converges(sim, 10 * HEAL_MS), seed);
    sim_free(sim);
}

/* H33, G1: of 3|2 with a majority of 5 only the larger part acts, once T_lost has passed. */
Story(merge, with_a_majority_only_one_part_acts)
{
    struct guard majority = {.policy = GUARD_MAJORITY, .count = 5};
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 5, .guard = majority});
    split(sim, "AB|CDE");
    sim_run(sim, LOST_MS);
    story_check(!sim_is_acting(sim, A), seed);
    sim_run(sim, CUT_MS);
    story_check(sim_is_acting(sim, C), seed);
    story_check(sim_acting_count(sim) == 1, seed);
    sim_heal(sim);
    story_check(sim_converges(sim, HEAL_MS), seed);
    story_sees(sim, A, "C D E A B", seed);
    sim_free(sim);
}

/* 2|2 of 4: neither acts, and both stay what they are until they meet. */
Story(merge, of_equal_halves_with_a_majority_neither_acts)
{
    struct guard majority = {.policy = GUARD_MAJORITY, .count = 4};
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 4, .guard = majority});
    split(sim, "AB|CD");
    sim_run(sim, CUT_MS);
    story_check(sim_acting_count(sim) == 0, seed);
    sim_heal(sim);
    story_check(sim_converges(sim, 2 * HEAL_MS), seed);
    sim_free(sim);
}

/* M8: a split and a merge are told as such. */
Story(merge, both_sides_tell_of_the_split_and_of_its_end)
{
    struct sim *sim = story_of_five(seed);
    split(sim, "ADE|BC");
    sim_run(sim, CUT_MS);
    story_check(sim_notices(sim, B, NOTICE_SPLIT) == 1, seed);
    sim_heal(sim);
    story_check(sim_converges(sim, HEAL_MS), seed);
    story_check(sim_notices(sim, SIM_ANY, NOTICE_MERGE) == 5, seed);
    sim_free(sim);
}

/* D4, L2: what a coordinator noted of a member that had moved is dropped when it slept: that one
 * follows it again by now. */
Story(merge, who_comes_over_while_the_coordinator_sleeps_stays)
{
    struct sim *sim = story_of_five(seed);
    split(sim, "ABC|DE");
    sim_run(sim, CUT_MS);
    sim_heal(sim);
    sim_lose(sim, SIM_ANY, E, MESSAGE_PREPARE, 100000);
    sim_lose(sim, SIM_ANY, E, MESSAGE_COMMIT, 100000);
    sim_lose(sim, SIM_ANY, E, MESSAGE_VIEW, 100000);
    story_check(sim_sees(sim, A, "A B C D E", 5000), seed);
    uint64_t age = sim_age(sim, A, E);
    uint64_t sent = sim_sent(sim, A, MESSAGE_PREPARE);
    sim_lose(sim, B, A, MESSAGE_ACK, 1); /* So that E's removal takes a moment. */
    for (int i = 0; i < 5000 && sim_sent(sim, A, MESSAGE_PREPARE) == sent; i++) {
        sim_run(sim, 1);
    }
    story_check(sim_sent(sim, A, MESSAGE_PREPARE) > sent, seed);
    sim_pause(sim, A);
    sim_lose_nothing(sim);
    story_check(sim_sees(sim, E, "A B C D E", 800), seed);
    sim_run(sim, 500);
    sim_resume(sim, A);
    sim_run(sim, 6000);
    story_sees(sim, A, "A B C D E", seed);
    story_check(sim_age(sim, A, E) == age, seed);
    sim_free(sim);
}

/* M4: a winner that slept gives its merge up, and the other part is told, whether it had agreed or
 * not yet; it does not wait for what will not come. */
Story(merge, the_other_part_is_told_when_the_winner_slept)
{
    for (int agrees = 0; agrees <= 1; agrees++) {
        struct sim *sim = story_of_five(seed);
        split(sim, "ABC|DE");
        sim_run(sim, CUT_MS);
        uint64_t sent = sim_sent(sim, A, MESSAGE_PREPARE);
        sim_heal(sim);
        sim_lose(sim, A, D, MESSAGE_PREPARE, agrees ? 0 : 1);
        sim_lose(sim, B, A, MESSAGE_ACK, 1);
        for (int i = 0; i < 5000 && sim_sent(sim, A, MESSAGE_PREPARE) == sent; i++) {
            sim_run(sim, 1);
        }
        sim_pause(sim, A);
        sim_run(sim, 400);
        story_check(core_is_merging(sim_core(sim, D)), seed);
        sim_resume(sim, A);
        uint32_t merging_ms = 0;
        for (int ms = 0; ms < 20000 && !sim_agrees(sim); ms++) {
            merging_ms += core_is_merging(sim_core(sim, D));
            sim_run(sim, 1);
        }
        story_check(sim_agrees(sim), seed);
        story_check(merging_ms < 1500, seed);
        sim_free(sim);
    }
}

/* M4, D4: a slow coordinator of the losing part answers in its own time, and is waited for. */
Story(merge, a_slow_loser_is_taken_up)
{
    static const struct {
        enum profile profile;
        uint64_t turn_ms;
    } cases[] = {
        {PROFILE_LOCAL, 108}, {PROFILE_LOCAL, 142}, {PROFILE_LAN, 510}, {PROFILE_LAN, 570}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sim *sim = story_of(
            &(struct sim_options){.seed = seed, .host_count = 5, .profile = cases[i].profile});
        split(sim, "ABC|DE");
        sim_run(sim, CUT_MS);
        sim_heal(sim);
        sim_slow(sim, D, cases[i].turn_ms);
        cr_assert(sim_sees(sim, E, "A B C D E", 60000), "seed %llu, a turn takes %llu ms",
                  (unsigned long long)seed, (unsigned long long)cases[i].turn_ms);
        uint64_t version = sim_version(sim, E);
        sim_run(sim, 20000);
        story_check(sim_version(sim, E) == version, seed);
        sim_free(sim);
    }
}

/* Two foundings, A C and B D. C no longer hears A and is taken up by B, and D, who no longer hears
 * B, by A: each by one who has still to remove the other. NULL if that is not how it went. */
static struct sim *crossed(uint64_t seed)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed,
                                                    .host_count = 4,
                                                    .seed_count = 2,
                                                    .profile = PROFILE_LOCAL,
                                                    .disorder = true});

    split(sim, "AC|BD");
    sim_start_in_order(sim, 300);
    cr_assert(sim_sees(sim, C, "A C", SETTLE_MS) && sim_sees(sim, D, "B D", SETTLE_MS));
    sim_cut_one_way(sim, A, C);
    sim_run(sim, seed % 20); /* So that both are lost at the same time, with some seeds. */
    sim_cut_one_way(sim, B, D);
    sim_mend(sim, A, D);
    sim_mend(sim, B, C);
    for (int i = 0; i < 500; i++) {
        sim_run(sim, 1);
        if (strcmp(sim_view_text(sim, C), "B D C") == 0 &&
            strcmp(sim_view_text(sim, D), "A C D") == 0) {
            return sim;
        }
    }
    sim_free(sim);
    return NULL;
}

/* Y2, C1: then both coordinators die. D is next in the view that C holds, and C in that of D; they
 * hear one another, and must not wait for one another. */
Story(merge, after_merges_that_crossed_two_do_not_wait_for_one_another)
{
    struct sim *sim = NULL;

    for (uint64_t i = 0; sim == NULL && i < 4000; i++) {
        sim = crossed(1000 * seed + i);
    }
    cr_assert_not_null(sim, "seed %llu: never crossed", (unsigned long long)seed);
    sim_crash(sim, A);
    sim_crash(sim, B);
    sim_heal(sim);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_free(sim);
}
