/* Two nodes and a witness (Z16): whoever of the three is lost, the others go on; and a witness
 * comes and goes like any voter. */
#include "story_voters.h"

enum {
    RUNS = 60,
    CHANGE_MS = 4000,
    GAP_MS_MAX = 400,        /* for so long acting may be interrupted, */
    GAPS_MAX = 12,           /* and in so many of the runs; it is every tenth, by chance */
    TAKE_OVER_MS_MAX = 2000, /* half of the runs come to act within it */
    WATCHED_MS = 6000,
    TAKE_BACK_MS_MAX = 3000, /* less than such a lease of a far witness lasts */
};

/* The way to and fro takes 200 ms, and one of twenty packets is lost on each way. */
static const struct quality far_away = {
    .latency_us_min = 180000, .latency_us_max = 220000, .loss_ppm = 97500};

static struct sim *with_a_witness(uint64_t seed, uint32_t hosts, uint32_t voters)
{
    return story_of_voters(seed, hosts, voters, (struct sim_options){.witness_count = 1});
}

static uint32_t bit_of(uint32_t host)
{
    return UINT32_C(1) << host;
}

/* A, B and the witness vote, and A has acted for a while. */
static struct sim *two_and_witness(uint64_t seed, const struct quality *quality)
{
    struct sim *sim = with_a_witness(seed, 2, 2);
    const uint32_t witness = sim_witness(sim, 0);

    sim_set_quality_from(sim, witness, quality);
    sim_change_voters(sim, A, bit_of(A) | bit_of(B) | bit_of(witness), 0);
    story_check(story_vote_alone(sim, bit_of(A) | bit_of(B) | bit_of(witness), CHANGE_MS), seed);
    sim_run(sim, 5000 + seed * 37);
    story_check(sim_is_acting(sim, A), seed);
    return sim;
}

/* The longest time for which the host does not act. */
static uint64_t longest_gap_ms(struct sim *sim, uint32_t host, uint64_t ms)
{
    uint64_t longest_ms = 0;
    uint64_t gap_ms = 0;

    for (; ms > 0; ms--) {
        gap_ms = sim_is_acting(sim, host) ? 0 : gap_ms + 1;
        longest_ms = gap_ms > longest_ms ? gap_ms : longest_ms;
        sim_run(sim, 1);
    }
    return longest_ms;
}

/* Z11e: what it has would be retired as soon as it learns that it voted no more (Z11h). */
Story(witness, one_that_does_not_know_that_it_was_removed_votes_again)
{
    struct sim *sim = two_and_witness(seed, &far_away);
    const uint32_t witness = sim_witness(sim, 0);

    sim_isolate(sim, witness);
    sim_change_voters(sim, A, bit_of(A) | bit_of(B), 0);
    story_check(story_vote_alone(sim, bit_of(A) | bit_of(B), CHANGE_MS), seed);
    sim_heal(sim);
    sim_change_voters(sim, A, bit_of(A) | bit_of(B) | bit_of(witness), 0);
    story_check(story_vote_alone(sim, bit_of(A) | bit_of(B) | bit_of(witness), CHANGE_MS), seed);
    sim_run(sim, 2000);
    story_check(sim_all_vote(sim), seed);
    sim_free(sim);
}

/* H88 */
Test(witness, the_other_one_is_lost)
{
    uint32_t gaps = 0;
    uint64_t worst_ms = 0;

    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        struct sim *sim = two_and_witness(seed, &far_away);
        sim_vanish(sim, B);
        const uint64_t gap_ms = longest_gap_ms(sim, A, WATCHED_MS);
        gaps += gap_ms > 0;
        worst_ms = gap_ms > worst_ms ? gap_ms : worst_ms;
        story_check(gap_ms <= GAP_MS_MAX, seed);
        story_check(core_view(sim_core(sim, A))->member_count == 1, seed);
        sim_free(sim);
    }
    cr_log_info("%u gaps, the longest of %llu ms", gaps, (unsigned long long)worst_ms);
    cr_assert_leq(gaps, GAPS_MAX);
}

static uint64_t acts_after_ms(struct sim *sim, uint32_t host, uint64_t limit_ms)
{
    uint64_t ms = 0;

    for (; ms < limit_ms && !sim_is_acting(sim, host); ms++) {
        sim_run(sim, 1);
    }
    return ms;
}

