/* What a stale or hostile message must not do to the membership: proposals and what answers them,
 * joins and leaves. Merges are in test_core_merge.c. */
#include <criterion/criterion.h>

#include "core/state/state.h"
#include "message_content.h"
#include "rig.h"

/* --- Following a proposal (U2, V4) --- */

Test(core_change, only_its_first_member_proposes_a_view)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message prepare = carries(MESSAGE_PREPARE, rig_next(rig, "+D"));

    rig_ignores(rig, 'B', &prepare, REFUSED_PROPOSAL_OF_ANOTHER);
    rig_ignores(rig, 'X', &prepare, REFUSED_PROPOSAL_OF_ANOTHER);
    rig_free(rig);
}

Test(core_change, a_view_without_us_is_not_proposed_to_us)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message prepare = carries(MESSAGE_PREPARE, rig_next(rig, "-C"));

    rig_ignores(rig, 'A', &prepare, REFUSED_PROPOSAL_WITHOUT_US);
    rig_free(rig);
}

/* H1: and whoever was refused has not bound us: our coordinator's next proposal counts. */
Test(core_change, nobody_is_followed_while_our_coordinator_is_fresh)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *usurped = rig_next(rig, "-A");

    usurped->epoch++;
    view_seal(usurped);
    struct message prepare = carries(MESSAGE_PREPARE, usurped);
    rig_gets(rig, 'B', &prepare);
    cr_assert_eq(rig->sent_count, 1);
    const struct message *refusal = rig_told(rig, MESSAGE_NOT_FOLLOWING, 'B');
    cr_assert_not_null(refusal);
    cr_assert_eq(refusal->reference.view_hash, usurped->hash, "what it refuses");

    struct message commit = refers(MESSAGE_COMMIT, usurped);
    rig_gets(rig, 'B', &commit);
    rig_must_see(rig, "A B C");

    prepare = carries(MESSAGE_PREPARE, rig_next(rig, "+D"));
    rig_gets(rig, 'A', &prepare);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    rig_free(rig);
}

/* H7: the granted claim binds, even against the coordinator that it was to depose. */
Test(core_change, a_proposal_below_our_promise_is_refused)
{
    struct rig *rig = rig_in("A B C", 'C');

    rig_kill(rig, 'A');
    const struct message claim = rig_claim(rig_view(rig, "A B C"), 5);
    rig_gets(rig, 'B', &claim);
    cr_assert_not_null(rig_granted(rig, 'B'));

    struct view *late = rig_next(rig, "+D");
    struct message prepare = carries(MESSAGE_PREPARE, late);
    rig_gets(rig, 'A', &prepare);
    const struct message *nack = rig_told(rig, MESSAGE_NACK, 'A');
    cr_assert_not_null(nack);
    cr_assert_eq(nack->reference.promised, 5);
    cr_assert_eq(nack->reference.view_hash, late->hash);
    struct message commit = refers(MESSAGE_COMMIT, late);
    rig_gets(rig, 'A', &commit);
    rig_must_see(rig, "A B C");
    rig_free(rig);
}

/* U2a, U2b: C has accepted what B proposes under another epoch, under any guard. */
Test(core_change, a_proposal_below_one_that_was_accepted_is_refused)
{
    for (int strict = 0; strict < 2; strict++) {
        struct rig *rig = strict ? rig_strict("A B C", 'C') : rig_in("A B C", 'C');
        struct view *theirs = rig_next(rig, "-A");
        struct view *late = rig_next(rig, "+D");

        rig_kill(rig, 'A');
        theirs->epoch = 5;
        view_seal(theirs);
        struct message prepare = carries(MESSAGE_PREPARE, theirs);
        rig_gets(rig, 'B', &prepare);
        cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'B'));
        prepare = carries(MESSAGE_PREPARE, late);
        rig_gets(rig, 'A', &prepare);
        const struct message *nack = rig_told(rig, MESSAGE_NACK, 'A');
        cr_assert_not_null(nack);
        cr_assert_eq(nack->reference.promised, 5);
        rig_free(rig);
    }
}

