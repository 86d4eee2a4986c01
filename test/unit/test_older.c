/* Records that are older than they were (Z14): who asked a voter knows how often its record has
 * been written, and neither counts an older copy of it nor lets it vote. */
#include <criterion/criterion.h>

#include "core/agreement/voter.h"
#include "core/detection/lease.h"
#include "core/detection/numbers.h"
#include "rig.h"
#include "voter_bench.h"

/* --- The voter --- */

/* It has promised epoch 1 to X, which it knows. */
static struct voter_bench *bench_of_x(void)
{
    struct voter_bench *bench = bench_new();
    const struct node_id x = bench_question(VOTE_CLAIM, 'X', 1).ballot.life;

    voter_proved(bench->core, &x);
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    bench_sync(bench);
    return bench;
}

/* Who asks says that the record was written so often. */
static enum vote_result asks(struct voter_bench *bench, char life, uint64_t writes)
{
    struct vote_question question = bench_question(VOTE_HEARTBEAT, life, 1);

    question.lease_ms = bench->asks_ms;
    question.hold_ms = bench->hold_ms;
    question.writes = writes;
    bench->core->now_ms = bench->now_ms;
    return voter_on_question(bench->core, &question).result;
}

static uint64_t while_ms(const struct voter_bench *bench)
{
    return UINT64_C(2) * core_timing(bench->core)->stall_ms;
}

/* Z14a: or a restart would look like an older copy. */
Test(older, the_disk_has_at_least_the_writes_that_were_told_of)
{
    struct voter_bench *bench = bench_of_x();

    for (uint64_t version = 1; version < 4; version++) {
        const uint64_t before = voter_writes(bench->core);
        cr_assert_eq(bench_prepares(bench, 'X', 1, version), VOTE_WAITS);
        cr_assert_eq(voter_writes(bench->core), before, "not on disk yet");
        bench_sync(bench);
        cr_assert_gt(voter_writes(bench->core), before);
    }
    const uint64_t told = voter_writes(bench->core);
    bench_crash(bench);
    cr_assert_geq(voter_writes(bench->core), told);
    bench_free(bench);
}

/* H79: it has forgotten what it granted, to whomever it was. */
Test(older, one_that_was_written_more_often_votes_for_nobody)
{
    struct voter_bench *bench = bench_of_x();

    cr_assert_eq(asks(bench, 'X', voter_writes(bench->core)), VOTE_GRANTED);
    cr_assert_eq(asks(bench, 'X', voter_writes(bench->core) + 1), VOTE_MUTE);
    cr_assert_eq(bench_state(bench).status, VOTER_OLDER);
    bench->now_ms += bench->lease_ms;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_MUTE);
    cr_assert_eq(bench_prepares(bench, 'X', 1, 9), VOTE_MUTE);
    cr_assert_not(bench_wants_sync(bench), "nor does it come to be written as often");
    bench_free(bench);
}

/* H48: one word, whoever made it up, ends no vote for good; */
Test(older, one_word_passes)
{
    struct voter_bench *bench = bench_of_x();

    cr_assert_eq(asks(bench, 'X', UINT64_MAX), VOTE_MUTE);
    bench->now_ms += while_ms(bench);
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    cr_assert_eq(asks(bench, 'X', 0), VOTE_GRANTED);
    bench_free(bench);
}

/* nor do many while the one in whose name they come asks, too; */
Test(older, whoever_knows_takes_it_back)
{
    struct voter_bench *bench = bench_of_x();

    cr_assert_eq(asks(bench, 'X', UINT64_MAX), VOTE_MUTE);
    cr_assert_eq(asks(bench, 'X', 0), VOTE_MUTE, "who has heard nothing knows nothing");
    cr_assert_eq(asks(bench, 'X', 1), VOTE_GRANTED);
    bench_free(bench);
}

/* and a stranger, who need not receive what it is answered, has to prove itself first (Z2k). */
Test(older, a_stranger_has_to_prove_itself)
{
    struct voter_bench *bench = bench_new();
    const struct node_id x = bench_question(VOTE_CLAIM, 'X', 1).ballot.life;

    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    bench_sync(bench);
    cr_assert_eq(asks(bench, 'X', UINT64_MAX), VOTE_UNPROVED);
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    voter_proved(bench->core, &x);
    cr_assert_eq(asks(bench, 'X', UINT64_MAX), VOTE_MUTE);
    cr_assert_eq(bench_state(bench).status, VOTER_OLDER);
    bench_free(bench);
}

/* The next coordinator, which has not heard the record before, would go by what it forgot at once;
 * but who said it for long may have made it up each time (H48). */
