/* What a voter of guard strict grants, keeps and forgets (Z1 to Z3, Z8). Each story is the shortest
 * way to two coordinators at once, or to a view that is forgotten, if its rule were not there. */
#include <criterion/criterion.h>

#include "core/agreement/voter.h"
#include "core/agreement/voting.h"
#include "voter_bench.h"

/* A voter that has promised epoch 1 to X, accepted its view, and leased to it. */
static struct voter_bench *bench_of_x(void)
{
    struct voter_bench *bench = bench_new();
    struct vote_question answered;

    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    bench_sync(bench);
    cr_assert(bench_answers(bench, &answered));
    cr_assert_eq(bench_prepares(bench, 'X', 1, 1), VOTE_WAITS);
    bench_sync(bench);
    cr_assert(bench_answers(bench, &answered));
    return bench;
}

static bool is_promised(const struct voter_bench *bench, char life, uint64_t epoch)
{
    const struct ballot promise = bench_state(bench).promise;

    return promise.epoch == epoch && bench_is_life(&promise.life, life);
}

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
    struct voter_bench *bench = bench_of_x();

    cr_assert_eq(promised_in(bench, "X A"), 1);
    cr_assert_eq(promised_in(bench, "Y A"), 2);
    bench_free(bench);
}

/* --- Whom it binds itself to --- */

Test(voter, grants_a_first_claim_and_is_bound)
{
    struct voter_bench *bench = bench_new();

    cr_assert_eq(bench_claims(bench, 'X', 3), VOTE_WAITS);
    cr_assert(is_promised(bench, 'X', 3));
    cr_assert_eq(bench_state(bench).until_ms, 0, "a claim leases nothing");
    bench_free(bench);
}

Test(voter, grants_the_same_claim_again)
{
    struct voter_bench *bench = bench_of_x();

    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_GRANTED);
    cr_assert_not(bench_wants_sync(bench), "nothing has changed");
    bench_free(bench);
}

Test(voter, goes_up_with_the_same_life_at_any_time)
{
    struct voter_bench *bench = bench_of_x();

    cr_assert_eq(bench_claims(bench, 'X', 5), VOTE_WAITS);
    cr_assert(is_promised(bench, 'X', 5));
    cr_assert_eq(bench_state(bench).until_ms, bench->lease_ms, "the lease is of the life");
    bench_free(bench);
}

/* Z2c. A and B elect X, X acts; if A and B granted Y's claim at once, Y would act beside X. */
Test(voter, nowait_a_lease_is_waited_out)
{
    struct voter_bench *bench = bench_of_x();

    bench->now_ms += bench->lease_ms - 1;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_REFUSED_LEASE);
    cr_assert_eq(bench->vote.wait_ms, 1);
    cr_assert(is_promised(bench, 'X', 1));
    bench->now_ms += 1;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    cr_assert(is_promised(bench, 'Y', 2));
    cr_assert_eq(bench_state(bench).until_ms, 0);
    bench_free(bench);
}

/* Z2e: each question of the coordinator makes the lease last longer, from its receipt. */
Test(voter, a_lease_lasts_from_the_last_question)
{
    struct voter_bench *bench = bench_of_x();

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
    struct voter_bench *bench = bench_of_x();

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
    struct voter_bench *bench = bench_of_x();

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_claims(bench, 'Y', 1), VOTE_REFUSED_EPOCH);
    cr_assert_eq(bench->vote.promised, 1);
    cr_assert_eq(bench_asks(bench, 'Y', 1), VOTE_REFUSED_EPOCH);
    cr_assert_eq(bench_prepares(bench, 'Y', 1, 7), VOTE_REFUSED_EPOCH);
    cr_assert(is_promised(bench, 'X', 1));
    bench_free(bench);
}

/* A voter that has not heard of a reign yet learns of it from what it asks or proposes. */
Test(voter, is_bound_by_any_of_the_questions)
{
    struct voter_bench *bench = bench_new();

    cr_assert_eq(bench_asks(bench, 'X', 3), VOTE_WAITS);
    cr_assert(is_promised(bench, 'X', 3));
    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_prepares(bench, 'Y', 4, 1), VOTE_WAITS);
    cr_assert(is_promised(bench, 'Y', 4));
    cr_assert_eq(bench_state(bench).accepted.epoch, 4);
    bench_free(bench);
}

