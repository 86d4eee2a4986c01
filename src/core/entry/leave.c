#include "core/entry/leave.h"

#include "core/agreement/candidacy.h"
#include "core/agreement/change_propose.h"
#include "core/agreement/install.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/agreement/succession.h"
#include "core/agreement/successor.h"
#include "core/detection/removal.h"
#include "core/detection/route.h"
#include "core/detection/verdict.h"
#include "core/entry/lifecycle.h"
#include "core/model/marks.h"
#include "core/state/refuse.h"

void leave_on_command(struct core *core)
{
    switch (core->life.phase) {
    case PHASE_JOINING:
        lifecycle_enter(core, PHASE_STOPPED, REASON_LEAVE_ASKED);
        return;
    case PHASE_MEMBER:
        lifecycle_enter(core, PHASE_LEAVING, REASON_LEAVE_ASKED);
        asking_begin(&core->leave.asking, core->now_ms, core->timing.leave_ms);
        return;
    case PHASE_LEAVING:
    case PHASE_STOPPED:
    case PHASE_WITNESS:
        return;
    }
}

void leave_on_wish(struct core *core, uint32_t sender)
{
    verdict_let_go(core, sender);
    if (core_is_coordinator(core)) {
        next_view_soon(core);
    }
}

bool leave_hands_over(const struct core *core)
{
    return core->life.phase == PHASE_LEAVING && core_is_coordinator(core) &&
           core->view.member_count > 1 &&
           (core->leave.handed_over || core->peers[1].charge.verdict == VERDICT_NONE);
}

/* The successor may have made its view, and others hold it, before it fell silent. */
static bool is_handover_in_doubt(const struct core *core)
{
    return core->leave.handed_over && leave_hands_over(core) &&
           core->peers[1].charge.verdict != VERDICT_NONE;
}

/* What stands against carrying out a hand-over that is ours to hear; REFUSED_NOT: nothing does.
 * One that waited while this node slept would bring back what has changed since; one that is
 * repeated finds its view under way. */
static enum refusal why_not_carry_out(const struct core *core)
{
    if (core->now_ms < core->detector.late_until_ms) {
        return REFUSED_HANDOVER_AFTER_SLEEP;
    }
    return core->change.on ? REFUSED_BUSY : REFUSED_NOT;
}

/* E2b: what is in it was looked at when it was proposed here, or installed. A view that was
 * accepted is committed, if its maker hands it over. Any other one that is higher is asked for. */
static bool is_held_here(struct core *core, const struct message *message)
{
    struct view *view = message->carrier.view;
    const struct view_id theirs = view_id_of(view);
    const struct view_id ours = view_id_of(&core->view);

    if (view_repeats(view, &core->view)) {
        return true;
    }
    if (view_id_compare(&theirs, &ours) <= 0) {
        return false;
    }
    if (!core->change.on && view_repeats(view, &core->change.pending)) {
        install_view(core, &core->change.pending);
        return true;
    }
    install_pull(core, message);
    return false;
}

bool leave_may_carry_out(struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;

    if (!id_equal(&message->from, &core->view.members[0].id) ||
        !id_equal(&view->members[0].id, &message->from) || view->lineage != core->view.lineage) {
        refuse(core, message, REFUSED_HANDOVER_OF_ANOTHER);
        return false;
    }
    if (!is_held_here(core, message)) {
        refuse(core, message, REFUSED_HANDOVER_OVERTAKEN);
        return false;
    }
    enum refusal against = why_not_carry_out(core);
    if (against != REFUSED_NOT) {
        refuse(core, message, against);
    }
    return against == REFUSED_NOT;
}

/* The next oldest makes the view without its predecessor: it alone writes views in its own name,
 * so no two contents can come about under one (S1). */
void leave_on_handover(struct core *core, const struct message *message)
{
    if (!leave_may_carry_out(core, message)) {
        return;
    }
    if (core->position != 1) {
        refuse(core, message, REFUSED_HANDOVER_TO_ANOTHER);
        return;
    }
    if (candidacy_on_handover(core, &(struct ballot){core->view.epoch, message->from}, false)) {
        return;
    }
    struct gone why = removal_evidence(core, 0);
    why.reason = GONE_LEFT;
    candidacy_drop(core);
    struct view *next = next_view_begin(core, &core->view, CAUSE_HANDOVER);
    view_remove(next, 0, &why);
    next->epoch = promise_new_epoch(core);
    change_propose(
        core, next,
        &(struct proposal){.first_joiner = next->member_count, .handover_by = message->from});
}

static struct message *say_to_leave(struct core *core)
{
    struct message *message = outbox_message(core, MESSAGE_WISH);

    if (message != NULL) {
        message->wish.kind = WISH_LEAVE;
    }
    return message;
}

static void ask_to_be_let_out(struct core *core)
{
    core->leave.asking.again_ms = core->now_ms + core->timing.prepare_ms / 3;
    if (!core_is_coordinator(core)) {
        route_send(core, say_to_leave(core), 0);
        return;
    }
    if (core->change.on || successor_is_awaited(core) || !leave_hands_over(core)) {
        core->leave.asking.again_ms = core->now_ms + core->timing.batch_ms;
        return; /* First what is under way; a suspected successor is removed first, too. */
    }
    succession_hand_over(core);
    struct message *message = outbox_message(core, MESSAGE_HANDOVER);
    if (message != NULL) {
        message->carrier.view = &core->view;
    }
    route_send(core, message, 1);
    core->leave.handed_over = true;
}

/* E3: the coordinator, or a successor (E2), may have let it out before it died, in a view that the
 * leaver never saw and must not write another beside. Whoever comes next learns from its last word
 * that it was not a failure. */
static void leave_the_rest_to_others(struct core *core)
{
    REACHED(leaver_did_not_take_over);
    struct message *message = say_to_leave(core);

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (!core_is_self(core, i) && core->peers[i].charge.verdict == VERDICT_NONE) {
            route_send(core, message, i);
        }
    }
    lifecycle_enter(core, PHASE_STOPPED, REASON_LEAVE_DONE);
}

void leave_tick(struct core *core)
{
    if (core->life.phase != PHASE_LEAVING) {
        return;
    }
    if (core->view.member_count == 1) {
        lifecycle_enter(core, PHASE_STOPPED, REASON_LEAVE_DONE);
    } else if (succession_is_ours(core) || is_handover_in_doubt(core)) {
        leave_the_rest_to_others(core);
    } else if (asking_is_over(&core->leave.asking, core->now_ms)) {
        REACHED(leave_timed_out);
        lifecycle_enter(core, PHASE_STOPPED, REASON_LEAVE_TIMEOUT);
    } else if (asking_is_due(&core->leave.asking, core->now_ms)) {
        ask_to_be_let_out(core);
    }
}

uint64_t leave_deadline_ms(const struct core *core)
{
    return core->life.phase == PHASE_LEAVING ? asking_deadline_ms(&core->leave.asking) : NEVER_MS;
}
