#include "core/agreement/change.h"

#include <assert.h>
#include <string.h>

#include "core/agreement/accord.h"
#include "core/agreement/authority.h"
#include "core/agreement/electorate.h"
#include "core/agreement/install.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/agreement/spread.h"
#include "core/agreement/voting.h"
#include "core/detection/detector.h"
#include "core/detection/follow.h"
#include "core/detection/numbers.h"
#include "core/detection/removal.h"
#include "core/detection/route.h"
#include "core/detection/standing.h"
#include "core/detection/verdict.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/refuse.h"

/* --- Proposing --- */

static bool is_awaited(const struct core *core, uint32_t position)
{
    const struct member *member = &core->change.pending.members[position];

    if (core->change.answers[position] != ANSWER_NONE ||
        id_equal(&member->id, &core->life.self.id)) {
        return false;
    }
    /* Whoever is suspected is not waited for: failures come together (H30). */
    uint32_t in_view = view_find(&core->view, &member->id);
    return in_view == VIEW_NONE || core->peers[in_view].charge.verdict == VERDICT_NONE;
}

/* Z5: the voters too, whether they are members or not. Z1e: a joiner that does not answer may have
 * begun another life, whose vote counts only if it was asked as a stranger. */
static void ask_voters(struct core *core, const struct message *message, bool again)
{
    for (uint8_t voter = 0; voter < core->terms.voters.count; voter++) {
        const char *name = core->terms.voters.names[voter];
        const struct node_id *life = &core->electorate.lives[voter];
        uint32_t position = view_find_name(&core->change.pending, name);
        bool asked = position != VIEW_NONE && is_awaited(core, position) &&
                     id_equal(&core->change.pending.members[position].id, life) &&
                     !(again && !view_has(&core->view, life));
        if (!asked && voter != core->electorate.own &&
            core->change.tally.answers[voter] == ANSWER_NONE) {
            electorate_ask_one(core, message, voter);
            core->change.sent = true;
        }
    }
}

/* E5c: who stands down for this node, and stays; VIEW_NONE: nobody. Under guard strict its word was
 * its STAND_DOWN. */
static uint32_t who_stands_down(const struct core *core)
{
    return core_is_strict(core)
               ? VIEW_NONE
               : view_find(&core->change.pending, &core->change.proposal.handover_by);
}

/* U3c: whoever was to have the base and does not gets the whole view with the repetitions. */
static void prepare_one(struct core *core, const struct message *message, uint32_t position)
{
    const struct change *change = &core->change;
    const struct member *member = &change->pending.members[position];
    const uint32_t in_view = view_find(&core->view, &member->id);

    if (in_view == VIEW_NONE) {
        outbox_send_to(core, message, &member->id, &member->address);
        return;
    }
    watch_want_late(core, in_view, change->sendings);
    if (change->sendings < BRIEF_SENDINGS) {
        route_send_brief(core, message, in_view);
    } else {
        route_send(core, message, in_view);
    }
}

/* U4a: the first sending goes to a few, who hand it on; to whom that is of no use it goes itself.
 */
static bool comes_by_others(const struct core *core, uint32_t position)
{
    return core->change.spread && core->change.sendings == 0 &&
           spread_reaches(core, &core->change.pending.members[position].id);
}

static void send_prepare(struct core *core, bool again)
{
    struct message *message = outbox_message(core, MESSAGE_PREPARE);

    if (message != NULL) {
        message->carrier.view = &core->change.pending;
        message->carrier.handover_by = core->change.proposal.handover_by;
        message->carrier.merge = core->change.proposal.merge;
    }
    for (uint32_t i = 0; i < core->change.pending.member_count; i++) {
        bool its_turn = core->change.asked_last || i != who_stands_down(core);
        if (is_awaited(core, i) && its_turn) {
            if (!comes_by_others(core, i)) {
                prepare_one(core, message, i);
            }
            core->change.sent = true;
        }
    }
    if (core->change.spread && core->change.sendings == 0) {
        spread_begin(core, message, &core->change.pending);
    }
    ask_voters(core, message, again);
    core->change.sendings++;
    core->change.resend_ms = core->now_ms + timing_resend_ms(&core->timing, core->change.sendings);
}

/* M4: the other part's coordinator may be slow (D4), and without it there is no merge; it waits for
 * T_merge itself. */