/* Z2e: an older proposal of the same reign that comes late takes nothing back; and a grant
 * that the record does not hold would let a view be committed that the next one does not find. */
Test(voter, keeps_the_highest_view_that_it_accepted)
{
    struct voter_bench *bench = bench_of_x();

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
    struct voter_bench *bench = bench_of_x();

    cr_assert_eq(bench_prepares(bench, 'X', 1, 3), VOTE_WAITS);
    bench->core->voter.accepted.hash ^= 1;
    cr_assert_eq(bench_prepares(bench, 'X', 1, 3), VOTE_REFUSED_EPOCH);
    bench_free(bench);
}

/* V7: it would be on the disk for good, and use up all epochs below it. */
Test(voter, an_epoch_that_leaps_is_not_promised)
{
    struct voter_bench *bench = bench_of_x();

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_claims(bench, 'Y', 2 + LEAP_MAX), VOTE_UNPROVED);
    cr_assert_eq(bench_asks(bench, 'Y', 2 + LEAP_MAX), VOTE_MUTE);
    cr_assert_eq(bench_prepares_unproved(bench, 'Y', 2 + LEAP_MAX, 1), VOTE_UNPROVED);
    cr_assert_eq(bench_claims(bench, 'Y', COUNTER_MAX + 1), VOTE_MUTE);
    cr_assert(is_promised(bench, 'X', 1));
    bench_free(bench);
}

/* H48: whoever is elected next would build on it, and forget what was committed. */
Test(voter, a_stranger_proves_itself_before_its_proposal_is_accepted)
{
    struct voter_bench *bench = bench_of_x();

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_prepares_unproved(bench, 'Y', 2, 1), VOTE_UNPROVED);
    cr_assert(is_promised(bench, 'X', 1));
    cr_assert_eq(bench_prepares(bench, 'Y', 2, 1), VOTE_WAITS);
    bench_free(bench);
}

/* V7c: half of a leap in each T_stall, whoever asks how often; or both would wait for ever. */
Test(voter, comes_near_an_epoch_that_leaps)
{
    struct voter_bench *bench = bench_of_x();
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
    cr_assert(is_promised(bench, 'Y', epoch));
    bench_free(bench);
}

/* V7c: the voters that gave Y the epoch are gone, and it repeats its proposal to this one. */
Test(voter, comes_near_a_proposal_that_leaps)
{
    struct voter_bench *bench = bench_of_x();
    const uint64_t epoch = 2 + LEAP_MAX;

    bench->now_ms += bench->core->timing.stall_ms;
    cr_assert_eq(bench_prepares_unproved(bench, 'Y', epoch, 1), VOTE_UNPROVED);
    cr_assert_eq(bench_prepares(bench, 'Y', epoch, 1), VOTE_MUTE);
    bench->now_ms += bench->core->timing.stall_ms;
    cr_assert_eq(bench_prepares(bench, 'Y', epoch, 1), VOTE_WAITS);
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
    struct voter_bench *bench = bench_of_x();

    cr_assert_eq(bench_claims_after(bench, 'Y', 2, 'Z', 1), VOTE_REFUSED_LEASE, "by another");
    cr_assert_eq(bench_claims_after(bench, 'Y', 2, 'X', 1), VOTE_WAITS);
    cr_assert(is_promised(bench, 'Y', 2));
    cr_assert_eq(bench_state(bench).until_ms, 0);
    bench_free(bench);
}

/* Z2c. X handed over its reign 1 while its claim of 2 was under way; 2 is committed and acts. If
 * Y's claim, "handed over by X", still counted, Y would act beside it. */
Test(voter, relany_a_later_reign_was_not_handed_over)
{
    struct voter_bench *bench = bench_of_x();

    cr_assert_eq(bench_prepares(bench, 'X', 2, 2), VOTE_WAITS);
    cr_assert_eq(bench_claims_after(bench, 'Y', 3, 'X', 1), VOTE_REFUSED_LEASE);
    cr_assert(is_promised(bench, 'X', 2));
    cr_assert_eq(bench_claims_after(bench, 'Y', 3, 'X', 2), VOTE_WAITS, "unless it gave up 2");
    bench_free(bench);
}

