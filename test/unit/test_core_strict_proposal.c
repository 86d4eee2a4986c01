/* One core under guard strict whose proposals wait for voters, which the test plays: which answers
 * count, and what becomes of what waits (Z5). */
#include <criterion/criterion.h>

#include "core/agreement/electorate.h"
#include "core/agreement/install.h"
#include "core/detection/verdict.h"
#include "rig.h"

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
    const struct message *ballot = rig_told(rig, MESSAGE_CLAIM, 'B');
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
    cr_assert_eq(rig_count(rig, MESSAGE_CLAIM), 0);
    asks_again(rig, "C");
    cr_assert_eq(rig_count(rig, MESSAGE_CLAIM), 0, "a view may come of it yet");
    says_bound(rig, 'B', promised);
    cr_assert_not_null(rig_told(rig, MESSAGE_CLAIM, 'C'));
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
    cr_assert_eq(rig_count(rig, MESSAGE_CLAIM), 0);
    rig_free(rig);
}

/* B says twice to which epoch it is bound. The epoch that A asks for then; 0: none. */
static uint64_t asks_after(struct rig *rig, uint64_t promised)
{
    says_bound(rig, 'B', promised);
    asks_again(rig, "C");
    says_bound(rig, 'B', promised);
    const struct message *ballot = rig_told(rig, MESSAGE_CLAIM, 'C');
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
        cr_assert_eq(rig_count(rig, MESSAGE_CLAIM) > 0, heard, "%d", heard);
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

        rig_is_granted(rig, 'C');
        rig_is_granted(rig, 'D');
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
        rig_is_granted(rig, 'D');
        rig_is_granted(rig, 'E');
        rig_is_granted(rig, 'C');
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
