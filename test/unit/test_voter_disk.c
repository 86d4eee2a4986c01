/* What a voter of guard strict has on its disk before it answers, and what a disk that fails, a
 * crash and a lost disk leave of it (Z2f, Z3). Each story is the shortest way to two coordinators
 * at once, or to a view that is forgotten, if its rule were not there. */
#include <criterion/criterion.h>

#include "core/agreement/voter.h"
#include "voter_bench.h"

/* --- Before the disk has it --- */

/* Z2f. B promises (2,Y) and answers; it crashes before the disk has it, has forgotten it, and
 * accepts (1,X): X commits beside Y. */
Test(voter, nosyncP_a_promise_is_answered_when_the_disk_has_it)
{
    struct voter_bench *bench = bench_promised_to_x();
    struct vote_question answered;

    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_WAITS);
    cr_assert_not(bench_answers(bench, &answered));
    bench_crash(bench);
    cr_assert(bench_is_promised(bench, 'X', 1), "as if it had not been asked");

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
    cr_assert(bench_is_promised(bench, 'Y', 2));
    bench_free(bench);
}

/* Z2f. X commits with B and C; C crashes before the disk has X's view and is empty again. C and A
 * elect Y, who knows nothing of it. */
Test(voter, nosyncA_a_view_is_acknowledged_when_the_disk_has_it)
{
    struct voter_bench *bench = bench_promised_to_x();
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
    struct voter_bench *bench = bench_promised_to_x();
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
    struct voter_bench *bench = bench_promised_to_x();
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
    struct voter_bench *bench = bench_promised_to_x();
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
    struct voter_bench *bench = bench_promised_to_x();

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
    cr_assert(bench_is_promised(bench, 'Y', 2));
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_REFUSED_EPOCH);
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_GRANTED);
    bench_crash(bench);
    cr_assert(bench_is_promised(bench, 'Y', 2));
    bench_free(bench);
}

/* A write that was under way when another failed may hold less than what failed. */
Test(voter, a_write_that_was_under_way_does_not_make_it_vote_again)
{
    struct voter_bench *bench = bench_promised_to_x();

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
    struct voter_bench *bench = bench_promised_to_x();

    bench_crash(bench);
    cr_assert(bench_is_promised(bench, 'X', 1));
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
    struct voter_bench *bench = bench_promised_to_x();
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