/* Z2b: a hand-over opens no way below the promise. */
Test(voter, a_hand_over_does_not_lower_the_promise)
{
    struct voter_bench *bench = bench_of_x();

    cr_assert_eq(bench_claims_after(bench, 'Y', 1, 'X', 1), VOTE_REFUSED_EPOCH);
    bench_free(bench);
}

/* --- Before the disk has it --- */

/* Z2f. B promises (2,Y) and answers; it crashes before the disk has it, has forgotten it, and
 * accepts (1,X): X commits beside Y. */
Test(voter, nosyncP_a_promise_is_answered_when_the_disk_has_it)
{
    struct voter_bench *bench = bench_of_x();
    struct vote_question answered;

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    cr_assert_not(bench_answers(bench, &answered));
    bench_crash(bench);
    cr_assert(is_promised(bench, 'X', 1), "as if it had not been asked");

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    bench_sync(bench);
    cr_assert(bench_answers(bench, &answered));
    cr_assert_eq(answered.kind, VOTE_CLAIM);
    cr_assert_eq(answered.ballot.epoch, 2);
    cr_assert(bench_is_life(&answered.ballot.life, 'Y'));
    cr_assert_eq(answered.address.bytes[3], 'Y');
    cr_assert_not(bench_answers(bench, &answered), "once");
    bench_crash(bench);
    cr_assert(is_promised(bench, 'Y', 2));
    bench_free(bench);
}

/* Z2f. X commits with B and C; C crashes before the disk has X's view and is empty again. C and A
 * elect Y, who knows nothing of it. */
Test(voter, nosyncA_a_view_is_acknowledged_when_the_disk_has_it)
{
    struct voter_bench *bench = bench_of_x();
    struct vote_question answered;

    cr_assert_eq(bench_prepares(bench, 'X', 1, 2), VOTE_WAITS);
    cr_assert_not(bench_answers(bench, &answered));
    bench_crash(bench);
    cr_assert_eq(bench_state(bench).accepted.version, 1);

    cr_assert_eq(bench_prepares(bench, 'X', 1, 2), VOTE_WAITS);
    bench_sync(bench);
    cr_assert(bench_answers(bench, &answered));
    cr_assert_eq(answered.kind, VOTE_PREPARE);
    cr_assert_eq(answered.view.version, 2);
    cr_assert_eq(answered.stamp, 2);
    bench_crash(bench);
    cr_assert_eq(bench_state(bench).accepted.version, 2);
    cr_assert(bench_is_life(&bench->core->voter.accepted.members[0].id, 'X'));
    bench_free(bench);
}

/* Z2f. C's disk says (1,X). C binds to (2,Y) when it is asked for its lease, and crashes before the
 * disk has that: what it then reads names X, so X's new claim waits for nothing, and X acts beside
 * Y. */
Test(voter, leasefirst_a_lease_is_given_when_the_disk_has_its_promise)
{
    struct voter_bench *bench = bench_of_x();
    struct vote_question answered;

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_asks(bench, 'Y', 2), VOTE_WAITS);
    cr_assert_eq(bench_asks(bench, 'Y', 2), VOTE_WAITS, "and asked again");
    bench_sync(bench);
    cr_assert_not(bench_answers(bench, &answered), "it is asked for again and again");
    cr_assert_eq(bench_asks(bench, 'Y', 2), VOTE_GRANTED, "the disk has the promise");
    cr_assert_not(bench_wants_sync(bench), "a lease alone writes nothing");
    bench_free(bench);
}

/* What is decided binds at once, whatever the disk has. */
Test(voter, is_bound_before_the_disk_has_it)
{
    struct voter_bench *bench = bench_new();

    cr_assert_eq(bench_claims(bench, 'X', 2), VOTE_WAITS);
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_REFUSED_EPOCH);
    cr_assert_eq(bench_asks(bench, 'X', 2), VOTE_WAITS);
    cr_assert_eq(bench_claims(bench, 'Y', 3), VOTE_REFUSED_LEASE);
    bench_free(bench);
}

/* Z2f: to X the voter would say that it is X's, and it is Y's. */
Test(voter, what_was_overtaken_meanwhile_is_not_answered)
{
    struct voter_bench *bench = bench_new();
    struct vote_question answered;

    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    bench_sync(bench);
    cr_assert(bench_answers(bench, &answered));
    cr_assert_eq(answered.ballot.epoch, 2);
    cr_assert_not(bench_answers(bench, &answered));
    bench_free(bench);
}

