/* One core under guard strict that asks voters for an epoch, which the test plays: whom it asks,
 * how often, and when it gives up (Z4). */
#include <criterion/criterion.h>

#include "core/agreement/electorate.h"
#include "rig.h"
#include "voter_bench.h"

/* --- A candidate and its own voter --- */

/* B asks for an epoch in which C alone has granted; its own voter is to complete the quorum. */
static struct rig *lacks_its_own_vote(uint64_t lineage)
{
    struct rig *rig = rig_strict("A B C", 'B');

    rig_votes(rig)->lineage = lineage;
    rig->core->voter.record.state = VOTE_RECORD_FOUNDING;
    rig_kill(rig, 'A');
    rig_pass(rig, rig->timing.batch_ms, "C");
    cr_assert(rig->core->candidacy.on);
    rig_is_granted(rig, 'C');
    return rig;
}

Test(core_strict, a_candidate_asks_its_own_voter_last)
{
    struct rig *rig = lacks_its_own_vote(BENCH_LINEAGE);

    cr_assert_eq(rig->core->voter.record.promise.epoch, rig->core->candidacy.epoch);
    rig_free(rig);
}

/* Z2h: it lost its record and drew another lineage before it joined again. What it forgot may be
 * that it accepted a view of which C knows nothing. */
Test(core_strict, who_forgot_does_not_vote_for_itself)
{
    struct rig *rig = lacks_its_own_vote(99);

    cr_assert_eq(rig->core->voter.record.promise.epoch, 0);
    cr_assert(rig->core->candidacy.on);
    rig_free(rig);
}

/* Z4h: how long it asks when nobody answers. */
static uint64_t patience_ms(const struct rig *rig)
{
    return rig->core->candidacy.asking.until_ms - rig->now_ms;
}

static void passes_its_time(struct rig *rig)
{
    const uint64_t epoch = rig->core->candidacy.epoch;

    for (int i = 0; i < 10000 && rig->core->candidacy.epoch == epoch; i++) {
        rig_pass(rig, 1, "C");
    }
    cr_assert_gt(rig->core->candidacy.epoch, epoch);
}

/* H43: a promise may take the disks longer than a claim lasts, and each epoch is another one. */
Test(core_strict, a_candidate_that_no_voter_answers_waits_twice_as_long)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const struct timing *timing = &rig->timing;

    rig_kill(rig, 'A');
    for (int i = 0; i < 1000 && !rig->core->candidacy.on; i++) {
        rig_pass(rig, 1, "C");
    }
    cr_assert_eq(patience_ms(rig), timing->lease_ms + timing->claim_ms);
    passes_its_time(rig);
    cr_assert_eq(patience_ms(rig), timing->lease_ms + 2 * timing->claim_ms);
    for (int i = 0; i < 6; i++) {
        passes_its_time(rig);
    }
    cr_assert_eq(patience_ms(rig), timing->lease_ms + timing->stall_ms);
    struct message vote = rig_vote(rig, 'C', VOTE_CLAIM, VOTE_REFUSED_EPOCH);
    vote.carrier.vote.promised = rig->core->candidacy.epoch + 1;
    rig_gets(rig, 'C', &vote);
    passes_its_time(rig);
    cr_assert_eq(patience_ms(rig), timing->lease_ms + timing->claim_ms, "it decides in time");
    rig_free(rig);
}

/* D4b: A may have been heard by all others meanwhile. */
Test(core_strict, who_slept_gives_up_its_campaign)
{
    struct rig *rig = lacks_its_own_vote(99);

    rig->now_ms += 2 * rig->timing.lost_ms;
    rig_is_granted(rig, 'A'); /* Is what wakes it. */
    cr_assert_not(rig->core->candidacy.on);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* Z4f */
Test(core_strict, voters_that_do_not_answer_are_looked_for)
{
    struct rig *rig = lacks_its_own_vote(BENCH_LINEAGE);

    rig->core->electorate.seen_count = 0;
    const struct address known = member_of('D').address;
    book_remember(&rig->core->book, &known);
    rig_pass(rig, rig->timing.prepare_ms / 3, "C");
    cr_assert_not_null(rig_told(rig, MESSAGE_CLAIM, 'D'));
    const struct message granted = rig_vote(rig, 'A', VOTE_CLAIM, VOTE_GRANTED);
    struct message vote = rig_message(rig, 'D', &granted);
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        vote.echo = rig->sent[i].to == 'D' ? rig->sent[i].echo : vote.echo; /* Z1e */
    }
    rig_gets_raw(rig, &vote);
    const struct sighting *seen = electorate_seen(rig->core, "A");
    cr_assert_not_null(seen);
    cr_assert(bench_is_life(&seen->life, 'D'));
    cr_assert(address_equal(&seen->address, &known));
    rig_free(rig);
}

