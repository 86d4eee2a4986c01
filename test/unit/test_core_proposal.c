/* A change in its two phases, one clause at a time (U1, U2): whom a coordinator asks and waits for,
 * what it commits and tells, and what the others answer. */
#include <criterion/criterion.h>

#include "core/agreement/change_propose.h"
#include "core/agreement/next_view.h"
#include "core/model/limits.h"
#include "message_content.h"
#include "rig.h"

static void proposes(struct rig *rig, char coordinator, struct view *view)
{
    rig_gets(rig, coordinator,
             &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = view}});
}

/* --- The coordinator lets somebody in --- */

static void asks_to_join(struct rig *rig, char joiner)
{
    struct message join = {.type = MESSAGE_JOIN,
                           .joiner = {.member = member_of(joiner), .terms = rig_terms()}};

    rig_gets(rig, joiner, &join);
    const struct message *offer = rig_told(rig, MESSAGE_OFFER, joiner);
    cr_assert_not_null(offer);
    struct message ready = join;
    ready.type = MESSAGE_READY;
    ready.joiner.nonce = offer->offer.nonce;
    rig_gets(rig, joiner, &ready);
}

/* An ACK of what was just proposed to that member. */
static struct message ack_of(const struct rig *rig, char member)
{
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, member);

    cr_assert_not_null(prepare);
    return refers(MESSAGE_ACK, prepare->carrier.view);
}

/* A, the coordinator of A, B and C, has just proposed to let those in. Returns an ACK of it. */
static struct message letting_in(struct rig *rig, const char *joiners)
{
    for (const char *at = joiners; *at != '\0'; at++) {
        asks_to_join(rig, *at);
    }
    rig_pass(rig, rig->timing.batch_ms, "");
    return ack_of(rig, joiners[0]);
}

/* --- Asking (U1a) --- */

Test(core_proposal, is_repeated_to_those_who_have_not_answered)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message ack = letting_in(rig, "D");

    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'C'));
    rig_gets(rig, 'B', &ack);
    rig_pass(rig, rig->timing.prepare_ms / 3, "B C");
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'C'));
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_free(rig);
}

/* U1a: 20, 40, 80 and 160 ms with profile lan, and from then on every T_prepare/3. */
Test(core_proposal, is_repeated_soon_and_then_more_seldom)
{
    struct rig *rig = rig_in("A B C", 'A');
    uint64_t wait_ms = rig->timing.prepare_ms / 25;

    letting_in(rig, "D");
    for (int sending = 2; sending <= 5; sending++) {
        rig_pass(rig, wait_ms - 1, "B C");
        cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'C'), "sending %d", sending);
        rig_pass(rig, 1, "B C");
        cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'C'), "sending %d", sending);
        wait_ms *= 2;
    }
    cr_assert_gt(wait_ms, rig->timing.prepare_ms / 3);
    rig_pass(rig, rig->timing.prepare_ms / 3, "B C");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 3);
    rig_free(rig);
}

/* --- As a change, or whole (U3b, U3c) --- */

/* H58: only members have the base, and only those who said so; what was sent twice in vain is
 * repeated whole. H92: all of it may be too long to get there. */
Test(core_proposal, is_a_change_for_members_and_whole_in_each_second_repetition)
{
    struct rig *rig = rig_in("A B C", 'A');

    letting_in(rig, "D");
    cr_assert(rig_told_briefly(rig, MESSAGE_PREPARE, 'B'));
    cr_assert(rig_told_briefly(rig, MESSAGE_PREPARE, 'C'));
    cr_assert_not(rig_told_briefly(rig, MESSAGE_PREPARE, 'D'));
    rig_pass(rig, rig->timing.prepare_ms / 25, "B C");
    cr_assert(rig_told_briefly(rig, MESSAGE_PREPARE, 'C'));
    cr_assert_not(rig_told_briefly(rig, MESSAGE_PREPARE, 'D'));
    rig_pass(rig, 2 * (rig->timing.prepare_ms / 25), "B C");
    cr_assert_not(rig_told_briefly(rig, MESSAGE_PREPARE, 'C'));
    rig_pass(rig, 4 * (rig->timing.prepare_ms / 25), "B C");
    cr_assert(rig_told_briefly(rig, MESSAGE_PREPARE, 'C'));
    cr_assert_not(rig_told_briefly(rig, MESSAGE_PREPARE, 'D'));
    rig_pass(rig, rig->timing.prepare_ms / 3, "B C");
    cr_assert_not(rig_told_briefly(rig, MESSAGE_PREPARE, 'C'));
    rig_free(rig);
}