/* A COMMIT names a view; whoever does not have it asks for it and installs nothing. */
Test(core_change, a_commit_of_what_was_not_proposed_installs_nothing)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message commit = refers(MESSAGE_COMMIT, rig_next(rig, "+D"));

    rig_gets(rig, 'A', &commit);
    cr_assert_eq(rig->sent_count, 1);
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'A'));
    rig_must_see(rig, "A B C");
    rig_free(rig);
}

Test(core_change, a_proposal_is_committed_by_its_maker_and_by_its_hash)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *view = rig_next(rig, "+D");
    struct message prepare = carries(MESSAGE_PREPARE, view);
    struct message commit = refers(MESSAGE_COMMIT, view);

    rig_gets(rig, 'A', &prepare);
    rig_gets(rig, 'B', &commit);
    rig_must_see(rig, "A B C");
    commit.reference.view_hash++;
    rig_gets(rig, 'A', &commit);
    rig_must_see(rig, "A B C");
    commit.reference.view_hash--;
    rig_gets(rig, 'A', &commit);
    rig_must_see(rig, "A B C D");
    rig_ignores(rig, 'A', &commit, REFUSED_COMMIT_NOT_HIGHER);
    rig_free(rig);
}

/* --- Joining (J2, J3) --- */

static uint64_t nonce_for(struct rig *rig, char joiner)
{
    struct message join = joins(MESSAGE_JOIN, joiner, 0);

    rig_gets(rig, joiner, &join);
    const struct message *offer = rig_told(rig, MESSAGE_OFFER, joiner);
    cr_assert_not_null(offer);
    return offer->offer.nonce;
}

static void says_ready(struct rig *rig, char joiner, uint64_t nonce)
{
    struct message ready = joins(MESSAGE_READY, joiner, nonce);

    rig_gets(rig, joiner, &ready);
}

/* Lets it in, with the consent of those letters. */
static void admit(struct rig *rig, char joiner, const char *consent)
{
    says_ready(rig, joiner, nonce_for(rig, joiner));
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, joiner);
    cr_assert_not_null(prepare);
    struct message ack = refers(MESSAGE_ACK, prepare->carrier.view);
    for (; *consent != '\0'; consent++) {
        rig_gets(rig, *consent, &ack);
    }
}

/* It has not proved that it receives at its address: it gets another offer there, and no place. */
static void check_not_ready(struct rig *rig, char joiner)
{
    cr_assert_eq(rig->sent_count, 1);
    cr_assert_not_null(rig_told(rig, MESSAGE_OFFER, joiner));
    rig_pass(rig, 2 * rig->timing.batch_ms, "");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
}

Test(core_change, a_ready_with_a_wrong_nonce_lets_nobody_in)
{
    struct rig *rig = rig_in("A B", 'A');
    uint64_t nonce = nonce_for(rig, 'D');

    says_ready(rig, 'D', nonce + 1);
    check_not_ready(rig, 'D');
    says_ready(rig, 'E', nonce); /* Another's. */
    check_not_ready(rig, 'E');
    struct message ready = joins(MESSAGE_READY, 'D', nonce);
    ready.joiner.member.id = member_of('X').id; /* Another life there. */
    rig_gets(rig, 'X', &ready);
    check_not_ready(rig, 'D');

    says_ready(rig, 'D', nonce);
    rig_pass(rig, 2 * rig->timing.batch_ms, "");
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'D'), "the right one does");
    rig_free(rig);
}

/* H15, H44. */
Test(core_change, a_ready_from_before_a_change_of_the_view_lets_nobody_in)
{
    struct rig *rig = rig_in("A B", 'A');
    uint64_t nonce = nonce_for(rig, 'D');

    admit(rig, 'E', "BE");
    rig_must_see(rig, "A B E");
    says_ready(rig, 'D', nonce);
    const struct message *offer = rig_told(rig, MESSAGE_OFFER, 'D');
    cr_assert_not_null(offer);
    cr_assert_neq(offer->offer.nonce, nonce);
    check_not_ready(rig, 'D');
    rig_free(rig);
}

