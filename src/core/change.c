#include "core/change.h"

#include <assert.h>
#include <string.h>

#include "core/book.h"
#include "core/claim.h"
#include "core/install.h"
#include "core/join.h"
#include "core/leave.h"
#include "core/merge.h"
#include "core/outbox.h"
#include "core/plant.h"
#include "core/removal.h"

void change_soon(struct core *core)
{
    uint64_t due_ms = core->now_ms + core->timing.batch_ms;

    if (due_ms < core->batch_ms) {
        core->batch_ms = due_ms;
    }
}

/* --- Proposing --- */

static bool is_awaited(const struct core *core, uint32_t position)
{
    const struct member *member = &core->pending.members[position];

    if (core->answers[position] != ANSWER_NONE || id_equal(&member->id, &core->self.id)) {
        return false;
    }
    /* Whoever is suspected is not waited for: failures come together (H30). */
    uint32_t in_view = view_find(&core->view, &member->id);
    return in_view == VIEW_NONE || core->peers[in_view].verdict == VERDICT_NONE;
}

static void send_prepare(struct core *core)
{
    struct message *message = outbox_message(core, MESSAGE_PREPARE);

    if (message != NULL) {
        message->carrier.view = &core->pending;
        message->carrier.handover_by = core->change.proposal.handover_by;
        message->carrier.merge = core->change.proposal.merge;
    }
    for (uint32_t i = 0; i < core->pending.member_count; i++) {
        const struct member *member = &core->pending.members[i];
        if (is_awaited(core, i)) {
            outbox_reach(core, message, &member->id, &member->address);
            core->change.sent = true;
        }
    }
    core->change.resend_ms = core->now_ms + core->timing.prepare_ms / 3;
}

void change_begin(struct core *core, const struct view *base, enum view_cause cause)
{
    view_copy(&core->scratch, base);
    core->scratch.cause = cause;
    core->scratch.parent = view_id_of(base);
    memset(&core->scratch.merged, 0, sizeof core->scratch.merged);
}

/* M4: the other part's coordinator may be slow (D4), and without it there is no merge; it waits for
 * T_merge itself. */
static uint64_t patience_ms(const struct core *core, const struct proposal *proposal)
{
    const struct timing *timing = &core->timing;
    uint64_t merge_ms = earlier(timing->lost_ms, timing->merge_ms);

    return proposal->merge != 0 && merge_ms > timing->prepare_ms ? merge_ms : timing->prepare_ms;
}

void change_propose(struct core *core, const struct proposal *proposal)
{
    struct view *next = &core->scratch;
    uint64_t version = core->view.version > next->version ? core->view.version : next->version;

    /* Never the same version twice from one life: one name, one content (S1). */
    next->version = (version > core->version_used ? version : core->version_used) + 1;
    core->version_used = PLANTED(VERSION_REUSED) ? 0 : next->version;
    core_saw_epoch(core, next->epoch);
    view_seal(next);
    assert(id_equal(&next->members[0].id, &core->self.id));

    view_copy(&core->pending, next);
    memset(core->answers, ANSWER_NONE, core->pending.member_count);
    memset(&core->change, 0, sizeof core->change);
    core->change.on = true;
    core->claim.on = false;
    core->change.proposal = *proposal;
    core->change.deadline_ms = core->now_ms + patience_ms(core, proposal);
    core->accepted_ms = core->now_ms;
    send_prepare(core);
}

static void remove_confirmed(struct core *core, struct view *next)
{
    for (uint32_t i = core->view.member_count; i > 0; i--) {
        const struct peer *peer = &core->peers[i - 1];
        if (!id_equal(&peer->id, &core->self.id) && (peer->confirmed || peer->leaves)) {
            struct gone why = removal_evidence(core, i - 1);
            view_remove(next, i - 1, &why);
        }
    }
}

/* The next view out of all that is known by now; false when it would change nothing. */
static bool build_next(struct core *core, uint32_t *first_joiner)
{
    struct view *next = &core->scratch;

    change_begin(core, &core->view, CAUSE_CHANGE);
    remove_confirmed(core, next);
    *first_joiner = next->member_count;
    if (core->phase == PHASE_MEMBER) { /* E3 */
        join_admit_queued(core, next, first_joiner);
    }

    bool changed = next->member_count != core->view.member_count ||
                   *first_joiner != next->member_count || core->bump_version || core->bump_epoch;
    if (core->bump_epoch || core->promise.epoch > next->epoch) {
        next->epoch = core->epoch_seen + 1;
    }
    return changed;
}

