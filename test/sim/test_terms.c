/* Terms that change while the cluster runs: rules A1 to A5. */
#include "story.h"

static const struct guard majority_of_5 = {.policy = GUARD_MAJORITY, .count = 5};
static const struct guard majority_of_3 = {.policy = GUARD_MAJORITY, .count = 3};

static struct sim *story_begun_with(const struct sim_options *options)
{
    struct sim *sim = sim_new(options);

    sim_start_in_order(sim, 300);
    cr_assert(sim_converges(sim, MINUTE_MS), "no cluster to begin with");
    sim_run(sim, 200);
    return sim;
}

static struct sim *story_of_changes(uint64_t seed, uint32_t hosts, struct guard guard, bool disks)
{
    return story_begun_with(&(struct sim_options){.seed = seed,
                                                  .host_count = hosts,
                                                  .guard = guard,
                                                  .disorder = true,
                                                  .disks = disks,
                                                  .silent_ms = 63});
}

static const struct agreed *agreed_of(const struct sim *sim, uint32_t host)
{
    return core_agreed(sim_core(sim, host));
}

static void ask_for_guard(struct sim *sim, uint32_t host, struct guard guard)
{
    struct rules rules = sim_rules(sim, host);

    const struct timing timing = timing_of(rules.profile);

    rules.guard = guard;
    rules.heartbeat_ms = timing.heartbeat_ms;
    rules.lost_ms = timing.lost_ms;
    sim_change_terms(sim, host, &rules);
}

static void ask_for_profile(struct sim *sim, uint32_t host, enum profile profile)
{
    struct rules rules = sim_rules(sim, host);
    const struct timing timing = timing_of(profile);

    rules.profile = profile;
    rules.heartbeat_ms = timing.heartbeat_ms;
    rules.lost_ms = timing.lost_ms;
    sim_change_terms(sim, host, &rules);
}

static bool all_have(const struct sim *sim, const char *hosts, uint64_t number)
{
    for (; *hosts != '\0'; hosts++) {
        if (agreed_of(sim, (uint32_t)(*hosts - 'A'))->number != number) {
            return false;
        }
    }
    return true;
}

static bool will_have(struct sim *sim, const char *hosts, uint64_t number, uint64_t ms)
{
    for (; ms > 0 && !all_have(sim, hosts, number); ms--) {
        sim_run(sim, 1);
    }
    return all_have(sim, hosts, number);
}