/* Z2f: a grant speaks of the accepted view, so it waits for one that was accepted since. */
Test(voter, a_grant_waits_for_a_view_that_was_accepted_meanwhile)
{
    struct voter_bench *bench = bench_new();
    struct vote_question answered;

    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    cr_assert(bench_wants_sync(bench));
    const uint64_t first = bench->requested;
    cr_assert_eq(bench_prepares(bench, 'X', 1, 1), VOTE_WAITS);
    (void)bench_wants_sync(bench);
    core_step(bench->core, &(struct event){.type = EVENT_SYNCED,
                                           .now_ms = bench->now_ms,
                                           .synced = {.number = first, .ok = true}});
    cr_assert_not(bench_answers(bench, &answered));
    bench_sync(bench);
    cr_assert(bench_answers(bench, &answered));
    cr_assert_eq(answered.kind, VOTE_CLAIM);
    cr_assert(bench_answers(bench, &answered));
    cr_assert_eq(answered.kind, VOTE_PREPARE);
    bench_free(bench);
}

/* A sync that ended acknowledges only what was asked for when it began. */
Test(voter, a_sync_answers_what_it_has)
{
    struct voter_bench *bench = bench_of_x();
    struct vote_question answered;

    cr_assert_eq(bench_prepares(bench, 'X', 1, 2), VOTE_WAITS);
    cr_assert(bench_wants_sync(bench));
    const uint64_t first = bench->requested;
    cr_assert_eq(bench_claims(bench, 'X', 2), VOTE_WAITS);
    cr_assert(bench_wants_sync(bench));
    cr_assert_gt(bench->requested, first);
    core_step(bench->core, &(struct event){.type = EVENT_SYNCED,
                                           .now_ms = bench->now_ms,
                                           .synced = {.number = first, .ok = true}});
    cr_assert_not(bench_answers(bench, &answered), "the proposal is below the promise by now");
    cr_assert_not(bench_state(bench).synced);
    bench_sync(bench);
    cr_assert(bench_answers(bench, &answered));
    cr_assert_eq(answered.kind, VOTE_CLAIM);
    cr_assert(bench_state(bench).synced);
    bench_free(bench);
}

/* Z2g: with the stamp of the question that it repeated, the asker can count from there. */
Test(voter, the_latest_question_of_an_asker_is_answered)
{
    struct voter_bench *bench = bench_new();
    struct vote_question answered;

    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    cr_assert_eq(bench_prepares(bench, 'X', 1, 5), VOTE_WAITS);
    cr_assert_eq(bench_prepares(bench, 'X', 1, 7), VOTE_WAITS);
    bench_sync(bench);
    cr_assert(bench_answers(bench, &answered));
    cr_assert_eq(answered.kind, VOTE_CLAIM);
    cr_assert(bench_answers(bench, &answered));
    cr_assert_eq(answered.kind, VOTE_PREPARE);
    cr_assert_eq(answered.stamp, 7);
    cr_assert_not(bench_answers(bench, &answered));
    bench_free(bench);
}

/* Z2g, S14 */
Test(voter, of_too_many_questions_the_oldest_is_dropped)
{
    struct voter_bench *bench = bench_new_named('A');
    struct vote_question answered;
    uint32_t count = 0;

    for (uint32_t i = 0; i <= VOTE_ASKERS_MAX; i++) {
        cr_assert_eq(bench_founds(bench, (char)('a' + i), BENCH_LINEAGE), VOTE_WAITS);
    }
    bench_sync(bench);
    while (bench_answers(bench, &answered)) {
        cr_assert(bench_is_life(&answered.ballot.life, (char)('b' + count)));
        count++;
    }
    cr_assert_eq(count, VOTE_ASKERS_MAX);
    bench_free(bench);
}

/* One write for all that one step decides. */
Test(voter, asks_for_one_write_and_for_none_when_nothing_changed)
{
    struct voter_bench *bench = bench_new();

    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    cr_assert_eq(bench_prepares(bench, 'X', 1, 1), VOTE_WAITS);
    cr_assert(bench_wants_sync(bench));
    cr_assert_not(bench_wants_sync(bench));
    bench_free(bench);
}

/* --- A disk that fails --- */

