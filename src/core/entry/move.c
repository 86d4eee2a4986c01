#include "core/entry/move.h"

#include "core/agreement/candidacy.h"
#include "core/agreement/change_propose.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/agreement/succession.h"
#include "core/agreement/successor.h"
#include "core/detection/hearing.h"
#include "core/detection/standing.h"
#include "core/detection/watch.h"
#include "core/entry/leave.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

/* --- The coordinator stands down --- */

static void stay(struct core *core)
{
    core->moving.step = STAND_DOWN_NOT;
}

/* Begins when what is under way has come to its end. */
static void stand_down_for(struct core *core, const struct node_id *successor)
{
    core->moving.step = STAND_DOWN_SOON;
    core->moving.settles = false;
    core->moving.to = *successor;
    asking_begin(&core->moving.asking, core->now_ms, core->timing.leave_ms);
}

static uint32_t position_of_successor(const struct core *core)
{
    return view_find(&core->view, &core->moving.to);
}

/* E5a: nothing else is under way, and no other coordinator is in sight. */
static bool may_begin(const struct core *core)
{
    return !core->change.on && !core->candidacy.on && !core->merge.yielding &&
           standing_is_settled(core);
}

static void begin(struct core *core)
{
    if (!may_begin(core)) {
        core->moving.asking.again_ms = core->now_ms + core->timing.batch_ms;
        return;
    }
    core->moving.step = STAND_DOWN_WITHDRAWS;
    core->moving.asking.until_ms = core->now_ms + 2 * core->timing.lost_ms;
    outbox_withdraw(core);
}

static void ask_successor(struct core *core)
{
    core->moving.asking.again_ms = core->now_ms + core->timing.prepare_ms / 3;
    watch_want(core, position_of_successor(core));
    successor_ask(core, position_of_successor(core));
}

void move_on_withdrawn(struct core *core)
{
    if (core->moving.step != STAND_DOWN_WITHDRAWS) {
        return;
    }
    if (successor_unfit(core, position_of_successor(core)) != UNFIT_NOT || !may_begin(core)) {
        stay(core); /* It is suspected by now, or something has come between. */
        return;
    }
    if (core_is_strict(core)) { /* Z7a: the voters skip the lease on this word. */
        core->moving.step = STAND_DOWN_PLEDGED;
        succession_hand_over(core);
        core->moving.asking.until_ms = succession_given_back_ms(core);
    } else {
        core->moving.step = STAND_DOWN_OFFERED;
        core->moving.asking.until_ms = core->now_ms + timing_proposal_ms(&core->timing);
    }
    ask_successor(core);
}

void move_on_accepted(struct core *core, const struct message *prepare)
{
    bool offered = core->moving.step == STAND_DOWN_OFFERED || core->moving.step == STAND_DOWN_GIVEN;

    if (offered && id_equal(&prepare->from, &core->moving.to) &&
        id_equal(&prepare->carrier.handover_by, &core->life.self.id)) {
        core->moving.step = STAND_DOWN_GIVEN;
        core->moving.asking.until_ms = core->now_ms + timing_proposal_ms(&core->timing);
        core->moving.asking.again_ms = core->now_ms;
        succession_hand_over(core);
    }
}

/* Is the successor still to hear that it is the one? Who was given the word on its own proposal
 * repeats that. */
static bool is_asking(const struct core *core)
{
    return core->moving.step == STAND_DOWN_OFFERED || core->moving.step == STAND_DOWN_PLEDGED;
}

/* E6a: some may hold the successor's view by now, with the ages that it has. So this node overtakes
 * in its turn, under a further epoch; and again, on what it proposed itself, if that is refused for
 * a promise. */
static void return_to_reign(struct core *core)
{
    const struct view *accepted = &core->change.pending;
    const bool fits = !view_is_empty(accepted) &&
                      (id_equal(&accepted->members[0].id, &core->moving.to) ||
                       id_equal(&accepted->members[0].id, &core->life.self.id));

    REACHED(stood_down_for_nobody);
    struct view *next = next_view_begin(core, fits ? accepted : &core->view, CAUSE_HANDOVER);
    successor_overtake(core, next);
    next->epoch = promise_new_epoch(core);
    change_propose(core, next,
                   &(struct proposal){.first_joiner = next->member_count, .forced = true});
}