/* A1, A2b: two views, and nothing else changes. */
Story(terms, a_guard_changes_in_two_views)
{
    struct sim *sim = story_of_changes(seed, 5, (struct guard){GUARD_NONE, 0}, false);
    uint64_t version = sim_version(sim, A);

    ask_for_guard(sim, D, majority_of_5);
    story_check(will_have(sim, "ABCDE", 2, SETTLE_MS), seed);
    for (uint32_t host = A; host <= E; host++) {
        story_sees(sim, host, "A B C D E", seed);
        story_check(guard_equal(&agreed_of(sim, host)->now.guard, &majority_of_5), seed);
        story_check(!agreed_of(sim, host)->joint, seed);
        story_check(core_guard(sim_core(sim, host), sim_now_ms(sim)).needed == 3, seed);
    }
    story_check(sim_version(sim, A) == version + 2, seed);
    story_check(sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* D9b: on rings, too, where the coordinator hears everybody for the sake of a guard that is to go.
 */
Story(terms, a_guard_that_is_to_go_counts_everybody_to_the_end)
{
    struct sim *sim = story_begun_with(&(struct sim_options){.seed = seed,
                                                             .host_count = 10,
                                                             .guard = {GUARD_COUNT, 9},
                                                             .disorder = true,
                                                             .silent_ms = 63});

    ask_for_guard(sim, D, (struct guard){GUARD_NONE, 0});
    story_check(will_have(sim, "A", 1, SETTLE_MS), seed);
    sim_vanish(sim, 'J' - 'A'); /* It is waited for until every lease of before has run out. */
    story_check(will_have(sim, "ABCDEFGHI", 2, SETTLE_MS), seed);
    story_check(sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* A2b: on rings, too, where the coordinator hears its neighbours alone. */
Story(terms, who_is_no_neighbour_is_asked_what_it_holds)
{
    struct sim *sim = story_begun_with(
        &(struct sim_options){.seed = seed, .host_count = 10, .disorder = true, .silent_ms = 63});

    ask_for_profile(sim, D, PROFILE_WAN);
    story_check(will_have(sim, "ABCDEFGHIJ", 2, SETTLE_MS), seed);
    sim_free(sim);
}

/* A1: each message of it may be lost, once. */
Story(terms, a_lost_message_costs_one_repetition)
{
    static const uint32_t types[] = {MESSAGE_WISH, MESSAGE_PREPARE, MESSAGE_ACK, MESSAGE_COMMIT};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct sim *sim = story_of_changes(seed, 5, (struct guard){GUARD_NONE, 0}, false);
        sim_lose(sim, SIM_ANY, SIM_ANY, types[i], 1);
        ask_for_guard(sim, D, majority_of_5);
        story_check(will_have(sim, "ABCDE", 2, SETTLE_MS), seed);
        sim_free(sim);
    }
}

/* A1: of two that begin with the same terms one comes about, and the other is told so. */
Story(terms, what_was_made_from_former_terms_changes_nothing)
{
    struct sim *sim = story_of_changes(seed, 5, (struct guard){GUARD_NONE, 0}, false);

    ask_for_guard(sim, B, majority_of_5);
    ask_for_guard(sim, C, (struct guard){GUARD_COUNT, 2});
    story_check(will_have(sim, "ABCDE", 2, SETTLE_MS), seed);
    sim_run(sim, SETTLE_MS);
    story_check(all_have(sim, "ABCDE", 2), seed);
    const struct rules_wish stale = {.number = 0,
                                     .rules = {{GUARD_COUNT, 4}, PROFILE_LAN, 250, 900, 10}};
    story_check(core_unagreed(sim_core(sim, A), &stale) == UNAGREED_UNDER_WAY, seed);
    sim_free(sim);
}

/* A2b: D acknowledges the first view, and does not hear that it is committed. */
Story(terms, a_change_is_settled_when_all_say_that_they_hold_it)
{
    struct sim *sim = story_of_changes(seed, 5, (struct guard){GUARD_NONE, 0}, false);

    sim_lose(sim, SIM_ANY, D, MESSAGE_COMMIT, 1000);
    sim_lose(sim, SIM_ANY, D, MESSAGE_VIEW, 1000);
    ask_for_guard(sim, B, majority_of_5);
    story_check(will_have(sim, "ABCE", 1, SETTLE_MS), seed);
    sim_run(sim, SETTLE_MS);
    story_check(all_have(sim, "ABCE", 1), seed);
    sim_lose_nothing(sim);
    story_check(will_have(sim, "ABCDE", 2, SETTLE_MS), seed);
    sim_free(sim);
}

/* A3: those who go by the new durations and those who do not yet must not miss each other. */
Story(terms, profiles_change_and_nobody_is_suspected)
{
    static const enum profile course[] = {PROFILE_LOCAL, PROFILE_LAN, PROFILE_LOCAL,
                                          PROFILE_WAN,   PROFILE_LAN, PROFILE_WAN};
    struct sim *sim = story_begun_with(&(struct sim_options){.seed = seed, /* By the slowest. */
                                                             .host_count = 5,
                                                             .profile = PROFILE_WAN,
                                                             .silent_ms = 63});
    const uint64_t suspected = sim_notices(sim, SIM_ANY, NOTICE_SUSPECT);

    for (size_t i = 0; i < sizeof course / sizeof course[0]; i++) {
        sim_lose(sim, A, D, MESSAGE_COMMIT, 2); /* D comes to know it late, each time. */
        sim_lose(sim, A, D, MESSAGE_VIEW, 1);
        ask_for_profile(sim, B, course[i]);
        story_check(will_have(sim, "ABCDE", 2 * (i + 1), MINUTE_MS), seed);
        sim_lose_nothing(sim);
        sim_run(sim, 2 * timing_of(course[i]).lost_ms);
        story_check(core_timing(sim_core(sim, E))->lost_ms == timing_of(course[i]).lost_ms, seed);
    }
    for (uint32_t host = A; host <= E; host++) {
        story_sees(sim, host, "A B C D E", seed);
    }
    story_check(sim_notices(sim, SIM_ANY, NOTICE_SUSPECT) == suspected, seed);
    sim_free(sim);
}

/* Cuts the hosts apart as soon as the coordinator holds the first view of the change. */
static void cut_midway(struct sim *sim, const char *one, const char *other)
{
    for (uint32_t ms = 0; ms < SETTLE_MS && agreed_of(sim, A)->number == 0; ms++) {
        sim_run(sim, 1);
    }
    for (const char *a = one; *a != '\0'; a++) {
        for (const char *b = other; *b != '\0'; b++) {
            sim_cut(sim, (uint32_t)(*a - 'A'), (uint32_t)(*b - 'A'));
        }
    }
}

/* A2a: a size that becomes smaller, and a cut: the two would be a majority of three. */
Story(terms, a_smaller_size_takes_both_majorities_while_it_is_not_settled)
{
    struct sim *sim = story_of_changes(seed, 3, majority_of_5, false);

    sim_lose(sim, SIM_ANY, C, SIM_ANY, 1000); /* It hears nothing of it. */
    ask_for_guard(sim, A, majority_of_3);
    cut_midway(sim, "AB", "C");
    sim_lose_nothing(sim);
    sim_run(sim, STALLED_MS);
    story_check(agreed_of(sim, A)->joint, seed);
    story_check(sim_acting_count(sim) == 0, seed); /* Two of five. */
    sim_heal(sim);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    story_check(
        will_have(sim, "ABC", agreed_of(sim, A)->number + agreed_of(sim, A)->joint, SETTLE_MS),
        seed);
    story_check(sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

/* A2a: and one that grows, from a majority of three to one of five. */
Story(terms, a_majority_that_is_cut_apart_midway_acts_once)
{
    struct sim *sim = story_of_changes(seed, 5, (struct guard){GUARD_NONE, 0}, false);

    ask_for_guard(sim, A, majority_of_5);
    cut_midway(sim, "AB", "CDE");
    sim_run(sim, STALLED_MS);
    story_check(!sim_is_acting(sim, A), seed);
    sim_heal(sim);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    sim_run(sim, SETTLE_MS);
    for (uint32_t host = A; host <= E; host++) {
        story_check(guard_equal(&agreed_of(sim, host)->now.guard, &majority_of_5), seed);
        story_check(!agreed_of(sim, host)->joint, seed);
    }
    sim_free(sim);
}

/* A5b: the part that knows nothing of it gets the terms, though it is the one that wins. */
Story(terms, the_later_terms_hold_after_a_merge)
{
    struct sim *sim = story_of_changes(seed, 5, (struct guard){GUARD_NONE, 0}, false);

    for (uint32_t host = A; host <= C; host++) {
        sim_cut(sim, host, D);
        sim_cut(sim, host, E);
    }
    sim_run(sim, STALLED_MS);
    story_sees(sim, D, "D E", seed);
    ask_for_profile(sim, E, PROFILE_LOCAL);
    story_check(will_have(sim, "DE", 2, SETTLE_MS), seed);
    sim_heal(sim);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    sim_run(sim, SETTLE_MS);
    for (uint32_t host = A; host <= E; host++) {
        story_check(agreed_of(sim, host)->now.profile == PROFILE_LOCAL, seed);
        story_check(!agreed_of(sim, host)->joint, seed);
    }
    sim_free(sim);
}

/* A5a: what was agreed is found again when all were down; a member that comes back alone, too. */
Story(terms, they_outlive_a_restart)
{
    struct sim *sim = story_of_changes(seed, 3, (struct guard){GUARD_NONE, 0}, true);

    ask_for_guard(sim, B, majority_of_3);
    story_check(will_have(sim, "ABC", 2, SETTLE_MS), seed);
    sim_crash(sim, C);
    sim_run(sim, SETTLE_MS);
    sim_start(sim, C);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(will_have(sim, "ABC", 2, SETTLE_MS), seed);
    for (uint32_t host = A; host <= C; host++) {
        sim_crash(sim, host);
    }
    sim_run(sim, SETTLE_MS);
    sim_start_in_order(sim, 100);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    story_check(will_have(sim, "ABC", 2, SETTLE_MS), seed);
    story_check(core_guard(sim_core(sim, A), sim_now_ms(sim)).needed == 2, seed);
    sim_free(sim);
}

/* A5a: unless all are started with other terms than before. */
Story(terms, another_configuration_counts_where_a_cluster_is_founded)
{
    struct sim *sim = story_of_changes(seed, 3, (struct guard){GUARD_NONE, 0}, true);

    ask_for_guard(sim, B, majority_of_3);
    story_check(will_have(sim, "ABC", 2, SETTLE_MS), seed);
    for (uint32_t host = A; host <= C; host++) {
        sim_crash(sim, host);
        sim_set_guard(sim, host, (struct guard){GUARD_COUNT, 1});
    }
    sim_run(sim, SETTLE_MS);
    sim_start_in_order(sim, 100);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    story_check(all_have(sim, "ABC", 0), seed);
    sim_free(sim);
}

/* A change comes about, and is written into the configuration of the first hosts, but for the
 * capacity, which became smaller, when the power fails for all. */
static void write_down_and_restart(const struct sim_options *options, uint32_t written)
{
    struct sim *sim = story_begun_with(options);
    struct sim_terms terms = sim_usual_terms(sim);
    struct rules rules = sim_rules(sim, D);
    const struct timing local = timing_of(PROFILE_LOCAL);

    terms.profile = PROFILE_LOCAL;
    rules.profile = PROFILE_LOCAL;
    rules.heartbeat_ms = local.heartbeat_ms;
    rules.lost_ms = local.lost_ms;
    rules.capacity--;
    sim_change_terms(sim, D, &rules);
    story_check(will_have(sim, "ABCD", 2, MINUTE_MS), options->seed);
    sim_run(sim, SETTLE_MS);
    for (uint32_t host = A; host <= D; host++) {
        sim_crash(sim, host);
        if (host < written) {
            sim_set_terms(sim, host, &terms);
        }
    }
    sim_start_in_order(sim, 300);
    story_check(sim_converges(sim, MINUTE_MS), options->seed);
    story_check(all_have(sim, "ABCD", 2), options->seed);
    sim_free(sim);
}

/* A5a: whoever founds has them in its configuration already, and others do not. */
Story(terms, they_outlive_a_restart_while_they_are_written_down)
{
    for (uint32_t written = 1; written <= 4; written++) {
        write_down_and_restart(&(struct sim_options){.seed = seed,
                                                     .host_count = 4,
                                                     .seed_count = 3,
                                                     .expect = written % 2 == 0 ? 4 : 0,
                                                     .disks = true,
                                                     .mixed = true,
                                                     .disorder = true,
                                                     .guard = {GUARD_MAJORITY, 4},
                                                     .silent_ms = 63},
                               written);
    }
}

/* A4b: where nobody has changed the terms, who has others is refused; where somebody has, it
 * follows. */
Story(terms, who_was_started_with_others_follows_those_that_were_changed)
{
    struct sim *sim = story_of_changes(seed, 4, (struct guard){GUARD_NONE, 0}, false);

    sim_crash(sim, D);
    sim_run(sim, SETTLE_MS);
    sim_set_guard(sim, D, (struct guard){GUARD_COUNT, 2});
    sim_start(sim, D);
    sim_run(sim, SETTLE_MS);
    story_sees(sim, A, "A B C", seed);
    ask_for_profile(sim, A, PROFILE_LOCAL);
    story_check(will_have(sim, "ABC", 2, SETTLE_MS), seed);
    sim_run(sim, 2 * SETTLE_MS);
    story_sees(sim, D, "A B C D", seed);
    story_check(will_have(sim, "D", 2, SETTLE_MS), seed);
    sim_free(sim);
}

/* A4c: D failed, and runs nowhere any more, and E is to come in its stead. */
Story(terms, who_failed_is_forgotten_where_nothing_else_changes)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed,
                                                    .host_count = 5,
                                                    .guard = {GUARD_MAJORITY, 4},
                                                    .disorder = true,
                                                    .silent_ms = 63});

    for (uint32_t host = A; host <= D; host++) {
        sim_start(sim, host);
    }
    story_check(sim_converges(sim, MINUTE_MS), seed);
    sim_crash(sim, D);
    sim_run(sim, SETTLE_MS);
    sim_start(sim, E);
    sim_run(sim, 2 * SETTLE_MS);
    story_check(sim_age(sim, A, E) == 0, seed);
    sim_forget_failed(sim, B);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_check(sim_age(sim, A, E) != 0, seed);
    sim_free(sim);
}

/* E9a: the same of one by name, asked of a member; another one that failed keeps its place. */
Story(terms, one_who_failed_is_forgotten_by_name)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed,
                                                    .host_count = 6,
                                                    .guard = {GUARD_MAJORITY, 5},
                                                    .disorder = true,
                                                    .silent_ms = 63});

    for (uint32_t host = A; host <= E; host++) {
        sim_start(sim, host);
    }
    story_check(sim_converges(sim, MINUTE_MS), seed);
    const struct node_id gone = core_self(sim_core(sim, D))->id;
    sim_crash(sim, D);
    sim_crash(sim, E);
    sim_run(sim, SETTLE_MS);
    sim_start(sim, F);
    sim_run(sim, 2 * SETTLE_MS);
    story_check(sim_age(sim, A, F) == 0, seed);
    sim_forget(sim, B, &gone);
    story_check(sim_converges(sim, 2 * SETTLE_MS), seed);
    story_check(sim_age(sim, A, F) != 0, seed);
    story_check(view_find_gone(core_view(sim_core(sim, C)), &gone) == NULL, seed);
    story_check(core_view(sim_core(sim, C))->gone_count == 1, seed);
    sim_free(sim);
}

