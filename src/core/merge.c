#include "core/merge.h"

#include <string.h>

#include "core/book.h"
#include "core/change.h"
#include "core/detector.h"
#include "core/install.h"
#include "core/lifecycle.h"
#include "core/outbox.h"
#include "core/plant.h"
#include "core/probe.h"
#include "core/removal.h"

static bool is_idle(const struct core *core)
{
    return core_is_coordinator(core) && core->phase == PHASE_MEMBER && !core->change.on &&
           !core->claim.on && !core->merge.losing && removal_reign_is_sure(core);
}

/* --- The part that is taken up --- */

static void send_merge(struct core *core)
{
    struct message *message = outbox_message(core, MESSAGE_MERGE);

    if (message != NULL) {
        message->carrier.view = &core->view;
        message->carrier.merge = core->merge.number;
        message->carrier.part = probe_describe(core);
    }
    outbox_send_to(core, message, &core->merge.to, &core->merge.address);
    core->merge.again_ms = core->now_ms + core->timing.prepare_ms / 3;
}

void merge_ask(struct core *core, const struct message *probe)
{
    bool fits = probe->probe.holders + core->view.member_count <= core_room(core);

    if (!is_idle(core) || core->now_ms < core->merge.backoff_ms || !fits) {
        core_drop(core, DROP_PHASE); /* The next probe finds us again. */
        return;
    }
    core->merge = (struct merge){.losing = true,
                                 .number = random_u64(&core->random) | 1,
                                 .to = probe->from,
                                 .failures = core->merge.failures,
                                 .address = probe->probe.coordinator,
                                 .deadline_ms = core->now_ms + core->timing.merge_ms};
    core->joins.count = 0; /* They ask again, and find the larger part. */

    send_merge(core);
    struct notice *notice = outbox_notice(core, NOTICE_MERGING);
    notice->subject.id = probe->from;
    notice->subject.address = probe->probe.coordinator;
    notice->on = true;
}

/* M3: back to what it was, with a pause that doubles while nothing comes of it. After an
 * acknowledgement the merged view may yet arrive somewhere: a new view above it settles which one
 * holds here. */
static void return_to_own(struct core *core, enum merge_refusal refusal)
{
    bool acked = core->merge.acked;
    /* Busy, or beaten meanwhile, is a matter of moments; the rest is not. */
    bool failed = refusal != MERGE_REFUSED_BUSY && refusal != MERGE_REFUSED_LOSING;
    uint32_t failures = core->merge.failures + failed;
    uint64_t pause_ms = core->timing.probe_ms << (failures < 7 ? failures : 7);

    /* Long enough for a try that costs T_merge; short enough for when it is possible again. */
    pause_ms = pause_ms < core->timing.flap_ms / 4 ? pause_ms : core->timing.flap_ms / 4;
    core->merge = (struct merge){
        .failures = failures,
        .backoff_ms = core->now_ms + random_between(&core->random, pause_ms / 2, pause_ms)};
    if (acked) {
        REACHED(merge_given_up_after_agreeing);
        core->bump_epoch = true;
        change_soon(core);
    }
    outbox_notice(core, NOTICE_MERGING)->refusal = refusal;
}

void merge_on_refused(struct core *core, const struct message *message)
{
    if (!core->merge.losing || message->merge_refused.merge != core->merge.number ||
        !id_equal(&message->from, &core->merge.to)) {
        core_drop(core, DROP_STALE);
        return;
    }
    enum merge_refusal reason = message->merge_refused.reason;
    if (reason == MERGE_REFUSED_NAME && core->phase == PHASE_MEMBER) {
        REACHED(merge_refused_name);
        lifecycle_start_over(core, REASON_NAME_TAKEN); /* The others come in without us. */
        return;
    }
    return_to_own(core, reason);
}

bool merge_names_ours(const struct core *core, const struct view *view)
{
    const struct view_id *merged = &view->merged;

    return view->cause == CAUSE_MERGE && merged->lineage == core->view.lineage &&
           merged->epoch == core->view.epoch &&
           id_equal(&merged->coordinator, &core->view.members[0].id);
}