/* J4: a former life's READY, heard while the later one is let in, must not put that out again. */
Test(core_change, a_ready_of_a_former_life_does_not_outlive_the_change_it_came_in)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message former = joins(MESSAGE_JOIN, 'D', 0);

    former.joiner.member.id = rig_id(rig, 'X');
    rig_gets(rig, 'X', &former);
    const struct message *offer = rig_told(rig, MESSAGE_OFFER, 'D');
    cr_assert_not_null(offer);
    former.type = MESSAGE_READY;
    former.joiner.nonce = offer->offer.nonce;

    says_ready(rig, 'D', nonce_for(rig, 'D'));
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    struct message ack = refers(MESSAGE_ACK, prepare->carrier.view);
    rig_gets(rig, 'X', &former);
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'D', &ack);
    rig_must_see(rig, "A B D");
    rig_pass(rig, 5 * rig->timing.batch_ms, "B D");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_must_see(rig, "A B D");
    rig_free(rig);
}

Test(core_change, nobody_says_ready_for_another)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message ready = joins(MESSAGE_READY, 'D', nonce_for(rig, 'D'));

    rig_ignores(rig, 'X', &ready, REFUSED_READY_FOR_ANOTHER);
    rig_free(rig);
}

/* V7: epochs of a joiner's former lives count, but not any number it may think of. */
Test(core_change, a_joiner_does_not_make_the_epoch_leap)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message ready = joins(MESSAGE_READY, 'D', nonce_for(rig, 'D'));

    ready.joiner.epoch_seen = LEAP_MAX + 2;
    rig_gets(rig, 'D', &ready);
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->carrier.view->epoch, 1);
    rig_free(rig);
}

/* H16: as many as the capacity may wait for the next view; core_check asserts that no more do (B1).
 */
Test(core_change, joiners_beyond_the_bound_wait_outside)
{
    struct rig *rig = rig_in("A B", 'A');

    for (char joiner = 'D'; joiner < 'D' + 2 * RIG_CAPACITY; joiner++) {
        says_ready(rig, joiner, nonce_for(rig, joiner));
    }
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->carrier.view->member_count, RIG_CAPACITY);
    rig_free(rig);
}

/* --- Answers to our own proposal (U1, U2) --- */

static const struct view *proposed(struct rig *rig)
{
    says_ready(rig, 'D', nonce_for(rig, 'D'));
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    return prepare->carrier.view;
}

Test(core_change, an_acknowledgement_of_something_else_commits_nothing)
{
    struct rig *rig = rig_in("A B", 'A');
    const struct view *view = proposed(rig);
    struct message ack = refers(MESSAGE_ACK, view);

    ack.reference.view_hash++;
    rig_ignores(rig, 'B', &ack, REFUSED_ANSWER_TO_ANOTHER);
    ack.reference.view_hash--;
    ack.reference.view.version++;
    rig_ignores(rig, 'B', &ack, REFUSED_ANSWER_TO_ANOTHER);
    ack.reference.view.version--;
    rig_ignores(rig, 'X', &ack, REFUSED_ANSWER_OF_OUTSIDER);
    rig_free(rig);
}

Test(core_change, a_leap_of_a_promise_stops_no_proposal)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message nack = refers(MESSAGE_NACK, proposed(rig));

    nack.reference.promised = core_view(rig->core)->epoch;
    rig_ignores(rig, 'B', &nack, REFUSED_NACK_NOT_ABOVE); /* Not above: no reason to refuse. */
    nack.reference.promised = core_view(rig->core)->epoch + LEAP_MAX + 1;
    rig_ignores(rig, 'B', &nack, REFUSED_EPOCH_LEAPS);
    nack.reference.promised = 7;
    rig_ignores(rig, 'X', &nack, REFUSED_ANSWER_OF_OUTSIDER);

    rig_gets(rig, 'B', &nack);
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct message *above = rig_told(rig, MESSAGE_PREPARE, 'B');
    cr_assert_not_null(above);
    cr_assert_eq(above->carrier.view->epoch, 8);
    rig_free(rig);
}

/* D4, H43: a change that a promise made necessary is so after a sleep as well. */
Test(core_change, a_new_epoch_that_was_asked_for_comes_after_a_sleep)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message nack = refers(MESSAGE_NACK, proposed(rig));

    nack.reference.promised = 7;
    rig_gets(rig, 'B', &nack);
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 1);
    rig_sleeps(rig, 2 * rig->timing.lost_ms);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_pass(rig, rig->timing.prepare_ms, "B");
    const struct message *again = rig_told(rig, MESSAGE_PREPARE, 'B');
    cr_assert_not_null(again);
    cr_assert_gt(again->carrier.view->epoch, 7);
    rig_free(rig);
}

