#include "core/detection/verdict.h"

#include "core/state/outbox.h"

void verdict_evidence_changed(struct core *core)
{
    core->verdicts.changed = true;
}

bool verdict_take_evidence(struct core *core)
{
    bool changed = core->verdicts.changed;

    core->verdicts.changed = false;
    return changed;
}

static void tell(struct core *core, enum notice_type type, uint32_t position)
{
    struct notice *notice = outbox_notice_of(core, type, &core->view.members[position]);

    notice->verdict = core->peers[position].charge.verdict;
    notice->silent_ms = core->now_ms - core->peers[position].signs.silent_from_ms;
}

void verdict_set(struct core *core, uint32_t position, enum verdict verdict)
{
    struct peer_charge *charge = &core->peers[position].charge;

    charge->verdict = verdict;
    charge->verdict_ms = core->now_ms;
    if (verdict != VERDICT_LOST) {
        charge->verify.until_ms =
            NEVER_MS; /* A verification that began before the verdict goes on (D2h). */
    }
    charge->confirmed = false;
    tell(core, NOTICE_SUSPECT, position);
    verdict_evidence_changed(core);
}

bool verdict_clear(struct core *core, uint32_t position)
{
    struct peer_charge *charge = &core->peers[position].charge;

    if (charge->verdict == VERDICT_NONE) {
        return false;
    }
    tell(core, NOTICE_CLEARED, position);
    charge->verdict = VERDICT_NONE;
    charge->confirmed = false;
    charge->verify.until_ms = NEVER_MS;
    verdict_evidence_changed(core);
    return true;
}

void verdict_confirm(struct core *core, uint32_t position)
{
    core->peers[position].charge.confirmed = true;
}

void verdict_take_back(struct core *core, uint32_t position)
{
    core->peers[position].charge.confirmed = false;
    verdict_evidence_changed(core);
}

void verdict_let_go(struct core *core, uint32_t position)
{
    core->peers[position].charge.leaves = true;
    core->peers[position].charge.leaves_ms = core->now_ms;
}

void verdict_heard(struct core *core, uint32_t position)
{
    struct peer_charge *charge = &core->peers[position].charge;

    charge->leaves = charge->leaves && core->now_ms < charge->leaves_ms + core->timing.fresh_ms;
}

void verdict_reconsider(struct core *core, uint32_t position)
{
    struct peer_charge *charge = &core->peers[position].charge;

    charge->confirmed = charge->confirmed && charge->verdict != VERDICT_NONE;
}

void verdict_verify(struct core *core, uint32_t position, uint64_t nonce, uint64_t again_ms,
                    uint64_t until_ms)
{
    struct peer_charge *charge = &core->peers[position].charge;

    charge->asked_ms = core->now_ms;
    charge->nonce = nonce;
    charge->verify = (struct asking){.again_ms = again_ms, .until_ms = until_ms};
}

void verdict_asked_again(struct core *core, uint32_t position, uint64_t again_ms)
{
    core->peers[position].charge.verify.again_ms = again_ms;
}

void verdict_answered(struct core *core, uint32_t position)
{
    core->peers[position].charge.asked_ms = 0;
    verdict_end_verification(core, position);
}

void verdict_end_verification(struct core *core, uint32_t position)
{
    core->peers[position].charge.verify.until_ms = NEVER_MS;
}

void verdict_put_off(struct core *core, uint64_t late_ms)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        struct peer_charge *charge = &core->peers[i].charge;
        charge->verify.until_ms += charge->verify.until_ms != NEVER_MS ? late_ms : 0;
    }
}

void verdict_on_view_installed(struct core *core, const struct installed *before)
{
    /* Another coordinator, or the same one, for whom this is a reign of its own (Z5c). */
    bool begins_anew = view_is_empty(before->view) || core->view.cause == CAUSE_CLAIM ||
                       !id_equal(&core->view.members[0].id, &before->view->members[0].id);

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        struct peer_charge *charge = &core->peers[i].charge;
        if (!view_has_at(before->view, &core->view.members[i])) {
            (void)verdict_clear(core,
                                i); /* D3b: the verdict was held against one who lives elsewhere. */
            charge->verify.until_ms = NEVER_MS;
            charge->asked_ms = 0;
        } else if (begins_anew) {
            charge->confirmed = false; /* R1c: what was decided before says nothing about today. */
            charge->verify.until_ms = NEVER_MS;
            charge->asked_ms = 0;
        }
    }
    verdict_evidence_changed(core);
}
