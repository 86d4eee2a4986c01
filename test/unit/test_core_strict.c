/* One core under guard strict among voters that the test plays: when it asks for an epoch, and when
 * it hands over (Z7, Z8). */
#include <criterion/criterion.h>

#include "core/agreement/candidacy.h"
#include "core/agreement/change_propose.h"
#include "core/agreement/electorate.h"
#include "core/agreement/install.h"
#include "core/agreement/voter.h"
#include "core/detection/flap.h"
#include "core/detection/lease.h"
#include "core/detection/verdict.h"
#include "core/entry/founding.h"
#include "core/entry/join.h"
#include "core/entry/lifecycle.h"
#include "core/model/recovery.h"
#include "rig.h"
#include "voter_bench.h"

/* The voter is bound to the core's epoch, and says so, if it was asked; is its lease given? */
static void hears_lease(struct rig *rig, char voter, bool leased)
{
    (void)rig_answers(
        rig, voter,
        &(struct lease_said){.promised = core_view(rig->core)->epoch, .leased = leased});
}

/* It says to which epoch it is bound, as the answer to a question. */
static void says_bound(struct rig *rig, char voter, uint64_t promised)
{
    cr_assert(rig_answers(rig, voter, &(struct lease_said){.promised = promised}));
}

/* For long enough that this coordinator asks the voters again. */
static void asks_again(struct rig *rig, const char *alive)
{
    rig_pass(rig, rig->timing.heartbeat_ms * 11 / 10, alive);
}

static void hears_coordinator(struct rig *rig, bool acting)
{
    const struct view *view = core_view(rig->core);

    rig_gets(
        rig, 'A',
        &(struct message){
            .type = MESSAGE_HEARTBEAT,
            .heartbeat = {.view = view_id_of(view), .view_hash = view->hash, .acting = acting}});
}

/* --- A candidate and its own voter --- */

static void is_granted(struct rig *rig, char by)
{
    const struct message vote = rig_vote(rig, by, VOTE_CLAIM, VOTE_GRANTED);

    rig_gets(rig, by, &vote);
}

/* B asks for an epoch in which C alone has granted; its own voter is to complete the quorum. */
static struct rig *lacks_its_own_vote(uint64_t lineage)
{
    struct rig *rig = rig_strict("A B C", 'B');

    rig_votes(rig)->lineage = lineage;
    rig->core->voter.record.state = VOTE_RECORD_FOUNDING;
    rig_kill(rig, 'A');
    rig_pass(rig, rig->timing.batch_ms, "C");
    cr_assert(rig->core->candidacy.on);
    is_granted(rig, 'C');
    return rig;
}

/* Z4a: nor does a claim that somebody made up end what a coordinator has proposed. */
Test(core_strict, members_are_not_asked_by_claims)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const struct message claim = rig_claim(core_view(rig->core), 2);

    rig_kill(rig, 'A');
    rig_ignores(rig, 'C', &claim, REFUSED_CLAIM_OF_MEMBERS);
    cr_assert_eq(rig->core->promise.epoch, 0);
    rig_free(rig);
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

