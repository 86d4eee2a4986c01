#include "core/agreement/granter.h"

#include "core/agreement/candidacy.h"
#include "core/agreement/change.h"
#include "core/agreement/install.h"
#include "core/agreement/promise.h"
#include "core/agreement/voting.h"
#include "core/detection/elders.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/refuse.h"

/* A claim as the answer to it has to name it: of a member that holds this node's view. */
static struct vote_question question_of(const struct core *core, const struct ballot *ballot,
                                        uint32_t claimant)
{
    return (struct vote_question){.kind = VOTE_CLAIM,
                                  .lineage = core->view.lineage,
                                  .ballot = *ballot,
                                  .address = core->view.members[claimant].address,
                                  .view = view_id_of(&core->view)};
}

static void deny(struct core *core, const struct ballot *ballot, uint32_t claimant,
                 enum vote_result result, uint64_t wait_ms)
{
    const struct vote_question question = question_of(core, ballot, claimant);
    const struct vote vote = {.result = result,
                              .promised = larger(core->promise.epoch, core->change.pending.epoch),
                              .wait_ms = wait_ms};

    voting_reply(core, &question, &vote, &core->granting.shown);
}

/* C2c. It shows a copy of what it has accepted: in the same step it may propose something itself.
 */
static void grant(struct core *core, const struct ballot *ballot, uint32_t claimant)
{
    const struct vote_question question = question_of(core, ballot, claimant);
    const struct vote granted = {.result = VOTE_GRANTED};

    change_drop_own(core); /* What we proposed ourselves stays only as what we accepted. */
    candidacy_drop(core);
    promise_give(core, ballot->epoch, &ballot->life,
                 core->now_ms + core->timing.claim_ms + core->timing.prepare_ms);
    core->granting.waiting.until_ms = 0;
    view_copy(&core->granting.shown, &core->change.pending);
    voting_reply(core, &question, &granted, &core->granting.shown);
    candidacy_tell(core, CLAIM_GRANTED, &core->view.members[claimant], ballot->epoch);
}

/* Why this member is not free to grant that epoch; REFUSED_NOT: it is. */
static enum refusal why_epoch_is_not_free(const struct core *core, const struct ballot *ballot)
{
    const struct view *accepted = &core->change.pending;
    const struct promise *promise = &core->promise;

    /* An accepted proposal took its epoch, even if what became of it is not known here (V2). */
    if (!view_is_empty(accepted) && accepted->lineage == core->view.lineage &&
        ballot->epoch <= accepted->epoch) {
        return REFUSED_EPOCH_TAKEN;
    }
    if (ballot->epoch < promise->epoch) {
        return REFUSED_EPOCH_BELOW_PROMISE;
    }
    return ballot->epoch == promise->epoch && !id_equal(&promise->to, &ballot->life)
               ? REFUSED_EPOCH_PROMISED
               : REFUSED_NOT;
}

/* C2b, C2c, once both hold the same view. A claim that is refused because somebody older is fresh
 * is remembered, so that the grant follows at the moment at which nobody is. */
static void judge(struct core *core, const struct message *message, const struct ballot *ballot,
                  uint32_t claimant)
{
    const struct node_id nobody = {.bytes = {0}};
    enum refusal against = why_epoch_is_not_free(core, ballot);

    if (against != REFUSED_NOT) {
        REACHED(claim_refused_for_a_promise);
        refuse(core, message, against);
        deny(core, ballot, claimant, VOTE_REFUSED_EPOCH, 0);
        return;
    }
    watch_want_older(core, claimant);
    uint64_t wait_ms = elders_are_fresh_for_ms(core, claimant, &nobody);
    if (wait_ms == 0) {
        grant(core, ballot, claimant);
        return;
    }
    core->granting.waiting = (struct waiting_claim){
        .ballot = *ballot, .until_ms = core->now_ms + core->timing.claim_ms};
    refuse(core, message,
           core->position < claimant ? REFUSED_CLAIMANT_YOUNGER : REFUSED_OLDER_ONE_FRESH);
    deny(core, ballot, claimant, VOTE_REFUSED_FRESH, wait_ms);
    candidacy_tell(core, CLAIM_DECLINED, &core->view.members[claimant], ballot->epoch);
}