static bool asks_as_stranger(const struct rig *rig, char at)
{
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        const struct rig_sent *sent = &rig->sent[i];
        if (sent->message.type == MESSAGE_CLAIM && sent->to == at && !sent->fellow) {
            return true;
        }
    }
    return false;
}

/* Z4f, H48: where members are said to live somebody else may, who is no voter under that name. */
Test(core_strict, who_is_alone_looks_for_voters_where_its_view_has_others)
{
    struct rig *rig = rig_strict_among("A B C D", 'B', "A B C");
    const struct address known = member_of('D').address;

    book_remember(&rig->core->book, &known);
    rig_kill(rig, 'A');
    for (int i = 0; i < 100 && rig_count(rig, MESSAGE_CLAIM) == 0; i++) {
        rig_pass(rig, 50, "D");
    }
    cr_assert(rig->core->candidacy.on);
    cr_assert_gt(rig_count(rig, MESSAGE_CLAIM), 0);
    cr_assert_not(asks_as_stranger(rig, 'D'), "it is heard, and no voter");
    for (uint64_t ms = 0; ms < rig->timing.flap_ms; ms += rig->timing.lost_ms) {
        rig_pass(rig, rig->timing.lost_ms, "");
    }
    rig_pass(rig, 8 * rig->timing.prepare_ms, "");
    cr_assert(asks_as_stranger(rig, 'D'));
    rig_free(rig);
}

/* Z1e: C has begun another life where it was; what B heard of last under its name lives at the
 * address of D. Whoever lives at either address has to learn with which nonce to vote. */
Test(core_strict, a_silent_voter_is_asked_as_a_stranger_where_the_view_has_it)
{
    struct rig *rig = rig_strict("A B C", 'B');
    bool asked = false;

    struct member moved = member_of('C');

    moved.address = member_of('D').address;
    electorate_learn(rig->core, &moved, 0);
    rig_pass(rig, rig->timing.fresh_ms + rig->timing.batch_ms, "");
    rig_kill(rig, 'A');
    for (int i = 0; i < 100 && rig_told(rig, MESSAGE_CLAIM, 'D') == NULL; i++) {
        rig_pass(rig, 50, "");
    }
    cr_assert(rig->core->candidacy.on);
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        const struct rig_sent *sent = &rig->sent[i];
        asked = asked || (sent->to == 'C' && sent->message.type == MESSAGE_CLAIM &&
                          (sent->echo & UINT32_C(0x80000000)) != 0);
    }
    cr_assert(asked);
    cr_assert_not_null(rig_told(rig, MESSAGE_CLAIM, 'D'));
    rig_free(rig);
}

/* Z4c: what B and C accepted is perhaps committed. */
Test(core_strict, a_winner_builds_on_what_voters_show)
{
    struct rig *rig = lacks_its_own_vote(99);
    struct view *shown = rig_next(rig, "+D");
    struct message vote = rig_vote(rig, 'C', VOTE_CLAIM, VOTE_GRANTED);

    vote.carrier.view = shown;
    rig_gets(rig, 'C', &vote);
    rig_is_granted(rig, 'A');
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'C');
    cr_assert_not_null(prepare);
    cr_assert(view_find_name(prepare->carrier.view, "D") != VIEW_NONE);
    cr_assert_gt(prepare->carrier.view->version, shown->version);
    rig_free(rig);
}

/* C4f: A is back, but the view that is to be built on has removed it already. To propose that again
 * and again would hold up everybody, for what was accepted before counts no more. */
Test(core_strict, who_is_gone_already_does_not_come_back)
{
    struct rig *rig = lacks_its_own_vote(99);
    struct view *shown = rig_next(rig, "-A");
    struct message vote = rig_vote(rig, 'C', VOTE_CLAIM, VOTE_GRANTED);

    vote.carrier.view = shown;
    rig_gets(rig, 'C', &vote);
    rig_is_granted(rig, 'A');
    cr_assert(rig->core->change.on);
    const uint64_t version = rig->core->change.pending.version;
    rig_pass(rig, rig->timing.prepare_ms / 2, "A C");
    rig_pass(rig, rig->timing.prepare_ms, "A C");
    cr_assert(rig->core->change.on);
    cr_assert_eq(rig->core->change.pending.version, version);
    rig_free(rig);
}

/* For T_lost, or because it has promised that epoch to another life. */
static void refuses_claim(struct rig *rig, char by, enum vote_result why, uint64_t wait_ms)
{
    struct message vote = rig_vote(rig, by, VOTE_CLAIM, why);

    vote.carrier.vote.promised = vote.carrier.epoch;
    vote.carrier.vote.wait_ms = wait_ms;
    rig_gets(rig, by, &vote);
}

/* Is C asked in the so many ms that pass? */
static bool asks_c_within(struct rig *rig, uint64_t ms)
{
    for (uint64_t passed = 0; passed < ms; passed += 10) {
        rig_pass(rig, 10, "C");
        if (rig_told(rig, MESSAGE_CLAIM, 'C') != NULL) {
            return true;
        }
    }
    return false;
}