static void names_view(struct rig *rig, char member, const struct view *view, uint64_t hash)
{
    rig_gets(rig, member,
             &(struct message){.type = MESSAGE_HEARTBEAT,
                               .heartbeat = {.view = view_id_of(view), .view_hash = hash}});
}

Test(core_proposal, is_whole_for_whoever_named_another_view)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *older = rig_view(rig, "A B C");

    older->version--;
    view_seal(older);
    names_view(rig, 'B', older, older->hash);
    names_view(rig, 'C', core_view(rig->core), core_view(rig->core)->hash + 1);
    letting_in(rig, "D");
    cr_assert_not(rig_told_briefly(rig, MESSAGE_PREPARE, 'B'));
    cr_assert_not(rig_told_briefly(rig, MESSAGE_PREPARE, 'C'));
    names_view(rig, 'B', core_view(rig->core), core_view(rig->core)->hash);
    rig_pass(rig, 7 * (rig->timing.prepare_ms / 25), "");
    cr_assert(rig_told_briefly(rig, MESSAGE_PREPARE, 'B'), "it has the base by now");
    cr_assert_not(rig_told_briefly(rig, MESSAGE_PREPARE, 'C'));
    rig_free(rig);
}

/* --- One after the other --- */

Test(core_proposal, waits_until_the_one_before_is_decided)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message ack = letting_in(rig, "D");

    asks_to_join(rig, 'E');
    rig_pass(rig, 2 * rig->timing.batch_ms, "");
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'E'));
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    rig_gets(rig, 'D', &ack);
    rig_must_see(rig, "A B C D");
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'E'));
    rig_free(rig);
}

/* --- Waiting (U1b) --- */

Test(core_proposal, is_committed_when_all_have_answered)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message ack = letting_in(rig, "D");

    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'D', &ack);
    rig_must_see(rig, "A B C");
    rig_gets(rig, 'C', &ack);
    rig_must_see(rig, "A B C D");
    rig_free(rig);
}

Test(core_proposal, does_not_wait_for_who_follows_another)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message ack = letting_in(rig, "D");
    struct message follows = refers(MESSAGE_NOT_FOLLOWING, core_view(rig->core));

    follows.reference.view.coordinator = rig_id(rig, 'X');
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'D', &ack);
    rig_gets(rig, 'C', &follows);
    rig_must_see(rig, "A B C"); /* It answers another view. */
    follows.reference.view_hash = ack.reference.view_hash;
    rig_gets(rig, 'C', &follows);
    rig_must_see(rig, "A B C D");
    rig_free(rig);
}

/* H47: C lives and does not answer. What its socket still held, T_batch would have brought. */
Test(core_proposal, is_committed_without_a_slow_member_in_the_end)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message ack = letting_in(rig, "D");

    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'D', &ack);
    rig_pass(rig, rig->timing.prepare_ms + rig->timing.batch_ms - 1, "B C D");
    rig_must_see(rig, "A B C");
    rig_pass(rig, 2, "B C D");
    rig_must_see(rig, "A B C D");
    rig_free(rig);
}

/* --- Joiners that do not answer (U1b) --- */

static void let_prepare_end(struct rig *rig)
{
    rig_pass(rig, rig->timing.prepare_ms + rig->timing.batch_ms + 1, "B C");
}

/* B, C and E acknowledge what lets in D, too, which does not answer, and then what does without. */
static void let_in_but_d(struct rig *rig)
{
    struct message ack = letting_in(rig, "DE");

    for (int proposal = 0; proposal < 2; proposal++) {
        rig_gets(rig, 'B', &ack);
        rig_gets(rig, 'C', &ack);
        rig_gets(rig, 'E', &ack);
        if (proposal == 0) {
            let_prepare_end(rig);
            rig_must_see(rig, "A B C");
            ack = ack_of(rig, 'B');
        }
    }
}

/* H6: nor may the smaller view go by the name of the one that was proposed. H90: it is agreed on
 * like any other, and not shown to all, whole. */