bool merge_is_awaited(const struct core *core, const struct message *prepare)
{
    const struct view *view = prepare->carrier.view;

    if (prepare->carrier.merge == 0 || !merge_names_ours(core, view)) {
        return false;
    }
    if (!core_is_coordinator(core)) {
        return true; /* Our coordinator asked for it. */
    }
    return core->merge.losing && prepare->carrier.merge == core->merge.number &&
           id_equal(&prepare->from, &core->merge.to) && view->merged.version == core->view.version;
}

void merge_accepted(struct core *core, const struct message *prepare)
{
    if (core->merge.losing && prepare->carrier.merge == core->merge.number && !core->merge.acked) {
        core->merge.acked = true;
        core->merge.deadline_ms = core->now_ms + 2 * core->timing.merge_ms;
    }
}

/* --- The part that takes up --- */

static void refuse(struct core *core, const struct node_id *to, const struct address *address,
                   uint64_t number, enum merge_refusal reason)
{
    struct message *message = outbox_message(core, MESSAGE_MERGE_REFUSED);

    if (message != NULL) {
        message->merge_refused.merge = number;
        message->merge_refused.reason = reason;
    }
    outbox_send_to(core, message, to, address);
}

/* A life in both lists counts for the side whose view it holds itself; where that is unknown, for
 * the loser's. */
static bool is_ours(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];

    return core_is_self(core, position) || (peer->view.lineage == core->view.lineage &&
                                            id_equal(&peer->view.coordinator, &core->self.id));
}

/* Does this member of ours live, by our own ears or those of others (R3)? */
static bool is_alive(const struct core *core, uint32_t position)
{
    return detector_is_fresh(core, position) || (core->peers[position].verdict != VERDICT_DEAD &&
                                                 detector_relay_to(core, position) != VIEW_NONE);
}

/* One name has one life, and so has one address: whose it is, if both parts know one, can be said
 * once ours was heard, or is out. */
static enum merge_refusal clash_of(const struct core *core, const struct view *next,
                                   const struct member *member)
{
    uint32_t name = view_find_name(next, member->name);
    uint32_t address = view_find_address(next, &member->address);

    if (name == VIEW_NONE && address == VIEW_NONE) {
        return MERGE_NOT_REFUSED;
    }
    uint32_t ours = view_find(&core->view, &next->members[name != VIEW_NONE ? name : address].id);
    return ours != VIEW_NONE && is_alive(core, ours) ? MERGE_REFUSED_NAME : MERGE_REFUSED_BUSY;
}

/* Puts one member of the other part behind ours, or tells what stands against it. */
static enum merge_refusal take_up(struct core *core, struct view *next, const struct member *member)
{
    uint32_t ours = view_find(&core->view, &member->id);
    uint32_t in_next = view_find(next, &member->id);

    if ((ours != VIEW_NONE && is_ours(core, ours)) ||
        (PLANTED(MERGE_LOSES_MEMBERS) && next->member_count > core->view.member_count)) {
        return MERGE_NOT_REFUSED;
    }
    if (in_next != VIEW_NONE) {
        REACHED(life_in_both_parts);
        view_take_out(next, in_next);
    }
    enum merge_refusal clash = clash_of(core, next, member);
    if (clash != MERGE_NOT_REFUSED) {
        return clash;
    }
    if (next->member_count >= core_room(core)) {
        return MERGE_REFUSED_FULL;
    }
    view_append(next, member);
    return MERGE_NOT_REFUSED;
}

/* A merge is made once, however often and late its request comes (S7). */
static bool was_begun(const struct core *core, uint64_t number)
{
    for (uint32_t i = 0; i < MERGES_KEPT; i++) {
        if (core->merges_begun[i] == number) {
            return true;
        }
    }
    return false;
}

/* The merged view, in `scratch`; or why there can be none. */
static enum merge_refusal build_merged(struct core *core, const struct view *theirs)
{
    struct view *next = &core->scratch;