/* D4b: A may have been heard by all others meanwhile. */
Test(core_strict, who_slept_gives_up_its_campaign)
{
    struct rig *rig = lacks_its_own_vote(99);

    rig->now_ms += 2 * rig->timing.lost_ms;
    is_granted(rig, 'A'); /* Is what wakes it. */
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
    cr_assert_not_null(rig_told(rig, MESSAGE_BALLOT, 'D'));
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
        if (sent->message.type == MESSAGE_BALLOT && sent->to == at && !sent->fellow) {
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
    for (int i = 0; i < 100 && rig_count(rig, MESSAGE_BALLOT) == 0; i++) {
        rig_pass(rig, 50, "D");
    }
    cr_assert(rig->core->candidacy.on);
    cr_assert_gt(rig_count(rig, MESSAGE_BALLOT), 0);
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
    rig_pass(rig, rig->timing.lost_ms, "");
    cr_assert(rig->core->candidacy.on);
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        const struct rig_sent *sent = &rig->sent[i];
        asked = asked || (sent->to == 'C' && sent->message.type == MESSAGE_BALLOT &&
                          (sent->echo & UINT32_C(0x80000000)) != 0);
    }
    cr_assert(asked);
    cr_assert_not_null(rig_told(rig, MESSAGE_BALLOT, 'D'));
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
    is_granted(rig, 'A');
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
    is_granted(rig, 'A');
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
        if (rig_told(rig, MESSAGE_BALLOT, 'C') != NULL) {
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
        .type = MESSAGE_BALLOT,
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
    is_granted(rig, 'C');
    cr_assert(rig->core->candidacy.on);
    is_granted(rig, 'D');
    cr_assert(rig->core->change.on);
    rig_free(rig);
}

/* --- A proposal and its answers (Z5) --- */

static void accepts(struct rig *rig, char by, uint64_t version)
{
    struct message vote = rig_vote(rig, by, VOTE_PREPARE, VOTE_GRANTED);

    vote.carrier.vote.version = version;
    rig_gets(rig, by, &vote);
}

/* Its voter is bound to `promised`, or to that epoch for another life. */
static void refuses(struct rig *rig, char by, uint64_t promised)
{
    struct message vote = rig_vote(rig, by, VOTE_PREPARE, VOTE_REFUSED_EPOCH);

    vote.carrier.vote.promised = promised;
    rig_gets(rig, by, &vote);
}

/* How the voter of that name has answered what is proposed. */
static enum answer answer_of(const struct rig *rig, char voter)
{
    const struct tally *tally = &rig->core->answered.tally;
    const struct node_id record = record_of(voter);
    const uint8_t place = voter_lists_find(&rig->core->change.pending.voters, &record);

    cr_assert_neq(place, VOTER_NONE);
    if ((tally->refused & voter_set_of(place)) != 0) {
        return ANSWER_NO;
    }
    return (tally->granted & voter_set_of(place)) != 0 ? ANSWER_YES : ANSWER_NONE;
}

/* H52: the voter holds the former one, and perhaps nothing else. */
Test(core_strict, an_answer_to_a_former_proposal_does_not_count)
{
    struct rig *rig = rig_strict("A B C", 'A');

    rig_moves(rig, &(struct move){.kind = MOVE_DRAIN, .subject = rig_id(rig, 'C')});
    rig_pass(rig, rig->timing.batch_ms, "B C");
    const uint64_t version = rig->core->change.pending.version;
    cr_assert(rig->core->change.on);
    accepts(rig, 'B', version - 1);
    cr_assert_eq(answer_of(rig, 'B'), ANSWER_NONE);
    accepts(rig, 'B', version);
    cr_assert_eq(answer_of(rig, 'B'), ANSWER_YES);
    rig_free(rig);
}

/* Z5c, H43: with a lost record two lives have asked for one epoch. The voters are bound to the
 * other one's, for good; if that one dies, only a higher epoch helps. */
Test(core_strict, whose_epoch_is_promised_to_another_life_asks_for_a_higher_one)
{
    struct rig *rig = rig_strict("A B C", 'A');
    const uint64_t epoch = core_view(rig->core)->epoch;

    rig_moves(rig, &(struct move){.kind = MOVE_DRAIN, .subject = rig_id(rig, 'C')});
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert(rig->core->change.on);
    refuses(rig, 'B', epoch);
    refuses(rig, 'C', epoch);
    cr_assert_not(rig->core->change.on);
    rig_pass(rig, 3 * rig->timing.claim_ms, "B C");
    const struct message *ballot = rig_told(rig, MESSAGE_BALLOT, 'B');
    cr_assert_not_null(ballot);
    cr_assert_eq(ballot->carrier.epoch, epoch + 1);
    rig_free(rig);
}

/* Z5c: B is bound for good to an epoch of which nothing came. What it accepted under it would come
 * back with its vote whenever that is needed; and until then one voter less may fail. */
Test(core_strict, a_coordinator_hears_that_a_voter_stays_bound_to_a_higher_epoch)
{
    struct rig *rig = rig_strict("A B C", 'A');
    const uint64_t promised = core_view(rig->core)->epoch + 5;

    says_bound(rig, 'B', promised);
    cr_assert_eq(rig_count(rig, MESSAGE_BALLOT), 0);
    asks_again(rig, "C");
    cr_assert_eq(rig_count(rig, MESSAGE_BALLOT), 0, "a view may come of it yet");
    says_bound(rig, 'B', promised);
    cr_assert_not_null(rig_told(rig, MESSAGE_BALLOT, 'C'));
    rig_free(rig);
}

/* Z5c: it was bound to another epoch meanwhile, so somebody is at work. */
Test(core_strict, a_voter_that_is_bound_to_ever_other_epochs_is_waited_for)
{
    struct rig *rig = rig_strict("A B C", 'A');
    const uint64_t epoch = core_view(rig->core)->epoch;

    says_bound(rig, 'B', epoch + 5);
    asks_again(rig, "C");
    says_bound(rig, 'B', epoch + 6);
    rig_pass(rig, rig->timing.batch_ms, "C");
    cr_assert_eq(rig_count(rig, MESSAGE_BALLOT), 0);
    rig_free(rig);
}

/* B says twice to which epoch it is bound. The epoch that A asks for then; 0: none. */
static uint64_t asks_after(struct rig *rig, uint64_t promised)
{
    says_bound(rig, 'B', promised);
    asks_again(rig, "C");
    says_bound(rig, 'B', promised);
    const struct message *ballot = rig_told(rig, MESSAGE_BALLOT, 'C');
    return ballot == NULL ? 0 : ballot->carrier.epoch;
}

/* Z5c, H48: B hears nothing and never answers. One epoch after the other would be too low for it.
 */
Test(core_strict, what_a_voter_says_binds_it_is_outdone_at_once)
{
    struct rig *rig = rig_strict("A B C", 'A');
    const uint64_t promised = core_view(rig->core)->epoch + (1 << 20);

    cr_assert_eq(asks_after(rig, promised), promised + 1);
    rig_free(rig);
}

/* Z5c, V7c: it may go half of a leap towards it in a T_stall, and asks no more than once in that.
 */
Test(core_strict, an_epoch_that_leaps_is_approached_once_in_a_while)
{
    struct rig *rig = rig_strict("A B C", 'A');
    const uint64_t epoch = core_view(rig->core)->epoch;
    const uint64_t promised = epoch + 3 * LEAP_MAX;

    cr_assert_eq(asks_after(rig, promised), epoch + SAID_LEAP_MAX + 1);
    struct view *next = rig_view(rig, "A B C");
    next->epoch = epoch + SAID_LEAP_MAX + 1;
    next->version = core_view(rig->core)->version + 1;
    view_seal(next);
    install_view(rig->core, next);
    rig->core->candidacy.on = false;
    asks_again(rig, "C");
    cr_assert_eq(asks_after(rig, promised), 0);
    rig_free(rig);
}

/* Z5c: what somebody made up in the name of one who is silent since binds nobody, for nobody would
 * ever take it back; and a candidate learns from votes what it has to outdo. */
Test(core_strict, what_a_silent_one_has_said_is_not_outdone)
{
    for (int heard = 0; heard < 2; heard++) {
        struct rig *rig = rig_strict("A B C", 'A');
        const uint64_t epoch = core_view(rig->core)->epoch;

        cr_assert_eq(asks_after(rig, epoch + 5), epoch + 6);
        rig_pass(rig, rig->timing.fresh_ms + 10, "C");
        if (heard) {
            rig_hears(rig, 'B');
        }
        rig->core->candidacy.on = false;
        rig->core->promise.seen = epoch;
        verdict_evidence_changed(rig->core);
        rig_pass(rig, 10, "C");
        cr_assert_eq(rig_count(rig, MESSAGE_BALLOT) > 0, heard, "%d", heard);
        rig_free(rig);
    }
}

Test(core_strict, a_candidate_goes_by_votes_alone)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const uint64_t epoch = core_view(rig->core)->epoch;

    rig->core->peers[2].number.nonce = 5; /* It asks C something, too. */
    says_bound(rig, 'C', epoch + 3 * LEAP_MAX);
    rig_kill(rig, 'A');
    rig->core->peers[2].number.nonce = 5;
    says_bound(rig, 'C', epoch + 3 * LEAP_MAX);
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert(rig->core->candidacy.on);
    cr_assert_eq(rig->core->candidacy.epoch, epoch + 1);
    rig_free(rig);
}