/* R1: B is about to be removed when A finds itself in the view of C; when A coordinates again, it
 * asks again, whatever it had found out before. */
Test(core_change, a_removal_decided_in_an_earlier_reign_is_decided_anew)
{
    const struct timing timing = timing_of(PROFILE_LAN);
    const uint64_t end_ms = timing.lost_ms + timing_other_half_ms(&timing) + timing.batch_ms;
    uint32_t checked = 0;

    for (uint64_t ms = timing.lost_ms; ms <= end_ms; ms += 5) {
        struct rig *rig = rig_in("A B C", 'A');
        rig_pass(rig, ms, "");
        if (core_view(rig->core)->member_count == 3) {
            checked += rig->core->peers[1].charge.confirmed;
            struct view *other = rig_view(rig, "C A B");
            other->epoch++;
            view_seal(other);
            struct message shown = carries(MESSAGE_VIEW, other);
            rig_gets(rig, 'C', &shown);
            rig_answers_pull(rig, 'C', &shown); /* V4l */
            rig_must_see(rig, "C A B");
            rig_kill(rig, 'C');
            rig_must_see(rig, "A B");
            says_ready(rig, 'D', nonce_for(rig, 'D'));
            rig_pass(rig, timing.batch_ms, "");
            cr_assert(view_has(rig_told(rig, MESSAGE_PREPARE, 'D')->carrier.view,
                               &core_view(rig->core)->members[1].id),
                      "B is out after %llu ms", (unsigned long long)ms);
        }
        rig_free(rig);
    }
    cr_assert_gt(checked, 0);
}

/* --- Leaving (E1 to E3) --- */

/* E3: not even while it still has somebody to remove before it can hand over. */
Test(core_change, a_leaver_lets_nobody_in)
{
    struct rig *rig = rig_in("A B C", 'A');

    says_ready(rig, 'D', nonce_for(rig, 'D'));
    rig_kill(rig, 'B');
    rig_accuses(rig, 'C', 2, VERDICT_DEAD);
    rig_leaves(rig);
    cr_assert_null(rig_told(rig, MESSAGE_HANDOVER, 'B'));
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'C'));
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_free(rig);
}

/* E3, S5: the successor may have made its view before it died, and others hold it. */
Test(core_change, a_leaver_makes_no_view_after_a_hand_over)
{
    struct rig *rig = rig_in("A B C", 'A');

    rig_leaves(rig);
    cr_assert_not_null(rig_told(rig, MESSAGE_HANDOVER, 'B'));
    rig_kill(rig, 'B');
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'C'));
    cr_assert_not_null(rig_told(rig, MESSAGE_WISH, 'C'));
    cr_assert_eq(core_phase(rig->core), PHASE_STOPPED);
    rig_free(rig);
}

/* A LEAVE has no other name in it than its sender's; a stranger's is nobody's. */
Test(core_change, nobody_is_let_out_for_a_strangers_word)
{
    struct rig *rig = rig_in("A B C", 'A');

    rig_ignores(rig, 'X', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}},
                REFUSED_OF_STRANGER);
    rig_free(rig);
}

/* E3: another one only bears it in mind. */
Test(core_change, only_the_coordinator_lets_out)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig_gets(rig, 'C', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}});
    cr_assert_eq(rig->sent_count, 0);
    rig_pass(rig, 300, "A C");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_must_see(rig, "A B C");
    rig_free(rig);
}