/* Z3c */
Test(voter, one_that_cannot_write_votes_no_more)
{
    struct voter_bench *bench = bench_of_x();
    struct vote_question answered;

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    bench_sync_fails(bench);
    cr_assert_not(bench_answers(bench, &answered), "what waited is not answered");
    cr_assert_eq(bench_state(bench).status, VOTER_MUTE);
    cr_assert_eq(bench_state(bench).sync_failures, 1);
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_MUTE);
    cr_assert_eq(bench_asks(bench, 'Y', 2), VOTE_MUTE);
    cr_assert_eq(bench_prepares(bench, 'Y', 2, 1), VOTE_MUTE);
    cr_assert_eq(bench_founds(bench, 'B', BENCH_LINEAGE), VOTE_MUTE);
    cr_assert_not(bench_wants_sync(bench), "not at once");
    bench_free(bench);
}

/* Z3c: what the disk then has is all that this voter is bound to. */
Test(voter, one_that_can_write_again_votes_as_it_was_bound)
{
    struct voter_bench *bench = bench_of_x();

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    bench_sync_fails(bench);
    bench->now_ms = voter_deadline_ms(bench->core);
    cr_assert(bench_wants_sync(bench));
    bench_sync_fails(bench);
    cr_assert_eq(bench_state(bench).status, VOTER_MUTE);
    bench->now_ms = voter_deadline_ms(bench->core);
    cr_assert(bench_wants_sync(bench));
    bench_sync(bench);
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    cr_assert_eq(voter_deadline_ms(bench->core), NEVER_MS);
    cr_assert(is_promised(bench, 'Y', 2));
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_REFUSED_EPOCH);
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_GRANTED);
    bench_crash(bench);
    cr_assert(is_promised(bench, 'Y', 2));
    bench_free(bench);
}

/* A write that was under way when another failed may hold less than what failed. */
Test(voter, a_write_that_was_under_way_does_not_make_it_vote_again)
{
    struct voter_bench *bench = bench_of_x();

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    bench_sync_fails(bench);
    const struct synced_event late = {.number = bench->core->voter.requested, .ok = true};
    voter_on_synced(bench->core, &late);
    cr_assert_eq(bench_state(bench).status, VOTER_MUTE);
    bench_free(bench);
}

/* --- Restart --- */

/* Z3a. X acts on A and C; A crashes, is back, and has forgotten its lease. If it granted Y's claim,
 * A and B would elect Y. */
Test(voter, restart_a_promise_is_taken_to_be_leased)
{
    struct voter_bench *bench = bench_of_x();

    bench_crash(bench);
    cr_assert(is_promised(bench, 'X', 1));
    cr_assert_eq(bench_state(bench).until_ms, bench->lease_ms);
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_REFUSED_LEASE);
    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_GRANTED, "the same life is served at once");
    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    bench_free(bench);
}

Test(voter, without_a_promise_nothing_is_waited_for_after_a_restart)
{
    struct voter_bench *bench = bench_new();

    bench_crash(bench);
    cr_assert_eq(bench_state(bench).until_ms, 0);
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    bench_free(bench);
}

/* V2a: what it had promised, its next life has seen. */
Test(voter, an_epoch_that_was_promised_has_been_seen)
{
    struct voter_bench *bench = bench_new();
    struct stored stored;

    cr_assert_eq(bench_claims(bench, 'X', 9), VOTE_WAITS);
    bench_sync(bench);
    bench_crash(bench);
    core_stored(bench->core, &stored);
    cr_assert_eq(stored.epoch_seen, 9);
    bench_free(bench);
}

/* Z3b. A accepted X's view and loses its disk; if it voted, it would elect Y with B, and X's view
 * is forgotten. */
Test(voter, amnesia_a_lost_disk_does_not_vote)
{
    struct voter_bench *bench = bench_of_x();
    struct vote_question question = bench_question(VOTE_CLAIM, 'Y', 2);

    bench_lose_disk(bench);
    bench_crash(bench);
    cr_assert_eq(bench_state(bench).status, VOTER_NO_RECORD);
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_MUTE);
    question.lineage = 0;
    cr_assert_eq(voter_on_claim(bench->core, &question).result, VOTE_MUTE);
    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_MUTE);
    cr_assert_eq(bench_prepares(bench, 'Y', 2, 2), VOTE_MUTE);
    cr_assert_not(bench_wants_sync(bench));
    bench_free(bench);
}