Test(older, that_word_passes_as_soon_however_long_it_was_said)
{
    struct voter_bench *bench = bench_of_x();
    const uint64_t told_ms = 10 * while_ms(bench);

    for (uint64_t ms = 0; ms <= told_ms; ms += bench->lease_ms) {
        bench->now_ms += bench->lease_ms;
        cr_assert_eq(asks(bench, 'X', 99), VOTE_MUTE);
    }
    bench->now_ms += while_ms(bench) - 1;
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_MUTE);
    cr_assert_eq(bench_state(bench).status, VOTER_OLDER);
    bench->now_ms++;
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    bench_free(bench);
}

/* It knows the record only since that is older. */
Test(older, another_one_does_not_take_it_back)
{
    struct voter_bench *bench = bench_of_x();
    const struct node_id y = bench_question(VOTE_CLAIM, 'Y', 1).ballot.life;

    voter_proved(bench->core, &y);
    cr_assert_eq(asks(bench, 'X', 99), VOTE_MUTE);
    cr_assert_eq(asks(bench, 'Y', 1), VOTE_MUTE);
    cr_assert_eq(bench_claims(bench, 'Y', 2), VOTE_MUTE);
    bench_free(bench);
}

/* --- Who asks --- */

enum { B = 1, C };

/* C answers the question that A puts now: how often its record was written, and that it leases. */
static void leases(struct rig *rig, uint64_t writes)
{
    struct core *core = rig->core;
    struct message pong = {.type = MESSAGE_PONG, .fellow = true};

    core->now_ms = rig->now_ms;
    lease_mark(core);
    pong.echo = (uint32_t)++core->out.number;
    pong.ping.said = (struct lease_said){.promised = core_view(core)->epoch,
                                         .leased = true,
                                         .record = record_of('C'),
                                         .writes = writes};
    lease_on_said(core, &pong, C);
}

static bool is_leased(const struct rig *rig)
{
    const struct node_id record = record_of('C');

    return lease_voter_until(rig->core, &record) > rig->now_ms;
}

static uint64_t known(const struct rig *rig)
{
    const struct node_id record = record_of('C');

    return core_writes_known(rig->core, &record);
}

/* A coordinates; C has said for long that its record was written five times. */
static struct rig *rig_that_heard_five(void)
{
    struct rig *rig = rig_strict("A B C", 'A');

    leases(rig, 5);
    cr_assert_eq(known(rig), 0, "one frame may have been made up");
    rig->now_ms += rig->timing.lost_ms;
    leases(rig, 5);
    cr_assert_eq(known(rig), 5);
    rig->now_ms += rig->timing.lost_ms;
    cr_assert_not(is_leased(rig));
    return rig;
}

Test(older, a_lease_of_an_older_copy_does_not_count)
{
    struct rig *rig = rig_that_heard_five();

    leases(rig, 4);
    cr_assert_not(is_leased(rig));
    cr_assert_eq(known(rig), 5);
    leases(rig, 5);
    cr_assert(is_leased(rig));
    rig_free(rig);
}

Test(older, a_voter_is_asked_for_its_lease_with_what_is_known_of_it)
{
    struct rig *rig = rig_that_heard_five();
    struct lease_asked asked = {.epoch = 1};

    numbers_name_record(rig->core, C, &asked);
    cr_assert_eq(asked.writes, 5);
    cr_assert(id_equal(&asked.record, &core_view(rig->core)->voters.voters[C].record));
    numbers_name_record(rig->core, B, &asked);
    cr_assert_eq(asked.writes, 0);
    rig_free(rig);
}

Test(older, a_vote_of_an_older_copy_does_not_count)
{
    struct rig *rig = rig_that_heard_five();
    struct message vote = rig_vote(rig, 'C', VOTE_HEARTBEAT, VOTE_REFUSED_EPOCH);

    vote.carrier.vote.writes = 4;
    rig_refuses(rig, 'C', &vote, REFUSED_OLD_RECORD);
    rig_free(rig);
}

/* Nor if it is the first that is heard of that record, and says what none can exceed. */
Test(older, the_first_frame_does_not_make_a_record_older)
{
    struct rig *rig = rig_strict("A B C", 'A');

    leases(rig, UINT64_MAX);
    cr_assert_eq(known(rig), 0);
    rig->now_ms += rig->timing.lost_ms;
    leases(rig, 5);
    cr_assert(is_leased(rig));
    cr_assert_eq(known(rig), 0);
    rig_free(rig);
}

/* H48: what one frame said is taken back by the next true one, also by that of a next process. */
Test(older, one_frame_does_not_make_a_record_older)
{
    struct rig *rig = rig_that_heard_five();

    leases(rig, UINT64_MAX);
    rig->now_ms += 2 * rig->timing.lost_ms;
    leases(rig, 6);
    cr_assert(is_leased(rig));
    cr_assert_eq(known(rig), 5);
    rig->now_ms += rig->timing.lost_ms;
    leases(rig, 7);
    cr_assert_eq(known(rig), 6);
    rig_free(rig);
}