    change_begin(core, &core->view, CAUSE_MERGE);
    core_saw_epoch(core, theirs->epoch);
    next->epoch = PLANTED(MERGE_EPOCH) ? core->view.epoch : core->epoch_seen + 1;
    next->version = next->version > theirs->version ? next->version : theirs->version;
    if (next->next_age < theirs->next_age && !PLANTED(MERGE_AGES)) {
        next->next_age = theirs->next_age;
    }
    next->merged = view_id_of(theirs);
    for (uint32_t i = 0; i < theirs->member_count; i++) {
        enum merge_refusal reason = take_up(core, next, &theirs->members[i]);
        /* Whose name is taken finds itself left out (L1, I2); but without the one who asks there
         * is nobody to agree. */
        if (reason != MERGE_NOT_REFUSED && (reason != MERGE_REFUSED_NAME || i == 0)) {
            return reason;
        }
    }
    for (uint32_t i = 0; i < theirs->gone_count; i++) {
        view_add_gone(next, &theirs->gone[i]);
    }
    return view_has(next, &theirs->members[0].id) ? MERGE_NOT_REFUSED : MERGE_REFUSED_BUSY;
}

void merge_on_merge(struct core *core, const struct message *message)
{
    struct view *theirs = message->carrier.view;
    uint64_t number = message->carrier.merge;

    if (!install_is_sound(core, theirs) || !id_equal(&theirs->members[0].id, &message->from)) {
        core_drop(core, DROP_STRANGER);
        return;
    }
    if (!terms_equal(&message->carrier.part.terms, &core->terms)) {
        core_drop(core, DROP_TERMS);
        return;
    }
    if (!probe_is_related(core, &message->carrier.part)) {
        core_drop(core, DROP_LINEAGE);
        return;
    }
    const struct address *address = &theirs->members[0].address;
    uint32_t position = view_find(&core->view, &message->from);
    bool merged_already = position != VIEW_NONE && is_ours(core, position);
    if (number == 0 || merged_already || was_begun(core, number)) {
        core_drop(core, DROP_STALE); /* A repetition. */
        return;
    }
    struct probe ours = probe_describe(core);
    if (!core_is_coordinator(core)) { /* We were, when they were told of us. */
        refuse(core, &message->from, address, number, MERGE_REFUSED_LOSING);
        return;
    }
    if (!is_idle(core)) {
        REACHED(merge_refused_busy);
        refuse(core, &message->from, address, number, MERGE_REFUSED_BUSY);
        return;
    }
    if (probe_compare(&ours, &message->carrier.part) >= 0) {
        REACHED(merge_refused_losing);
        refuse(core, &message->from, address, number, MERGE_REFUSED_LOSING);
        return;
    }
    enum merge_refusal reason = build_merged(core, theirs);
    if (reason != MERGE_NOT_REFUSED) {
        REACHED(merge_refused_unbuilt);
        refuse(core, &message->from, address, number, reason);
        return;
    }
    for (uint32_t i = 0; i < theirs->member_count; i++) {
        book_remember(core, &theirs->members[i].address); /* If we never become one (M7). */
    }
    core->merges_begun[core->merges_begun_count++ % MERGES_KEPT] = number;
    change_propose(core, &(struct proposal){.first_joiner = core->scratch.member_count,
                                            .merge_with = message->from,
                                            .merge = number});
}

void merge_abort(struct core *core)
{
    const struct proposal *proposal = &core->change.proposal;
    uint32_t position = view_find(&core->pending, &proposal->merge_with);

    if (position != VIEW_NONE) {
        refuse(core, &proposal->merge_with, &core->pending.members[position].address,
               proposal->merge, MERGE_REFUSED_ABORTED);
    }
    for (uint32_t i = 0; i < core->pending.member_count; i++) {
        if (core->answers[i] == ANSWER_YES) {
            core->bump_epoch = true; /* Bound to the epoch that came to nothing. */
            change_soon(core);
            return;
        }
    }
}

/* --- Both --- */

void merge_tick(struct core *core)
{
    if (core->merge.losing && core->now_ms >= core->merge.deadline_ms &&
        !PLANTED(MERGING_FOR_EVER)) {
        REACHED(merge_waited_in_vain);
        return_to_own(core, MERGE_NOT_REFUSED); /* M7: nobody waits for ever. */
    } else if (core->merge.losing && !core->merge.acked && core->now_ms >= core->merge.again_ms) {
        send_merge(core); /* It, or all that answered it, may have been lost. */
    }
}

uint64_t merge_deadline_ms(const struct core *core)
{
    const struct merge *merge = &core->merge;

    if (!merge->losing) {
        return NEVER_MS;
    }
    return merge->acked || merge->deadline_ms < merge->again_ms ? merge->deadline_ms
                                                                : merge->again_ms;
}