static uint64_t patience_ms(const struct core *core, const struct proposal *proposal)
{
    const struct timing *timing = &core->timing;
    uint64_t merge_ms = earlier(timing->lost_ms, timing->merge_ms);

    return proposal->merge != 0 && merge_ms > timing->prepare_ms ? merge_ms : timing->prepare_ms;
}

static void ask_own_voter(struct core *core)
{
    struct message vote;

    if (voting_prepare_self(core, &core->change.pending, &vote)) {
        change_on_vote(core, &vote);
    }
}

/* No receiver would take such a view (V7), nor could anybody outdo it. */
static bool is_beyond_count(const struct view *next)
{
    return next->epoch >= COUNTER_MAX || next->version >= COUNTER_MAX ||
           next->next_age > COUNTER_MAX;
}

/* Never the same version twice from one life: one name, one content (S1). What others would drop as
 * a leap is not counted on from in an epoch that is new to this life (V4l). */
static uint64_t next_version(const struct core *core, const struct view *next)
{
    const struct change *change = &core->change;
    const uint64_t ours = core->view.version;
    uint64_t version = ours > next->version ? ours : next->version;

    version = version > change->version_used ? version : change->version_used;
    if (core_is_member(core) && next->epoch > change->epoch_used &&
        version > ours + SAID_LEAP_MAX) {
        REACHED(version_counted_from_ours);
        version = ours;
    }
    return version + 1;
}

void change_propose(struct core *core, struct view *next, const struct proposal *proposal)
{
    struct change *change = &core->change;

    next->version = next_version(core, next);
    if (is_beyond_count(next)) {
        REACHED(nothing_left_to_count_with);
        return;
    }
    change->version_used = next->version;
    change->epoch_used = next->epoch > change->epoch_used ? next->epoch : change->epoch_used;
    promise_saw_epoch(core, next->epoch);
    view_seal(next);
    assert(id_equal(&next->members[0].id, &core->life.self.id));

    view_copy(&change->pending, next);
    memset(change->answers, ANSWER_NONE, change->pending.member_count);
    change->on = true;
    change->ack_ms = 0;
    change->sent = false;
    change->sendings = 0;
    change->asked_last = false;
    change->last_chance = false;
    change->spread = proposal->merge == 0 && spread_suits(core, next);
    change->proposal = *proposal;
    change->deadline_ms = core->now_ms + patience_ms(core, proposal);
    change->accepted_ms = core->now_ms;
    memset(&change->tally, 0, sizeof change->tally);
    if (core->electorate.own != VOTER_NONE) {
        ask_own_voter(core);
    }
    if (!change->on) {
        return; /* It is bound to a higher epoch. */
    }
    send_prepare(core, false);
}

void change_found(struct core *core)
{
    struct view *first = next_view_buffer(core);

    view_clear(first);
    first->lineage = random_u64(&core->random) | 1; /* Never 0: that means none. */
    first->epoch = promise_new_epoch(core);
    first->version = 1;
    first->cause = CAUSE_FOUND;
    first->agreed = accord_to_found_with(core);
    view_append(first, &core->life.self);
    view_seal(first);
    core->change.version_used = 1;
    core->change.epoch_used = first->epoch;
    promise_saw_epoch(core, first->epoch);
    install_view(core, first);
}

bool change_is_overtaken(const struct core *core)
{
    return core->change.overtaken > core->view.epoch;
}

/* Z5c: under strict the voters give the epoch. */
static void want_epoch_of_voters(struct core *core)
{
    const uint64_t seen = core->promise.seen;

    core->change.overtaken = seen > core->view.epoch ? seen : core->view.epoch + 1;
    verdict_evidence_changed(core);
}

bool change_outdo(struct core *core, const struct view *forged)
{
    struct change *change = &core->change;

    if (core->now_ms < change->outdone_ms) {
        return false;
    }
    REACHED(forged_view_outdone);
    change->outdone_ms = core->now_ms + core->timing.fresh_ms;
    /* V4l: a version above one that leaps is a leap for those who were not shown that one. */
    const bool leaps = forged->version > core->view.version + SAID_LEAP_MAX;
    if (!leaps && forged->version > change->version_used) {
        change->version_used = forged->version;
    }
    if (core_is_strict(core) && (leaps || forged->epoch > core->view.epoch)) {
        want_epoch_of_voters(core);
    }
    if (core_is_coordinator(core)) {
        next_view_want_epoch(core);
        next_view_want_version(core);
        next_view_now(core);
    }
    return true;
}

