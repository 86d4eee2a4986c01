/* What a stale or hostile message must not do to a take-over, and the take-overs that no cluster
 * comes by unless somebody does not keep to the rules (C1 to C5). */
#include <criterion/criterion.h>

#include "core/detection/verdict.h"
#include "rig.h"

static void claims(struct rig *rig, char claimant, uint64_t epoch)
{
    const struct message claim = rig_claim(rig_view(rig, "A B C"), epoch);

    rig_gets(rig, claimant, &claim);
}

static const struct vote_answer *refused(const struct rig *rig, char claimant)
{
    const struct message *message = rig_refused(rig, claimant);

    cr_assert_not_null(message);
    cr_assert_null(rig_granted(rig, claimant));
    return &message->carrier.vote;
}

/* --- The voter (C2) --- */

/* H7: and it says for how long yet, so that the claimant need not guess. */
Test(core_claim, is_refused_while_somebody_older_is_fresh)
{
    struct rig *rig = rig_in("A B C", 'C');

    rig_pass(rig, 100, "B");
    claims(rig, 'B', 2);
    cr_assert_eq(refused(rig, 'B')->result, VOTE_REFUSED_FRESH);
    cr_assert_eq(rig_refused(rig, 'B')->carrier.epoch, 2);
    cr_assert_eq(refused(rig, 'B')->wait_ms, rig->timing.fresh_ms - 100);

    rig_pass(rig, rig->timing.fresh_ms - 100, "B");
    claims(rig, 'B', 2);
    cr_assert_not_null(rig_granted(rig, 'B'));
    rig_free(rig);
}

/* C5: a refusal for freshness is borne in mind, and the grant follows with our own evidence. */
Test(core_claim, is_granted_by_itself_when_the_evidence_is_complete)
{
    struct rig *rig = rig_in("A B C", 'C');

    rig_pass(rig, 100, "B");
    claims(rig, 'B', 2);
    cr_assert_eq(refused(rig, 'B')->result, VOTE_REFUSED_FRESH);
    rig_kill(rig, 'A');
    const struct message *grant = rig_granted(rig, 'B');
    cr_assert_not_null(grant);
    cr_assert_eq(grant->carrier.epoch, 2);
    rig_free(rig);
}

/* Z7c: the one to whom it has handed over may be gone, and it acts no more. */
Test(core_claim, is_granted_though_a_coordinator_that_has_handed_over_is_fresh)
{
    struct rig *rig = rig_in("A B C", 'C');
    const struct view *view = core_view(rig->core);

    rig_pass(rig, 100, "B");
    rig_gets(
        rig, 'A',
        &(struct message){
            .type = MESSAGE_HEARTBEAT,
            .heartbeat = {.view = view_id_of(view), .view_hash = view->hash, .handed_over = true}});
    claims(rig, 'B', 2);
    cr_assert_not_null(rig_granted(rig, 'B'));
    rig_free(rig);
}

Test(core_claim, is_refused_by_whoever_is_older)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig_pass(rig, rig->timing.fresh_ms, "C"); /* B suspects nobody yet, so it claims nothing. */
    claims(rig, 'C', 2);
    cr_assert_eq(refused(rig, 'C')->result, VOTE_REFUSED_FRESH);
    cr_assert_eq(refused(rig, 'C')->wait_ms, rig->timing.fresh_ms);
    rig_free(rig);
}

Test(core_claim, is_refused_under_an_epoch_that_was_promised)
{
    struct rig *rig = rig_in("A B C", 'C');

    rig_kill(rig, 'A');
    claims(rig, 'B', 5);
    cr_assert_not_null(rig_granted(rig, 'B'));
    claims(rig, 'B', 4);
    cr_assert_eq(refused(rig, 'B')->result, VOTE_REFUSED_EPOCH);
    cr_assert_eq(refused(rig, 'B')->promised, 5);
    claims(rig, 'B', 5);
    cr_assert_not_null(rig_granted(rig, 'B'), "the same answer again");
    claims(rig, 'A', 5); /* The promise is to another. */
    cr_assert_eq(refused(rig, 'A')->result, VOTE_REFUSED_EPOCH);
    rig_free(rig);
}

