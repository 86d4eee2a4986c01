/* What a voter of guard strict grants, and to whom (Z1, Z2). Each story is the shortest way to two
 * coordinators at once, or to a view that is forgotten, if its rule were not there. */
#include <criterion/criterion.h>

#include "core/agreement/voter.h"
#include "core/agreement/voting.h"
#include "voter_bench.h"

/* --- What it tells the coordinator of its view --- */

/* What it is bound to as seen by the coordinator of the view of those members, of epoch 1. */
static uint64_t promised_in(struct voter_bench *bench, const char *letters)
{
    struct built_view built = view_of(letters);

    built.view.epoch = 1;
    view_copy(&bench->core->view, &built.view);
    view_built_free(&built);
    return voting_own_promise(bench->core);
}

/* Y has the epoch that this voter has promised to X: only above that it can be bound to Y (Z6b). */
Test(voter, tells_one_epoch_more_where_the_promised_one_is_another_lifes)
{
    struct voter_bench *bench = bench_promised_to_x();

    cr_assert_eq(promised_in(bench, "X A"), 1);
    cr_assert_eq(promised_in(bench, "Y A"), 2);
    bench_free(bench);
}

/* --- Whom it binds itself to --- */

Test(voter, grants_a_first_claim_and_is_bound)
{
    struct voter_bench *bench = bench_new();

    cr_assert_eq(bench_claims(bench, 'X', 3), VOTE_WAITS);
    cr_assert(bench_is_promised(bench, 'X', 3));
    cr_assert_eq(bench_state(bench).until_ms, 0, "a claim leases nothing");
    bench_free(bench);
}

Test(voter, grants_the_same_claim_again)
{
    struct voter_bench *bench = bench_promised_to_x();

    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_GRANTED);
    cr_assert_not(bench_wants_sync(bench), "nothing has changed");
    bench_free(bench);
}

Test(voter, goes_up_with_the_same_life_at_any_time)
{
    struct voter_bench *bench = bench_promised_to_x();

    cr_assert_eq(bench_claims(bench, 'X', 5), VOTE_WAITS);
    cr_assert(bench_is_promised(bench, 'X', 5));
    cr_assert_eq(bench_state(bench).until_ms, bench->lease_ms, "the lease is of the life");
    bench_free(bench);
}

/* Z2c. A and B elect X, X acts; if A and B granted Y's claim at once, Y would act beside X. */
Test(voter, nowait_a_lease_is_waited_out)
{
    struct voter_bench *bench = bench_promised_to_x();

    bench->now_ms += bench->lease_ms - 1;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_REFUSED_LEASE);
    cr_assert_eq(bench->vote.wait_ms, 1);
    cr_assert(bench_is_promised(bench, 'X', 1));
    bench->now_ms += 1;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    cr_assert(bench_is_promised(bench, 'Y', 2));
    cr_assert_eq(bench_state(bench).until_ms, 0);
    bench_free(bench);
}

/* Z2e: each question of the coordinator makes the lease last longer, from its receipt. */
Test(voter, a_lease_lasts_from_the_last_question)
{
    struct voter_bench *bench = bench_promised_to_x();

    bench->now_ms += bench->lease_ms - 1;
    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_GRANTED);
    cr_assert_eq(bench_state(bench).until_ms, bench->lease_ms);
    bench->now_ms += bench->lease_ms - 1;
    cr_assert_eq(bench_prepares(bench, 'X', 1, 1), VOTE_GRANTED);
    cr_assert_eq(bench_state(bench).until_ms, bench->lease_ms);
    bench_free(bench);
}

/* Z2b. A has promised (2,Y); if it leased to (1,X), which asks late, X would count it, and Y be
 * elected by it. */
Test(voter, below_a_question_below_the_promise_is_refused)
{
    struct voter_bench *bench = bench_promised_to_x();

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_REFUSED_EPOCH);
    cr_assert_eq(bench->vote.promised, 2);
    cr_assert_eq(bench_state(bench).until_ms, 0, "no lease either");
    bench_free(bench);
}