Test(core_change, a_handover_of_another_view_is_not_carried_out)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *ours = rig_next(rig, "");
    struct message handover = carries(MESSAGE_HANDOVER, ours);

    ours->version -= 2;
    view_seal(ours);
    rig_ignores(rig, 'A', &handover, REFUSED_HANDOVER_OVERTAKEN); /* Overtaken. */
    ours->version++;
    ours->lineage++;
    view_seal(ours);
    rig_ignores(rig, 'A', &handover, REFUSED_HANDOVER_OF_ANOTHER);
    ours->lineage--;
    view_seal(ours);
    rig_ignores(rig, 'C', &handover, REFUSED_HANDOVER_OF_ANOTHER); /* Not its to hand over. */
    rig_ignores(rig, 'X', &handover, REFUSED_HANDOVER_OF_ANOTHER);
    struct message usurped = carries(MESSAGE_HANDOVER, rig_view(rig, "C B A"));
    usurped.carrier.view->epoch++;
    view_seal(usurped.carrier.view);
    rig_ignores(rig, 'C', &usurped, REFUSED_HANDOVER_OF_ANOTHER);

    const struct message of_ours = carries(MESSAGE_HANDOVER, rig_view(rig, "A B C"));
    rig_gets(rig, 'A', &of_ours);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'C');
    cr_assert_not_null(prepare, "our own is");
    cr_assert_eq(prepare->carrier.view->epoch, 2);
    rig_free(rig);
}

Test(core_change, a_handover_is_for_the_next_oldest)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message handover = carries(MESSAGE_HANDOVER, rig_view(rig, "A B C"));

    rig_ignores(rig, 'A', &handover, REFUSED_HANDOVER_TO_ANOTHER);
    rig_free(rig);
}

/* U1: B is asked to make the view in the same step in which C falls silent for good, so that there
 * is nobody left to wait for. It commits in the next step: what was sent in this one borrows the
 * proposal. */
Test(core_change, a_proposal_is_not_committed_in_the_step_that_sends_it)
{
    struct rig *other = rig_in("A B C", 'B');
    const uint64_t until_ms = rig_loses(other, 'C', "A");
    struct rig *rig = rig_in("A B C", 'B');
    struct message handover = carries(MESSAGE_HANDOVER, rig_view(rig, "A B C"));

    rig_free(other);
    for (uint64_t ms = 1; ms < until_ms; ms++) {
        rig_pass(rig, 1, ms % 100 == 0 ? "A" : "");
    }
    cr_assert_eq(core_peer(rig->core, 2, rig->now_ms).verdict, VERDICT_NONE);
    rig->now_ms++;
    rig_gets(rig, 'A', &handover);
    cr_assert_eq(core_peer(rig->core, 2, rig->now_ms).verdict, VERDICT_LOST);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'C');
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->carrier.view->member_count, 2, "it is still whole");
    rig_must_see(rig, "A B C");

    rig_pass(rig, 0, "");
    rig_must_see(rig, "B C");
    rig_free(rig);
}

/* V5, V6: nobody makes this node ask for views without end. */
Test(core_change, a_flood_of_commits_is_not_a_flood_of_pulls)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *view = rig_next(rig, "+D");
    struct message commit = {.type = MESSAGE_COMMIT,
                             .reference = {.view = view_id_of(view), .view_hash = view->hash}};
    uint32_t of_stranger = 0;
    uint32_t of_member = 0;

    for (unsigned i = 0; i < 100; i++) {
        rig_gets(rig, 'X', &commit);
        of_stranger += rig_count(rig, MESSAGE_PULL);
        rig_gets(rig, 'A', &commit);
        of_member += rig_count(rig, MESSAGE_PULL);
    }
    cr_assert_leq(of_stranger, 8);
    cr_assert_eq(of_member, 1);
    rig_free(rig);
}

Test(core_change, a_flood_of_offers_is_not_a_flood_of_readies)
{
    struct rig *rig = rig_joining('C');
    uint32_t count = 0;

    for (unsigned i = 0; i < 100; i++) {
        rig_gets(rig, 'X', &(struct message){.type = MESSAGE_OFFER});
        count += rig_count(rig, MESSAGE_READY);
    }
    cr_assert_geq(count, 1);
    cr_assert_leq(count, 8);
    rig_free(rig);
}

/* L1: as long as its own coordinator is heard, and still holds it, a leaver waits for that one. */
Test(core_change, a_leaver_is_not_put_out_by_a_strangers_view)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *view = rig_next(rig, "-A -C");

    view->epoch++;
    view_seal(view);
    core_step(rig->core, &(struct event){.type = EVENT_LEAVE, .now_ms = rig->now_ms});
    rig_hears(rig, 'A');
    rig_gets(rig, 'X', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    cr_assert_eq(core_phase(rig->core), PHASE_LEAVING);
    rig_free(rig);
}

