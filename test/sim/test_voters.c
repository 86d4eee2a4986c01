/* Voters that change while the cluster runs (Z10 to Z13): never two that act, one chain of views,
 * and whoever is lost is replaced. */
#include "story_voters.h"

enum { CHANGE_MS = 3000 };

/* Does the host know of the end of a change? */
static bool has_other_voters(struct sim *sim, uint32_t host)
{
    const struct voter_lists *known = &core_view(sim_core(sim, host))->voters;

    return known->number > 1 && !voter_lists_are_joint(known);
}

/* Does it come to know of that? */
static bool has_come(struct sim *sim, uint32_t host)
{
    for (uint64_t ms = 0; ms < 2 * CHANGE_MS; ms++) {
        if (has_other_voters(sim, host)) {
            return true;
        }
        sim_run(sim, 1);
    }
    return false;
}

static void acts_all_the_while(struct sim *sim, uint32_t host, uint64_t ms, uint64_t seed)
{
    for (; ms > 0; ms -= 10) {
        story_check(sim_is_acting(sim, host), seed);
        sim_run(sim, 10);
    }
}

static uint64_t replaced(struct sim *sim, uint32_t host, enum wisher by)
{
    return core_counters(sim_core(sim, host))->voters_replaced[by];
}

/* The disks have the end of a change before its coordinator hears so. */
static bool has_replaced_one(struct sim *sim, uint32_t host, enum wisher by)
{
    for (uint64_t ms = 0; ms < CHANGE_MS && replaced(sim, host, by) == 0; ms++) {
        sim_run(sim, 1);
    }
    return replaced(sim, host, by) == 1;
}

/* Then any two of the new three suffice, and the one that was replaced has no vote. */
Story(voters, a_lost_disk_is_replaced_by_another_member)
{
    struct sim *sim = story_of_voters_alone(seed, 5, 3);
    sim_crash(sim, C);
    sim_lose_record(sim, C);
    sim_start(sim, C);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    sim_change_voters(sim, E, story_set("ABD"), 0);
    acts_all_the_while(sim, A, 1000, seed);
    story_check(story_vote_alone(sim, story_set("ABD"), CHANGE_MS), seed);
    story_check(has_replaced_one(sim, A, WISHER_OPERATOR), seed);
    sim_crash(sim, B);
    sim_run(sim, 2 * CHANGE_MS);
    story_check(sim_is_acting(sim, A), seed);
    sim_free(sim);
}

Story(voters, a_lost_disk_gets_another_record_under_its_name)
{
    struct sim *sim = story_of_voters_alone(seed, 3, 3);
    sim_crash(sim, C);
    sim_lose_record(sim, C);
    sim_start(sim, C);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    sim_change_voters(sim, B, story_set("ABC"), story_set("C"));
    acts_all_the_while(sim, A, 1000, seed);
    story_check(story_vote_alone(sim, story_set("ABC"), CHANGE_MS), seed);
    story_check(has_replaced_one(sim, A, WISHER_OPERATOR), seed);
    sim_crash(sim, B);
    sim_run(sim, 2 * CHANGE_MS);
    story_check(sim_is_acting(sim, A), seed);
    sim_free(sim);
}

Story(voters, one_grows_to_three_and_back_to_another_one)
{
    struct sim *sim = story_of_voters_alone(seed, 3, 1);
    sim_change_voters(sim, A, story_set("ABC"), 0);
    story_check(story_vote_alone(sim, story_set("ABC"), CHANGE_MS), seed);
    sim_change_voters(sim, B, story_set("C"), 0);
    story_check(story_vote_alone(sim, story_set("C"), CHANGE_MS), seed);
    sim_crash(sim, B);
    acts_all_the_while(sim, A, 2000, seed);
    sim_crash(sim, A);
    sim_run(sim, 2 * CHANGE_MS);
    story_check(sim_is_acting(sim, C), seed);
    sim_free(sim);
}

