#include "core/agreement/granter.h"

#include "core/agreement/candidacy.h"
#include "core/agreement/change.h"
#include "core/agreement/install.h"
#include "core/agreement/promise.h"
#include "core/detection/elders.h"
#include "core/detection/route.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

static void tell(struct core *core, enum claim_step step, uint32_t claimant, uint64_t epoch)
{
    const struct member *member = &core->view.members[claimant];
    struct notice *notice = outbox_notice_of(core, NOTICE_CLAIM, member);

    notice->claim = step;
    notice->epoch = epoch;
}

static void deny(struct core *core, uint32_t claimant, uint64_t epoch, enum claim_refusal reason,
                 uint64_t wait_ms)
{
    struct message *message = outbox_message(core, MESSAGE_CLAIM_REFUSED);

    if (message != NULL) {
        message->claim_refused.epoch = epoch;
        message->claim_refused.reason = reason;
        message->claim_refused.wait_ms = wait_ms;
        message->claim_refused.promised = larger(core->promise.epoch, core->change.pending.epoch);
    }
    route_send(core, message, claimant);
}

/* A copy of the view that this node accepted, if that is higher than the installed one; else NULL.
 * A copy, for in the same step this node may propose something itself. */
static struct view *shown_with_grant(struct core *core)
{
    const struct view *accepted = &core->change.pending;
    struct view_id theirs = view_id_of(accepted);
    struct view_id ours = view_id_of(&core->view);

    if (view_is_empty(accepted) || view_id_compare(&theirs, &ours) <= 0) {
        return NULL;
    }
    view_copy(&core->granting.shown, accepted);
    return &core->granting.shown;
}

static void grant(struct core *core, uint32_t claimant, uint64_t epoch)
{
    struct message *message = outbox_message(core, MESSAGE_GRANT);

    change_drop_own(core); /* What we proposed ourselves stays only as what we accepted. */
    candidacy_drop(core);
    promise_give(core, epoch, &core->view.members[claimant].id,
                 core->now_ms + core->timing.claim_ms + core->timing.prepare_ms);
    core->granting.waiting.until_ms = 0;
    if (message != NULL) {
        message->carrier.view = shown_with_grant(core);
        message->carrier.epoch = epoch;
    }
    route_send(core, message, claimant);
    tell(core, CLAIM_GRANTED, claimant, epoch);
}

/* Why this member is not free to grant that epoch; REFUSED_COUNT: it is. */
static enum refusal why_epoch_is_not_free(const struct core *core, const struct node_id *claimant,
                                          uint64_t epoch)
{
    const struct view *accepted = &core->change.pending;

    /* An accepted proposal took its epoch, even if what became of it is not known here (V2). */
    if (!view_is_empty(accepted) && accepted->lineage == core->view.lineage &&
        epoch <= accepted->epoch) {
        return REFUSED_EPOCH_TAKEN;
    }
    if (epoch < core->promise.epoch) {
        return REFUSED_EPOCH_BELOW_PROMISE;
    }
    return epoch == core->promise.epoch && !id_equal(&core->promise.to, claimant)
               ? REFUSED_EPOCH_PROMISED
               : REFUSED_COUNT;
}

/* C2b, C2c, once both hold the same view. A claim that is refused because somebody older is fresh
 * is remembered, so that the grant follows at the moment at which nobody is. */
static void judge(struct core *core, const struct message *message, uint32_t claimant)
{
    const struct node_id nobody = {.bytes = {0}};
    const struct node_id *id = &core->view.members[claimant].id;
    uint64_t epoch = message->reference.promised;
    enum refusal against = why_epoch_is_not_free(core, id, epoch);

    if (against != REFUSED_COUNT) {
        REACHED(claim_refused_for_a_promise);
        refuse(core, message, against);
        deny(core, claimant, epoch, CLAIM_REFUSED_EPOCH, 0);
        return;
    }
    watch_want_older(core, claimant);
    uint64_t wait_ms = elders_are_fresh_for_ms(core, claimant, &nobody);
    if (wait_ms == 0) {
        grant(core, claimant, epoch);
        return;
    }
    core->granting.waiting = (struct waiting_claim){
        .id = *id, .epoch = epoch, .until_ms = core->now_ms + core->timing.claim_ms};
    refuse(core, message,
           core->position < claimant ? REFUSED_CLAIMANT_YOUNGER : REFUSED_OLDER_ONE_FRESH);
    deny(core, claimant, epoch, CLAIM_REFUSED_FRESH, wait_ms);
    tell(core, CLAIM_DECLINED, claimant, epoch);
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
    const uint64_t epoch = message->reference.promised;

    if (core_is_strict(core)) {
        refuse(core, message, REFUSED_CLAIM_OF_MEMBERS);
        return;
    }
    if (theirs->lineage != ours.lineage) {
        refuse(core, message, REFUSED_OTHER_LINEAGE);
        return;
    }
    if (epoch <= theirs->epoch) {
        refuse(core, message, REFUSED_CLAIM_NOT_NEW);
        return;
    }
    if (epoch > promise_numbers_max(core).epoch) {
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
        deny(core, claimant, epoch, CLAIM_REFUSED_BEHIND, 0);
        install_on_pull(core, message); /* It gets the newer view and starts again from there. */
        return;
    }
    judge(core, message, claimant);
}

static void judge_again(struct core *core)
{
    const struct waiting_claim *waiting = &core->granting.waiting;
    const struct node_id nobody = {.bytes = {0}};
    uint32_t claimant = view_find(&core->view, &waiting->id);

    if (core->now_ms >= waiting->until_ms || claimant == VIEW_NONE ||
        core->peers[claimant].charge.verdict != VERDICT_NONE ||
        why_epoch_is_not_free(core, &waiting->id, waiting->epoch) != REFUSED_COUNT) {
        refuse_later(core, MESSAGE_CLAIM, &waiting->id, REFUSED_CLAIM_LAPSED);
        core->granting.waiting.until_ms = 0;
        return;
    }
    if (elders_are_fresh_for_ms(core, claimant, &nobody) == 0) {
        REACHED(claim_granted_when_evidence_was_complete);
        grant(core, claimant, waiting->epoch);
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