/* A4a, D8c: so far the coordinator asks two, and three with the leases of the next guard. */
Story(terms, a_guard_that_counts_more_is_agreed_in_quiet)
{
    struct sim *sim = story_of_changes(seed, 9, (struct guard){.policy = GUARD_NONE}, false);

    for (uint16_t size = 3; size <= 9; size += 6) {
        ask_for_guard(
            sim, A,
            (struct guard){.policy = size == 3 ? GUARD_COUNT : GUARD_MAJORITY, .count = size});
        sim_run(sim, 2 * SETTLE_MS);
        story_check(all_have(sim, "ABCDEFGHI", size == 3 ? 2 : 4), seed);
        story_check(sim_acting_count(sim) == 1, seed);
    }
    sim_free(sim);
}

/* A4a: what would leave members or places out, or could not act, is not begun. */
Story(terms, what_does_not_fit_the_members_is_not_begun)
{
    struct sim *sim = story_of_changes(seed, 4, (struct guard){GUARD_MAJORITY, 4}, false);
    struct rules_wish wish = {.rules = sim_rules(sim, A)};

    wish.rules.guard.count = 3;
    story_check(core_unagreed(sim_core(sim, A), &wish) == UNAGREED_MEMBERS, seed);
    wish.rules.guard.count = 8;
    story_check(core_unagreed(sim_core(sim, A), &wish) == UNAGREED_GUARD, seed);
    wish.rules.guard.count = 4;
    story_check(core_unagreed(sim_core(sim, A), &wish) == UNAGREED_SAME, seed);
    wish.rules.capacity++;
    story_check(core_unagreed(sim_core(sim, A), &wish) == UNAGREED_ROOM, seed);
    wish.rules = sim_rules(sim, A);
    sim_crash(sim, D);
    sim_run(sim, SETTLE_MS);
    wish.rules.guard.count = 3;
    story_check(core_unagreed(sim_core(sim, A), &wish) == UNAGREED_FAILED, seed);
    ask_for_guard(sim, A, majority_of_3);
    sim_run(sim, SETTLE_MS);
    story_check(all_have(sim, "ABC", 0), seed);
    wish.forget_failed = true;
    story_check(core_unagreed(sim_core(sim, A), &wish) == UNAGREED_NOT, seed);
    sim_free(sim);
}