/* D6 */
Test(core_change, a_leave_whose_number_leaps_lets_nobody_out)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message leave = rig_message(
        rig, 'B', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}});

    leave.number += NUMBER_LEAP_MAX + 1;
    rig_gets_raw(rig, &leave);
    cr_assert_eq(rig->refused.reason, REFUSED_NUMBER_LEAPS);
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* V4: two who live in views of different foundings, each with the other in it and both coordinators
 * dead, must not wait for one another for ever. The lower goes to the higher, if a member of its
 * own view shows it; a stranger's word is not enough. */
Test(core_change, a_view_of_another_founding_is_followed_where_a_fellow_went)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *other = rig_view(rig, "X B C");

    other->lineage = 99;
    other->epoch = 7;
    view_seal(other);
    struct message shown = carries(MESSAGE_VIEW, other);
    rig_gets(rig, 'B', &shown);
    rig_must_see(rig, "A B C"); /* Our own coordinator is fresh. */
    rig_pass(rig, rig->timing.fresh_ms, "B");
    rig_gets(rig, 'X', &shown);
    rig_must_see(rig, "A B C");
    rig_gets(rig, 'B', &shown);
    rig_must_see(rig, "X B C");
    rig_free(rig);
}

/* G1: a heartbeat that was sent between an ACK and its COMMIT does not make the guard flap; one
 * that says the same again does. */
Test(core_change, a_heartbeat_overtaken_by_a_commit_takes_no_follower_away)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct heartbeat says = {.view = view_id_of(core_view(rig->core)),
                             .view_hash = core_view(rig->core)->hash};

    says.view.coordinator = rig_id(rig, 'X');
    admit(rig, 'E', "BCE");
    rig_must_see(rig, "A B C E");
    struct message heartbeat = {.type = MESSAGE_HEARTBEAT, .heartbeat = says};
    rig_gets(rig, 'B', &heartbeat);
    cr_assert_eq(core_guard(rig->core, rig->now_ms).fresh, 4);
    rig_gets(rig, 'B', &heartbeat);
    cr_assert_eq(core_guard(rig->core, rig->now_ms).fresh, 3);
    rig_free(rig);
}

/* D6e: after its ACK it holds what it acknowledged, whatever it said before that. */
Test(core_change, a_heartbeat_overtaken_by_an_acknowledgement_takes_no_follower_away)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct heartbeat says = {.view = view_id_of(core_view(rig->core)),
                             .view_hash = core_view(rig->core)->hash};

    rig->numbers['B']++;
    struct message heartbeat = rig_message(
        rig, 'B', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = says});
    admit(rig, 'E', "BCE");
    rig_must_see(rig, "A B C E");
    rig_gets_raw(rig, &heartbeat);
    cr_assert_eq(rig->refused.reason, REFUSED_OVERTAKEN);
    cr_assert_eq(core_guard(rig->core, rig->now_ms).fresh, 4);
    cr_assert_eq(rig_count(rig, MESSAGE_VIEW), 0);
    rig_free(rig);
}

/* D8a: who was let in has heard the proposal. So a node that was alone acts on. */
Test(core_change, a_coordinator_that_was_alone_acts_on_when_the_second_comes)
{
    struct rig *rig = rig_in("A", 'A');

    rig_pass(rig, rig->timing.heartbeat_ms, "");
    uint32_t told = rig->noticed[NOTICE_ACTING];
    admit(rig, 'B', "B");
    rig_must_see(rig, "A B");
    cr_assert_eq(core_acting_until_ms(rig->core, rig->now_ms), rig->now_ms + rig->timing.lost_ms);
    rig_pass(rig, rig->timing.heartbeat_ms, "");
    cr_assert_eq(rig->noticed[NOTICE_ACTING], told);
    rig_free(rig);
}

/* G2b: it is told in the step that brings the last lease. */
Test(core_change, that_it_acts_is_told_with_the_lease_that_was_wanting)
{
    struct rig *rig = rig_guarded("A B C", 'A', (struct guard){GUARD_COUNT, 3});

    rig_pass(rig, rig->timing.lost_ms + rig->timing.heartbeat_ms, "B");
    cr_assert_not(rig->notices[NOTICE_ACTING].on);
    rig_hears(rig, 'C');
    cr_assert(rig->notices[NOTICE_ACTING].on);
    rig_free(rig);
}