/* V2: the one who proposed it may have given it a view that we have not seen yet; even when what
 * bound us to it has lapsed (C5). */
Test(core_claim, is_refused_under_the_epoch_of_an_accepted_proposal)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *view = rig_next(rig, "+D");

    view->epoch = 3;
    view_seal(view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = view}});
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    rig_kill(rig, 'A');
    rig_pass(rig, 2 * rig->timing.prepare_ms, "B");
    claims(rig, 'B', 3);
    cr_assert_eq(refused(rig, 'B')->result, VOTE_REFUSED_EPOCH);
    cr_assert_eq(refused(rig, 'B')->promised, 3);
    rig_free(rig);
}

Test(core_claim, an_epoch_that_cannot_be_is_not_answered)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message claim = rig_claim(rig_view(rig, "A B C"), 1); /* Its view's own. */

    rig_kill(rig, 'A');
    rig_ignores(rig, 'B', &claim, REFUSED_CLAIM_NOT_NEW);
    claim = rig_claim(rig_view(rig, "A B C"), 1 + LEAP_MAX + 1);
    rig_ignores(rig, 'B', &claim, REFUSED_EPOCH_LEAPS);
    rig_free(rig);
}

/* --- The claimant (C3) --- */

/* B has begun to claim. The epoch of its claim, or 0. */
static uint64_t claimed(const struct rig *rig)
{
    const struct message *claim = rig_told(rig, MESSAGE_CLAIM, 'C');

    return claim == NULL ? 0 : claim->carrier.epoch;
}

static struct message grant_of(const struct rig *rig, uint64_t epoch, struct view *accepted)
{
    struct message grant = rig_answer(rig, epoch, VOTE_GRANTED);

    grant.carrier.view = accepted;
    return grant;
}

Test(core_claim, a_grant_that_is_not_for_this_claim_does_not_count)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message grant = grant_of(rig, 2, NULL);

    rig_ignores(rig, 'C', &grant, REFUSED_ANOTHER_CLAIM); /* Nothing was asked. */
    rig_kill(rig, 'A');
    cr_assert_eq(claimed(rig), 2);
    grant.carrier.epoch = 3;
    rig_ignores(rig, 'C', &grant, REFUSED_ANOTHER_CLAIM);
    grant.carrier.epoch = 1;
    rig_ignores(rig, 'C', &grant, REFUSED_ANOTHER_CLAIM);
    grant.carrier.epoch = 2;
    rig_ignores(rig, 'X', &grant, REFUSED_VOTER_UNKNOWN);

    rig_gets(rig, 'C', &grant);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'C'));
    rig_free(rig);
}

Test(core_claim, a_refusal_that_is_not_for_this_claim_does_not_count)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message refusal = rig_answer(rig, 2, VOTE_REFUSED_EPOCH);

    rig_ignores(rig, 'C', &refusal, REFUSED_ANOTHER_CLAIM);
    rig_kill(rig, 'A');
    refusal.carrier.epoch = 3;
    rig_ignores(rig, 'C', &refusal, REFUSED_ANOTHER_CLAIM);
    refusal.carrier.epoch = 2;
    rig_ignores(rig, 'X', &refusal, REFUSED_VOTER_UNKNOWN);
    refusal.carrier.vote.promised = 2 + LEAP_MAX + 1;
    rig_refuses(rig, 'C', &refusal, REFUSED_EPOCH_LEAPS);
    rig_free(rig);
}

