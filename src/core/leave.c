#include "core/leave.h"

#include "core/change.h"
#include "core/claim.h"
#include "core/install.h"
#include "core/lifecycle.h"
#include "core/outbox.h"
#include "core/plant.h"
#include "core/removal.h"

void leave_on_command(struct core *core)
{
    switch (core->phase) {
    case PHASE_JOINING:
        lifecycle_enter(core, PHASE_STOPPED, REASON_LEAVE_ASKED);
        return;
    case PHASE_MEMBER:
        lifecycle_enter(core, PHASE_LEAVING, REASON_LEAVE_ASKED);
        core->leave_ms = core->now_ms + core->timing.leave_ms;
        core->leave_ask_ms = core->now_ms;
        return;
    case PHASE_LEAVING:
    case PHASE_STOPPED:
        return;
    }
}

void leave_on_leave(struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->view, &message->from);

    if (position == VIEW_NONE) {
        core_drop(core, DROP_STRANGER);
        return;
    }
    core->peers[position].leaves = true;
    if (core_is_coordinator(core)) {
        change_soon(core);
    }
}

bool leave_hands_over(const struct core *core)
{
    return core->phase == PHASE_LEAVING && core_is_coordinator(core) &&
           core->view.member_count > 1 &&
           (core->handed_over || core->peers[1].verdict == VERDICT_NONE);
}

/* The successor may have made its view, and others hold it, before it fell silent. */
static bool is_handover_in_doubt(const struct core *core)
{
    return core->handed_over && leave_hands_over(core) && core->peers[1].verdict != VERDICT_NONE;
}

/* The next oldest makes the view without its predecessor: it alone writes views in its own name,
 * so no two contents can come about under one (S1). */
void leave_on_handover(struct core *core, const struct message *message)
{
    struct view *view = message->carrier.view;
    struct view *next = &core->scratch;

    if (!install_is_sound(core, view)) {
        return;
    }
    struct view_id theirs = view_id_of(view);
    struct view_id ours = view_id_of(&core->view);
    if (!id_equal(&message->from, &core->view.members[0].id) ||
        !id_equal(&theirs.coordinator, &message->from) || theirs.lineage != ours.lineage ||
        !view_has(view, &core->self.id)) {
        core_drop(core, DROP_STRANGER);
        return;
    }
    if (view_id_compare(&theirs, &ours) > 0) {
        install_view(core, view);
    }
    /* One that was overtaken, by another view or by our own sleep, would bring back what has
     * changed since; one that is repeated finds its view under way. */
    if (view_id_compare(&theirs, &ours) < 0 || core->now_ms < core->late_until_ms ||
        core->change.on || core->position != 1) {
        core_drop(core, DROP_STALE);
        return;
    }
    struct gone why = removal_evidence(core, 0);
    why.reason = GONE_LEFT;
    change_begin(core, &core->view, CAUSE_HANDOVER);
    view_remove(next, 0, &why);
    next->epoch = PLANTED(HANDOVER_SAME_EPOCH) ? core->view.epoch : core->epoch_seen + 1;
    change_propose(
        core, &(struct proposal){.first_joiner = next->member_count, .handover_by = message->from});
}

static void ask_to_be_let_out(struct core *core)
{
    core->leave_ask_ms = core->now_ms + core->timing.prepare_ms / 3;
    if (!core_is_coordinator(core)) {
        outbox_send(core, outbox_message(core, MESSAGE_LEAVE), 0);
        return;
    }
    if (core->change.on || !leave_hands_over(core)) {
        core->leave_ask_ms = core->now_ms + core->timing.batch_ms;
        return; /* First what is under way; a suspected successor is removed first, too. */
    }
    struct message *message = outbox_message(core, MESSAGE_HANDOVER);
    if (message != NULL) {
        message->carrier.view = &core->view;
    }
    outbox_send(core, message, 1);
    core->handed_over = true;
}

/* E3: the coordinator, or a successor (E2), may have let it out before it died, in a view that the
 * leaver never saw and must not write another beside. Whoever comes next learns from its last word
 * that it was not a failure. */
static void leave_the_rest_to_others(struct core *core)
{
    REACHED(leaver_did_not_take_over);
    struct message *message = outbox_message(core, MESSAGE_LEAVE);

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (!core_is_self(core, i) && core->peers[i].verdict == VERDICT_NONE) {
            outbox_send(core, message, i);
        }
    }
    lifecycle_enter(core, PHASE_STOPPED, REASON_LEAVE_DONE);
}

void leave_tick(struct core *core)
{
    if (core->phase != PHASE_LEAVING) {
        return;
    }
    if (core->view.member_count == 1) {
        lifecycle_enter(core, PHASE_STOPPED, REASON_LEAVE_DONE);
    } else if (claim_is_ours(core) || is_handover_in_doubt(core)) {
        leave_the_rest_to_others(core);
    } else if (core->now_ms >= core->leave_ms) {
        REACHED(leave_timed_out);
        lifecycle_enter(core, PHASE_STOPPED, REASON_LEAVE_TIMEOUT);
    } else if (core->now_ms >= core->leave_ask_ms) {
        ask_to_be_let_out(core);
    }
}

uint64_t leave_deadline_ms(const struct core *core)
{
    if (core->phase != PHASE_LEAVING) {
        return NEVER_MS;
    }
    return core->leave_ask_ms < core->leave_ms ? core->leave_ask_ms : core->leave_ms;
}