/* H43: while its disk was slow, it was bound to a higher epoch, and its answer fell away. */
Test(core_strict, a_proposer_asks_its_own_voter_again)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct vote_record *record = rig_votes(rig);

    rig_moves(rig, &(struct move){.kind = MOVE_DRAIN, .subject = rig_id(rig, 'C')});
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert(rig->core->change.on);
    cr_assert_gt(rig->core->voter.waiting_count, 0);
    record->promise = (struct ballot){core_view(rig->core)->epoch + 1, rig_id(rig, 'B')};
    cr_assert_eq(answer_of(rig, 'A'), ANSWER_NONE);
    rig_pass(rig, rig->timing.prepare_ms / 25 + rig->timing.batch_ms, "B C");
    cr_assert_eq(answer_of(rig, 'A'), ANSWER_NO);
    rig_free(rig);
}

/* Z1e: C, which is to be let in, has begun another life since it voted. The quorum is not there
 * without it, so the life that is there has to learn with which nonce to vote. */
Test(core_strict, a_proposal_is_repeated_to_a_joiner_as_to_a_stranger)
{
    struct rig *rig = rig_strict_among("A B", 'A', "A B C");
    bool asked = false;

    rig_joins(rig, 'C');
    const struct member c = member_of('C');
    electorate_learn(rig->core, &c, 0);
    rig_pass(rig, rig->timing.batch_ms, "B");
    cr_assert(rig->core->change.on);
    struct message vote = rig_vote(rig, 'C', VOTE_PREPARE, VOTE_GRANTED);
    vote.from = (struct node_id){.bytes = {'n', 'e', 'w'}};
    vote.source = c.address;
    rig_pass(rig, rig->timing.prepare_ms / 3, "B");
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        const struct rig_sent *sent = &rig->sent[i];
        if (sent->to == 'C' && sent->message.type == MESSAGE_PREPARE &&
            (sent->echo & UINT32_C(0x80000000)) != 0) {
            vote.echo = sent->echo;
            asked = true;
        }
    }
    cr_assert(asked);
    vote.number = 1;
    vote.to = rig->core->life.self.id;
    rig_gets_raw(rig, &vote);
    cr_assert_eq(answer_of(rig, 'C'), ANSWER_YES);
    rig_free(rig);
}

/* Z5b, U1b: what the voters accepted had a joiner that does not answer. They are asked again. */
Test(core_strict, a_proposal_is_made_anew_without_a_joiner_that_does_not_answer)
{
    struct rig *rig = rig_strict("A B C", 'A');
    const struct node_id d = member_of('D').id;
    char text[64];

    rig_joins(rig, 'D');
    rig_moves(rig, &(struct move){.kind = MOVE_DRAIN, .subject = rig_id(rig, 'C')});
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert(view_has(&rig->core->change.pending, &d));
    const uint64_t version = rig->core->change.pending.version;
    accepts(rig, 'B', version);
    accepts(rig, 'C', version);
    rig_pass(rig, rig->timing.prepare_ms + rig->timing.batch_ms, "B C");
    cr_assert_str_eq(rig_sees(rig, text), "A B C");
    cr_assert(rig->core->change.on);
    cr_assert_not(view_has(&rig->core->change.pending, &d));
    cr_assert_gt(rig->core->change.pending.version, version);
    cr_assert_eq(answer_of(rig, 'B'), ANSWER_NONE);
    rig_free(rig);
}

/* It leases, if it is asked, and names the member of that age as a suspect; 0: nobody. */
static void leases_and_suspects(struct rig *rig, char from, uint64_t suspect)
{
    const struct view *view = core_view(rig->core);

    rig_leases(rig, from);
    rig_gets(
        rig, from,
        &(struct message){.type = MESSAGE_HEARTBEAT,
                          .heartbeat = {.view = view_id_of(view),
                                        .view_hash = view->hash,
                                        .suspects = {{.age = suspect, .verdict = VERDICT_LOST}},
                                        .suspect_count = suspect != 0}});
}

/* Z5f, H8: A does not hear D; when voters answer at last, B has heard it again for long. */
Test(core_strict, a_removal_that_waits_for_voters_is_dropped_when_others_hear_the_member)
{
    for (int heard = 0; heard < 2; heard++) {
        struct rig *rig = rig_strict_among("A B C D", 'A', "A B C");
        const struct node_id d = rig_id(rig, 'D');

        for (int i = 0; i < 6; i++) {
            rig_pass(rig, 100, "");
            leases_and_suspects(rig, 'B', 0);
            leases_and_suspects(rig, 'C', 0);
        }
        rig_pass(rig, rig->timing.lost_ms - 600 - 1, "");
        leases_and_suspects(rig, 'B', 4);
        leases_and_suspects(rig, 'C', 4);
        rig_pass(rig, rig->timing.batch_ms + 1, "");
        cr_assert(rig->core->change.on);
        cr_assert_not(view_has(&rig->core->change.pending, &d));
        leases_and_suspects(rig, 'B', heard ? 0 : 4);
        rig_pass(rig, rig->timing.prepare_ms + rig->timing.batch_ms, "");
        cr_assert_eq(rig->core->change.on, !heard, "%d", heard);
        rig_free(rig);
    }
}