/* What only voters of guard strict are asked moves no coordinator, and wins no claim. */
Test(core_claim, a_member_votes_on_claims_alone)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct rig *candidate = rig_in("A B C", 'B');

    rig_kill(candidate, 'A');
    for (unsigned kind = VOTE_PREPARE; kind <= VOTE_FOUNDING; kind++) {
        struct message vote = rig_answer(rig, core_view(rig->core)->epoch, VOTE_REFUSED_EPOCH);
        vote.carrier.vote.kind = (enum vote_kind)kind;
        vote.carrier.vote.promised = vote.carrier.epoch + 1;
        vote.carrier.vote.version = core_view(rig->core)->version;
        rig_ignores(rig, 'C', &vote, REFUSED_VOTER_UNKNOWN);
        vote = rig_answer(candidate, 2, VOTE_GRANTED);
        vote.carrier.vote.kind = (enum vote_kind)kind;
        rig_ignores(candidate, 'C', &vote, REFUSED_VOTER_UNKNOWN);
    }
    struct message vote = rig_answer(candidate, 2, VOTE_GRANTED);
    vote.carrier.vote.record = rig_id(rig, 'X');
    rig_ignores(candidate, 'C', &vote, REFUSED_VOTER_UNKNOWN);
    rig_free(candidate);
    rig_free(rig);
}

/* A refusal may hold a claim up, but by no more than anybody can be fresh. */
Test(core_claim, a_refusal_does_not_make_us_wait_longer_than_freshness_lasts)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig_kill(rig, 'A');
    struct message refusal = rig_answer(rig, 2, VOTE_REFUSED_FRESH);
    refusal.carrier.vote.wait_ms = UINT64_MAX;
    rig_gets(rig, 'C', &refusal);
    rig_pass(rig, rig->timing.fresh_ms + 1, "C");
    cr_assert_eq(claimed(rig), 2, "it asks again");
    rig_free(rig);
}

/* --- What the winner builds on (C4) --- */

/* No rule lets a voter grant an epoch that it has accepted a proposal of (C2). One that does
 * shows a view which the claim's could not be above; so it is not won, and the next is above. */
Test(core_claim, is_not_won_on_a_view_of_its_own_epoch)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *taken = rig_next(rig, "+D");

    taken->epoch = 2;
    view_seal(taken);
    rig_kill(rig, 'A');
    cr_assert_eq(claimed(rig), 2);
    struct message grant = grant_of(rig, 2, taken);
    rig_gets(rig, 'C', &grant);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);

    for (uint64_t ms = 0; claimed(rig) <= 2; ms += 100) {
        cr_assert_lt(ms, 5 * rig->timing.claim_ms);
        rig_pass(rig, 100, "C");
    }
    grant = grant_of(rig, claimed(rig), NULL);
    rig_gets(rig, 'C', &grant);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'C');
    cr_assert_not_null(prepare);
    cr_assert_gt(prepare->carrier.view->epoch, 2);
    rig_free(rig);
}

/* What C shows was made by X, whom B does not know: B cannot have its word. */
Test(core_claim, is_not_built_on_a_view_of_a_maker_it_does_not_succeed)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *strange = rig_view(rig, "X A B C");

    rig_kill(rig, 'A');
    struct message grant = grant_of(rig, claimed(rig), strange);
    rig_gets(rig, 'C', &grant);
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'X'));
    const struct message *proposal = rig_told(rig, MESSAGE_PREPARE, 'C');
    cr_assert_not_null(proposal);
    cr_assert_eq(proposal->carrier.view->member_count, 2);
    rig_free(rig);
}

/* C4e: A let in X ahead of B, which was drained. Nothing speaks against X. */
Test(core_claim, overtakes_who_is_older_only_in_what_was_accepted)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *accepted = rig_view(rig, "A X B C");
    struct node_id newcomer = rig_id(rig, 'X');
    uint64_t next_age = accepted->next_age;

    rig_kill(rig, 'A');
    struct message grant = grant_of(rig, claimed(rig), accepted);
    rig_gets(rig, 'C', &grant);
    const struct message *proposal = rig_told(rig, MESSAGE_PREPARE, 'X');
    cr_assert_not_null(proposal);
    const struct view *view = proposal->carrier.view;
    cr_assert_eq(view->member_count, 3);
    cr_assert(id_equal(&view->members[0].id, &core_self(rig->core)->id));
    cr_assert(id_equal(&view->members[2].id, &newcomer));
    cr_assert_eq(view->members[2].age, next_age);
    rig_free(rig);
}