/* E6a: it may have come about: that is settled first (D8). Ends with the view that comes of it. */
static void take_back(struct core *core)
{
    if (standing_is_settled(core) && !core->change.on) {
        return_to_reign(core);
    }
    core->moving.asking.until_ms = core->now_ms + core->timing.fresh_ms / 4;
    core->moving.settles = true;
}

/* E6: nothing came of it. */
static void give_up(struct core *core)
{
    pause_begin(&core->moving.pause, core->now_ms, core->timing.leave_ms);
    if (core->moving.step == STAND_DOWN_GIVEN) {
        take_back(core);
        return;
    }
    if (core->moving.step == STAND_DOWN_PLEDGED) {
        succession_take_back(core);
    }
    stay(core);
}

/* Whoever is suspected will not take over. */
static bool is_in_vain(const struct core *core)
{
    uint32_t position = position_of_successor(core);

    return asking_is_over(&core->moving.asking, core->now_ms) || position == VIEW_NONE ||
           (core->peers[position].charge.verdict != VERDICT_NONE && !core->moving.settles);
}

static void continue_standing_down(struct core *core)
{
    if (is_in_vain(core)) {
        give_up(core);
    } else if (core->now_ms < core->moving.asking.again_ms) {
        return;
    } else if (core->moving.step == STAND_DOWN_SOON) {
        begin(core);
    } else if (is_asking(core)) {
        ask_successor(core); /* It, or what came of it, may have been lost. */
    }
}

/* --- The successor --- */

/* Of those whom it overtakes the former coordinator has to agree (E5c). */
static void take_over_from(struct core *core, const struct node_id *former)
{
    candidacy_drop(core);
    struct view *next = next_view_begin(core, &core->view, CAUSE_HANDOVER);
    successor_overtake(core, next);
    next->epoch = promise_new_epoch(core);
    change_propose(core, next,
                   &(struct proposal){.first_joiner = next->member_count, .handover_by = *former});
}

/* The successor makes the view: it alone writes views in its own name (E2a). */
void move_on_handover(struct core *core, const struct message *message)
{
    if (!leave_may_carry_out(core, message)) {
        return;
    }
    if (core->life.phase != PHASE_MEMBER) {
        refuse(core, message, REFUSED_LEAVING);
        return;
    }
    if (candidacy_on_handover(core, &(struct ballot){core->view.epoch, message->from}, true)) {
        return;
    }
    if (core->promise.epoch > core->view.epoch) {
        refuse(core, message, REFUSED_HANDOVER_OVERTAKEN);
        return;
    }
    take_over_from(core, &message->from);
}

/* V4i: it stopped acting for a view that this node never made, so that nobody coordinates. */
void move_on_followed(struct core *core)
{
    if (core->life.phase != PHASE_MEMBER || core_is_coordinator(core) || core->change.on) {
        return;
    }
    REACHED(followed_by_its_coordinator);
    if (candidacy_on_followed(core)) {
        return;
    }
    const struct node_id former = core->view.members[0].id;
    take_over_from(core, &former);
}

/* --- What an operator wants --- */

bool move_is_done(const struct core *core, const struct move *move)
{
    uint32_t position = view_find(&core->view, &move->subject);

    switch (move->kind) {
    case MOVE_NONE:
        return true;
    case MOVE_TRANSFER:
        return id_equal(&core->view.members[0].id, &move->subject);
    case MOVE_DRAIN:
        return position == VIEW_NONE || core->view.members[position].drained;
    case MOVE_UNDRAIN:
        return position == VIEW_NONE || !core->view.members[position].drained;
    case MOVE_FORGET:
        return view_find_gone(&core->view, &move->subject) == NULL;
    }
    return true;
}