/* Z4b: C has leased to another, and says for how long yet; A, which is gone, does not answer. */
Test(core_strict, who_has_leased_is_asked_when_that_is_over)
{
    struct rig *rig = lacks_its_own_vote(BENCH_LINEAGE);

    const uint64_t wait_ms = rig->timing.prepare_ms / 6;

    memset(&rig->core->candidacy.tally, 0, sizeof rig->core->candidacy.tally);
    refuses_claim(rig, 'C', VOTE_REFUSED_LEASE, wait_ms);
    cr_assert_not(asks_c_within(rig, wait_ms - 10));
    cr_assert(asks_c_within(rig, 20));
    rig_free(rig);
}

/* Z4a: whoever does not answer is asked again, each time after twice as long. */
Test(core_strict, voters_that_do_not_answer_are_asked_ever_more_rarely)
{
    struct rig *rig = lacks_its_own_vote(BENCH_LINEAGE);
    const uint64_t first_ms = rig->timing.prepare_ms / 3;

    memset(&rig->core->candidacy.tally, 0, sizeof rig->core->candidacy.tally);
    cr_assert(asks_c_within(rig, first_ms + 10));
    cr_assert_not(asks_c_within(rig, first_ms + 10));
    cr_assert(asks_c_within(rig, first_ms + 10));
    rig_free(rig);
}

/* Z4g: C has promised that epoch to another candidate, and A, which is gone, will not answer. */
Test(core_strict, a_candidate_that_is_refused_an_epoch_soon_asks_for_a_higher_one)
{
    struct rig *rig = rig_strict("A B C", 'B');

    rig_kill(rig, 'A');
    rig_pass(rig, rig->timing.batch_ms, "C");
    const uint64_t epoch = rig->core->candidacy.epoch;
    cr_assert(rig->core->candidacy.on);
    refuses_claim(rig, 'C', VOTE_REFUSED_EPOCH, rig->timing.lost_ms);
    rig_pass(rig, rig->timing.prepare_ms + rig->timing.batch_ms - 1, "C");
    cr_assert(rig->core->candidacy.on);
    cr_assert_eq(rig->core->candidacy.epoch, epoch);
    rig_pass(rig, 1, "");
    cr_assert_not(rig->core->candidacy.on);
    rig_pass(rig, 2 * rig->timing.claim_ms, "C");
    cr_assert(rig->core->candidacy.on);
    cr_assert_gt(rig->core->candidacy.epoch, epoch);
    rig_free(rig);
}

/* Z4g: A is only fresh yet for D, which says so again and again. */
Test(core_strict, a_candidate_that_is_refused_an_epoch_is_given_no_more_time)
{
    struct rig *rig = rig_strict("A B C D E", 'B');

    rig_kill(rig, 'A');
    rig_pass(rig, rig->timing.batch_ms, "C D E");
    cr_assert(rig->core->candidacy.on);
    refuses_claim(rig, 'C', VOTE_REFUSED_EPOCH, rig->timing.lost_ms);
    refuses_claim(rig, 'D', VOTE_REFUSED_FRESH, rig->timing.lost_ms);
    rig_pass(rig, rig->timing.prepare_ms + rig->timing.batch_ms, "");
    cr_assert_not(rig->core->candidacy.on);
    rig_free(rig);
}

/* Z1d, H50: whoever asks may not have heard yet that this voter has begun another life. */
Test(core_strict, a_voter_is_asked_under_the_name_of_its_former_life)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct vote_record *record = rig_votes(rig);

    record->promise = (struct ballot){.epoch = 9, .life = rig_id(rig, 'A')};
    const struct message content = {
        .type = MESSAGE_CLAIM,
        .carrier = {.view = rig_view(rig, "A B C"), .lineage = record->lineage, .epoch = 5}};
    struct message ballot = rig_message(rig, 'C', &content);
    ballot.number = ++rig->numbers['C'];
    ballot.to.bytes[0] ^= 1;
    rig_gets_raw(rig, &ballot);
    cr_assert_not_null(rig_told(rig, MESSAGE_VOTE, 'C'));
    rig_free(rig);
}

/* Z4h, H47: when B turns next the time of its campaign is over, and both votes are there. */
Test(core_strict, a_slow_candidate_reads_all_votes_that_have_come)
{
    struct rig *rig = rig_strict_among("A B C D", 'B', "A C D");

    rig_kill(rig, 'A');
    rig_pass(rig, rig->timing.batch_ms, "C D");
    cr_assert(rig->core->candidacy.on);
    rig_pass(rig, rig->core->candidacy.asking.until_ms - rig->now_ms - 100, "C D");
    rig->now_ms += 101;
    rig_is_granted(rig, 'C');
    cr_assert(rig->core->candidacy.on);
    rig_is_granted(rig, 'D');
    cr_assert(rig->core->change.on);
    rig_free(rig);
}