static void start_next(struct core *core)
{
    uint32_t first_joiner;

    core->batch_ms = NEVER_MS;
    if (!removal_reign_is_sure(core)) {
        core->batch_ms = core->now_ms + core->timing.fresh_ms / 4;
        return;
    }
    if (build_next(core, &first_joiner)) {
        bool forced = core->bump_epoch || core->bump_version;
        core->bump_epoch = false;
        core->bump_version = false;
        change_propose(core, &(struct proposal){.first_joiner = first_joiner, .forced = forced});
    }
}

/* --- Committing --- */

static bool all_answered(const struct core *core)
{
    for (uint32_t i = 0; i < core->pending.member_count; i++) {
        if (is_awaited(core, i)) {
            return false;
        }
    }
    return true;
}

/* H28: a joiner that cannot be reached does not get in. Returns whether any was left out. */
static bool leave_out_silent_joiners(struct core *core)
{
    struct view *next = &core->scratch;
    bool left_out = false;

    /* With its next_age: an age once given is never given again (S6). */
    view_copy(next, &core->pending);
    next->member_count = core->change.proposal.first_joiner;
    for (uint32_t i = core->change.proposal.first_joiner; i < core->pending.member_count; i++) {
        if (core->answers[i] == ANSWER_YES || PLANTED(JOINER_UNASKED)) {
            next->members[next->member_count++] = core->pending.members[i];
        } else {
            left_out = true;
        }
    }
    if (left_out) {
        next->version = ++core->version_used;
        view_seal(next);
        view_copy(&core->pending, next);
    }
    return left_out;
}

/* Tells those who acknowledged that it holds, and shows it to the rest; among them the ones who
 * left or follow another coordinator, so that they know where they stand. Called after the
 * installation: positions are the same as in the proposal, and scratch holds the view before. */
static void send_commit(struct core *core, bool whole)
{
    struct message *commit = outbox_message(core, MESSAGE_COMMIT);
    struct message *view = outbox_message(core, MESSAGE_VIEW);
    const struct view *before = &core->scratch;

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
        bool has_it = core->answers[i] == ANSWER_YES && !whole;
        if (has_it) { /* Known to hold it from now on (M2), before its next heartbeat says so. */
            core->peers[i].view = commit->reference.view;
            core->peers[i].view_hash = commit->reference.view_hash;
            core->peers[i].acked = true;
        }
        outbox_send(core, has_it ? commit : view, i);
    }
    for (uint32_t i = 0; i < before->member_count; i++) {
        const struct member *member = &before->members[i];
        if (!view_has(&core->view, &member->id) && core->peers_spare[i].verdict == VERDICT_NONE) {
            outbox_send_to(core, view, &member->id, &member->address);
        }
    }
}