Test(core_proposal, leaves_out_a_joiner_that_did_not_answer_under_the_next_version)
{
    struct rig *rig = rig_in("A B C", 'A');
    const uint64_t version = core_view(rig->core)->version;

    let_in_but_d(rig);
    rig_must_see(rig, "A B C E");
    cr_assert_eq(core_view(rig->core)->version, version + 2);
    cr_assert_not_null(rig_told(rig, MESSAGE_COMMIT, 'B'));
    cr_assert_null(rig_told(rig, MESSAGE_VIEW, 'B'));
    rig_free(rig);
}

/* R5b: D has been lost, and does not come in anew after all. */
Test(core_proposal, who_is_left_out_is_still_known_to_be_gone)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct gone gone = {.id = {.bytes = {200}}, .age = 7, .reason = GONE_FAILED};

    memcpy(gone.name, member_of('D').name, sizeof gone.name);
    view_add_gone(&rig->core->view, &gone);
    view_seal(&rig->core->view);
    let_in_but_d(rig);
    rig_must_see(rig, "A B C E");
    cr_assert_eq(core_view(rig->core)->gone_count, 1);
    cr_assert_eq(core_view(rig->core)->gone[0].age, 7);
    rig_free(rig);
}

/* H28: who cannot be reached costs no view at each vain try. */
Test(core_proposal, makes_no_view_for_joiners_that_did_not_answer)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message ack = letting_in(rig, "D");
    uint64_t version = core_view(rig->core)->version;

    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    let_prepare_end(rig);
    rig_must_see(rig, "A B C");
    cr_assert_eq(core_view(rig->core)->version, version);
    cr_assert_eq(rig_count(rig, MESSAGE_VIEW), 0);
    rig_free(rig);
}

/* --- Telling (U1c) --- */

Test(core_proposal, is_committed_to_who_acknowledged_and_shown_to_the_rest)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message ack = letting_in(rig, "D");

    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'D', &ack);
    let_prepare_end(rig);
    cr_assert_not_null(rig_told(rig, MESSAGE_COMMIT, 'B'));
    cr_assert_not_null(rig_told(rig, MESSAGE_COMMIT, 'D'));
    cr_assert_null(rig_told(rig, MESSAGE_COMMIT, 'C'));
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'C'));
    rig_free(rig);
}

Test(core_proposal, is_shown_to_who_is_left_out)
{
    struct rig *rig = rig_in("A B C", 'A');

    rig_gets(rig, 'C', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}});
    rig_pass(rig, rig->timing.batch_ms, "");
    struct message ack = ack_of(rig, 'B');
    rig_gets(rig, 'B', &ack);
    rig_must_see(rig, "A B");
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'C'));
    rig_free(rig);
}

/* --- Removing (U1d) --- */

/* H2: A and B held D dead; before that was committed, D's process answered. */
Test(core_proposal, does_not_remove_who_was_heard_since)
{
    struct rig *rig = rig_in("A B C D", 'A');

    rig_accuses(rig, 'B', 4, VERDICT_DEAD);
    rig_kill(rig, 'D');
    rig_pass(rig, rig->timing.batch_ms, "");
    struct message ack = ack_of(rig, 'B');
    rig_links(rig, 'D', LINK_OPENED);
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    rig_must_see(rig, "A B C D");
    rig_pass(rig, 2 * rig->timing.batch_ms, "B C D");
    rig_must_see(rig, "A B C D");
    rig_free(rig);
}

/* --- Answering (U2) --- */

/* U2a: the ACK was lost, and the view was installed by a VIEW meanwhile. */
Test(core_proposal, of_the_view_that_is_installed_is_acknowledged_again)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *next = rig_next(rig, "+D");

    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = next}});
    rig_must_see(rig, "A B C D");
    proposes(rig, 'A', next);
    const struct message *ack = rig_told(rig, MESSAGE_ACK, 'A');
    cr_assert_not_null(ack);
    cr_assert_eq(ack->reference.view_hash, next->hash);
    rig_free(rig);
}

/* U2a, H20: A's first proposal comes after its second. */
Test(core_proposal, that_was_overtaken_is_dropped)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *first = rig_next(rig, "+D");
    struct view *second = rig_next(rig, "+D");

    second->version++;
    view_seal(second);
    proposes(rig, 'A', second);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    struct message late = {.type = MESSAGE_PREPARE, .carrier = {.view = first}};
    rig_ignores(rig, 'A', &late, REFUSED_PROPOSAL_OVERTAKEN);
    rig_free(rig);
}

