/* The first record of a voter of guard strict: for whom it is made, when it makes way for another
 * founding, and when founding is over (Z1c, Z8). */
#include <criterion/criterion.h>

#include "core/agreement/voter.h"
#include "core/agreement/voting.h"
#include "voter_bench.h"

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
    const struct node_id another = record_of('A');
    struct built_view founders = bench_founders(&another);
    struct vote_question question = bench_question(VOTE_FOUNDING, 'B', 0);

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
    const struct node_id another = record_of('A');
    struct built_view founders = bench_founders(&another);
    struct message ballot = {.type = MESSAGE_CLAIM,
                             .from = member_of('X').id,
                             .carrier = {.lineage = BENCH_LINEAGE, .epoch = 1}};

    voting_on_claim(bench->core, &ballot);
    cr_expect_eq(bench_state(bench).status, VOTER_FOUNDING);
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