/* Z2b. A promised (2,Y) and is asked to accept (1,X) afterwards: X would commit what Y, who asked A
 * before, does not know. */
Test(voter, nopromise_a_proposal_below_the_promise_is_refused)
{
    struct voter_bench *bench = bench_new();

    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    cr_assert_eq(bench_prepares(bench, 'X', 1, 4), VOTE_REFUSED_EPOCH);
    cr_assert_eq(bench->vote.promised, 2);
    cr_assert_eq(bench_state(bench).accepted.version, 0, "nothing is accepted");
    bench_free(bench);
}

/* Z2b, with the lease over: two lives would have one epoch. */
Test(voter, twice_one_epoch_is_granted_to_one_life)
{
    struct voter_bench *bench = bench_promised_to_x();

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_claims(bench, 'Y', 1), VOTE_REFUSED_EPOCH);
    cr_assert_eq(bench->vote.promised, 1);
    cr_assert_eq(bench_asks(bench, 'Y', 1), VOTE_REFUSED_EPOCH);
    cr_assert_eq(bench_prepares(bench, 'Y', 1, 7), VOTE_REFUSED_EPOCH);
    cr_assert(bench_is_promised(bench, 'X', 1));
    bench_free(bench);
}

/* A voter that has not heard of a reign yet learns of it from what it asks or proposes. */
Test(voter, is_bound_by_any_of_the_questions)
{
    struct voter_bench *bench = bench_new();

    cr_assert_eq(bench_asks(bench, 'X', 3), VOTE_WAITS);
    cr_assert(bench_is_promised(bench, 'X', 3));
    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_prepares(bench, 'Y', 4, 1), VOTE_WAITS);
    cr_assert(bench_is_promised(bench, 'Y', 4));
    cr_assert_eq(bench_state(bench).accepted.epoch, 4);
    bench_free(bench);
}

/* Z2e: an older proposal of the same reign that comes late takes nothing back; and a grant
 * that the record does not hold would let a view be committed that the next one does not find. */
Test(voter, keeps_the_highest_view_that_it_accepted)
{
    struct voter_bench *bench = bench_promised_to_x();

    cr_assert_eq(bench_prepares(bench, 'X', 1, 3), VOTE_WAITS);
    cr_assert_eq(bench_prepares(bench, 'X', 1, 2), VOTE_REFUSED_EPOCH);
    cr_assert_eq(bench->vote.promised, 1);
    cr_assert_eq(bench_state(bench).accepted.version, 3);
    cr_assert_eq(bench_prepares(bench, 'X', 1, 3), VOTE_WAITS, "the same one again");
    bench_free(bench);
}

/* Z2e: one name, another content. */
Test(voter, grants_no_view_beside_the_one_that_it_accepted)
{
    struct voter_bench *bench = bench_promised_to_x();

    cr_assert_eq(bench_prepares(bench, 'X', 1, 3), VOTE_WAITS);
    bench->core->voter.accepted.hash ^= 1;
    cr_assert_eq(bench_prepares(bench, 'X', 1, 3), VOTE_REFUSED_EPOCH);
    bench_free(bench);
}

/* V7: it would be on the disk for good, and use up all epochs below it. */
Test(voter, an_epoch_that_leaps_is_not_promised)
{
    struct voter_bench *bench = bench_promised_to_x();

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_claims(bench, 'Y', 2 + LEAP_MAX), VOTE_UNPROVED);
    cr_assert_eq(bench_asks_unproved(bench, 'Y', 2 + LEAP_MAX), VOTE_UNPROVED);
    cr_assert_eq(bench_prepares_unproved(bench, 'Y', 2 + LEAP_MAX, 1), VOTE_UNPROVED);
    cr_assert_eq(bench_claims(bench, 'Y', COUNTER_MAX + 1), VOTE_MUTE);
    cr_assert(bench_is_promised(bench, 'X', 1));
    bench_free(bench);
}