/* --- Under guard strict (Z15) --- */

static struct sim *story_of_strict(uint64_t seed, uint32_t hosts)
{
    return story_begun_with(&(struct sim_options){.seed = seed,
                                                  .host_count = hosts,
                                                  .seed_count = 3,
                                                  .voter_count = 3,
                                                  .disks = true,
                                                  .guard = {GUARD_STRICT, 3},
                                                  .silent_ms = 63});
}

/* Returns whether the terms have that number within the time, and this one acted until then. */
static bool comes_while_it_acts(struct sim *sim, uint32_t host, const char *hosts, uint64_t number,
                                uint64_t limit_ms)
{
    for (uint64_t ms = 0; ms < limit_ms && !all_have(sim, hosts, number); ms++) {
        if (!sim_is_acting(sim, host)) {
            return false;
        }
        sim_run(sim, 1);
    }
    return all_have(sim, hosts, number);
}

/* H99: what is leased for longer counts for longer, and what is to come is on disk before. */
Story(terms, under_strict_they_change_and_it_acts_all_the_while)
{
    static const enum profile course[] = {PROFILE_LOCAL, PROFILE_WAN,   PROFILE_LAN,
                                          PROFILE_WAN,   PROFILE_LOCAL, PROFILE_LAN};
    struct sim *sim = story_of_strict(seed, 5);

    for (size_t i = 0; i < sizeof course / sizeof course[0]; i++) {
        ask_for_profile(sim, E, course[i]);
        story_check(comes_while_it_acts(sim, A, "ABCDE", 2 * (i + 1), MINUTE_MS), seed);
        for (uint64_t ms = 0; ms < 2 * timing_of(course[i]).lost_ms; ms++) {
            story_check(sim_is_acting(sim, A), seed);
            sim_run(sim, 1);
        }
        story_check(core_timing(sim_core(sim, C))->lease_ms == timing_of(course[i]).lease_ms, seed);
    }
    sim_free(sim);
}