/* Z5f, D3a: its process is gone, whatever B says since. */
Test(core_strict, a_removal_of_the_dead_waits_for_voters_whoever_hears_it)
{
    struct rig *rig = rig_strict_among("A B C D", 'A', "A B C");
    const struct node_id d = rig_id(rig, 'D');

    rig_kill(rig, 'D');
    leases_and_suspects(rig, 'B', 4);
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert(rig->core->change.on);
    for (uint64_t ms = 0; ms < 2 * rig->timing.prepare_ms + rig->timing.silent_ms; ms += 100) {
        rig_pass(rig, 100, "");
        leases_and_suspects(rig, 'B', 0);
        leases_and_suspects(rig, 'C', 0);
    }
    cr_assert(rig->core->change.on);
    cr_assert_not(view_has(&rig->core->change.pending, &d));
    rig_free(rig);
}

/* B has lost A, as C has, and asks for an epoch; its own voter does not vote. Or A is gone. */
static struct rig *asks_without(bool dead)
{
    struct rig *rig = rig_strict("A B C D E", 'B');

    rig->core->voter.record.lineage = 99;
    if (dead) {
        rig_kill(rig, 'A');
    }
    for (int i = 0; i < 100 && !rig->core->candidacy.on; i++) {
        rig_pass(rig, 50, "");
        leases_and_suspects(rig, 'C', 1);
        leases_and_suspects(rig, 'D', 1);
        leases_and_suspects(rig, 'E', 1);
    }
    cr_assert(rig->core->candidacy.on);
    return rig;
}

/* The position of A in what B proposes when the last vote of a quorum has come. */
static uint32_t place_of_a(struct rig *rig)
{
    const struct node_id a = rig_id(rig, 'A');
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'C');

    cr_assert_not_null(prepare);
    return view_find(prepare->carrier.view, &a);
}

/* C4e, R2a: A has granted by way of C. And where its process is gone, whatever came by way of C was
 * sent before. */
Test(core_strict, a_winner_keeps_those_who_are_relayed)
{
    for (int dead = 0; dead < 2; dead++) {
        struct rig *rig = asks_without(dead);

        is_granted(rig, 'C');
        is_granted(rig, 'D');
        const struct message granted = rig_vote(rig, 'A', VOTE_CLAIM, VOTE_GRANTED);
        struct message vote = rig_message(rig, 'A', &granted);
        vote.number++;
        vote.relay = true;
        rig_gets_raw(rig, &vote);
        cr_assert_eq(place_of_a(rig), dead ? VIEW_NONE : 4);
        rig_free(rig);
    }
}

/* C4e, R2a: C hears A again, and says so before it grants, for another that it hears gave up. */
Test(core_strict, a_winner_keeps_those_whom_others_hear)
{
    for (int heard = 0; heard < 2; heard++) {
        struct rig *rig = asks_without(false);

        leases_and_suspects(rig, 'C', heard ? 0 : 1);
        is_granted(rig, 'D');
        is_granted(rig, 'E');
        is_granted(rig, 'C');
        cr_assert_eq(place_of_a(rig), heard ? 4 : VIEW_NONE);
        rig_free(rig);
    }
}

/* R1c: it was overtaken before it could remove C, which D may hear again. */
Test(core_strict, a_removal_decided_in_the_same_ones_earlier_reign_is_decided_anew)
{
    for (int claimed = 0; claimed < 2; claimed++) {
        struct rig *rig = rig_strict("A B C D", 'A');
        struct peer_charge *charge = &rig->core->peers[2].charge;
        struct view *next = rig_view(rig, "A B C D");

        charge->verdict = VERDICT_LOST;
        charge->confirmed = true;
        next->epoch++;
        next->version++;
        next->cause = claimed ? CAUSE_CLAIM : CAUSE_CHANGE;
        view_seal(next);
        install_view(rig->core, next);
        cr_assert_eq(rig->core->peers[2].charge.confirmed, !claimed);
        rig_free(rig);
    }
}

/* --- Its own voter leases like any other (Z6b) --- */

/* H52: what it is bound to is another life's, so the other may act any moment. */
Test(core_strict, a_coordinator_is_not_leased_to_by_its_own_voter_unasked)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct vote_record *record = rig_votes(rig);

    record->promise = (struct ballot){.epoch = 9, .life = rig_id(rig, 'C')};
    lease_reset(rig->core);
    rig_pass(rig, rig->timing.heartbeat_ms, "B C");
    cr_assert_eq(rig_lease(rig, 'A').until_ms, 0);
    record->promise = (struct ballot){.epoch = 1, .life = rig_id(rig, 'A')};
    record->lease_ms = rig->timing.lease_ms;
    record->hold_ms = timing_hold_ms(&rig->timing);
    rig_pass(rig, rig->timing.heartbeat_ms, "B C");
    cr_assert_gt(rig_lease(rig, 'A').until_ms, 0);
    rig_free(rig);
}

/* --- When all have moved (L3a) --- */

/* Both say over T_fresh that they follow B; their voters lease, or do so no more. */
static enum phase phase_when_all_moved(bool leased)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct view_id other = view_id_of(core_view(rig->core));
    const uint64_t end_ms = rig->now_ms + rig->timing.lease_ms + 2 * rig->timing.fresh_ms;

    other.coordinator = rig_id(rig, 'B');
    other.epoch++;
    const struct message heartbeat = {.type = MESSAGE_HEARTBEAT, .heartbeat = {.view = other}};
    while (rig->now_ms < end_ms && core_phase(rig->core) == PHASE_MEMBER) {
        rig_pass(rig, 125, "");
        if (leased) {
            hears_lease(rig, 'B', true);
            hears_lease(rig, 'C', true);
        }
        rig_gets(rig, 'B', &heartbeat);
        rig_gets(rig, 'C', &heartbeat);
    }
    const enum phase phase = core_phase(rig->core);
    rig_free(rig);
    return phase;
}