static void give_up(struct core *core)
{
    if (core->change.proposal.merge != 0) {
        merge_abort(core);
    }
    core->change.on = false;
    view_clear(&core->pending);
    core->evidence_changed = true; /* Whatever waited for this change to end may go on. */
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

/* Somebody it would remove has been heard meanwhile, or has come back to us. */
static bool removes_the_living(const struct core *core)
{
    for (uint32_t i = 0; core->pending.cause == CAUSE_CHANGE && i < core->view.member_count; i++) {
        const struct gone *gone = view_find_gone(&core->pending, &core->view.members[i].id);
        bool judged = gone != NULL && (gone->reason == GONE_FAILED || gone->reason == GONE_MOVED);
        if (judged && !core->peers[i].confirmed) {
            return true;
        }
    }
    return false;
}

static void commit(struct core *core)
{
    if (removes_the_living(core)) {
        REACHED(heard_while_it_was_removed);
        change_interrupt(core); /* And made anew without that. */
        return;
    }
    bool whole = leave_out_silent_joiners(core);

    if (whole && !core->change.proposal.forced && core->pending.cause == CAUSE_CHANGE &&
        has_the_same_members(&core->pending, &core->view)) {
        REACHED(joiner_did_not_come);
        give_up(core); /* Nobody came after all: not a view for each vain try (H28, Y5). */
        return;
    }

    core->change.on = false;
    install_view(core, &core->pending);
    send_commit(core, whole);
    if (core->joins.count > 0) {
        change_soon(core);
    }
}

/* M4: a merge without the other part's coordinator is none. */
static bool other_part_agrees(const struct core *core)
{
    const struct proposal *proposal = &core->change.proposal;
    uint32_t position = view_find(&core->pending, &proposal->merge_with);

    return proposal->merge == 0 || PLANTED(MERGE_UNACKED) ||
           (position != VIEW_NONE && core->answers[position] == ANSWER_YES);
}

static void change_continue(struct core *core)
{
    bool late = core->now_ms >= core->change.deadline_ms;
    if (late && !core->change.last_chance) {
        core->change.last_chance = true; /* A slow loop has the answers still before it. */
        core->change.deadline_ms = core->now_ms + core->timing.batch_ms;
        late = false;
    }
    bool over = all_answered(core) || late;
    if (over && core->change.sent) {
        REACHED(commit_put_off_by_a_step);
        core->change.resend_ms = core->now_ms; /* Not in the step whose messages borrow it. */
        return;
    }
    if (over && !other_part_agrees(core)) {
        REACHED(merge_aborted);
        give_up(core);
        return;
    }
    if (over) {
        commit(core);
        return;
    }
    if (core->now_ms >= core->change.resend_ms) {
        send_prepare(core);
    }
}

void change_tick(struct core *core)
{
    if (core->change.on) {
        change_continue(core);
    }
    if (!core->change.on && core_is_coordinator(core) && !leave_hands_over(core) &&
        !core->merge.losing && core->now_ms >= core->batch_ms) {
        start_next(core);
    }
}

/* --- Answering --- */

static void answer(struct core *core, enum message_type type, const struct view *proposal,
                   const struct view_id *id, uint64_t hash)
{
    struct message *message = outbox_message(core, type);

    if (message != NULL) {
        message->reference.view = *id;
        message->reference.view_hash = hash;
        message->reference.promised = type == MESSAGE_NACK ? core->promise.epoch : 0;
    }
    outbox_reach(core, message, &proposal->members[0].id, &proposal->members[0].address);
}

void change_yield(struct core *core)
{
    if (core->change.on || core->claim.on) {
        /* If nothing comes of the other one's, what we know is judged again. */
        core->backoff_ms = core->now_ms + 2 * core->timing.prepare_ms;
    }
    core->change.on = false;
    core->claim.on = false;
}

/* If the merge comes to nothing because its makers die, the others have heard of each other (M7).
 */
static void remember_members(struct core *core, const struct view *view)
{
    for (uint32_t i = 0; i < view->member_count && i < BOOK_MAX / 4; i++) {
        book_remember(core, &view->members[i].address);
    }
}

static void accept(struct core *core, const struct view *proposal)
{
    struct view_id id = view_id_of(proposal);

    change_yield(core); /* What we proposed or claimed ourselves is superseded. */
    if (core->pending.hash != proposal->hash || view_is_empty(&core->pending)) {
        view_copy(&core->pending, proposal);
    }
    core->accepted_ms = core->now_ms;
    if (proposal->cause == CAUSE_MERGE) {
        remember_members(core, proposal);
    }
    core_saw_epoch(core, proposal->epoch);
    if (core_is_member(core) && proposal->epoch > core->view.epoch &&
        proposal->epoch >= core->promise.epoch) {
        core->promise.epoch = proposal->epoch;
        core->promise.to = proposal->members[0].id;
        core->promise.until_ms = core->now_ms + 2 * core->timing.prepare_ms;
    }
    answer(core, MESSAGE_ACK, proposal, &id, proposal->hash);
}

/* U2: may this proposal bind us? */
static bool may_accept(const struct core *core, const struct message *message)
{
    const struct view *proposal = message->carrier.view;
    const struct node_id *proposer = &message->from;
    const struct node_id *coordinator = &core->view.members[0].id;

    if (id_equal(proposer, coordinator)) {
        return true;
    }
    if (core->promise.epoch == proposal->epoch && id_equal(&core->promise.to, proposer)) {
        return true; /* The claim we granted (C2). */
    }
    if (id_equal(&message->carrier.handover_by, coordinator)) {
        return true; /* Our coordinator leaves and says who follows (E2). */
    }
    return !core_is_coordinator(core) && !install_coordinator_is_fresh(core);
}

static void consider_as_member(struct core *core, const struct message *message)
{
    const struct view *proposal = message->carrier.view;
    struct view_id theirs = view_id_of(proposal);
    struct view_id ours = view_id_of(&core->view);

    bool merges = merge_is_awaited(core, message);

    if (proposal->lineage != core->view.lineage && !merges) {
        core_drop(core, DROP_LINEAGE);
        return;
    }
    if (view_id_equal(&theirs, &ours)) {
        REACHED(acknowledgement_repeated);
        answer(core, MESSAGE_ACK, proposal, &ours, core->view.hash); /* Ours was lost. */
        return;
    }
    if (view_id_compare(&theirs, &ours) < 0) {
        core_drop(core, DROP_STALE);
        return;
    }
    struct view_id accepted = view_id_of(&core->pending);
    if (accepted.lineage == theirs.lineage &&
        id_equal(&accepted.coordinator, &theirs.coordinator) &&
        view_id_compare(&theirs, &accepted) < 0) {
        core_drop(core, DROP_STALE); /* Overtaken by its maker's next. */
        return;
    }
    if (proposal->epoch < core->promise.epoch) {
        REACHED(proposal_below_a_promise);
        answer(core, MESSAGE_NACK, proposal, &theirs, proposal->hash);
        return;
    }
    if (!merges && !may_accept(core, message)) {
        REACHED(proposal_of_another_coordinator);
        answer(core, MESSAGE_NOT_FOLLOWING, proposal, &ours, core->view.hash);
        return;
    }
    merge_accepted(core, message);
    accept(core, proposal);
}

/* A joiner whom two coordinators want to let in keeps to the first until that must have come to an
 * end, and never goes back to a lower view. */
static bool is_promised_elsewhere(const struct core *core, const struct view *proposal)
{
    struct view_id accepted = view_id_of(&core->pending);
    struct view_id proposed = view_id_of(proposal);

    if (view_is_empty(&core->pending) ||
        (core->now_ms >= core->accepted_ms + 2 * core->timing.prepare_ms &&
         !PLANTED(PROMISED_FOR_EVER))) {
        return false;
    }
    /* Whoever took over from the one we answered does so without it. */
    bool successor = accepted.lineage == proposed.lineage &&
                     view_id_compare(&proposed, &accepted) > 0 &&
                     !view_has(proposal, &accepted.coordinator);
    bool other = !id_equal(&accepted.coordinator, &proposed.coordinator) && !successor;
    bool lower = accepted.lineage == proposed.lineage && view_id_compare(&proposed, &accepted) < 0;
    return other || lower;
}

void change_on_late_refusal(struct core *core)
{
    if (!core->change.on || core->pending.cause != CAUSE_CLAIM) {
        core_drop(core, DROP_STALE);
        return;
    }
    give_up(core);
    claim_back_off(core);
}

void change_interrupt(struct core *core)
{
    if (core->change.on) {
        /* What asked for it asks still: a new epoch serves a new version as well. */
        core->bump_epoch = core->bump_epoch || core->change.proposal.forced;
        give_up(core);
        change_soon(core);
    }
}

void change_on_prepare(struct core *core, const struct message *message)
{
    struct view *proposal = message->carrier.view;

    if (!install_is_sound(core, proposal)) {
        return;
    }
    if (!id_equal(&proposal->members[0].id, &message->from) ||
        !view_has(proposal, &core->self.id)) {
        core_drop(core, DROP_STRANGER); /* Only a coordinator proposes, and to its members. */
        return;
    }
    if (core_is_member(core)) {
        consider_as_member(core, message);
    } else if (core->asking.said_ready && !is_promised_elsewhere(core, proposal)) {
        accept(core, proposal);
    } else {
        core_drop(core, DROP_PHASE);
    }
}

static bool names_pending(const struct core *core, const struct message *message)
{
    struct view_id pending = view_id_of(&core->pending);

    return !view_is_empty(&core->pending) && view_id_equal(&message->reference.view, &pending) &&
           message->reference.view_hash == core->pending.hash;
}

void change_on_ack(struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->pending, &message->from);

    if (!core->change.on || position == VIEW_NONE || !names_pending(core, message)) {
        core_drop(core, DROP_STALE);
        return;
    }
    core->answers[position] = ANSWER_YES;
}