/* What stands against it, of what is asked of this coordinator; REFUSED_NOT: nothing. */
static enum refusal why_not(const struct core *core, const struct move *move)
{
    if (core->life.phase != PHASE_MEMBER) {
        return REFUSED_LEAVING;
    }
    if (move_is_done(core, move)) {
        return REFUSED_SO_ALREADY;
    }
    if (move->kind == MOVE_FORGET) {
        return standing_guard(core, core->now_ms).met ? REFUSED_NOT : REFUSED_FORGET_UNGUARDED;
    }
    if (move->kind != MOVE_TRANSFER) {
        return REFUSED_NOT;
    }
    if (core->moving.step != STAND_DOWN_NOT) {
        return REFUSED_MOVE_UNDER_WAY;
    }
    if (!pause_is_over(&core->moving.pause, core->now_ms)) {
        return REFUSED_MOVE_PAUSES;
    }
    return successor_unfit(core, view_find(&core->view, &move->subject)) == UNFIT_NOT
               ? REFUSED_NOT
               : REFUSED_MOVE_TO_UNFIT;
}

enum refusal move_want(struct core *core, const struct move *move)
{
    const uint32_t position = view_find(&core->view, &move->subject);

    watch_want(core, position);
    const enum refusal against = why_not(core, move);
    if (against != REFUSED_NOT) {
        return against;
    }
    if (move->kind == MOVE_TRANSFER) {
        stand_down_for(core, &move->subject);
    } else if (move->kind == MOVE_FORGET) {
        next_view_forget(core, &move->subject);
    } else {
        next_view_mark(core, position, move->kind == MOVE_DRAIN);
    }
    return REFUSED_NOT;
}

/* Do so many hold this coordinator's view, as they say, as it asks for leases? */
static bool is_followed(const struct core *core)
{
    uint32_t count = 1;

    for (uint32_t i = 1; i < core->view.member_count; i++) {
        count += core->peers[i].charge.verdict == VERDICT_NONE && watch_is_on(core, i) &&
                 hearing_is_fresh(core, i) && hearing_holds_our_view(core, i);
    }
    return count >= core->plan.leases_needed;
}

/* E7d: those who would let it act are there, and yet for T_lost it could not. Where nobody can,
 * that is not tried again and again. */
static bool is_idle(const struct core *core)
{
    return !core->standing.told_acting &&
           core->now_ms >= core->standing.idle_ms + core->timing.lost_ms &&
           pause_is_over(&core->moving.idle_pause, core->now_ms) && may_begin(core) &&
           is_followed(core);
}

/* E7b: a drained coordinator hands over as soon as there is somebody to hand over to. */
static void give_way(struct core *core)
{
    const bool may = core_is_coordinator(core) && core->life.phase == PHASE_MEMBER &&
                     core->moving.step == STAND_DOWN_NOT &&
                     pause_is_over(&core->moving.pause, core->now_ms);
    const bool drained = may && core->view.members[0].drained;
    const bool idle = may && !drained && is_idle(core);
    const uint32_t successor = drained || idle ? successor_next(core) : VIEW_NONE;

    if (successor == VIEW_NONE ||
        hearing_was_late(core, successor)) { /* E7c: it would hand back. */
        return;
    }
    if (idle) {
        REACHED(idle_coordinator_stood_down);
        pause_begin(&core->moving.idle_pause, core->now_ms, core->timing.flap_ms);
    }
    stand_down_for(core, &core->view.members[successor].id);
}

void move_tick(struct core *core)
{
    if (!core_is_member(core)) {
        return;
    }
    give_way(core);
    if (core->moving.step != STAND_DOWN_NOT) {
        continue_standing_down(core);
    }
}

uint64_t move_deadline_ms(const struct core *core)
{
    const struct moving *moving = &core->moving;

    if (moving->step == STAND_DOWN_NOT) {
        return NEVER_MS;
    }
    bool again = moving->step == STAND_DOWN_SOON || is_asking(core);
    return again ? asking_deadline_ms(&moving->asking) : moving->asking.until_ms;
}

void move_on_view_installed(struct core *core)
{
    if (!core_is_coordinator(core) || successor_is_awaited(core)) {
        stay(core);
    }
}

void move_reset(struct core *core)
{
    stay(core);
    core->moving.pause.over_ms = 0;
    core->moving.idle_pause.over_ms = 0;
}