/* U2a: B is no coordinator, and what it proposes is lower than what A proposes itself. */
Test(core_proposal, that_is_below_our_own_is_dropped)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *theirs = rig_view(rig, "B A");

    next_view_want_epoch(rig->core);
    (void)letting_in(rig, "D");
    theirs->version++;
    view_seal(theirs);
    struct message prepare = {.type = MESSAGE_PREPARE, .carrier = {.view = theirs}};
    rig_ignores(rig, 'B', &prepare, REFUSED_PROPOSAL_OVERTAKEN);
    cr_assert(rig->core->change.on);
    rig_free(rig);
}

/* B has won the claim of epoch 2, and proposes; A turns out to live. Returns an ACK of it. */
static struct message taking_over(struct rig *rig)
{
    rig_kill(rig, 'A');
    rig_grants(rig, 'C', 2);
    struct message ack = ack_of(rig, 'C');
    rig_links(rig, 'A', LINK_OPENED);
    return ack;
}

/* U2b, H6: it has not heard that A decided it; so nobody may hear that from it. */
Test(core_proposal, ends_the_one_of_who_accepts_it)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *next = rig_next(rig, "");
    struct message ack = taking_over(rig);

    next->epoch = 3;
    view_seal(next);
    proposes(rig, 'A', next);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    rig_gets(rig, 'C', &ack);
    rig_pass(rig, 2 * rig->timing.prepare_ms, "A C");
    cr_assert_eq(core_view(rig->core)->epoch, 1);
    cr_assert_eq(rig_count(rig, MESSAGE_COMMIT), 0);
    rig_free(rig);
}

/* U2b, H1: A and B are dead and C claims; D, younger, proposes a view that others led to. */
Test(core_proposal, ends_the_claim_of_who_accepts_it)
{
    struct rig *rig = rig_in("A B C D E", 'C');
    struct view *other = rig_view(rig, "D C E");

    rig_kill(rig, 'A');
    rig_kill(rig, 'B');
    cr_assert_not_null(rig_told(rig, MESSAGE_CLAIM, 'E'));
    other->epoch = 3;
    view_seal(other);
    proposes(rig, 'D', other);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'D'));
    for (const char *voter = "DE"; *voter != '\0'; voter++) {
        rig_grants(rig, *voter, 2);
        cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    }
    rig_free(rig);
}

/* U2b, H6: C has accepted epoch 3; B, to whom A hands over, proposes an epoch below that. */
Test(core_proposal, of_a_new_epoch_binds_who_accepts_it)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *third = rig_next(rig, "+D");
    struct view *second = rig_next(rig, "-A");

    third->epoch = 3;
    view_seal(third);
    second->epoch = 2;
    view_seal(second);
    struct message hands_over = {
        .type = MESSAGE_PREPARE,
        .carrier = {.view = second, .handover_by = rig_id(rig, 'A')},
    };

    proposes(rig, 'A', third);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    rig_gets(rig, 'B', &hands_over);
    const struct message *nack = rig_told(rig, MESSAGE_NACK, 'B');
    cr_assert_not_null(nack);
    cr_assert_eq(nack->reference.promised, 3);
    rig_pass(rig, 2 * rig->timing.prepare_ms, "A B");
    rig_gets(rig, 'B', &hands_over);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'B'), "nothing came of it");
    rig_free(rig);
}

/* U2c, H43: C had promised epoch 7 to a claimant that died. */
Test(core_proposal, that_is_below_a_promise_is_made_anew_above_it)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message nack = letting_in(rig, "D");

    nack.type = MESSAGE_NACK;
    nack.reference.promised = 7;
    rig_gets(rig, 'C', &nack);
    rig_pass(rig, rig->timing.batch_ms, "B C");
    const struct message *again = rig_told(rig, MESSAGE_PREPARE, 'C');
    cr_assert_not_null(again);
    cr_assert_eq(again->carrier.view->epoch, 8);
    rig_free(rig);
}

/* --- What is not committed (U2f) --- */