void change_outgrow(struct core *core)
{
    struct change *change = &core->change;

    if (core->now_ms < change->outdone_ms) {
        return;
    }
    change->outdone_ms = core->now_ms + core->timing.fresh_ms;
    if (core_is_strict(core)) {
        want_epoch_of_voters(core);
    } else {
        next_view_want_epoch(core);
        next_view_now(core);
    }
}

bool change_is_in_vain(const struct core *core, const struct message *heartbeat, uint32_t position,
                       const struct view *higher, uint64_t since_ms)
{
    struct view_id id = view_id_of(higher);
    uint64_t kept_ms = position == 0 ? 2 * core->timing.merge_ms : core->timing.flap_ms;

    return !view_is_empty(higher) && view_id_compare(&heartbeat->heartbeat.view, &id) < 0 &&
           core->now_ms >= since_ms + kept_ms;
}

void change_compare(struct core *core, const struct message *heartbeat, uint32_t position)
{
    struct change *change = &core->change;

    if (!change->on &&
        change_is_in_vain(core, heartbeat, position, &change->pending, change->accepted_ms)) {
        REACHED(accepted_in_vain);
        change_forget(core);
    }
}

void change_start_next(struct core *core)
{
    struct proposal proposal = {.first_joiner = 0};

    if (core->change.on || !core_is_coordinator(core) || core->merge.yielding ||
        core->now_ms < core->next.due_ms) {
        return;
    }
    if (standing_is_handed_over(core)) {
        next_view_put_off(core, core->now_ms + core->timing.claim_ms); /* Z7a */
        return;
    }
    if (change_is_overtaken(core)) {
        next_view_put_off(core, core->now_ms + core->timing.claim_ms); /* First a new epoch. */
        return;
    }
    if (!standing_is_settled(core)) {
        next_view_put_off(core, core->now_ms + core->timing.fresh_ms / 4);
        return;
    }
    struct view *next = next_view_build(core, &proposal);
    if (next != NULL) {
        change_propose(core, next, &proposal);
    }
}

/* --- Committing --- */

static bool all_answered(const struct core *core)
{
    for (uint32_t i = 0; i < core->change.pending.member_count; i++) {
        if (is_awaited(core, i)) {
            return false;
        }
    }
    return true;
}

/* Drained members stand behind the joiners (E7). */
static bool is_joiner(const struct core *core, uint32_t position)
{
    return position >= core->change.proposal.first_joiner &&
           !view_has(&core->view, &core->change.pending.members[position].id);
}

/* H28: a joiner that cannot be reached does not get in. Returns whether any was left out. */
static bool leave_out_silent_joiners(struct core *core)
{
    struct view *next = next_view_buffer(core);
    bool left_out = false;

    /* With its next_age: an age once given is never given again (S6). */
    view_copy(next, &core->change.pending);
    next->member_count = core->change.proposal.first_joiner;
    for (uint32_t i = core->change.proposal.first_joiner; i < core->change.pending.member_count;
         i++) {
        if (core->change.answers[i] == ANSWER_YES || !is_joiner(core, i)) {
            view_put(next, next->member_count, &core->change.pending.members[i]);
            next->member_count++;
        } else {
            left_out = true;
        }
    }
    if (left_out) {
        next->version = ++core->change.version_used;
        view_seal(next);
        view_copy(&core->change.pending, next);
    }
    return left_out;
}

/* Z5: the voters have agreed to the proposal as it is, so it is made anew without those joiners who
 * were left out. */
static void propose_without_silent_joiners(struct core *core)
{
    struct proposal proposal = core->change.proposal;
    struct view *next = next_view_buffer(core);

    view_copy(next, &core->change.pending);
    proposal.first_joiner = next->member_count;
    change_propose(core, next, &proposal);
}

/* Tells those who acknowledged that it holds, and shows it to the rest; among them the ones who
 * left or follow another coordinator, so that they know where they stand. Called after the
 * installation: positions are the same as in the proposal. */