/* H99: whoever was told that A acts, by the terms of before and under the list of before, may rely
 * on it for longer than B leases by those of now. */
Story(voters, one_is_exchanged_when_no_longer_lease_counts)
{
    struct sim *sim = story_of_voters_alone(seed, 3, 1);
    const struct timing local = timing_of(PROFILE_LOCAL);
    struct rules rules = sim_rules(sim, C);

    rules.profile = PROFILE_LOCAL;
    rules.heartbeat_ms = local.heartbeat_ms;
    rules.lost_ms = local.lost_ms;
    sim_skew(sim, A, -CLOCK_RATE_PPM_MAX);
    sim_run(sim, MINUTE_MS);
    sim_change_terms(sim, C, &rules);
    for (uint64_t ms = 0; !has_other_voters(sim, B); ms++) {
        story_check(ms < MINUTE_MS, seed);
        if (core_timing(sim_core(sim, A))->lease_ms == local.lease_ms && ms % 10 == 0) {
            sim_change_voters(sim, B, story_set("B"), 0);
        }
        sim_run(sim, 1);
    }
    sim_crash(sim, A);
    for (uint64_t ms = 0; !sim_is_acting(sim, B); ms++) {
        story_check(ms < MINUTE_MS, seed);
        sim_run(sim, 1);
    }
    sim_free(sim);
}

/* Neither is a quorum without the newcomer: three vote in between. */
Story(voters, one_of_two_is_replaced)
{
    struct sim *sim = story_of_voters_alone(seed, 4, 2);
    sim_change_voters(sim, A, story_set("AD"), 0);
    story_check(story_vote_alone(sim, story_set("AD"), CHANGE_MS), seed);
    story_check(sim_lists(sim)->number == 3, seed);
    sim_free(sim);
}

/* H80: it would need the newcomer itself. */
Story(voters, none_is_added_while_one_is_down)
{
    struct sim *sim = story_of_voters_alone(seed, 4, 3);
    sim_crash(sim, C);
    sim_run(sim, 5000);
    sim_change_voters(sim, A, story_set("ABCD"), 0);
    for (int i = 0; i < 2 * CHANGE_MS / 10; i++) {
        story_check(!story_are_listed(sim, story_set("ABCD")) && sim_lists(sim)->number == 1, seed);
        sim_run(sim, 10);
    }
    sim_change_voters(sim, A, story_set("ABD"), 0);
    story_check(story_vote_alone(sim, story_set("ABD"), CHANGE_MS), seed);
    sim_free(sim);
}

/* H85: what is left of a wish is its coordinator's. When that one is lost between two steps the
 * list is sound, and an operator wishes the rest again. */
Story(voters, a_wish_whose_coordinator_dies_is_wished_again)
{
    struct sim *sim = story_of_voters_alone(seed, 5, 2);
    sim_run(sim, 1000);
    sim_change_voters(sim, C, story_set("DE"), 0);
    story_check(has_come(sim, C), seed);
    story_check(!story_are_listed(sim, story_set("DE")), seed);
    sim_crash(sim, sim_coordinator(sim, C));
    story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
    for (uint64_t ms = 0; !story_are_listed(sim, story_set("DE")) || !sim_has_settled(sim);
         ms += 100) {
        story_check(ms < MINUTE_MS, seed);
        if (ms % CHANGE_MS == 0) {
            sim_change_voters(sim, C, story_set("DE"), 0);
        }
        sim_run(sim, 100);
    }
    sim_free(sim);
}

/* H53: a disk that is given back as it was looks sound, and has forgotten what it granted. Where
 * the others remember, nothing comes of it. */