/* H48: whoever is leased to was not replaced, whatever is said in members' names. */
Test(core_strict, who_acts_is_not_left_alone)
{
    cr_assert_eq(phase_when_all_moved(true), PHASE_MEMBER);
    cr_assert_eq(phase_when_all_moved(false), PHASE_JOINING);
}

/* --- Handing over (Z7) --- */

/* H52: the voters skip its lease on that word. */
Test(core_strict, who_has_handed_over_does_not_act)
{
    struct rig *rig = rig_strict("A B C", 'A');

    rig_pass(rig, rig->timing.heartbeat_ms, "");
    hears_lease(rig, 'B', true);
    hears_lease(rig, 'C', true);
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    asks_again(rig, "");
    rig_moves(rig, &(struct move){.kind = MOVE_TRANSFER, .subject = rig_id(rig, 'B')});
    cr_assert_not_null(rig_told(rig, MESSAGE_HANDOVER, 'B'));
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    const struct lease_said leased = {.promised = core_view(rig->core)->epoch, .leased = true};
    cr_assert(rig_answers(rig, 'B', &leased), "it was asked before that");
    cr_assert(rig_answers(rig, 'C', &leased));
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    rig_free(rig);
}

static void hears_hand_over(struct rig *rig)
{
    const struct view *view = core_view(rig->core);

    rig_gets(
        rig, 'A',
        &(struct message){
            .type = MESSAGE_HEARTBEAT,
            .heartbeat = {.view = view_id_of(view), .view_hash = view->hash, .handed_over = true}});
}

/* H50: or whoever comes next would wait for as long as it is heard. */
Test(core_strict, who_has_handed_over_is_not_leased_to)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct voter *voter = &rig->core->voter;

    rig_votes(rig);
    voter->record.promise = (struct ballot){.epoch = 1, .life = rig_id(rig, 'A')};
    voter->record.lease_ms = rig->timing.lease_ms;
    voter->record.hold_ms = timing_hold_ms(&rig->timing);
    rig_pass(rig, rig->timing.heartbeat_ms, "A C");
    cr_assert(rig_asks(rig, 'A', 1).leased);
    hears_hand_over(rig);
    const uint64_t until_ms = voter->until_ms;
    cr_assert_eq(until_ms, rig->now_ms + rig->timing.lease_ms);
    rig_pass(rig, 10, "");
    const struct lease_said said = rig_asks(rig, 'A', 1);
    cr_assert_eq(said.promised, 1);
    cr_assert_not(said.leased);
    cr_assert_eq(voter->until_ms, until_ms);
    rig_free(rig);
}

/* H48: somebody says in B's name that it has handed over a reign that is to come. */
Test(core_strict, a_reign_that_has_not_begun_is_not_handed_over)
{
    struct rig *rig = rig_strict("A B C", 'C');
    struct message says = {.type = MESSAGE_HEARTBEAT,
                           .heartbeat = {.view = view_id_of(core_view(rig->core)),
                                         .view_hash = 1,
                                         .handed_over = true}};

    says.heartbeat.view.epoch++;
    rig_gets(rig, 'A', &says);
    cr_assert_not(rig->core->peers[0].signs.handed_over);
    says.heartbeat.view.coordinator = rig_id(rig, 'B');
    rig_gets(rig, 'B', &says);
    cr_assert_not(rig->core->peers[1].signs.handed_over);
    hears_hand_over(rig);
    cr_assert(rig->core->peers[0].signs.handed_over);
    rig_free(rig);
}

Test(core_strict, who_has_handed_over_does_not_lease_to_itself)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct voter *voter = &rig->core->voter;

    rig_votes(rig);
    voter->record.promise = (struct ballot){.epoch = 1, .life = rig_id(rig, 'A')};
    rig_pass(rig, 10, "B C");
    const uint64_t until_ms = voter->until_ms;
    cr_assert_eq(until_ms, rig->now_ms + rig->timing.lease_ms);
    rig->core->succession.handed_epoch = 1;
    rig_pass(rig, 10, "B C");
    cr_assert_eq(voter->until_ms, until_ms);
    rig_free(rig);
}

/* H6: the one before may have asked for that epoch, too. Then two views of it would be on disks. */
Test(core_strict, a_successor_proposes_nothing_before_it_has_won)
{
    struct rig *rig = rig_strict("A B C", 'B');

    rig_gets(rig, 'A',
             &(struct message){.type = MESSAGE_HANDOVER,
                               .carrier = {.view = rig_view(rig, "A B C"), .stays = true}});
    cr_assert_not_null(rig_told(rig, MESSAGE_BALLOT, 'C'));
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    is_granted(rig, 'A');
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    is_granted(rig, 'C');
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'C'));
    rig_free(rig);
}

/* --- An outsider begins anew --- */

/* S5: it was let in without knowing it, and was removed. */
Test(core_strict, an_outsider_that_was_removed_takes_a_new_id)
{
    struct voter_bench *bench = bench_new();
    const struct gone why = {.reason = GONE_FAILED};
    struct built_view shown = view_of("B C A");
    struct message vote = {.type = MESSAGE_VOTE,
                           .carrier = {.view = &shown.view,
                                       .lineage = BENCH_LINEAGE,
                                       .vote = {.record = record_of('B')}}};

    bench_knows_founders(bench);
    view_name_voters(&shown.view, "A B C");
    shown.view.members[2].id = bench->core->life.self.id;
    view_remove(&shown.view, 2, &why);
    view_seal(&shown.view);
    candidacy_as_outsider(bench->core);
    vote.carrier.epoch = bench->core->candidacy.epoch;
    candidacy_on_vote(bench->core, &vote);
    vote.carrier.vote.record = record_of('C');
    candidacy_on_vote(bench->core, &vote);
    cr_assert_not(bench->core->candidacy.on);
    cr_assert_not(bench->core->change.on);
    cr_assert(candidacy_take_out(bench->core));
    view_built_free(&shown);
    bench_free(bench);
}

