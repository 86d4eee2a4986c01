#include "core/agreement/change_commit.h"

#include <string.h>

#include "core/agreement/change.h"
#include "core/agreement/change_accept.h"
#include "core/agreement/change_answers.h"
#include "core/agreement/change_count.h"
#include "core/agreement/change_propose.h"
#include "core/agreement/electorate.h"
#include "core/agreement/install.h"
#include "core/agreement/next_view.h"
#include "core/agreement/spread.h"
#include "core/agreement/unanswered.h"
#include "core/agreement/voters_change.h"
#include "core/detection/detector.h"
#include "core/detection/flap.h"
#include "core/detection/numbers.h"
#include "core/detection/removal.h"
#include "core/detection/route.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"

/* --- Who gets in --- */

/* Drained members stand behind the joiners (E7). */
static bool is_joiner(const struct core *core, uint32_t position)
{
    return position >= core->proposing.proposal.first_joiner &&
           !view_has(&core->view, &core->change.pending.members[position].id);
}

/* R5b: these names have not come in after all, so what the list of the gone said of them stays; and
 * whom one was to replace (J4) is gone. */
static void keep_their_past(const struct core *core, struct view *next)
{
    for (uint32_t i = 0; i < core->view.gone_count; i++) {
        const struct gone *gone = &core->view.gone[i];
        if (view_find_name(next, gone->name) == VIEW_NONE && !view_has(next, &gone->id)) {
            view_add_gone(next, gone);
        }
    }
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct member *member = &core->view.members[i];
        if (!view_has(next, &member->id)) {
            struct gone gone = {.reason = GONE_REPLACED,
                                .id = member->id,
                                .address = member->address,
                                .age = member->age};
            memcpy(gone.name, member->name, sizeof gone.name);
            view_add_gone(next, &gone);
        }
    }
}

/* In a claim's view it is one whom only what was accepted has, and may be a member by now, which
 * follows another (C4e). */
static bool has_come(const struct core *core, uint32_t position)
{
    const uint8_t answer = core->answered.members[position];

    return answer == ANSWER_YES ||
           (answer == ANSWER_NO && core->change.pending.cause == CAUSE_CLAIM);
}

/* H28: a joiner that cannot be reached does not get in. Of a claim's the maker of what was accepted
 * may have let it in, and then its id is not to come back (S5). Returns whether any is left out of
 * `next`. */
static bool leave_out_silent_joiners(struct core *core, struct view *next)
{
    static const struct gone unknown = {
        .reason = GONE_FAILED}; /* It names no accusers, so that no place is kept (G1e). */
    const bool claimed = core->change.pending.cause == CAUSE_CLAIM;
    bool left_out = false;

    /* With its next_age: an age once given is never given again (S6). */
    view_copy(next, &core->change.pending);
    for (uint32_t i = next->member_count; i > core->proposing.proposal.first_joiner; i--) {
        if (has_come(core, i - 1) || !is_joiner(core, i - 1)) {
            continue;
        }
        flap_note_vain(core, core->change.pending.members[i - 1].name);
        if (claimed) {
            view_remove(next, i - 1, &unknown);
        } else {
            view_take_out(next, i - 1);
        }
        left_out = true;
    }
    if (left_out) {
        keep_their_past(core, next);
    }
    return left_out;
}

/* J3a, G1e: each answered at its address. Drained members may stand behind them. */
static void note_joiners(struct core *core, const struct view *before)
{
    for (uint32_t i = core->proposing.proposal.first_joiner; i < core->view.member_count; i++) {
        if (!view_has(before, &core->view.members[i].id)) {
            numbers_proved(core, i);
        }
    }
}

/* --- Committing --- */

/* Tells those who acknowledged that it holds, and shows it to the rest; among them the ones who
 * left or follow another coordinator, so that they know where they stand. Called after the
 * installation: positions are the same as in the proposal. */
static void send_commit(struct core *core, const struct installed *before)
{
    struct message *commit = outbox_message(core, MESSAGE_COMMIT);
    struct message *view = outbox_message(core, MESSAGE_VIEW);

    if (commit == NULL || view == NULL) {
        return; /* Repaired by heartbeats (V5). */
    }
    commit->reference.view = view_id_of(&core->view);
    commit->reference.view_hash = core->view.hash;
    view->carrier.view = &core->view;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (core_is_self(core, i)) {
            continue;
        }
        bool has_it = core->answered.members[i] == ANSWER_YES;
        if (has_it) {
            detector_on_acknowledged(core, i, core->change.accepted_ms);
        }
        if (!(has_it && core->proposing.spread)) {
            route_send(core, has_it ? commit : view, i);
        }
    }
    if (core->proposing.spread) {
        spread_begin(core, commit, &core->view);
    }
    for (uint32_t i = 0; i < before->view->member_count; i++) {
        const struct member *member = &before->view->members[i];
        if (!view_has(&core->view, &member->id) &&
            before->peers[i].charge.verdict == VERDICT_NONE) {
            outbox_send_to(core, view, &member->id, &member->address);
        }
    }
}

static bool has_the_same_members(const struct view *a, const struct view *b)
{
    for (uint32_t i = 0; i < a->member_count; i++) {
        if (!view_has(b, &a->members[i].id)) {
            return false;
        }
    }
    return a->member_count == b->member_count;
}