/* H48: whoever is elected next would build on it, and forget what was committed. */
Test(voter, a_stranger_proves_itself_before_its_proposal_is_accepted)
{
    struct voter_bench *bench = bench_promised_to_x();

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_prepares_unproved(bench, 'Y', 2, 1), VOTE_UNPROVED);
    cr_assert(bench_is_promised(bench, 'X', 1));
    cr_assert_eq(bench_prepares(bench, 'Y', 2, 1), VOTE_WAITS);
    bench_free(bench);
}

/* H48: it need not receive the answers to hold that lease for ever, and nobody would act. */
Test(voter, a_stranger_proves_itself_before_it_gets_a_lease)
{
    struct voter_bench *bench = bench_promised_to_x();

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_asks_unproved(bench, 'Y', 2), VOTE_UNPROVED);
    cr_assert(bench_is_promised(bench, 'X', 1));
    cr_assert_eq(bench_asks(bench, 'Y', 2), VOTE_WAITS);
    bench_free(bench);
}

/* V7c: half of a leap in each T_stall, whoever asks how often; or both would wait for ever. */
Test(voter, comes_near_an_epoch_that_leaps)
{
    struct voter_bench *bench = bench_promised_to_x();
    const uint64_t epoch = 2 + LEAP_MAX;

    bench->now_ms += bench->core->timing.stall_ms;
    const uint64_t before = bench->core->promise.seen;
    cr_assert_eq(bench_claims(bench, 'Y', epoch), VOTE_UNPROVED);
    cr_assert_eq(bench->core->promise.seen, before, "for it is a stranger");
    const struct vote_question asked = bench_question(VOTE_CLAIM, 'Y', epoch);
    voter_proved(bench->core, &asked.ballot.life);
    for (int i = 0; i < 10; i++) {
        cr_assert_eq(bench_claims(bench, 'Y', epoch), VOTE_MUTE);
        cr_assert_eq(bench->core->promise.seen, before + SAID_LEAP_MAX);
    }
    cr_assert_eq(bench_claims(bench, 'Y', COUNTER_MAX + 1), VOTE_MUTE);
    bench->now_ms += bench->core->timing.stall_ms;
    cr_assert_eq(bench_claims(bench, 'Y', epoch), VOTE_WAITS);
    cr_assert(bench_is_promised(bench, 'Y', epoch));
    bench_free(bench);
}

/* V7c: the voters that gave Y the epoch are gone, and it repeats its proposal to this one. */
Test(voter, comes_near_a_proposal_that_leaps)
{
    struct voter_bench *bench = bench_promised_to_x();
    const uint64_t epoch = 2 + LEAP_MAX;

    bench->now_ms += bench->core->timing.stall_ms;
    cr_assert_eq(bench_prepares_unproved(bench, 'Y', epoch, 1), VOTE_UNPROVED);
    cr_assert_eq(bench_prepares(bench, 'Y', epoch, 1), VOTE_MUTE);
    bench->now_ms += bench->core->timing.stall_ms;
    cr_assert_eq(bench_prepares(bench, 'Y', epoch, 1), VOTE_WAITS);
    bench_free(bench);
}

/* V7c: who reigns asks for a lease alone. */
Test(voter, comes_near_the_epoch_of_a_reign_that_leaps)
{
    struct voter_bench *bench = bench_promised_to_x();
    const uint64_t epoch = 2 + LEAP_MAX;

    bench->now_ms += bench->core->timing.stall_ms;
    cr_assert_eq(bench_asks(bench, 'Y', epoch), VOTE_MUTE);
    bench->now_ms += bench->core->timing.stall_ms;
    cr_assert_eq(bench_asks(bench, 'Y', epoch), VOTE_WAITS);
    bench_free(bench);
}