/* Its record has accepted a view by which A, B and C vote, as the others may have, or not yet. */
static struct voter_bench *outsider_among(struct built_view *accepted)
{
    struct voter_bench *bench = bench_new();

    bench_knows_founders(bench);
    *accepted = view_of("B C");
    accepted->view.epoch = 1;
    voter_lists_copy(&accepted->view.voters, &bench->core->voter.accepted.voters);
    view_seal(&accepted->view);
    view_copy(&bench->core->voter.accepted, &accepted->view);
    candidacy_as_outsider(bench->core);
    return bench;
}

static void grants_outsider(struct voter_bench *bench, char by, struct view *shown)
{
    const struct message vote = {.type = MESSAGE_VOTE,
                                 .carrier = {.view = shown,
                                             .lineage = BENCH_LINEAGE,
                                             .epoch = bench->core->candidacy.epoch,
                                             .vote = {.record = record_of(by)}}};

    candidacy_on_vote(bench->core, &vote);
}

/* H50, Z12a: B missed how the voters were changed, and with its own voter suffices by the list of
 * now. */
Test(core_strict, an_outsider_goes_by_no_lower_view_than_its_record)
{
    struct built_view accepted;
    struct built_view lower = view_of("B C");
    struct voter_bench *bench = outsider_among(&accepted);

    lower.view.epoch = 0;
    view_name_voters(&lower.view, "A B C D E");
    view_seal(&lower.view);
    grants_outsider(bench, 'B', &lower.view);
    cr_assert(voter_lists_equal(electorate_lists(bench->core), &accepted.view.voters));
    cr_assert_eq(bench->core->voter.record.promise.epoch, bench->core->candidacy.epoch);
    view_built_free(&lower);
    view_built_free(&accepted);
    bench_free(bench);
}

/* H52, Z12a: what no grant shows was perhaps given up, and nobody who grants has leased by it. */
Test(core_strict, an_outsider_wins_by_the_view_of_its_record_when_a_grant_shows_it)
{
    struct built_view accepted;
    struct voter_bench *bench = outsider_among(&accepted);

    grants_outsider(bench, 'B', NULL);
    grants_outsider(bench, 'C', NULL);
    cr_assert(bench->core->candidacy.on);
    grants_outsider(bench, 'C', &accepted.view);
    cr_assert(bench->core->change.on);
    cr_assert_eq(bench->core->change.pending.parent.version, accepted.view.version);
    view_built_free(&accepted);
    bench_free(bench);
}

static const struct effect *prepare_to_stranger(const struct core *core, uint32_t from)
{
    for (uint32_t i = from; i < core->out.count; i++) {
        const struct effect *effect = &core->out.items[i];
        if (effect->type == EFFECT_SEND && effect->message->type == MESSAGE_PREPARE) {
            return effect;
        }
    }
    return NULL;
}

/* H50, Z11i: it is no member, and can show no view; the voter that asks missed a change. */
Test(core_strict, an_outsider_that_proposes_shows_that_to_who_asks)
{
    struct built_view accepted;
    struct voter_bench *bench = outsider_among(&accepted);
    struct core *core = bench->core;
    struct message pull = {
        .type = MESSAGE_PULL, .from = member_of('C').id, .source = member_of('C').address};

    grants_outsider(bench, 'B', &accepted.view);
    grants_outsider(bench, 'C', NULL);
    cr_assert(core->change.on);
    const uint32_t before = core->out.count;
    change_on_pull(core, &pull);
    cr_assert_null(prepare_to_stranger(core, before), "it cannot tell that it asked");
    pull.echo = 4711;
    change_on_pull(core, &pull);
    const struct effect *prepare = prepare_to_stranger(core, before);
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->echo, 4711);
    cr_assert_eq(prepare->message->carrier.view->hash, core->change.pending.hash);
    view_built_free(&accepted);
    bench_free(bench);
}

/* --- An idle coordinator (Z7b) --- */

/* Up to the moment at which it would hand over, and has not yet. */
static struct rig *idle_for_long(void)
{
    struct rig *rig = rig_strict("A B C", 'A');

    for (uint64_t ms = 100; ms < rig->timing.lost_ms; ms += 100) {
        rig_pass(rig, 100, "");
        hears_lease(rig, 'B', false);
        hears_lease(rig, 'C', false);
    }
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    cr_assert_eq(rig_count(rig, MESSAGE_HANDOVER), 0);
    return rig;
}

Test(core_strict, an_idle_coordinator_hands_over)
{
    struct rig *rig = idle_for_long();

    rig_pass(rig, 101, "");
    cr_assert_not_null(rig_told(rig, MESSAGE_HANDOVER, 'B'));
    rig_free(rig);
}