static void send_commit(struct core *core, const struct installed *before, bool whole)
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
        bool has_it = core->change.answers[i] == ANSWER_YES && !whole;
        if (has_it) {
            detector_on_acknowledged(core, i, core->change.accepted_ms);
        }
        if (!(has_it && core->change.spread)) {
            route_send(core, has_it ? commit : view, i);
        }
    }
    if (core->change.spread && !whole) {
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

/* M4: the merged view cannot come about: tells the other coordinator. */
static void abort_merge(struct core *core)
{
    const struct proposal *proposal = &core->change.proposal;
    const struct view *pending = &core->change.pending;
    uint32_t position = view_find(pending, &proposal->merge_with);
    bool bound = false;

    if (position != VIEW_NONE) {
        struct message *message = outbox_message(core, MESSAGE_MERGE_REFUSED);
        if (message != NULL) {
            message->merge_refused.merge = proposal->merge;
            message->merge_refused.reason = MERGE_REFUSED_ABORTED;
        }
        outbox_send_to(core, message, &proposal->merge_with, &pending->members[position].address);
    }
    for (uint32_t i = 0; i < pending->member_count; i++) {
        bound = bound || core->change.answers[i] == ANSWER_YES;
    }
    if (bound) { /* To the epoch that came to nothing. */
        next_view_want_epoch(core);
        next_view_soon(core);
    }
}

static void abandon(struct core *core)
{
    if (core->change.proposal.merge != 0) {
        abort_merge(core);
    }
    core->change.on = false;
    view_clear(&core->change.pending);
    verdict_evidence_changed(core); /* Whatever waited for this change to end may go on. */
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

/* Somebody it would remove has been heard meanwhile, or has come back to us. If it is to go all the
 * same, for it follows another by now, that is to be said of it. */
static bool removes_the_living(const struct core *core)
{
    for (uint32_t i = 0; core->change.pending.cause == CAUSE_CHANGE && i < core->view.member_count;
         i++) {
        const struct gone *gone = view_find_gone(&core->change.pending, &core->view.members[i].id);
        bool judged = gone != NULL && (gone->reason == GONE_FAILED || gone->reason == GONE_MOVED);
        const struct peer_charge *charge = &core->peers[i].charge;
        bool other = gone != NULL && gone->reason == GONE_FAILED && charge->verdict == VERDICT_NONE;
        if (judged && (!charge->confirmed || other)) {
            return true;
        }
    }
    return false;
}

/* J3a, G1f: each answered at its address. Drained members may stand behind them. */
static void note_joiners(struct core *core, const struct view *before)
{
    for (uint32_t i = core->change.proposal.first_joiner; i < core->view.member_count; i++) {
        if (!view_has(before, &core->view.members[i].id)) {
            numbers_proved(core, i);
        }
    }
}

static void commit(struct core *core)
{
    if (removes_the_living(core)) {
        REACHED(heard_while_it_was_removed);
        change_restart(core); /* And made anew without that. */
        return;
    }
    bool whole = leave_out_silent_joiners(core);

    if (whole && !core->change.proposal.forced && core->change.pending.cause == CAUSE_CHANGE &&
        has_the_same_members(&core->change.pending, &core->view)) {
        REACHED(joiner_did_not_come);
        abandon(core); /* Nobody came after all: not a view for each vain try (H28, Y5). */
        return;
    }
    if (whole && core_is_strict(core)) {
        propose_without_silent_joiners(core);
        return;
    }

    core->change.on = false;
    struct installed before = install_view(core, &core->change.pending);
    note_joiners(core, before.view);
    send_commit(core, &before, whole);
    if (core->next.joiner_count > 0) {
        next_view_soon(core);
    }
}

static bool has_agreed(const struct core *core, uint32_t position)
{
    return position != VIEW_NONE && core->change.answers[position] == ANSWER_YES;
}

/* M4: a merge without the other part's coordinator is none; nor does anybody take over from one who
 * has not stood down (E5). */
static bool other_part_agrees(const struct core *core)
{
    const struct proposal *proposal = &core->change.proposal;
    uint32_t former = who_stands_down(core);

    return (proposal->merge == 0 ||
            has_agreed(core, view_find(&core->change.pending, &proposal->merge_with))) &&
           (former == VIEW_NONE || has_agreed(core, former));
}

static bool all_but_the_former_answered(const struct core *core, uint32_t former)
{
    for (uint32_t i = 0; i < core->change.pending.member_count; i++) {
        if (i != former && is_awaited(core, i)) {
            return false;
        }
    }
    return true;
}

/* E5c: it acts until it is asked, and then only its answer is waited for. */
static bool asks_the_former(struct core *core, bool late)
{
    uint32_t former = who_stands_down(core);

    if (core->change.asked_last || former == VIEW_NONE ||
        !(late || all_but_the_former_answered(core, former))) {
        return false;
    }
    core->change.asked_last = true;
    core->change.sendings = 0;
    core->change.last_chance = false;
    core->change.deadline_ms = core->now_ms + core->timing.prepare_ms;
    send_prepare(core, false);
    return true;
}

/* Z5c: voters are bound to a higher epoch, or to this one for another life, so this one asks for an
 * epoch above that, after a pause. */
static void give_way(struct core *core)
{
    const uint64_t seen = core->promise.seen;

    core->change.overtaken = seen > core->view.epoch ? seen : core->view.epoch + 1;
    abandon(core);
    promise_back_off(core);
}

/* Z5a: no time-out takes the place of a quorum of voters. Those who do not answer may yet; if one
 * of the others is bound to a higher epoch, they are not waited for. */
static void wait_for_voters(struct core *core)
{
    removal_reconsider(core);
    if (electorate_refuses(core, &core->change.tally)) {
        give_way(core);
    } else if (removes_the_living(core)) {
        change_restart(core); /* They would not agree to their own removal (Z2i). */
    } else {
        core->change.deadline_ms = core->now_ms + core->timing.prepare_ms;
    }
}

/* Z5e: its own voter too, which may have been bound to another since. */
static void ask_again(struct core *core)
{
    const uint8_t own = core->electorate.own;

    if (own != VOTER_NONE && core->change.tally.answers[own] == ANSWER_NONE) {
        ask_own_voter(core);
    }
    if (core->change.on) {
        send_prepare(core, true);
    }
}

static void answer(struct core *core, enum message_type type, const struct view *proposal,
                   const struct view_id *id, uint64_t hash)
{
    struct message *message = outbox_message(core, type);

    if (message != NULL) {
        message->reference.view = *id;
        message->reference.view_hash = hash;
        message->reference.promised = type == MESSAGE_NACK ? core->promise.epoch : 0;
    }
    route_reach(core, message, &proposal->members[0].id, &proposal->members[0].address);
}

/* U2h: until no more can be expected of it. */
static void acknowledge_again(struct core *core)
{
    struct change *change = &core->change;
    const struct view_id id = view_id_of(&change->pending);

    if (core->now_ms >= change->accepted_ms + core->timing.prepare_ms ||
        core->promise.epoch > change->pending.epoch) {
        change->ack_ms = 0;
        return;
    }
    change->acks++;
    change->ack_ms = core->now_ms + timing_ack_ms(&core->timing, change->acks);
    answer(core, MESSAGE_ACK, &change->pending, &id, change->pending.hash);
}

uint64_t change_deadline_ms(const struct core *core)
{
    const struct change *change = &core->change;

    if (change->on) {
        return earlier(change->deadline_ms, change->resend_ms);
    }
    return change->ack_ms != 0 ? change->ack_ms : NEVER_MS;
}

static void change_continue(struct core *core)
{
    bool late = core->now_ms >= core->change.deadline_ms;
    if (late && !core->change.last_chance) {
        core->change.last_chance = true; /* A slow loop has the answers still before it. */
        core->change.deadline_ms = core->now_ms + core->timing.batch_ms;
        late = false;
    }
    if (asks_the_former(core, late)) {
        return;
    }
    bool former_agrees = core->change.asked_last && has_agreed(core, who_stands_down(core));
    bool over = former_agrees || all_answered(core) || late;
    if (late && core_is_strict(core) && !electorate_agrees(core, &core->change.tally)) {
        wait_for_voters(core);
        return;
    }
    over = over && (!core_is_strict(core) || electorate_agrees(core, &core->change.tally));
    if (over && core->change.sent) {
        REACHED(commit_put_off_by_a_step);
        /* The PREPAREs of this step still point into `pending`: it is committed in the next. */
        core->change.resend_ms = core->now_ms;
        return;
    }
    if (over && !other_part_agrees(core)) {
        REACHED(merge_aborted);
        abandon(core);
        return;
    }
    if (over) {
        commit(core);
        return;
    }
    if (core->now_ms >= core->change.resend_ms) {
        ask_again(core);
    }
}

void change_tick(struct core *core)
{
    if (core->change.on) {
        change_continue(core);
    } else if (core->change.ack_ms != 0 && core->now_ms >= core->change.ack_ms) {
        acknowledge_again(core);
    }
}

/* --- Answering --- */

void change_drop_own(struct core *core)
{
    if (core->change.on || core->claim.on) {
        /* If nothing comes of the other one's, what we know is judged again. */
        promise_pause(core, core->now_ms + timing_proposal_ms(&core->timing));
    }
    core->change.on = false;
}

/* If the merge comes to nothing because its makers die, the others have heard of each other (M7).
 */
static void remember_members(struct core *core, const struct view *view)
{
    for (uint32_t i = 0; i < view->member_count && i < BOOK_MAX / 4; i++) {
        book_remember(&core->book, &view->members[i].address);
    }
}

static void accept(struct core *core, const struct view *proposal)
{
    struct view_id id = view_id_of(proposal);

    change_drop_own(core); /* What we proposed or claimed ourselves is superseded. */
    if (core->change.pending.hash != proposal->hash || view_is_empty(&core->change.pending)) {
        view_copy(&core->change.pending, proposal);
    }
    core->change.accepted_ms = core->now_ms;
    if (proposal->cause == CAUSE_MERGE) {
        remember_members(core, proposal);
    }
    if (core_is_member(core)) {
        promise_saw_epoch(core, proposal->epoch);
    } else {
        promise_near_epoch(core, proposal->epoch); /* There is no view to measure it by (V7f). */
    }
    if (core_is_member(core) && proposal->epoch > core->view.epoch &&
        proposal->epoch >= core->promise.epoch) {
        promise_give(core, proposal->epoch, &proposal->members[0].id,
                     core->now_ms + timing_proposal_ms(&core->timing));
    }
    core->change.acks = 1;
    core->change.ack_ms = core->now_ms + timing_ack_ms(&core->timing, 1);
    answer(core, MESSAGE_ACK, proposal, &id, proposal->hash);
}

/* U2. Returns whether this node is bound by it now. */
static bool consider_as_member(struct core *core, const struct message *message)
{
    const struct view *proposal = message->carrier.view;
    struct view_id theirs = view_id_of(proposal);
    struct view_id ours = view_id_of(&core->view);

    if (view_id_equal(&theirs, &ours)) {
        REACHED(acknowledgement_repeated);
        answer(core, MESSAGE_ACK, proposal, &ours, core->view.hash); /* Ours was lost. */
        return false;
    }
    if (view_id_compare(&theirs, &ours) < 0) {
        refuse(core, message, REFUSED_PROPOSAL_NOT_HIGHER);
        return false;
    }
    struct view_id accepted = view_id_of(&core->change.pending);
    if (accepted.lineage == theirs.lineage &&
        id_equal(&accepted.coordinator, &theirs.coordinator) &&
        view_id_compare(&theirs, &accepted) < 0) {
        refuse(core, message, REFUSED_PROPOSAL_OVERTAKEN);
        return false;
    }
    if (core->change.on && core_is_strict(core) && view_id_compare(&theirs, &accepted) < 0) {
        refuse(core, message, REFUSED_PROPOSAL_OVERTAKEN); /* By our own. */
        return false;
    }
    if (install_asks_first(core, message)) {
        return false;
    }
    if (authority_of(core, message) == AUTHORITY_NONE) {
        REACHED(proposal_of_another_coordinator);
        refuse(core, message, REFUSED_PROPOSAL_NOT_FOLLOWED);
        install_answer_not_following(core, message);
        install_ask_coordinator(core, message);
        return false;
    }
    if (proposal->epoch < core->promise.epoch && !core_is_strict(core)) {
        REACHED(proposal_below_a_promise);
        refuse(core, message, REFUSED_PROPOSAL_BELOW_PROMISE);
        answer(core, MESSAGE_NACK, proposal, &theirs, proposal->hash);
        return false;
    }
    accept(core, proposal);
    return true;
}

/* A joiner whom two coordinators want to let in keeps to the first until that must have come to an
 * end, and never goes back to a lower view. */
static bool is_promised_elsewhere(const struct core *core, const struct view *proposal)
{
    struct view_id accepted = view_id_of(&core->change.pending);
    struct view_id proposed = view_id_of(proposal);

    if (view_is_empty(&core->change.pending) ||
        core->now_ms >= core->change.accepted_ms + timing_proposal_ms(&core->timing)) {
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

/* A member still follows the coordinator whom this node's won claim would depose: the claim is lost
 * all the same (C3). */
static void on_late_refusal(struct core *core, const struct message *message, bool answers)
{
    bool overtakes = answers && who_stands_down(core) != VIEW_NONE;

    if (!overtakes && (!answers || core->change.pending.cause != CAUSE_CLAIM)) {
        refuse(core, message, REFUSED_OBJECTION_TOO_LATE);
        return;
    }
    abandon(core);
    promise_back_off(core);
}

void change_on_not_following(struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->view, &message->from);
    const bool answers = core->change.on &&
                         message->reference.view_hash == core->change.pending.hash;
    uint32_t in_pending = answers ? view_find(&core->change.pending, &message->from) : VIEW_NONE;

    if (position != VIEW_NONE && message->reference.view.lineage == core->view.lineage &&
        id_equal(&message->reference.view.coordinator, &core->view.members[0].id)) {
        on_late_refusal(core, message, answers); /* It hears the one whom our claim would depose. */
        return;
    }
    if (in_pending != VIEW_NONE) {
        REACHED(answer_not_following);
        core->change.answers[in_pending] = ANSWER_NO; /* U2: not waited for any longer. */
    }
    if (position == VIEW_NONE) {
        refuse(core, message, REFUSED_FOLLOWS_NOBODY_HERE);
        return;
    }
    follow_note(core, position);
}

void change_restart(struct core *core)
{
    if (core->change.on) {
        /* What asked for it asks still: a new epoch serves a new version as well. */
        if (core->change.proposal.forced) {
            next_view_want_epoch(core);
        }
        abandon(core);
        next_view_soon(core);
    }
}

bool change_asks_voter(struct core *core, const struct message *message)
{
    if (!install_is_sound(core, message)) {
        return false;
    }
    if (!id_equal(&message->carrier.view->members[0].id, &message->from)) {
        refuse(core, message, REFUSED_PROPOSAL_OF_ANOTHER);
        return false;
    }
    if (core_is_strict(core)) {
        voting_on_prepare(core, message);
    }
    return true;
}

bool change_on_prepare(struct core *core, const struct message *message)
{
    struct view *proposal = message->carrier.view;

    if (!change_asks_voter(core, message)) {
        return false;
    }
    if (!view_has(proposal, &core->life.self.id)) {
        refuse(core, message, REFUSED_PROPOSAL_WITHOUT_US);
        return false;
    }
    if (core_is_member(core)) {
        return consider_as_member(core, message);
    }
    if (core->join.ready_count == 0) {
        refuse(core, message, REFUSED_PROPOSAL_NOT_EXPECTED);
        return false;
    }
    if (is_promised_elsewhere(core, proposal)) {
        refuse(core, message, REFUSED_JOINER_BOUND);
        return false;
    }
    accept(core, proposal);
    return true;
}

static bool names_pending(const struct core *core, const struct message *message)
{
    struct view_id pending = view_id_of(&core->change.pending);

    return !view_is_empty(&core->change.pending) &&
           view_id_equal(&message->reference.view, &pending) &&
           message->reference.view_hash == core->change.pending.hash;
}

/* Is this the answer of somebody who was asked, to what is proposed now? */
static bool answers_proposal(struct core *core, const struct message *message)
{
    if (!core->change.on) {
        refuse(core, message, REFUSED_NOTHING_PROPOSED);
    } else if (!view_has(&core->change.pending, &message->from)) {
        refuse(core, message, REFUSED_ANSWER_OF_OUTSIDER);
    } else if (!names_pending(core, message)) {
        refuse(core, message, REFUSED_ANSWER_TO_ANOTHER);
    } else {
        return true;
    }
    return false;
}

/* U2h: it acknowledges what was committed; so the COMMIT did not reach it. Returns whether that is
 * so. */
static bool missed_commit(struct core *core, const struct message *message)
{
    const struct view_id ours = view_id_of(&core->view);
    const uint32_t position = view_find(&core->view, &message->from);

    if (!core_is_coordinator(core) || position == VIEW_NONE ||
        !view_id_equal(&message->reference.view, &ours) ||
        message->reference.view_hash != core->view.hash) {
        return false;
    }
    struct message *commit = outbox_message(core, MESSAGE_COMMIT);
    if (commit != NULL) {
        commit->reference.view = ours;
        commit->reference.view_hash = core->view.hash;
    }
    route_send(core, commit, position);
    return true;
}

void change_on_ack(struct core *core, const struct message *message)
{
    if (missed_commit(core, message)) {
        REACHED(committed_again);
    } else if (answers_proposal(core, message)) {
        uint32_t position = view_find(&core->change.pending, &message->from);
        core->change.answers[position] = ANSWER_YES;
    }
}

void change_on_vote(struct core *core, const struct message *vote)
{
    const struct vote_answer *answer = &vote->carrier.vote;

    if (!core->change.on || vote->carrier.epoch != core->change.pending.epoch ||
        answer->version != core->change.pending.version) {
        refuse(core, vote, core->change.on ? REFUSED_ANSWER_TO_ANOTHER : REFUSED_NOTHING_PROPOSED);
    } else if (answer->result == VOTE_GRANTED) {
        core->change.tally.answers[answer->voter] = ANSWER_YES;
    } else if (answer->result == VOTE_REFUSED_EPOCH) {
        REACHED(proposal_overtaken_by_a_promise);
        promise_saw_epoch(core, answer->promised);
        core->change.tally.answers[answer->voter] = ANSWER_NO;
        if (!electorate_may_agree(core, &core->change.tally)) {
            give_way(core);
        }
    }
}

void change_on_disagreement(struct core *core, const struct message *vote)
{
    const struct vote_answer *answer = &vote->carrier.vote;
    bool of_view = vote->fellow && core_is_coordinator(core) &&
                   vote->carrier.epoch == core->view.epoch &&
                   answer->version == core->view.version && answer->result == VOTE_REFUSED_EPOCH;

    if (!of_view || core->change.on) {
        refuse(core, vote, of_view ? REFUSED_VOTE_MEANWHILE : REFUSED_ANSWER_TO_ANOTHER);
        return;
    }
    change_outgrow(core);
}

void change_on_nack(struct core *core, const struct message *message)
{
    uint64_t promised = message->reference.promised;

    if (!answers_proposal(core, message)) {
        return;
    }
    if (promised <= core->change.pending.epoch) {
        refuse(core, message, REFUSED_NACK_NOT_ABOVE);
        return;
    }
    if (promise_epoch_leaps(core, promised)) {
        refuse(core, message, REFUSED_EPOCH_LEAPS);
        return;
    }
    promise_saw_epoch(core, promised);
    bool coordinator = core_is_coordinator(core);
    abandon(core);
    if (coordinator) {
        REACHED(change_refused_by_a_promise);
        next_view_want_epoch(core); /* H43: above the promise, the change goes on. */
        next_view_soon(core);
    } else {
        promise_back_off(core);
    }
}

bool change_on_commit(struct core *core, const struct message *message)
{
    struct view_id ours = view_id_of(&core->view);
    const struct view_id *named = &message->reference.view;

    if (names_pending(core, message) && !core->change.on &&
        id_equal(&named->coordinator, &message->from) &&
        (view_is_empty(&core->view) || view_id_compare(named, &ours) > 0)) {
        install_view(core, &core->change.pending);
        return true;
    }
    if (core_is_member(core) && view_id_compare(named, &ours) <= 0) {
        refuse(core, message, REFUSED_COMMIT_NOT_HIGHER);
        return false;
    }
    /* We missed the proposal: ask for the whole. */
    if (view_has(&core->view, &message->from)) {
        install_pull(core, message);
    } else {
        install_ask_stranger(core, message);
    }
    return false;
}

void change_on_late(struct core *core, uint64_t late_ms)
{
    if (core->change.on && !core->change.last_chance) {
        core->change.deadline_ms += late_ms;
    }
}

void change_begin_step(struct core *core)
{
    core->change.sent = false;
}

/* V7c: what a joiner accepted or proposed has nothing to be measured by before its first view; then
 * it may leap above that one. It has asked for another epoch before it proposes again, so the
 * versions that it has used need not count (V2b). */
static void forget_what_leaps(struct core *core, bool first)
{
    const struct leap_base max = promise_numbers_max(core);

    if (promise_is_above(&core->change.pending, &max)) {
        change_forget(core);
    }
    if (first && core->change.version_used > max.version) {
        core->change.version_used = 0;
    }
}

void change_on_view_installed(struct core *core, const struct installed *before)
{
    struct view_id now = view_id_of(&core->view);
    struct view_id pending = view_id_of(&core->change.pending);

    /* A proposal of our own was built on the view before, and does not know this one. */
    if (core->change.on || view_is_empty(&core->change.pending) || pending.lineage != now.lineage ||
        view_id_compare(&pending, &now) <= 0) {
        change_forget(core);
    }
    forget_what_leaps(core, view_is_empty(before->view));
}

void change_forget(struct core *core)
{
    view_clear(&core->change.pending);
    core->change.on = false;
    core->change.ack_ms = 0;
}

void change_reset(struct core *core)
{
    change_forget(core);
    core->change.version_used = 0;
    core->change.epoch_used = 0;
    core->change.outdone_ms = 0;
    core->change.overtaken = 0;
}