/* The claimant's view is higher. This node installs it at once where it has accepted it, as with a
 * COMMIT; else it asks for it, and answers when the claim is repeated. */
static bool catch_up(struct core *core, const struct message *message)
{
    if (change_names_pending(core, message) && !core->change.on) {
        install_view(core, &core->change.pending);
        return true;
    }
    refuse(core, message, REFUSED_CLAIM_VIEW_HIGHER);
    if (view_has(&core->view, &message->from)) {
        install_pull(core, message);
    }
    return false;
}

void granter_on_claim(struct core *core, const struct message *message)
{
    const struct view_id *theirs = &message->reference.view;
    const struct view_id ours = view_id_of(&core->view);
    const struct ballot ballot = {message->reference.promised, message->from};

    if (core_is_strict(core)) {
        refuse(core, message, REFUSED_CLAIM_OF_MEMBERS);
        return;
    }
    if (theirs->lineage != ours.lineage) {
        refuse(core, message, REFUSED_OTHER_LINEAGE);
        return;
    }
    if (ballot.epoch <= theirs->epoch) {
        refuse(core, message, REFUSED_CLAIM_NOT_NEW);
        return;
    }
    if (ballot.epoch > promise_numbers_max(core).epoch) {
        refuse(core, message, REFUSED_EPOCH_LEAPS);
        return;
    }
    int order = view_id_compare(theirs, &ours);
    if (order > 0 && !catch_up(core, message)) {
        return;
    }
    uint32_t claimant = view_find(&core->view, &message->from);
    if (claimant == VIEW_NONE) {
        refuse(core, message, REFUSED_OF_STRANGER);
        install_answer_stranger(core, message);
        return;
    }
    if (order < 0) {
        REACHED(claim_with_an_older_view);
        refuse(core, message, REFUSED_CLAIM_VIEW_LOWER);
        deny(core, &ballot, claimant, VOTE_REFUSED_BEHIND, 0);
        install_on_pull(core, message); /* It gets the newer view and starts again from there. */
        return;
    }
    judge(core, message, &ballot, claimant);
}

static void judge_again(struct core *core)
{
    const struct ballot ballot = core->granting.waiting.ballot;
    const struct node_id nobody = {.bytes = {0}};
    uint32_t claimant = view_find(&core->view, &ballot.life);

    if (core->now_ms >= core->granting.waiting.until_ms || claimant == VIEW_NONE ||
        core->peers[claimant].charge.verdict != VERDICT_NONE ||
        why_epoch_is_not_free(core, &ballot) != REFUSED_NOT) {
        refuse_later(core, MESSAGE_CLAIM, &ballot.life, REFUSED_CLAIM_LAPSED);
        core->granting.waiting.until_ms = 0;
        return;
    }
    if (elders_are_fresh_for_ms(core, claimant, &nobody) == 0) {
        REACHED(claim_granted_when_evidence_was_complete);
        grant(core, &ballot, claimant);
    }
}

void granter_tick(struct core *core)
{
    const struct promise *promise = &core->promise;
    const bool own = core->candidacy.on && id_equal(&promise->to, &core->life.self.id);

    if (!core_is_member(core)) {
        return;
    }
    if (promise->epoch != 0 && core->now_ms >= promise->until_ms && !own) {
        promise_forget(core);
    }
    if (core->granting.waiting.until_ms != 0) {
        judge_again(core);
    }
}

void granter_on_view_installed(struct core *core)
{
    if (core->view.epoch >= core->promise.epoch) {
        core->granting.waiting.until_ms = 0;
    }
}

void granter_reset(struct core *core)
{
    core->granting.waiting.until_ms = 0;
}