/* Hears everybody but A, who is the oldest. */
static void says_of_a(struct rig *rig, char from, bool suspects)
{
    const struct view *view = core_view(rig->core);

    rig_gets(rig, from,
             &(struct message){
                 .type = MESSAGE_HEARTBEAT,
                 .heartbeat = {.view = view_id_of(view),
                               .view_hash = view->hash,
                               .suspects = {{.age = view->members[0].age, .verdict = VERDICT_LOST}},
                               .suspect_count = suspects}});
}

/* C4e, R2a, H8: C hears A again, and says so before it grants. */
Test(core_claim, overtakes_who_is_older_and_heard_by_others)
{
    for (int heard = 0; heard < 2; heard++) {
        struct rig *rig = rig_in("A B C D E", 'B');
        const struct node_id oldest = rig_id(rig, 'A');

        for (int i = 0; i < 100 && !rig->core->candidacy.on; i++) {
            rig_pass(rig, 50, "");
            says_of_a(rig, 'C', true);
            says_of_a(rig, 'D', true);
            says_of_a(rig, 'E', true);
        }
        const struct message grant = grant_of(rig, rig->core->candidacy.epoch, NULL);
        says_of_a(rig, 'C', heard == 0);
        rig_gets(rig, 'D', &grant);
        rig_gets(rig, 'E', &grant);
        rig_gets(rig, 'C', &grant);
        const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'C');
        cr_assert_not_null(prepare);
        cr_assert_eq(view_find(prepare->carrier.view, &oldest), heard ? 4 : VIEW_NONE);
        rig_free(rig);
    }
}

/* H48, C4e: C accepted it when it was a joiner, and cannot tell whether A made it. */
Test(core_claim, lets_in_whom_it_does_not_know_only_if_they_answer)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *accepted = rig_view(rig, "A B C D E F");
    const struct node_id silent = rig_id(rig, 'E');
    char text[64];

    rig_kill(rig, 'A');
    struct message grant = grant_of(rig, claimed(rig), accepted);
    rig_gets(rig, 'C', &grant);
    for (int proposal = 0; proposal < 2; proposal++) { /* U1b: then without E. */
        const struct message ack = rig_ack(rig, 'C');
        const struct message elsewhere = {
            .type = MESSAGE_NOT_FOLLOWING,
            .reference = {.view = view_id_of(accepted), .view_hash = ack.reference.view_hash}};
        rig_gets(rig, 'C', &ack);
        rig_gets(rig, 'D', &ack);
        rig_gets(rig, 'F', &elsewhere);
        if (proposal == 0) {
            rig_pass(rig, rig->timing.prepare_ms + rig->timing.batch_ms, "C");
        }
    }
    cr_assert_str_eq(rig_sees(rig, text), "B C D F");
    const struct gone *gone = view_find_gone(core_view(rig->core), &silent);
    cr_assert_not_null(gone);
    cr_assert_eq(gone->reason, GONE_FAILED);
    cr_assert_eq(gone->accuser_count, 0);
    rig_free(rig);
}

/* C4: what was shown to a member that would not follow it is the highest view there is, once all
 * who stood against it are dead; whom it let in stays in. */