/* Z2h */
Test(voter, another_lineage_gets_no_answer)
{
    struct voter_bench *bench = bench_new();
    struct vote_question question = bench_question(VOTE_CLAIM, 'X', 1);

    question.lineage = BENCH_LINEAGE + 1;
    cr_assert_eq(voter_on_claim(bench->core, &question).result, VOTE_MUTE);
    question.kind = VOTE_HEARTBEAT;
    cr_assert_eq(voter_on_question(bench->core, &question).result, VOTE_MUTE);
    cr_assert_eq(bench_state(bench).promise.epoch, 0);
    bench_free(bench);
}

/* --- Hand-over --- */

/* Z2c: what its holder has given up need not be waited out. */
Test(voter, a_lease_that_was_handed_over_is_not_waited_out)
{
    struct voter_bench *bench = bench_promised_to_x();

    cr_assert_eq(bench_claims_after(bench, 'Y', 2, 'Z', 1), VOTE_REFUSED_LEASE, "by another");
    cr_assert_eq(bench_claims_after(bench, 'Y', 2, 'X', 1), VOTE_WAITS);
    cr_assert(bench_is_promised(bench, 'Y', 2));
    cr_assert_eq(bench_state(bench).until_ms, 0);
    bench_free(bench);
}

/* Z2c. X handed over its reign 1 while its claim of 2 was under way; 2 is committed and acts. If
 * Y's claim, "handed over by X", still counted, Y would act beside it. */
Test(voter, relany_a_later_reign_was_not_handed_over)
{
    struct voter_bench *bench = bench_promised_to_x();

    cr_assert_eq(bench_prepares(bench, 'X', 2, 2), VOTE_WAITS);
    cr_assert_eq(bench_claims_after(bench, 'Y', 3, 'X', 1), VOTE_REFUSED_LEASE);
    cr_assert(bench_is_promised(bench, 'X', 2));
    cr_assert_eq(bench_claims_after(bench, 'Y', 3, 'X', 2), VOTE_WAITS, "unless it gave up 2");
    bench_free(bench);
}

/* Z2b: a hand-over opens no way below the promise. */
Test(voter, a_hand_over_does_not_lower_the_promise)
{
    struct voter_bench *bench = bench_promised_to_x();

    cr_assert_eq(bench_claims_after(bench, 'Y', 1, 'X', 1), VOTE_REFUSED_EPOCH);
    bench_free(bench);
}
/* --- Who votes --- */

/* Z1b: it is none of the voters, whatever it is asked. */
Test(voter, who_is_not_named_does_not_vote)
{
    struct voter_bench *bench = bench_new_named('X');

    cr_assert_eq(bench_state(bench).status, VOTER_NOT);
    cr_assert_eq(bench_founds(bench, 'B', BENCH_LINEAGE), VOTE_MUTE);
    cr_assert_eq(voter_begin_founding(bench->core), 0);
    cr_assert_eq(bench_claims(bench, 'Y', 1), VOTE_MUTE);
    bench_free(bench);
}

/* Z1b: no phase of its membership matters, and here it never was a member. */
Test(voter, votes_whatever_its_phase_is)
{
    struct voter_bench *bench = bench_new();

    cr_assert_eq(core_phase(bench->core), PHASE_JOINING);
    cr_assert(voter_votes(bench->core, BENCH_LINEAGE));
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    bench_free(bench);
}

/* Each disk sync is counted, for whoever looks at it. */
Test(voter, counts_its_syncs)
{
    struct voter_bench *bench = bench_new_named('A');

    cr_assert_eq(bench_state(bench).syncs, 0);
    cr_assert_eq(bench_state(bench).sync_ms_ago, NEVER_MS);
    cr_assert_eq(bench_founds(bench, 'B', BENCH_LINEAGE), VOTE_WAITS);
    bench_sync(bench);
    bench->now_ms += 30;
    cr_assert_eq(bench_state(bench).syncs, 1);
    cr_assert_eq(bench_state(bench).sync_ms_ago, 30);
    bench_free(bench);
}