void change_on_nack(struct core *core, const struct message *message)
{
    uint64_t promised = message->reference.promised;

    if (!core->change.on || !names_pending(core, message) || promised <= core->pending.epoch ||
        view_find(&core->pending, &message->from) == VIEW_NONE) {
        core_drop(core, DROP_STALE);
        return;
    }
    if (promised > core->epoch_seen + LEAP_MAX) {
        core_drop(core, DROP_LEAP);
        return;
    }
    core_saw_epoch(core, promised);
    bool coordinator = core_is_coordinator(core);
    give_up(core);
    if (coordinator) {
        REACHED(change_refused_by_a_promise);
        core->bump_epoch = true; /* H43: above the promise, the change goes on. */
        change_soon(core);
    } else {
        claim_back_off(core);
    }
}

void change_on_commit(struct core *core, const struct message *message)
{
    struct view_id ours = view_id_of(&core->view);
    const struct view_id *named = &message->reference.view;

    if (names_pending(core, message) && !core->change.on &&
        id_equal(&named->coordinator, &message->from) &&
        (view_is_empty(&core->view) ||
         ((named->lineage == ours.lineage || merge_names_ours(core, &core->pending)) &&
          view_id_compare(named, &ours) > 0))) {
        install_view(core, &core->pending);
        return;
    }
    if (core_is_member(core) && view_id_compare(named, &ours) <= 0) {
        core_drop(core, DROP_STALE);
        return;
    }
    /* We missed the proposal: ask for the whole. */
    if (view_has(&core->view, &message->from)) {
        install_pull(core, &message->from, &message->source);
    } else if (outbox_may_answer_stranger(core)) {
        outbox_send_to(core, outbox_message(core, MESSAGE_PULL), &message->from, &message->source);
    }
}