/* Does what removes a member hold no more? Who failed has been heard, or who moved or was behind
 * has come back to us. Who failed, was heard and goes all the same goes for following another,
 * which the view that is proposed does not say. */
static bool is_refuted(const struct gone *gone, const struct peer_charge *charge)
{
    return (gone->reason == GONE_FAILED &&
            !(charge->confirmed && charge->verdict != VERDICT_NONE)) ||
           ((gone->reason == GONE_MOVED || gone->reason == GONE_BEHIND) && !charge->confirmed);
}

static bool removes_the_living(const struct core *core)
{
    const struct view *pending = &core->change.pending;

    for (uint32_t i = 0; pending->cause == CAUSE_CHANGE && i < core->view.member_count; i++) {
        const struct gone *gone = view_find_gone(pending, &core->view.members[i].id);
        if (gone != NULL && is_refuted(gone, &core->peers[i].charge)) {
            return true;
        }
    }
    return false;
}

/* U1b: who has agreed to the proposal as it is agrees to it without those who are left out, so it
 * is made anew: it travels as what differs again, where the whole view may be too long (U3b). */
static void propose_what_is_left(struct core *core, struct view *next)
{
    const struct proposal proposal = core->proposing.proposal;

    /* What voters have accepted has to be overtaken, or they would ask for another epoch (Z2l). */
    if (!proposal.forced && next->cause == CAUSE_CHANGE && core->answered.tally.granted == 0 &&
        has_the_same_members(next, &core->view)) {
        REACHED(joiner_did_not_come);
        change_abandon(core); /* Nobody came after all, and no vain try costs a view (H28, Y5). */
        return;
    }
    change_close(core);
    change_propose(core, next, &proposal);
}

static void commit(struct core *core)
{
    struct view *next = next_view_buffer(core);

    if (removes_the_living(core)) {
        REACHED(heard_while_it_was_removed);
        change_restart(core); /* The change is made anew without that removal (U1d). */
        return;
    }
    if (leave_out_silent_joiners(core, next)) {
        propose_what_is_left(core, next);
        return;
    }

    change_close(core);
    struct installed before = install_view(core, &core->change.pending);
    note_joiners(core, before.view);
    send_commit(core, &before);
    if (core->next.joiner_count > 0) {
        next_view_soon(core);
    }
}

/* --- When --- */

/* M4: a merge without the other part's coordinator is none; nor does anybody take over from one who
 * has not stood down (E5). */
static bool other_part_agrees(const struct core *core)
{
    const struct proposal *proposal = &core->proposing.proposal;
    uint32_t former = change_who_stands_down(core);

    return (proposal->merge == 0 ||
            change_has_agreed(core, view_find(&core->change.pending, &proposal->merge_with))) &&
           (former == VIEW_NONE || change_has_agreed(core, former));
}

/* Z10c: as many as the proposal itself asks for; one that names no voters asks for none. */
static bool voters_agree(const struct core *core)
{
    const struct voter_lists *voters = &core->change.pending.voters;

    return voters->count == 0 || voter_lists_agree(voters, core->answered.tally.granted);
}

/* Z5a: no time-out takes the place of a quorum of voters. Those who do not answer may yet; if one
 * of the others is bound to a higher epoch, they are not waited for. */
static void wait_for_voters(struct core *core)
{
    removal_reconsider(core);
    if (core->answered.tally.refused != 0) {
        change_give_way(core);
    } else if (voters_change_give_up(core) || removes_the_living(core)) {
        change_restart(core); /* The living would not agree to their own removal (Z2i). */
    } else {
        change_wait_on(core);
    }
}

static void change_continue(struct core *core)
{
    const bool late = change_is_late(core);

    if (late && core->proposing.proposal.merge == 0 && change_is_unanswered(core)) {
        unanswered_note(core);
    }
    if (change_asks_the_former(core, late)) {
        return;
    }
    bool former_agrees = core->proposing.asked_last &&
                         change_has_agreed(core, change_who_stands_down(core));
    bool over = former_agrees || change_all_answered(core) || late;
    const bool waits = late && !voters_agree(core);
    over = over && voters_agree(core);
    if ((over || waits) && core->proposing.sent) {
        REACHED(commit_put_off_by_a_step);
        /* The PREPAREs of this step still point into `pending`: it is over in the next. */
        change_wait_a_step(core);
        return;
    }
    if (waits) {
        wait_for_voters(core);
        return;
    }
    if (over && !other_part_agrees(core)) {
        REACHED(merge_aborted);
        change_abandon(core);
        return;
    }
    if (over) {
        commit(core);
        return;
    }
    if (asking_is_due(&core->proposing.asking, core->now_ms)) {
        change_ask_again(core);
    }
}

void change_tick(struct core *core)
{
    if (core->change.on) {
        change_continue(core);
    } else if (core->accepting.ack_ms != 0 && core->now_ms >= core->accepting.ack_ms) {
        change_acknowledge_again(core);
    }
}

uint64_t change_deadline_ms(const struct core *core)
{
    if (core->change.on) {
        return asking_deadline_ms(&core->proposing.asking);
    }
    return core->accepting.ack_ms != 0 ? core->accepting.ack_ms : NEVER_MS;
}