Story(voters, a_disk_given_back_as_it_was_is_outvoted)
{
    struct sim *sim = story_of_voters_alone(seed, 5, 3);
    sim_back_up(sim, C);
    sim_change_voters(sim, A, story_set("ABCD"), 0);
    story_check(story_vote_alone(sim, story_set("ABCD"), CHANGE_MS), seed);
    sim_crash(sim, C);
    sim_crash(sim, sim_coordinator(sim, B));
    sim_restore(sim, C);
    sim_start(sim, C);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    story_check(story_are_listed(sim, story_set("ABCD")) && sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

static enum voter_status status_of(struct sim *sim, uint32_t host)
{
    return core_voter(sim_core(sim, host), sim_now_ms(sim)).status;
}

/* H79: a coordinator that has heard more of that record than it has now does not count it. It stays
 * so when its vote is the one that would be needed, and is replaced. */
Story(voters, a_disk_given_back_as_it_was_is_noticed_by_who_remembers)
{
    struct sim *sim = story_of_voters_alone(seed, 5, 3);
    sim_back_up(sim, C);
    for (uint32_t i = 0; i < 4; i++) {
        sim_set_tags(sim, D, i % 2 == 0 ? "role=db" : "role=web");
        sim_run(sim, 1000);
    }
    sim_run(sim, CHANGE_MS);
    sim_crash(sim, C);
    sim_restore(sim, C);
    sim_start(sim, C);
    acts_all_the_while(sim, A, MINUTE_MS / 2, seed);
    story_check(status_of(sim, C) == VOTER_OLDER, seed);
    sim_crash(sim, B);
    sim_run(sim, CHANGE_MS); /* Less than 2 T_stall, should nobody tell it any more (Z14b). */
    story_check(sim_acting_count(sim) == 0 && status_of(sim, C) == VOTER_OLDER, seed);
    sim_start(sim, B);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    sim_run(sim, 2 * CHANGE_MS); /* What was granted before is over (Z11f). */
    sim_change_voters(sim, B, story_set("ABD"), 0);
    story_check(story_vote_alone(sim, story_set("ABD"), CHANGE_MS), seed);
    sim_run(sim, CHANGE_MS);
    story_check(status_of(sim, C) == VOTER_RETIRED, seed);
    sim_free(sim);
}

/* Where its vote is the one that is needed, what was committed by it is lost (assumption 3 of
 * docs/strict.md), and the simulator sees that. */
Story(voters, a_disk_given_back_as_it_was_forgets_what_it_alone_knows)
{
    struct sim *sim = story_of_voters(seed, 3, 3, (struct sim_options){.lenient = true});
    const uint32_t coordinator = sim_coordinator(sim, A);
    const uint32_t forgets = (coordinator + 1) % 3;
    const uint32_t misses = (coordinator + 2) % 3;

    sim_back_up(sim, forgets);
    sim_isolate(sim, misses);
    sim_set_tags(sim, forgets, "role=db");
    sim_run(sim, 2 * CHANGE_MS);
    sim_crash(sim, coordinator);
    sim_crash(sim, forgets);
    sim_restore(sim, forgets);
    sim_rejoin_network(sim, misses);
    sim_start(sim, forgets);
    sim_run(sim, MINUTE_MS);
    cr_assert_not_null(sim_failure(sim), "seed %llu: nothing was lost", (unsigned long long)seed);
    sim_free(sim);
}

/* H86: whoever was removed, and switched off meanwhile, elects nobody. */
Story(voters, those_who_were_removed_elect_nobody)
{
    struct sim *sim = story_of_voters_alone(seed, 6, 3);
    sim_change_voters(sim, A, story_set("DEF"), 0);
    story_check(story_vote_alone(sim, story_set("DEF"), CHANGE_MS), seed);
    for (uint32_t host = A; host <= F; host++) {
        sim_crash(sim, host);
    }
    sim_run(sim, 1000);
    sim_start(sim, A);
    sim_start(sim, B);
    sim_start(sim, C);
    sim_run(sim, MINUTE_MS / 2);
    story_check(sim_acting_count(sim) == 0, seed);
    sim_start(sim, D);
    sim_start(sim, E);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    story_check(sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

/* H84: the coordinator dies at each moment of a change. */
Story(voters, a_coordinator_dies_in_the_midst_of_a_change)
{
    for (uint64_t ms = 0; ms < 40; ms += 2) {
        struct sim *sim = story_of_voters_alone(seed, 5, 3);
        sim_change_voters(sim, A, story_set("ABD"), 0);
        sim_run(sim, ms);
        sim_crash(sim, A);
        for (uint64_t waited = 0; waited < 2 * CHANGE_MS; waited += 10) {
            story_check(sim_acting_count(sim) <= 1, seed);
            sim_run(sim, 10);
        }
        story_check(sim_acting_count(sim) == 1 && sim_has_settled(sim), seed);
        story_check(story_are_listed(sim, story_set("ABC")) ||
                        story_are_listed(sim, story_set("ABD")),
                    seed);
        sim_free(sim);
    }
}

/* H81: one wins, and the other is of a number that is over. */
Story(voters, of_two_operators_one_has_his_way)
{
    struct sim *sim = story_of_voters_alone(seed, 6, 3);
    sim_change_voters(sim, E, story_set("ABD"), 0);
    sim_change_voters(sim, F, story_set("ABF"), 0);
    sim_run(sim, 2 * CHANGE_MS);
    story_check(sim_has_settled(sim) && sim_lists(sim)->number == 2, seed);
    story_check(story_are_listed(sim, story_set("ABD")) || story_are_listed(sim, story_set("ABF")),
                seed);
    sim_free(sim);
}

/* Z11i: cyrene missed a change, and knows athens and byzantium to vote, who are lost for good. It
 * is asked by delphi, of whom nobody else says that it votes; as a member, or when it has
 * restarted. */
Story(voters, one_that_missed_a_change_votes_with_who_came)
{
    for (int again = 0; again < 2; again++) {
        struct sim *sim = story_of_voters_alone(seed, 4, 3);
        sim_run(sim, 1000);
        const uint64_t asked = sim_sent(sim, A, MESSAGE_PING);
        while (sim_sent(sim, A, MESSAGE_PING) == asked) {
            sim_run(sim, 1);
        }
        sim_run(sim, 20); /* Cyrene has leased, and delphi is ready for the next round. */
        sim_change_voters(sim, A, story_set("ADC"), 0);
        for (uint32_t host = A; host <= D; host++) { /* While its lease counts (Z11f). */
            if (host != C) {
                sim_cut(sim, host, C);
            }
        }
        story_check(has_come(sim, D), seed);
        sim_crash(sim, A);
        sim_crash(sim, B);
        sim_heal(sim);
        if (again > 0) {
            sim_crash(sim, C);
            sim_start(sim, C);
        }
        story_check(sim_converges(sim, 2 * MINUTE_MS), seed);
        story_check(story_are_listed(sim, story_set("ADC")) && sim_acting_count(sim) == 1, seed);
        sim_free(sim);
    }
}

/* Z11i: a member that votes missed one change of the voters, or two. Then all restart, and no
 * quorum is left without it. */
Story(voters, one_that_missed_changes_votes_with_who_began_anew)
{
    for (int changes = 1; changes <= 2; changes++) {
        struct sim *sim = story_of_voters_alone(seed, 5, 5);
        const uint32_t listed = story_set(changes > 1 ? "ABC" : "ABCD");

        sim_run(sim, 1000);
        sim_isolate(sim, B);
        sim_run(sim, CHANGE_MS);
        sim_change_voters(sim, A, story_set("ABCD"), 0);
        sim_run(sim, CHANGE_MS);
        sim_change_voters(sim, A, listed, 0);
        sim_run(sim, CHANGE_MS);
        story_check(story_are_listed(sim, listed), seed);
        for (uint32_t host = A; host <= E; host++) {
            sim_crash(sim, host);
        }
        sim_rejoin_network(sim, B);
        sim_start(sim, B);
        sim_start(sim, C);
        if (changes == 1) {
            sim_start(sim, D);
        }
        story_check(sim_converges(sim, 2 * MINUTE_MS), seed);
        story_check(sim_acting_count(sim) == 1 && story_are_listed(sim, listed), seed);
        sim_free(sim);
    }
}

/* The same of a witness, where a member takes over that missed the change, too: it goes by what a
 * grant shows it, and can show no view with those voters itself. */
Story(voters, one_that_missed_a_change_votes_with_a_member_that_missed_it_too)
{
    struct sim *sim = story_of_voters(seed, 4, 3, (struct sim_options){.witness_count = 1});
    const uint32_t witness = sim_witness(sim, 0);
    const uint32_t its = UINT32_C(1) << witness;

    sim_change_voters(sim, A, story_set("ABC") | its, 0);
    story_check(story_vote_alone(sim, story_set("ABC") | its, CHANGE_MS), seed);
    sim_run(sim, 5000);
    sim_isolate(sim, D);
    sim_isolate(sim, witness);
    sim_change_voters(sim, A, story_set("AB") | its, 0);
    for (int ms = 0; ms < 2000 && !story_are_listed(sim, story_set("AB") | its); ms++) {
        sim_run(sim, 1);
    }
    sim_run(sim, 20); /* B's disk has it. */
    const struct view *shown = core_view(sim_core(sim, B));
    story_check(view_has(shown, &core_self(sim_core(sim, D))->id), seed); /* It was not missed. */
    sim_crash(sim, A);
    sim_crash(sim, B);
    sim_crash(sim, C);
    sim_heal(sim);
    sim_start(sim, B);
    story_check(sim_converges(sim, 2 * MINUTE_MS), seed);
    story_check(sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

/* H75: what it knows are voters of whom nobody votes any more. */
Story(voters, one_that_was_cut_off_during_three_changes_comes_in)
{
    struct sim *sim = story_of_voters_alone(seed, 6, 3);
    for (uint32_t host = A; host < F; host++) {
        sim_cut(sim, host, F);
    }
    sim_run(sim, 8000);
    sim_change_voters(sim, A, story_set("ABD"), 0);
    story_check(story_vote_alone(sim, story_set("ABD"), CHANGE_MS), seed);
    sim_change_voters(sim, A, story_set("AED"), 0);
    story_check(story_vote_alone(sim, story_set("AED"), CHANGE_MS), seed);
    sim_change_voters(sim, A, story_set("CED"), 0);
    story_check(story_vote_alone(sim, story_set("CED"), CHANGE_MS), seed);
    sim_heal(sim);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    story_check(sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

static void give_another_disk(struct sim *sim, uint32_t host)
{
    sim_crash(sim, host);
    sim_lose_record(sim, host);
    sim_wipe(sim, host);
}

/* Z8i: those to found with vote no more, or one of them is listed yet, and each has got another
 * disk since, and was in again. Then all restart. */
Story(voters, those_who_founded_and_lost_their_disks_found_no_second_cluster)
{
    static const char *const lists[] = {"DEF", "CDEF"};

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct sim *sim = story_of_voters_alone(seed, 6, 3);
        sim_run(sim, 2 * CHANGE_MS);
        sim_change_voters(sim, A, story_set(lists[i]), 0);
        story_check(story_vote_alone(sim, story_set(lists[i]), 2 * CHANGE_MS), seed);
        for (uint32_t host = A; host <= C; host++) {
            give_another_disk(sim, host);
            sim_start(sim, host);
            story_check(sim_converges(sim, MINUTE_MS), seed);
        }
        for (uint32_t host = A; host <= F; host++) {
            sim_crash(sim, host);
        }
        sim_run(sim, 1000);
        sim_start_together(sim);
        story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
        story_check(story_are_listed(sim, story_set(lists[i])), seed);
        sim_free(sim);
    }
}

static void cut_from_all_but(struct sim *sim, uint32_t host, uint32_t other)
{
    for (uint32_t peer = A; peer < sim_host_count(sim); peer++) {
        if (peer != host && peer != other) {
            sim_cut(sim, host, peer);
        }
    }
}

static void leave_alone(struct sim *sim, uint32_t host, uint32_t other)
{
    cut_from_all_but(sim, host, other);
    cut_from_all_but(sim, other, host);
}

/* D, E and F vote. A and B, whose disks are new, meet nobody else, and B makes a record for the
 * founding of A. Then B comes in, and A is cut off. */
static struct sim *with_one_asked_for_another_founding(uint64_t seed)
{
    struct sim *sim = story_of_voters_alone(seed, 6, 3);

    sim_run(sim, 2 * CHANGE_MS);
    sim_change_voters(sim, A, story_set("DEF"), 0);
    story_check(story_vote_alone(sim, story_set("DEF"), 2 * CHANGE_MS), seed);
    give_another_disk(sim, A);
    give_another_disk(sim, B);
    leave_alone(sim, A, B);
    sim_start(sim, A);
    sim_start(sim, B);
    sim_run(sim, SETTLE_MS);
    story_check(sim_sent(sim, B, MESSAGE_VOTE) > 0, seed);
    sim_heal(sim);
    sim_isolate(sim, A);
    sim_run(sim, 2 * SETTLE_MS);
    story_check(sim_phase(sim, B) == PHASE_MEMBER, seed);
    return sim;
}

/* C has lost its disk, too, and A hears of it alone; then all hear each other. */
static void have_another_asked(struct sim *sim)
{
    give_another_disk(sim, C);
    sim_rejoin_network(sim, A);
    leave_alone(sim, A, C);
    sim_start(sim, C);
    sim_run(sim, 2 * STALLED_MS);
    sim_heal(sim);
}

/* Z8c: B votes in the cluster that there is, with another record than that for A. When C has lost
 * its disk, B alone knows of that cluster; and A hears of C, and has been told by B before. */
Story(voters, who_has_given_up_its_record_since_is_counted_in_no_founding)
{
    struct sim *sim = with_one_asked_for_another_founding(seed);

    sim_change_voters(sim, D, story_set("BDEF"), 0);
    story_check(story_vote_alone(sim, story_set("BDEF"), 2 * CHANGE_MS), seed);
    have_another_asked(sim);
    story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
    story_check(story_are_listed(sim, story_set("BDEF")), seed);
    sim_free(sim);
}

/* Z8i: all three come in with a record for the founding of A. Then all restart, and the three
 * meet. */
Story(voters, who_comes_in_with_a_record_for_a_founding_founds_no_second_cluster)
{
    struct sim *sim = with_one_asked_for_another_founding(seed);

    have_another_asked(sim);
    story_check(sim_sent(sim, C, MESSAGE_VOTE) > 0, seed);
    story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
    for (uint32_t host = A; host <= F; host++) {
        sim_crash(sim, host);
    }
    for (uint32_t host = A; host <= C; host++) {
        sim_start(sim, host);
    }
    sim_run(sim, 2 * STALLED_MS);
    story_check(sim_acting_count(sim) == 0, seed);
    for (uint32_t host = D; host <= F; host++) {
        sim_start(sim, host);
    }
    story_check(sim_converges(sim, MINUTE_MS) && sim_acting_count(sim) == 1, seed);
    story_check(story_are_listed(sim, story_set("DEF")), seed);
    sim_free(sim);
}

/* --- By themselves (Z17) --- */

enum {
    REPLACED_MS = 30000, /* T_replace with the profile local */
    STAYED_MS = 10000,   /* T_flap */
    SOON_MS = 15000,
};

static struct sim *with_target(uint64_t seed, uint32_t hosts, uint32_t voters, uint8_t target)
{
    return story_of_voters(seed, hosts, voters,
                           (struct sim_options){.voters_target = target, .profile = PROFILE_LOCAL});
}

/* Are these the voters, and no others at any time before? */
static bool stay(struct sim *sim, const char *hosts, uint64_t ms)
{
    for (uint64_t passed_ms = 0; passed_ms < ms; passed_ms += 100) {
        if (!story_are_listed(sim, story_set(hosts))) {
            return false;
        }
        sim_run(sim, 100);
    }
    return true;
}

/* Z17a: and what it was a voter with is retired when it is there again. */
Story(voters, one_that_is_gone_is_replaced_when_its_time_is_over)
{
    struct sim *sim = with_target(seed, 4, 3, 3);

    sim_run(sim, STAYED_MS);
    sim_crash(sim, C);
    story_check(stay(sim, "ABC", REPLACED_MS - 1000), seed);
    story_check(story_vote_alone(sim, story_set("ABD"), SOON_MS), seed);
    story_check(has_replaced_one(sim, A, WISHER_AUTOPILOT), seed);
    story_check(replaced(sim, A, WISHER_OPERATOR) == 0, seed);
    story_check(sim_is_acting(sim, A), seed);
    sim_start(sim, C);
    story_check(stay(sim, "ABD", 2 * REPLACED_MS), seed);
    sim_free(sim);
}

/* Its host is there all the while, but its vote is not (Z8i). The same host stands in, though
 * another one could. */
Story(voters, one_that_lost_its_record_gets_another_when_its_time_is_over)
{
    struct sim *sim = with_target(seed, 4, 3, 3);

    sim_run(sim, STAYED_MS);
    sim_crash(sim, C);
    sim_lose_record(sim, C);
    sim_start(sim, C);
    story_check(stay(sim, "ABC", REPLACED_MS - 1000), seed);
    story_check(!sim_all_vote(sim), seed);
    story_check(story_vote_alone(sim, story_set("ABC"), SOON_MS), seed);
    story_check(has_replaced_one(sim, A, WISHER_AUTOPILOT), seed);
    story_check(sim_all_vote(sim) && sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* Z1b: whoever coordinates need not vote, and is replaced like the others. */
Story(voters, one_that_cannot_write_is_replaced_by_another)
{
    struct sim *sim = with_target(seed, 4, 3, 3);

    sim_run(sim, STAYED_MS);
    sim_fail_record(sim, A, true);
    sim_crash(sim, A);
    sim_start(sim, A);
    sim_run(sim, STAYED_MS);
    const uint32_t acting = sim_is_acting(sim, B) ? B : C;
    story_check(stay(sim, "ABC", REPLACED_MS - STAYED_MS - 1000), seed);
    story_check(story_vote_alone(sim, story_set("BCD"), STAYED_MS + SOON_MS), seed);
    story_check(sim_all_vote(sim) && sim_is_acting(sim, acting), seed);
    sim_free(sim);
}

/* Never by two, where the loss of either stops all. */
Story(voters, one_becomes_three_at_once)
{
    struct sim *sim = with_target(seed, 3, 1, 3);

    sim_crash(sim, C);
    story_check(stay(sim, "A", STAYED_MS + SOON_MS), seed);
    sim_start(sim, C);
    for (uint64_t ms = 0; ms < STAYED_MS + SOON_MS && story_are_listed(sim, story_set("A")); ms++) {
        sim_run(sim, 1);
    }
    story_check(sim_lists(sim)->count == 3, seed);
    story_check(story_vote_alone(sim, story_set("ABC"), SOON_MS), seed);
    sim_crash(sim, A);
    sim_run(sim, CHANGE_MS);
    story_check(sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

/* H100 */
Story(voters, one_that_comes_and_goes_is_not_replaced)
{
    struct sim *sim = with_target(seed, 4, 3, 3);

    for (int i = 0; i < 6; i++) {
        sim_crash(sim, C);
        story_check(stay(sim, "ABC", REPLACED_MS / 2), seed);
        sim_start(sim, C);
        story_check(stay(sim, "ABC", 3000), seed);
    }
    sim_free(sim);
}

/* H100: the smaller side does not act, and the other has nobody who could stand in. */
Story(voters, nobody_is_replaced_without_another_or_without_a_quorum)
{
    struct sim *sim = with_target(seed, 5, 3, 3);

    sim_run(sim, STAYED_MS);
    for (uint32_t host = B; host <= C; host++) {
        sim_cut(sim, A, host);
        sim_cut(sim, D, host);
        sim_cut(sim, E, host);
    }
    story_check(stay(sim, "ABC", 2 * REPLACED_MS), seed);
    const uint32_t other = sim_is_acting(sim, B) ? B : C;
    story_check(sim_is_acting(sim, other), seed);
    const struct autopilot_state state = core_autopilot(sim_core(sim, other));
    story_check(state.lacks && state.goes[0] != '\0' && state.comes[0] == '\0', seed);
    sim_heal(sim);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    story_check(stay(sim, "ABC", 2 * REPLACED_MS), seed);
    sim_free(sim);
}

/* H100: of five, one after the other, with as long between them as it takes to be sure. */
Story(voters, of_two_that_are_lost_both_are_replaced)
{
    struct sim *sim = with_target(seed, 7, 5, 5);

    sim_run(sim, STAYED_MS);
    sim_crash(sim, D);
    sim_run(sim, REPLACED_MS / 2);
    sim_crash(sim, E);
    sim_run(sim, REPLACED_MS + SOON_MS);
    story_check(voter_lists_length(sim_lists(sim)) == 5, seed);
    sim_run(sim, REPLACED_MS + SOON_MS);
    story_check(story_vote_alone(sim, story_set("ABCFG"), SOON_MS), seed);
    story_check(sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* --- Leases that were told of (Z15e) --- */

static bool has_accepted_both_lists(const struct sim *sim, uint32_t host)
{
    return voter_lists_are_joint(&core_accepted(sim_core(sim, host))->voters);
}

static void loses_what_is_sent(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_lose(sim, from, to, MESSAGE_PREPARE, UINT32_MAX);
    sim_lose(sim, from, to, MESSAGE_COMMIT, UINT32_MAX);
}

/* H99, U4d: a client of A was told that it may act by the leases of C and F. B, whose lease ends
 * sooner as it restarts, is shown by C what names the new list. B and D, which hears no question
 * any more, are a quorum of that: B has accepted it only with a lease. */
Story(voters, a_client_relies_on_what_it_was_told_under_the_former_list)
{
    struct sim *sim = story_of_voters(seed, 6, 3, (struct sim_options){.heartbeat_ms = 340});

    sim_change_voters(sim, A, story_set("BCF"), 0);
    story_check(story_vote_alone(sim, story_set("BCF"), MINUTE_MS), seed);
    sim_run(sim, SETTLE_MS);
    loses_what_is_sent(sim, A, D);
    sim_change_voters(sim, A, story_set("BDF"), 0);
    for (uint32_t ms = 0; ms < MINUTE_MS && !has_accepted_both_lists(sim, B); ms++) {
        sim_run(sim, 1);
    }
    story_check(has_accepted_both_lists(sim, B), seed);
    sim_lose(sim, A, D, MESSAGE_PING, UINT32_MAX);
    loses_what_is_sent(sim, A, B);
    sim_lose(sim, A, B, MESSAGE_PING, UINT32_MAX);
    sim_crash(sim, B);
    sim_start(sim, B);
    const uint64_t version = sim_version(sim, A);
    for (uint32_t ms = 0; ms < MINUTE_MS && sim_version(sim, A) == version; ms++) {
        sim_run(sim, 1);
    }
    story_check(sim_version(sim, A) > version, seed);
    sim_run(sim, sim_timing(sim).prepare_ms / 2);
    sim_crash(sim, A);
    sim_run(sim, SETTLE_MS);
    sim_free(sim);
}