/* Z3b: what cannot be relied on may have voted. */
Test(voter, a_damaged_record_is_none_and_stays)
{
    struct core_options options = bench_options('A');
    options.record_damaged = true;
    struct voter_bench *bench = bench_new_with(&options);

    cr_assert_eq(bench_state(bench).status, VOTER_DAMAGED);
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_MUTE);
    cr_assert_eq(bench_founds(bench, 'B', BENCH_LINEAGE), VOTE_MUTE);
    cr_assert_eq(voter_begin_founding(bench->core), 0);
    cr_assert_not(bench_wants_sync(bench), "nothing is written in its place");
    bench_free(bench);
}

/* Z3b: its checksum was right, and yet no view can be like that. */
Test(voter, a_record_with_a_view_that_is_not_sound_is_damaged)
{
    struct core_options options = bench_options('A');
    struct built_view built = view_of("X Z");
    struct vote_record record = {.id = member_of('r').id,
                                 .lineage = BENCH_LINEAGE,
                                 .state = VOTE_RECORD_FOUNDED,
                                 .promise = {.epoch = 1, .life = member_of('X').id},
                                 .accepted = &built.view};

    built.view.next_age = 1;
    view_seal(&built.view);
    options.record = &record;
    struct voter_bench *bench = bench_new_with(&options);
    cr_assert_eq(bench_state(bench).status, VOTER_DAMAGED);
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_MUTE);
    view_built_free(&built);
    bench_free(bench);
}

/* --- The first record --- */

/* Z8a */
Test(voter, makes_a_record_for_a_founder_and_refuses_another)
{
    struct voter_bench *bench = bench_new_named('A');
    struct vote_question answered;

    cr_assert_eq(bench_state(bench).status, VOTER_NO_RECORD);
    cr_assert_eq(bench_founds(bench, 'B', 70), VOTE_WAITS);
    cr_assert_eq(bench_founds(bench, 'C', 71), VOTE_MUTE);
    bench_sync(bench);
    cr_assert(bench_answers(bench, &answered));
    cr_assert_eq(answered.kind, VOTE_FOUNDING);
    cr_assert_eq(answered.lineage, 70);
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDING);
    cr_assert_eq(bench_state(bench).lineage, 70);
    cr_assert_not(id_is_none(&bench->core->voter.record.id));

    bench_crash(bench);
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDING);
    cr_assert_eq(bench_founds(bench, 'B', 70), VOTE_GRANTED, "it has it");
    bench_knows_founders(bench);
    cr_assert_eq(bench_founds(bench, 'C', 71), VOTE_MUTE);
    bench_free(bench);
}

/* Z8a: its founder may have got another disk; but not as often as one asks who may lie. */
Test(voter, what_was_not_asked_for_again_makes_way_for_another_founding)
{
    struct voter_bench *bench = bench_new();
    const struct node_id first = bench_state(bench).record_id;
    struct vote_question answered;

    bench->now_ms = bench->core->voter.synced_ms + bench->core->timing.prepare_ms - 1;
    cr_assert_eq(bench_founds(bench, 'C', 71), VOTE_MUTE);
    cr_assert_eq(bench_founds(bench, 'B', BENCH_LINEAGE), VOTE_GRANTED);
    bench->now_ms++;
    cr_assert_eq(bench_founds(bench, 'C', 71), VOTE_WAITS);
    bench_sync(bench);
    cr_assert(bench_answers(bench, &answered));
    cr_assert_eq(answered.lineage, 71);
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDING);
    cr_assert_not(id_equal(&bench->core->voter.record.id, &first));
    cr_assert_not(bench_answers(bench, &answered), "the former one answers nobody");
    bench_free(bench);
}

