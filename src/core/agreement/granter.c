#include "core/agreement/granter.h"

#include "core/agreement/candidacy.h"
#include "core/agreement/change.h"
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

/* A claim that is refused because somebody older is fresh is remembered, so that the grant follows
 * at the moment at which nobody is. */
void granter_judge(struct core *core, const struct message *claim)
{
    const struct ballot ballot = {claim->carrier.epoch, claim->from};
    const uint32_t claimant = view_find(&core->view, &claim->from);
    const struct node_id nobody = {.bytes = {0}};
    enum refusal against = why_epoch_is_not_free(core, &ballot);

    if (against != REFUSED_NOT) {
        REACHED(claim_refused_for_a_promise);
        refuse(core, claim, against);
        deny(core, &ballot, claimant, VOTE_REFUSED_EPOCH, 0);
        return;
    }
    watch_want_older(core, claimant);
    uint64_t wait_ms = elders_are_fresh_for_ms(core, claimant, &nobody);
    if (wait_ms == 0) {
        grant(core, &ballot, claimant);
        return;
    }
    core->granting.waiting = (struct waiting_claim){
        .ballot = ballot, .until_ms = core->now_ms + core->timing.claim_ms};
    refuse(core, claim,
           core->position < claimant ? REFUSED_CLAIMANT_YOUNGER : REFUSED_OLDER_ONE_FRESH);
    deny(core, &ballot, claimant, VOTE_REFUSED_FRESH, wait_ms);
    candidacy_tell(core, CLAIM_DECLINED, &core->view.members[claimant], ballot.epoch);
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