/* Those of them who were just told of a proposal acknowledge it. */
static void acknowledge(struct rig *rig, const char *letters)
{
    struct message acks[8];
    char senders[8];
    uint32_t count = 0;

    for (; *letters != '\0'; letters++) {
        if (*letters != ' ' && rig_told(rig, MESSAGE_PREPARE, *letters) != NULL) {
            senders[count] = *letters;
            acks[count++] = rig_ack(rig, *letters);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        rig_gets(rig, senders[i], &acks[i]);
    }
}

/* Its voters lease to A all the while, and those alone acknowledge what brings M in. Is A a member
 * after so long that it may have given way? */
static bool goes_on_though(const char *voters, const char *answering)
{
    struct rig *rig = rig_strict_among("A B C D E F", 'A', voters);
    const uint64_t since_ms = rig->now_ms;

    for (uint64_t ms = 0; ms < 2 * rig->timing.stall_ms && core_phase(rig->core) == PHASE_MEMBER;
         ms += 20) {
        if (ms % 1000 == 0) {
            rig_joins(rig, 'M');
        }
        rig_pass(rig, 20, "B C D E F");
        acknowledge(rig, answering);
        if (ms % 100 == 0) {
            hears_lease(rig, 'B', true);
            hears_lease(rig, 'C', true);
        }
    }
    const bool goes_on = core_phase(rig->core) == PHASE_MEMBER;
    cr_assert(goes_on || rig->now_ms >= since_ms + rig->timing.stall_ms);
    rig_free(rig);
    return goes_on;
}

/* L3b: what brings M in is too long to get to anybody; or it gets to most, but to too few voters.
 */
Test(core_strict, a_coordinator_whose_proposals_no_quorum_answers_is_out)
{
    cr_assert_not(goes_on_though("A B C", ""));
    cr_assert_not(goes_on_though("A B C", "D E F"));
    cr_assert(goes_on_though("A B C", "B D E F"));
    cr_assert(goes_on_though("A B C D E", "B D F"));
}

/* H52: the last lease comes in the step in which it would hand over, and nobody was told yet that
 * it acts. Who looks at the clock may count on it. */
Test(core_strict, who_acts_by_the_clock_is_not_idle)
{
    struct rig *rig = idle_for_long();

    const struct lease_said leased = {.promised = core_view(rig->core)->epoch, .leased = true};

    rig->core->peers[1].number.nonce = 5; /* Both have been asked again. */
    rig->core->peers[2].number.nonce = 5;
    rig->now_ms += (rig->timing.lost_ms - 1) % 100;
    cr_assert(rig_answers(rig, 'B', &leased));
    rig->now_ms += 2;
    cr_assert(rig_answers(rig, 'C', &leased));
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    cr_assert_eq(rig_count(rig, MESSAGE_HANDOVER), 0);
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_free(rig);
}

/* --- Names that keep failing (R4b) --- */

static void is_shown(struct rig *rig, struct view *view)
{
    view_seal(view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    cr_assert_eq(core_view(rig->core)->version, view->version);
    view_built_free(&rig->views[--rig->view_count]); /* There are more than are kept. */
}

/* What B knows after three lives of the name D came in and went for that reason. */
static struct flap flaps_after(enum gone_reason reason)
{
    struct rig *rig = rig_strict("A B C", 'B');

    for (char letter = 'M'; letter < 'P'; letter++) {
        struct member member = member_of(letter);
        struct view *view = rig_next(rig, "");

        member.name[0] = 'D';
        view_append(view, &member);
        is_shown(rig, view);
        view = rig_next(rig, "");
        view_remove(view, view_find(view, &member.id), &(const struct gone){.reason = reason});
        is_shown(rig, view);
    }
    const struct flap flap = rig->core->flap;
    rig_free(rig);
    return flap;
}

/* May a fourth one come in then? A knows the same, and coordinates. */
static bool is_let_in_after(enum gone_reason reason, const char *voters, bool leased)
{
    struct rig *rig = rig_strict_among("A B C", 'A', voters);

    rig->core->flap = flaps_after(reason);
    rig->core->flap.names[0].last_ms = rig->now_ms;
    rig_pass(rig, rig->timing.heartbeat_ms, "");
    hears_lease(rig, 'B', leased);
    hears_lease(rig, 'C', leased);
    cr_assert_eq(core_is_acting(rig->core, rig->now_ms), leased);
    const bool is_let_in = flap_admits(rig->core, "D");
    rig_free(rig);
    return is_let_in;
}

/* H50: it may be the one that a quorum lacks. */
Test(core_strict, no_voter_waits_for_having_failed_while_nobody_acts)
{
    cr_assert(is_let_in_after(GONE_FAILED, "B C D", false));
    cr_assert_not(is_let_in_after(GONE_FAILED, "B C D", true));
    cr_assert_not(is_let_in_after(GONE_FAILED, "A B C", false), "it is no voter");
    cr_assert_not(is_let_in_after(GONE_BEHIND, "B C D", false), "nothing long reaches it");
}

/* H92: what lets it in may be too long to get to it, again and again. */
Test(core_strict, a_voter_that_did_not_answer_waits)
{
    struct rig *rig = rig_strict_among("A B C", 'A', "A B D");

    for (int i = 0; i < 3; i++) {
        flap_note_vain(rig->core, "D");
    }
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    cr_assert_not(flap_admits(rig->core, "D"));
    rig_free(rig);
}

/* --- Who is named (Z9b) --- */

/* Whoever waits for a coordinator looks again at each event. */
Test(core_strict, watchers_hear_when_a_coordinator_is_named_and_when_it_is_not)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const uint32_t before = rig->noticed[NOTICE_COORDINATOR];

    hears_coordinator(rig, false);
    cr_assert_null(core_coordinator(rig->core));
    cr_assert_eq(rig->noticed[NOTICE_COORDINATOR], before);
    hears_coordinator(rig, true);
    cr_assert_not_null(core_coordinator(rig->core));
    cr_assert_eq(rig->noticed[NOTICE_COORDINATOR], before + 1);
    cr_assert_str_eq(rig->notices[NOTICE_COORDINATOR].subject.name, "A");
    rig_pass(rig, rig->timing.fresh_ms + rig->timing.heartbeat_ms, "C");
    cr_assert_null(core_coordinator(rig->core));
    cr_assert_eq(rig->noticed[NOTICE_COORDINATOR], before + 2);
    rig_free(rig);
}

/* --- Founding (Z8) --- */

/* The voter of that name, which has asked to be let in, has a record by now: its own. */
static void answers(struct voter_bench *bench, char voter)
{
    const struct member member = member_of(voter);
    const bool is_self = voter == core_self(bench->core)->name[0];
    struct message vote = {
        .type = MESSAGE_VOTE,
        .from = is_self ? core_self(bench->core)->id : member.id,
        .source = member.address,
        .echo = 77,
        .carrier = {
            .lineage = bench->core->voter.record.lineage,
            .vote = {.record = record_of(voter), .kind = VOTE_FOUNDING, .result = VOTE_GRANTED}}};

    electorate_learn(bench->core, &member, vote.echo);
    founding_on_vote(bench->core, &vote);
}

/* H53: it would find itself *founding* when it starts again, and found once more, under the same
 * epoch, with a voter that has lost its record. */
Test(core_strict, a_founder_asks_for_an_epoch_when_founded_is_on_disk)
{
    struct voter_bench *bench = bench_new_named('A');

    (void)voter_begin_founding(bench->core);
    bench_sync(bench);
    for (char voter = 'A'; voter <= 'C'; voter++) {
        answers(bench, voter);
    }
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    cr_assert(founding_go_on(bench->core));
    cr_assert_not(bench->core->candidacy.on);
    bench_sync(bench);
    founding_on_synced(bench->core);
    cr_assert(bench->core->candidacy.on);
    bench_free(bench);
}

/* H24: or another founder finds its quorum among those who were not asked. */
Test(core_strict, founding_is_not_over_before_all_voters_have_a_record)
{
    struct voter_bench *bench = bench_new_named('A');

    (void)voter_begin_founding(bench->core);
    bench_sync(bench);
    answers(bench, 'A');
    answers(bench, 'B');
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDING);
    answers(bench, 'C');
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    bench_free(bench);
}