/* Z8c: by what it answers now the founder may found, and lose its disk. */
Test(voter, what_was_asked_for_again_makes_way_for_no_founding)
{
    struct voter_bench *bench = bench_new();
    struct built_view founders = view_of("");
    struct vote_question question = bench_question(VOTE_FOUNDING, 'B', 0);

    view_clear(&founders.view);
    founders.view.lineage = BENCH_LINEAGE;
    view_name_voters(&founders.view, "A B C");
    question.founders = &founders.view;
    for (int i = 0; i < 3; i++) { /* Without its record, with it, and with another one of C. */
        view_seal(&founders.view);
        cr_assert_eq(voter_on_founding(bench->core, &question).result,
                     i == 0 ? VOTE_GRANTED : VOTE_WAITS);
        bench_sync(bench);
        cr_assert_eq(bench->core->voter.accepted.hash == founders.view.hash, i > 0);
        founders.view.voters.voters[0].record = bench->core->voter.record.id;
        founders.view.voters.voters[2].record = record_of(i == 1 ? 'D' : 'C');
    }
    bench_crash(bench);
    bench->now_ms += bench->core->timing.prepare_ms;
    cr_assert_eq(bench_founds(bench, 'C', 71), VOTE_MUTE);
    cr_assert_eq(bench_founds(bench, 'B', BENCH_LINEAGE), VOTE_GRANTED);
    view_built_free(&founders);
    bench_free(bench);
}

/* Z1c */
Test(voter, each_record_has_an_id_of_its_own)
{
    struct voter_bench *bench = bench_new();
    const struct node_id first = bench_state(bench).record_id;

    bench_crash(bench);
    cr_assert(id_equal(&bench->core->voter.record.id, &first), "for as long as it is there");
    bench_lose_disk(bench);
    bench_crash(bench);
    cr_assert_eq(bench_founds(bench, 'B', BENCH_LINEAGE), VOTE_WAITS);
    cr_assert_not(id_equal(&bench->core->voter.record.id, &first));
    bench_free(bench);
}

/* Z8b: the first question shows that founding is over. */
Test(voter, the_first_promise_ends_founding)
{
    struct voter_bench *bench = bench_new();

    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDING);
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    bench_sync(bench);
    bench_crash(bench);
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    bench_free(bench);
}

/* H48: its founder would go on no more, and nobody else could. */
Test(voter, a_claim_that_does_not_name_it_ends_no_founding)
{
    struct voter_bench *bench = bench_new();
    struct built_view founders = view_of("");
    struct message ballot = {.type = MESSAGE_CLAIM,
                             .from = member_of('X').id,
                             .carrier = {.lineage = BENCH_LINEAGE, .epoch = 1}};

    voting_on_claim(bench->core, &ballot);
    cr_expect_eq(bench_state(bench).status, VOTER_FOUNDING);
    view_clear(&founders.view);
    founders.view.lineage = BENCH_LINEAGE;
    view_name_voters(&founders.view, "A B C");
    ballot.carrier.view = &founders.view;
    for (int i = 0; i < 2; i++) {
        view_seal(&founders.view);
        voting_on_claim(bench->core, &ballot);
        cr_expect_eq(bench_state(bench).status, i == 0 ? VOTER_FOUNDING : VOTER_FOUNDED);
        founders.view.voters.voters[0].record = bench->core->voter.record.id;
    }
    view_built_free(&founders);
    bench_free(bench);
}

/* H53: a founder that founds once more finds no quorum in those who have voted. */
Test(voter, who_has_voted_takes_part_in_no_founding)
{
    struct voter_bench *bench = bench_new();

    cr_assert_eq(bench_founds(bench, 'B', BENCH_LINEAGE), VOTE_GRANTED);
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    bench_sync(bench);
    cr_assert_eq(bench_founds(bench, 'B', BENCH_LINEAGE), VOTE_MUTE);
    bench_free(bench);
}

Test(voter, a_founder_keeps_its_lineage_until_founding_is_over)
{
    struct voter_bench *bench = bench_new_named('A');
    const uint64_t lineage = voter_begin_founding(bench->core);

    cr_assert_neq(lineage, 0);
    cr_assert_not(voter_is_synced(bench->core));
    bench_sync(bench);
    cr_assert(voter_is_synced(bench->core));
    bench_crash(bench);
    cr_assert_eq(voter_begin_founding(bench->core), lineage, "it was asked for already");

    struct built_view founders = view_of("");
    view_name_voters(&founders.view, "A B C");
    voter_end_founding(bench->core, &founders.view.voters);
    bench_sync(bench);
    bench_crash(bench);
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    cr_assert_eq(voter_begin_founding(bench->core), 0, "once");
    cr_assert(voter_lists_equal(&bench->core->voter.accepted.voters, &founders.view.voters));
    view_built_free(&founders);
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