/* Z15a: leases of eight seconds, and C was started with the options of before. */
Story(terms, a_voter_that_missed_a_change_votes_by_what_it_is_shown)
{
    struct sim *sim = story_of_strict(seed, 4);
    struct rules rules = sim_rules(sim, A);

    sim_crash(sim, C);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    rules.heartbeat_ms = 5000;
    rules.lost_ms = 10000;
    sim_change_terms(sim, D, &rules);
    story_check(will_have(sim, "ABD", 2, MINUTE_MS), seed);
    sim_crash(sim, A);
    sim_crash(sim, B);
    sim_start(sim, C);
    sim_run(sim, 1000);
    sim_start(sim, B);
    story_check(sim_converges(sim, 2 * MINUTE_MS), seed);
    story_check(sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

/* A3c, A5a: whoever takes over has them in its configuration already, and others do not. */
Story(terms, under_strict_they_outlive_a_restart_while_they_are_written_down)
{
    for (uint32_t written = 1; written <= 4; written++) {
        write_down_and_restart(&(struct sim_options){.seed = seed,
                                                     .host_count = 4,
                                                     .seed_count = 3,
                                                     .voter_count = 3,
                                                     .disks = true,
                                                     .mixed = true,
                                                     .exclusive = true,
                                                     .guard = {GUARD_STRICT, 3},
                                                     .silent_ms = 63},
                               written);
    }
}

/* H81: of two operators one wants other voters and one other durations. */
Story(terms, under_strict_they_change_together_with_the_voters)
{
    struct sim *sim = story_of_strict(seed, 5);

    ask_for_profile(sim, E, PROFILE_LOCAL);
    sim_change_voters(sim, D, 1U << A | 1U << B | 1U << E, 0);
    story_check(comes_while_it_acts(sim, A, "ABCDE", 2, MINUTE_MS), seed);
    for (int i = 0; i < SETTLE_MS / 100; i++) { /* Z15e: not at once, and so again and again. */
        sim_change_voters(sim, D, 1U << A | 1U << B | 1U << E, 0);
        sim_run(sim, 100);
        story_check(sim_is_acting(sim, A), seed);
    }
    story_check(sim_has_settled(sim), seed);
    story_check(voter_lists_find_name(sim_lists(sim), sim_name(sim, E)) != VOTER_NONE, seed);
    story_check(voter_lists_find_name(sim_lists(sim), sim_name(sim, C)) == VOTER_NONE, seed);
    story_check(sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* A4a: that is a founding. */
Story(terms, nothing_becomes_strict_nor_ceases_to_be)
{
    struct sim *strict = story_of_strict(seed, 3);
    struct sim *other = story_of_changes(seed, 3, (struct guard){GUARD_NONE, 0}, false);
    struct rules_wish wish = {.rules = sim_rules(strict, A)};

    story_check(core_unagreed(sim_core(other, A), &wish) == UNAGREED_STRICT, seed);
    story_check(core_unagreed(sim_core(strict, A), &wish) == UNAGREED_SAME, seed);
    wish.rules = sim_rules(other, A);
    story_check(core_unagreed(sim_core(strict, A), &wish) == UNAGREED_STRICT, seed);
    sim_free(strict);
    sim_free(other);
}