Test(core_claim, builds_on_a_view_that_was_refused_before)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *usurped = rig_next(rig, "-A +D");

    usurped->epoch++;
    view_seal(usurped);
    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = usurped}});
    cr_assert_not_null(rig_told(rig, MESSAGE_NOT_FOLLOWING, 'B'));
    rig_kill(rig, 'A');
    rig_kill(rig, 'B');
    const struct message *proposal = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(proposal);
    cr_assert_eq(proposal->carrier.view->member_count, 2);
    cr_assert_gt(proposal->carrier.view->epoch, usurped->epoch);
    rig_free(rig);
}

/* --- Whoever went elsewhere (C1, L2) --- */

/* For longer than T_fresh B says that it follows X, of another founding; C and D stay. */
static void follows_another(struct rig *rig)
{
    struct heartbeat says = {.view = view_id_of(core_view(rig->core))};

    says.view.lineage++;
    says.view.coordinator = rig_id(rig, 'X');
    for (uint64_t ms = 0; ms <= rig->timing.fresh_ms; ms += 100) {
        rig_gets(rig, 'B', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = says});
        rig_pass(rig, 100, "C D");
    }
    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = says});
}

/* Y2: two whose coordinators are dead, each next in the line of the other's view, must not wait for
 * one another for ever. */
Test(core_claim, does_not_wait_for_an_older_one_that_follows_another)
{
    struct rig *rig = rig_in("A B C", 'C');
    char text[64];

    rig_kill(rig, 'A');
    cr_assert_null(rig_told(rig, MESSAGE_CLAIM, 'B'));
    follows_another(rig);
    rig_pass(rig, 2 * rig->timing.claim_ms, "");
    cr_assert_str_eq(rig_sees(rig, text), "C");
    const struct node_id moved = rig_id(rig, 'B');
    cr_assert_eq(view_find_gone(core_view(rig->core), &moved)->reason, GONE_MOVED);
    rig_free(rig);
}

/* A coordinator that went elsewhere is followed (V4), not replaced. */
Test(core_claim, does_not_begin_while_the_coordinator_is_heard)
{
    struct rig *rig = rig_in("B C D", 'C');

    follows_another(rig);
    cr_assert_null(rig_told(rig, MESSAGE_CLAIM, 'D'));
    rig_free(rig);
}

Test(core_claim, is_granted_though_an_older_one_that_follows_another_is_fresh)
{
    struct rig *rig = rig_in("A B C D", 'D');
    const struct message claim = rig_claim(rig_view(rig, "A B C D"), 2);

    rig_kill(rig, 'A');
    rig_gets(rig, 'C', &claim);
    cr_assert_eq(refused(rig, 'C')->result, VOTE_REFUSED_FRESH);
    follows_another(rig);
    rig_gets(rig, 'C', &claim);
    cr_assert_not_null(rig_granted(rig, 'C'));
    rig_free(rig);
}

/* H48: what is said in B's name is granted, and it stays silent; so this node claims in that very
 * step and proposes another view. The grant shows what it had accepted all the same. */
Test(core_claim, a_grant_shows_what_was_accepted_whatever_comes_after_it)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *proposed = rig_next(rig, "+D");

    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = proposed}});
    cr_assert_eq(rig->core->change.pending.hash, proposed->hash);
    rig->core->promise.backoff.over_ms = NEVER_MS;
    rig_pass(rig, 2 * rig->timing.lost_ms, "");
    rig->core->promise.backoff.over_ms = rig->now_ms;
    verdict_evidence_changed(rig->core);
    const struct message claim = rig_claim(rig_view(rig, "A B C"), 9);
    const struct message received = rig_message(rig, 'B', &claim);
    rig_gets_raw(rig, &received);
    cr_assert_neq(rig->core->change.pending.hash, proposed->hash);
    const struct message *grant = rig_granted(rig, 'B');
    cr_assert_not_null(grant);
    cr_assert_not_null(grant->carrier.view);
    cr_assert_eq(grant->carrier.view->hash, proposed->hash);
    cr_assert(rig_told_briefly(rig, MESSAGE_VOTE, 'B')); /* U3f */
    rig_free(rig);
}