/* H17: the ACK or the COMMIT may be lost; but whoever proposed it may be dead, too. */
Test(core_proposal, what_is_not_committed_is_acknowledged_again)
{
    struct rig *rig = rig_in("A B C", 'B');
    uint64_t wait_ms = rig->timing.prepare_ms / 16;

    proposes(rig, 'A', rig_next(rig, "+D"));
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    for (int time = 2; time <= 5; time++) {
        rig_pass(rig, wait_ms - 1, "");
        cr_assert_null(rig_told(rig, MESSAGE_ACK, 'A'), "time %d", time);
        rig_pass(rig, 1, "");
        cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'), "time %d", time);
        wait_ms *= 2;
    }
    rig_pass(rig, 2 * rig->timing.prepare_ms, "A C");
    cr_assert_eq(rig_count(rig, MESSAGE_ACK), 0);
    rig_free(rig);
}

Test(core_proposal, what_is_committed_is_not_acknowledged_again)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *next = rig_next(rig, "+D");
    struct message commit = refers(MESSAGE_COMMIT, next);

    proposes(rig, 'A', next);
    rig_gets(rig, 'A', &commit);
    rig_must_see(rig, "A B C D");
    rig_pass(rig, rig->timing.prepare_ms, "A C D");
    cr_assert_eq(rig_count(rig, MESSAGE_ACK), 0);
    rig_free(rig);
}

/* H1: it is counted by the claimant from now on. */
Test(core_proposal, whoever_is_bound_to_a_higher_epoch_says_it_no_more)
{
    struct rig *rig = rig_in("A B C", 'C');

    proposes(rig, 'A', rig_next(rig, "+D"));
    rig_kill(rig, 'A');
    const struct message claim = rig_claim(rig_view(rig, "A B C"), 2);
    rig_gets(rig, 'B', &claim);
    cr_assert_not_null(rig_granted(rig, 'B'));
    rig_pass(rig, rig->timing.prepare_ms, "B");
    cr_assert_eq(rig_count(rig, MESSAGE_ACK), 0);
    rig_free(rig);
}

Test(core_proposal, an_ack_of_what_is_committed_is_answered_with_commit)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message ack = refers(MESSAGE_ACK, core_view(rig->core));

    rig_gets(rig, 'C', &ack);
    const struct message *commit = rig_told(rig, MESSAGE_COMMIT, 'C');
    cr_assert_not_null(commit);
    cr_assert_eq(commit->reference.view_hash, core_view(rig->core)->hash);
    cr_assert_eq(rig_count(rig, MESSAGE_COMMIT), 1);
    ack.reference.view_hash ^= 1;
    rig_ignores(rig, 'C', &ack, REFUSED_ANSWER_TO_ANOTHER);
    ack.reference.view_hash ^= 1;
    rig_ignores(rig, 'X', &ack, REFUSED_ANSWER_TO_ANOTHER);
    rig_free(rig);
}

Test(core_proposal, only_the_coordinator_commits_again)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message ack = refers(MESSAGE_ACK, core_view(rig->core));

    rig_ignores(rig, 'C', &ack, REFUSED_ANSWER_TO_ANOTHER);
    rig_free(rig);
}

/* --- Versions (V2a, V4k) --- */

/* Proposes a view under that epoch, built on one of that version, and says which it was given. */
static uint64_t version_of_proposal(struct rig *rig, uint64_t epoch, uint64_t version)
{
    struct view *next = rig_view(rig, "A B C");

    next->epoch = epoch;
    next->version = version;
    change_propose(rig->core, next, &(struct proposal){.first_joiner = next->member_count});
    return rig->core->change.pending.version;
}

/* H48: somebody made B believe in a version that is as high as may be, and B's vote brought it. */
Test(core_proposal, what_leaps_is_not_counted_on_from)
{
    struct rig *rig = rig_in("A B C", 'A');
    const uint64_t epoch = core_view(rig->core)->epoch;
    const uint64_t ours = core_view(rig->core)->version;

    cr_assert_eq(version_of_proposal(rig, epoch + 1, ours + LEAP_MAX), ours + 1);
    cr_assert_eq(version_of_proposal(rig, epoch + 2, ours + SAID_LEAP_MAX),
                 ours + SAID_LEAP_MAX + 1, "half of a leap is none for anybody");
    rig_free(rig);
}

/* H6 */
Test(core_proposal, under_one_epoch_no_version_is_given_twice)
{
    struct rig *rig = rig_in("A B C", 'A');
    const uint64_t epoch = core_view(rig->core)->epoch + 1;
    const uint64_t leaps = core_view(rig->core)->version + LEAP_MAX;
    const uint64_t first = version_of_proposal(rig, epoch, leaps);

    cr_assert_gt(version_of_proposal(rig, epoch, leaps), first);
    rig_free(rig);
}