/* Of A, as one that heard the JOIN of this life. */
static struct message requests_record(struct rig *rig)
{
    const struct message content = {.type = MESSAGE_BALLOT, .carrier = {.lineage = 99}};
    struct message request = rig_message(rig, 'A', &content);

    request.fellow = false;
    request.echo = join_echo(rig->core);
    return request;
}

/* Of a member, by its coordinator (Z11e). */
static struct message wants_record(struct rig *rig)
{
    const struct message content = {.type = MESSAGE_BALLOT,
                                    .carrier = {.lineage = core_view(rig->core)->lineage}};

    return rig_message(rig, 'A', &content);
}

/* H53: the former life may have made one, voted, and lost it. */
Test(core_strict, a_request_for_a_record_is_for_one_life)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct message request = wants_record(rig);

    request.to = rig_id(rig, 'D');
    request.number++;
    rig_gets_raw(rig, &request);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_RETIRED);
    request = wants_record(rig);
    rig_gets_raw(rig, &request);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_FOUNDED);
    rig_free(rig);
}

/* H48: or one frame would bind this voter for good to a founding that there is not. */
Test(core_strict, a_request_for_a_record_echoes_the_join)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct message request = requests_record(rig);

    request.echo++;
    rig_ignores_raw(rig, &request, REFUSED_RECORD_UNASKED);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_RETIRED);
    rig_free(rig);
}

/* Z8i: it is one of those to found with, and has lost its disk, or is new. */
Test(core_strict, a_member_without_a_record_keeps_that_there_is_a_cluster)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct vote_record record;

    voter_record(rig->core, &record);
    cr_assert_eq(record.state, VOTE_RECORD_RETIRED);
    cr_assert_eq(record.lineage, core_view(rig->core)->lineage);
    cr_assert_not(recovery_may_begin(&record));
    const struct voter_state state = core_voter(rig->core, rig->now_ms);
    cr_assert_eq(state.status, VOTER_NO_RECORD);
    cr_assert(id_is_none(&state.record_id));
    lifecycle_end_life(rig->core, REASON_LEFT_ALONE);
    cr_assert_eq(core_voter(rig->core, rig->now_ms).status, VOTER_RETIRED);
    cr_assert_eq(voter_begin_founding(rig->core), 0);
    rig_free(rig);
}

/* H48, H53: a founder goes on when all have records, and must not be told so by anybody else. */
Test(core_strict, the_answer_of_who_has_a_record_echoes_its_join)
{
    struct voter_bench *bench = bench_new_named('A');
    struct core *core = bench->core;
    const struct member voter = {.id = {{'B'}}, .address = {.family = 4}, .name = "B"};
    struct message vote = {.type = MESSAGE_VOTE,
                           .from = voter.id,
                           .echo = 77,
                           .carrier = {.vote = {.record = record_of('B'), .kind = VOTE_FOUNDING}}};

    cr_assert_not(electorate_was_asked_for_record(core, &vote, "B"));
    electorate_learn(core, &voter, 77);
    cr_assert(electorate_was_asked_for_record(core, &vote, "B"));
    cr_assert_not(electorate_was_asked_for_record(core, &vote, "C"));
    vote.echo = 78;
    cr_assert_not(electorate_was_asked_for_record(core, &vote, "B"));
    vote.echo = 77;
    vote.from.bytes[0] = 'X';
    cr_assert_not(electorate_was_asked_for_record(core, &vote, "B"));
    vote.from = voter.id;
    electorate_learn(core, &voter, 0); /* Heard of otherwise since. */
    vote.echo = 0;
    cr_assert_not(electorate_was_asked_for_record(core, &vote, "B"));
    bench_free(bench);
}

/* Z10b: or a record that another voter has, or nobody, would complete the founders. */
Test(core_strict, a_founder_takes_each_record_for_one_voter)
{
    struct voter_bench *bench = bench_new_named('A');
    const struct voter_lists *founders = &bench->core->founding.voters;

    (void)voter_begin_founding(bench->core);
    bench_sync(bench);
    answers(bench, 'A');
    answers(bench, 'B');
    answers(bench, 'C');
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    cr_assert(voter_lists_equal(&bench->core->voter.accepted.voters, founders));
    cr_assert(view_is_sound_of_founders(&bench->core->voter.accepted));
    for (uint8_t i = 0; i < founders->count; i++) {
        const struct node_id record = record_of((char)('A' + i));
        const struct address address = member_of((char)('A' + i)).address;
        cr_assert(id_equal(&founders->voters[i].record, &record));
        cr_assert(address_equal(&founders->voters[i].address, &address));
    }
    bench_free(bench);
}