/* H88 */
Test(witness, the_coordinator_is_lost)
{
    uint32_t in_time = 0;

    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        struct sim *sim = two_and_witness(seed, &far_away);
        sim_vanish(sim, A);
        const uint64_t ms = acts_after_ms(sim, B, 4 * TAKE_OVER_MS_MAX);
        cr_log_info("seed %llu: %llu ms", (unsigned long long)seed, (unsigned long long)ms);
        in_time += ms <= TAKE_OVER_MS_MAX;
        story_check(sim_is_acting(sim, B), seed);
        sim_free(sim);
    }
    cr_assert_geq(in_time, RUNS / 2 + 1);
}

/* Nothing happens; but then neither of the two may be lost until it is back. */
Story(witness, it_is_lost_itself)
{
    const struct quality usual = sim_default_quality();
    struct sim *sim = two_and_witness(seed, &usual);
    const uint32_t witness = sim_witness(sim, 0);

    sim_crash(sim, witness);
    story_check(longest_gap_ms(sim, A, 3000) == 0, seed);
    sim_crash(sim, B);
    sim_run(sim, 3000);
    story_check(sim_acting_count(sim) == 0, seed);
    sim_start(sim, witness);
    sim_run(sim, 3000);
    story_check(sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* Whoever coordinates asks it first, and is leased to. */
Story(witness, the_two_are_cut_apart)
{
    struct sim *sim = two_and_witness(seed, &far_away);

    sim_cut(sim, A, B);
    story_check(longest_gap_ms(sim, A, WATCHED_MS) <= GAP_MS_MAX, seed);
    story_check(!sim_is_acting(sim, B), seed);
    sim_heal(sim);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    story_check(sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* H88: as long as it takes until the witness is asked, again and again. */
Story(witness, the_other_one_comes_and_goes)
{
    struct sim *sim = two_and_witness(seed, &far_away);

    for (int i = 0; i < 8; i++) {
        sim_cut(sim, A, B);
        story_check(longest_gap_ms(sim, A, 450 + (uint64_t)i * 50) <= GAP_MS_MAX, seed);
        sim_mend(sim, A, B);
        story_check(longest_gap_ms(sim, A, 400) <= GAP_MS_MAX, seed);
    }
    sim_free(sim);
}

/* H84: at each moment of adding a witness. */
Story(witness, the_coordinator_dies_while_it_is_added)
{
    for (uint64_t ms = 0; ms < 40; ms += 2) {
        struct sim *sim = with_a_witness(seed, 3, 3);
        const uint32_t nodes = bit_of(A) | bit_of(B) | bit_of(C);
        const uint32_t all = nodes | bit_of(sim_witness(sim, 0));
        sim_change_voters(sim, A, all, 0);
        sim_run(sim, ms);
        sim_crash(sim, A);
        sim_run(sim, 2 * CHANGE_MS);
        story_check(sim_acting_count(sim) == 1, seed);
        story_check(!voter_lists_are_joint(sim_lists(sim)), seed);
        story_check(story_are_listed(sim, nodes) || story_are_listed(sim, all), seed);
        sim_free(sim);
    }
}

/* It learns that it votes no more, and may be asked again. */
Story(witness, a_third_node_takes_its_place_and_it_comes_back)
{
    struct sim *sim = with_a_witness(seed, 3, 2);
    const uint32_t witness = sim_witness(sim, 0);
    const uint32_t two = bit_of(A) | bit_of(B);

    sim_change_voters(sim, A, two | bit_of(witness), 0);
    story_check(story_vote_alone(sim, two | bit_of(witness), CHANGE_MS), seed);
    sim_run(sim, 100); /* Its coordinator knows it last. */
    sim_change_voters(sim, B, two | bit_of(C), 0);
    story_check(story_vote_alone(sim, two | bit_of(C), CHANGE_MS), seed);
    sim_run(sim, 100);
    story_check(core_voter(sim_core(sim, witness), 0).status == VOTER_RETIRED, seed);
    sim_change_voters(sim, C, two | bit_of(witness), 0);
    story_check(story_vote_alone(sim, two | bit_of(witness), CHANGE_MS), seed);
    sim_vanish(sim, A);
    sim_run(sim, 2 * CHANGE_MS);
    story_check(sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

/* Z4a: it makes no tests of C2, and would be bound again and again, and its coordinator with it. */
Story(witness, one_that_hears_nobody_does_not_bind_it)
{
    struct sim *sim = with_a_witness(seed, 3, 2);
    const uint32_t witness = sim_witness(sim, 0);
    const uint32_t all = bit_of(A) | bit_of(B) | bit_of(witness);

    sim_change_voters(sim, A, all, 0);
    story_check(story_vote_alone(sim, all, CHANGE_MS), seed);
    const uint64_t epoch = sim_epoch(sim, A);
    sim_break(sim, C);
    for (uint32_t host = A; host <= witness; host++) {
        if (host != C) {
            sim_cut_one_way(sim, host, C);
        }
    }
    sim_run(sim, MINUTE_MS);
    story_check(core_voter(sim_core(sim, witness), 0).promise.epoch == epoch, seed);
    story_check(sim_epoch(sim, A) == epoch && sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* Z11i: it could not write, or was not reached, while the voters were changed. Then all restart but
 * one that nobody waits for, and no quorum is left without it. */
Story(witness, it_missed_a_change_and_all_began_anew)
{
    for (int cut_off = 0; cut_off < 2; cut_off++) {
        struct sim *sim = with_a_witness(seed, 3, 3);
        const uint32_t witness = sim_witness(sim, 0);
        const uint32_t two = bit_of(A) | bit_of(B) | bit_of(witness);

        sim_change_voters(sim, A, two | bit_of(C), 0);
        story_check(story_vote_alone(sim, two | bit_of(C), CHANGE_MS), seed);
        if (cut_off > 0) {
            sim_isolate(sim, witness);
        } else {
            sim_fail_record(sim, witness, true);
        }
        sim_change_voters(sim, A, two, 0);
        story_check(story_vote_alone(sim, two, CHANGE_MS), seed);
        sim_run(sim, 1000);
        for (uint32_t host = A; host <= C; host++) {
            sim_crash(sim, host);
        }
        sim_rejoin_network(sim, witness);
        sim_fail_record(sim, witness, false);
        sim_start(sim, B);
        sim_start(sim, C);
        story_check(sim_converges(sim, 2 * MINUTE_MS), seed);
        story_check(sim_is_acting(sim, B) && story_are_listed(sim, two), seed);
        sim_free(sim);
    }
}

/* H87 */
Story(witness, it_gets_another_record_when_its_disk_is_lost)
{
    const struct quality usual = sim_default_quality();
    struct sim *sim = two_and_witness(seed, &usual);
    const uint32_t witness = sim_witness(sim, 0);
    const uint32_t all = bit_of(A) | bit_of(B) | bit_of(witness);

    sim_crash(sim, witness);
    sim_lose_record(sim, witness);
    sim_start(sim, witness);
    sim_change_voters(sim, A, all, bit_of(witness));
    story_check(longest_gap_ms(sim, A, 1000) == 0, seed);
    story_check(story_vote_alone(sim, all, CHANGE_MS) && sim_lists(sim)->number == 3, seed);
    sim_vanish(sim, B);
    story_check(longest_gap_ms(sim, A, WATCHED_MS) <= GAP_MS_MAX, seed);
    sim_free(sim);
}

/* While members suffice it is asked so seldom that it is known to live, and else left alone. */
Story(witness, it_is_left_alone_while_the_others_are_there)
{
    struct sim *sim = two_and_witness(seed, &far_away);
    const uint32_t witness = sim_witness(sim, 0);
    const uint64_t answers = sim_sent(sim, witness, MESSAGE_PONG);

    sim_run(sim, 10 * MINUTE_MS);
    story_check(sim_sent(sim, witness, MESSAGE_PONG) - answers <= 8, seed);
    story_check(sim_knows_witness(sim, A, witness), seed);
    sim_free(sim);
}

/* From A to B, which does not vote: nobody wins without the witness. */
static struct sim *with_a_transfer(uint64_t seed)
{
    struct sim *sim = two_and_witness(seed, &far_away);
    const uint32_t voters = bit_of(A) | bit_of(sim_witness(sim, 0));

    sim_change_voters(sim, A, voters, 0);
    story_check(story_vote_alone(sim, voters, CHANGE_MS), seed);
    sim_run(sim, WATCHED_MS);
    sim_transfer(sim, A, B);
    return sim;
}

/* E6a: the witness, which takes no member's word that its lease is over, has leased for longer than
 * 2 T_lost to A. */
Story(witness, a_far_one_does_not_keep_a_move_from_coming_about)
{
    struct sim *sim = with_a_transfer(seed);

    sim_run(sim, 2 * WATCHED_MS);
    story_check(sim_is_acting(sim, B), seed);
    sim_free(sim);
}

/* E6a: the lease that would keep the successor out keeps nobody out who asks for its own again. */
Story(witness, a_far_one_is_not_waited_for_when_the_successor_is_lost)
{
    struct sim *sim = with_a_transfer(seed);

    sim_vanish(sim, B);
    story_check(longest_gap_ms(sim, A, WATCHED_MS) <= TAKE_BACK_MS_MAX, seed);
    story_check(sim_is_acting(sim, A), seed);
    sim_free(sim);
}
