#include "core/healing/merge.h"

#include "core/agreement/accord.h"
#include "core/agreement/change_propose.h"
#include "core/agreement/install.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/detection/hearing.h"
#include "core/detection/standing.h"
#include "core/detection/watch.h"
#include "core/entry/lifecycle.h"
#include "core/healing/probe.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

enum { TRIES_ALONE_MAX = 3 }; /* of a part of one, in a row (M3e) */

static bool is_idle(const struct core *core)
{
    return core_is_coordinator(core) && core->life.phase == PHASE_MEMBER && !core->change.on &&
           !core->candidacy.on && !core->merge.yielding && standing_is_settled(core);
}

/* --- The losing part, which is absorbed --- */

static void send_merge(struct core *core)
{
    struct message *message = outbox_message(core, MESSAGE_MERGE);

    if (message != NULL) {
        message->carrier.view = &core->view;
        message->carrier.merge = core->merge.number;
        probe_describe(core, &message->carrier.part);
    }
    outbox_send_to(core, message, &core->merge.to, &core->merge.address);
    core->merge.asking.again_ms = core->now_ms + core->timing.prepare_ms / 3;
}

void merge_ask(struct core *core, const struct message *probe)
{
    if (!is_idle(core)) {
        refuse(core, probe, REFUSED_BUSY); /* The next probe finds us again. */
        return;
    }
    if (!pause_is_over(&core->merge.backoff, core->now_ms)) {
        refuse(core, probe, REFUSED_MERGE_PAUSES);
        return;
    }
    if (probe->probe.holders + core->view.member_count > core_room(core)) {
        refuse(core, probe, REFUSED_MERGE_NO_ROOM);
        return;
    }
    core->merge = (struct merge){.yielding = true,
                                 .number = random_u64(&core->random) | 1,
                                 .to = probe->from,
                                 .failures = core->merge.failures,
                                 .address = probe->probe.coordinator,
                                 .asking.until_ms = core->now_ms + core->timing.merge_ms};
    /* They ask again, and find the larger part. */
    next_view_drop_joiners(core, REFUSED_JOINER_FORGOTTEN);

    send_merge(core);
    struct notice *notice = outbox_notice(core, NOTICE_MERGING);
    notice->subject.id = probe->from;
    notice->subject.address = probe->probe.coordinator;
    notice->on = true;
}

/* M3e: what the winner makes does not reach this node, which is a part by itself. */
static bool is_beyond_merging(const struct core *core, enum merge_refusal refusal)
{
    bool in_vain = refusal == MERGE_NOT_REFUSED || refusal == MERGE_REFUSED_ABORTED;

    return in_vain && !core->merge.acked && core->view.member_count == 1 &&
           core->life.phase == PHASE_MEMBER && core->merge.failures + 1 >= TRIES_ALONE_MAX;
}

/* M3: back to what it was, with a pause that doubles while nothing comes of it. After an
 * acknowledgement the merged view may yet arrive somewhere: a new view above it settles which one
 * holds here. */
static void return_to_own(struct core *core, enum merge_refusal refusal)
{
    if (is_beyond_merging(core, refusal)) {
        REACHED(merged_in_vain);
        lifecycle_end_life(core, REASON_BEHIND);
        return;
    }

    bool acked = core->merge.acked;
    /* Busy, or beaten meanwhile, is a matter of moments; the rest is not. */
    bool failed = refusal != MERGE_REFUSED_BUSY && refusal != MERGE_REFUSED_LOSING;
    uint32_t failures = core->merge.failures + failed;
    uint64_t pause_ms = core->timing.probe_ms << (failures < 7 ? failures : 7);

    /* Long enough for a try that costs T_merge; short enough for when it is possible again. */
    pause_ms = pause_ms < core->timing.flap_ms / 4 ? pause_ms : core->timing.flap_ms / 4;
    core->merge = (struct merge){
        .failures = failures,
        .backoff.over_ms = core->now_ms + random_between(&core->random, pause_ms / 2, pause_ms)};
    if (acked) {
        REACHED(merge_given_up_after_agreeing);
        next_view_want_epoch(core);
        next_view_soon(core);
    }
    outbox_notice(core, NOTICE_MERGING)->refusal = refusal;
}

void merge_on_refused(struct core *core, const struct message *message)
{
    if (!core->merge.yielding || message->merge_refused.merge != core->merge.number ||
        !id_equal(&message->from, &core->merge.to)) {
        refuse(core, message, REFUSED_ANOTHER_MERGE);
        return;
    }
    enum merge_refusal reason = message->merge_refused.reason;
    if (reason == MERGE_REFUSED_NAME && core->life.phase == PHASE_MEMBER) {
        REACHED(merge_refused_name);
        lifecycle_end_life(core, REASON_NAME_TAKEN); /* The others come in without us. */
        return;
    }
    if (reason == MERGE_REFUSED_LEAPS && core->life.phase == PHASE_MEMBER) {
        REACHED(merge_refused_leaps);
        lifecycle_end_life(core, REASON_LEFT_ALONE);
        return;
    }
    return_to_own(core, reason);
}

void merge_on_accepted(struct core *core, const struct message *prepare)
{
    if (core->merge.yielding && prepare->carrier.merge == core->merge.number &&
        !core->merge.acked) {
        core->merge.acked = true;
        core->merge.asking.until_ms = core->now_ms + 2 * core->timing.merge_ms;
    }
}

/* --- The winning part, which absorbs --- */

/* Says no to whoever asks to be taken up, at its address in the view that it sent. */
static void decline(struct core *core, const struct message *asking, enum merge_refusal reason)
{
    struct message *message = outbox_message(core, MESSAGE_MERGE_REFUSED);

    if (message != NULL) {
        message->merge_refused.merge = asking->carrier.merge;
        message->merge_refused.reason = reason;
    }
    outbox_send_to(core, message, &asking->from, &asking->carrier.view->members[0].address);
}

/* M4: a member that both parts list belongs to the part whose view it said last that it holds;
 * where that is unknown, to the losing part. */
static bool counts_for_our_side(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];

    return core_is_self(core, position) ||
           (peer->signs.view.lineage == core->view.lineage &&
            id_equal(&peer->signs.view.coordinator, &core->life.self.id));
}

/* Does the member live, as far as this node or others hear it (R3)? */
static bool is_alive(const struct core *core, uint32_t position)
{
    return hearing_is_fresh(core, position) ||
           (core->peers[position].charge.verdict != VERDICT_DEAD &&
            hearing_relay_to(core, position) != VIEW_NONE);
}

/* One name, or one address, can belong to one life only. Where both parts list one, the winner's
 * life keeps it if it lives; while it is silent, the merge has to wait until it was heard or
 * removed. */
static enum merge_refusal clash_of(struct core *core, const struct view *next,
                                   const struct member *member)
{
    uint32_t name = view_find_name(next, member->name);
    uint32_t address = view_find_address(next, &member->address);

    if (name == VIEW_NONE && address == VIEW_NONE) {
        return MERGE_NOT_REFUSED;
    }
    uint32_t ours = view_find(&core->view, &next->members[name != VIEW_NONE ? name : address].id);
    if (ours != VIEW_NONE && !core_is_self(core, ours) && !watch_is_on(core, ours)) {
        watch_want(core, ours); /* D9g: only then can it be told whether it lives. */
        return MERGE_REFUSED_BUSY;
    }
    return ours != VIEW_NONE && is_alive(core, ours) ? MERGE_REFUSED_NAME : MERGE_REFUSED_BUSY;
}

/* Appends one member of the other part to the merged view, or returns what stands against it. */
static enum merge_refusal absorb(struct core *core, struct view *next, const struct member *member)
{
    uint32_t ours = view_find(&core->view, &member->id);
    uint32_t in_next = view_find(next, &member->id);

    if (ours != VIEW_NONE && counts_for_our_side(core, ours)) {
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
static bool was_absorbed_before(const struct core *core, uint64_t number)
{
    for (uint32_t i = 0; i < MERGES_KEPT; i++) {
        if (core->merge_log.numbers[i] == number) {
            return true;
        }
    }
    return false;
}

/* M5c: the losing part's view does not leap, but is so near that what is above it does. */
static bool would_leap(const struct core *core, const struct view *next)
{
    const struct leap_base max = promise_numbers_max(core);

    return promise_is_above(next, &max) || next->version >= max.version ||
           accord_leaps(core, &next->agreed);
}

/* The merged view, in next_view_buffer; or why there can be none. */
static enum merge_refusal build_merged(struct core *core, const struct view *theirs,
                                       const struct terms *started)
{
    struct view *next = next_view_begin(core, &core->view, CAUSE_MERGE);

    if (!versions_meet(view_versions(&core->view, VIEW_NONE), view_versions(theirs, VIEW_NONE))) {
        return MERGE_REFUSED_VERSIONS; /* J2d: one could not read the other. */
    }
    promise_saw_epoch(core, theirs->epoch);
    next->epoch = promise_new_epoch(core);
    next->version = next->version > theirs->version ? next->version : theirs->version;
    if (next->next_age < theirs->next_age) {
        next->next_age = theirs->next_age;
    }
    next->merged = view_id_of(theirs);
    next->agreed = accord_merge(core, theirs, started);
    for (uint32_t i = 0; i < theirs->member_count; i++) {
        enum merge_refusal reason = absorb(core, next, &theirs->members[i]);
        /* Whose name is taken finds itself left out (L1, I2); but without the one who asks there
         * is nobody to agree. */
        if (reason != MERGE_NOT_REFUSED && (reason != MERGE_REFUSED_NAME || i == 0)) {
            return reason;
        }
    }
    if (next->agreed.number != 0 && next->member_count > agreed_asks(&next->agreed).size_max) {
        return MERGE_REFUSED_FULL;
    }
    view_put_drained_behind(next);
    for (uint32_t i = 0; i < theirs->gone_count; i++) {
        view_add_gone(next, &theirs->gone[i]);
    }
    if (would_leap(core, next)) {
        REACHED(merge_built_a_leap);
        return MERGE_REFUSED_LEAPS;
    }
    return view_has(next, &theirs->members[0].id) ? MERGE_NOT_REFUSED : MERGE_REFUSED_BUSY;
}

/* Why there can be no merged view, for whoever asks this node. */
static enum refusal why_unbuilt(enum merge_refusal reason)
{
    switch (reason) {
    case MERGE_REFUSED_FULL:
        return REFUSED_MERGE_NO_ROOM;
    case MERGE_REFUSED_NAME:
        return REFUSED_NAME_IN_USE;
    case MERGE_REFUSED_VERSIONS:
        return REFUSED_VERSIONS_DIFFER;
    case MERGE_REFUSED_LEAPS:
        return REFUSED_VIEW_LEAPS;
    case MERGE_NOT_REFUSED:
    case MERGE_REFUSED_BUSY:
    case MERGE_REFUSED_LOSING:
    case MERGE_REFUSED_ABORTED:
        break;
    }
    return REFUSED_NAME_IN_DOUBT;
}

/* May the sender ask this node for a merge at all? Where not, it gets no answer. */
static bool may_ask(struct core *core, const struct message *message)
{
    const struct view *theirs = message->carrier.view;

    if (!id_equal(&theirs->members[0].id, &message->from)) {
        refuse(core, message, REFUSED_MERGE_OF_ANOTHER);
    } else if (!accord_may_merge(core, &message->carrier.part.terms)) {
        refuse(core, message, REFUSED_TERMS_DIFFER);
    } else if (!probe_is_related(core, &message->carrier.part)) {
        refuse(core, message, REFUSED_PART_UNRELATED);
    } else if (message->carrier.merge == 0) {
        refuse(core, message, REFUSED_MERGE_UNNUMBERED);
    } else if (core_is_coordinator(core) && view_has(&core->view, &message->from)) {
        refuse(core, message, REFUSED_MERGE_OF_MEMBER);
    } else if (was_absorbed_before(core, message->carrier.merge)) {
        refuse(core, message, REFUSED_MERGE_BEGUN);
    } else {
        return true;
    }
    return false;
}

/* M5c: the numbers of the losing part are such that no view could be above both. */
static void decline_leaping(struct core *core, const struct message *message)
{
    struct view *theirs = message->carrier.view;

    if (core_is_coordinator(core) && theirs->member_count <= core->capacity &&
        view_is_sound(theirs) && install_leaps(core, message) && may_ask(core, message)) {
        decline(core, message, MERGE_REFUSED_LEAPS);
    }
}

bool merge_is_beyond_reach(const struct core *core, const struct message *prepare)
{
    struct view *merged = prepare->carrier.view;

    return core->merge.yielding && prepare->carrier.merge == core->merge.number &&
           id_equal(&prepare->from, &core->merge.to) && merged->member_count <= core->capacity &&
           view_is_sound(merged) && install_leaps(core, prepare);
}

void merge_on_merge(struct core *core, const struct message *message)
{
    struct view *theirs = message->carrier.view;
    uint64_t number = message->carrier.merge;

    if (!install_is_sound(core, message)) {
        decline_leaping(core, message);
        return;
    }
    if (!may_ask(core, message)) {
        return;
    }
    if (!core_is_coordinator(core)) { /* We were, when they were told of us. */
        refuse(core, message, REFUSED_NOT_COORDINATOR);
        decline(core, message, MERGE_REFUSED_LOSING);
        return;
    }
    if (!is_idle(core)) {
        REACHED(merge_refused_busy);
        refuse(core, message, REFUSED_BUSY);
        decline(core, message, MERGE_REFUSED_BUSY);
        return;
    }
    struct probe ours;
    probe_describe(core, &ours);
    if (probe_compare(&ours, &message->carrier.part) >= 0) {
        REACHED(merge_refused_losing);
        refuse(core, message, REFUSED_MERGE_NOT_WINNING);
        decline(core, message, MERGE_REFUSED_LOSING);
        return;
    }
    enum merge_refusal reason = build_merged(core, theirs, &message->carrier.part.terms);
    if (reason != MERGE_NOT_REFUSED) {
        REACHED(merge_refused_unbuilt);
        refuse(core, message, why_unbuilt(reason));
        decline(core, message, reason);
        return;
    }
    for (uint32_t i = 0; i < theirs->member_count; i++) {
        book_remember(&core->book, &theirs->members[i].address); /* If we never become one (M7). */
    }
    core->merge_log.numbers[core->merge_log.count++ % MERGES_KEPT] = number;
    struct view *next = next_view_buffer(core);
    change_propose(core, next,
                   &(struct proposal){.first_joiner = next->member_count,
                                      .merge_with = message->from,
                                      .merge = number});
}

/* --- Both --- */

void merge_tick(struct core *core)
{
    if (core->merge.yielding && asking_is_over(&core->merge.asking, core->now_ms)) {
        REACHED(merge_waited_in_vain);
        return_to_own(core, MERGE_NOT_REFUSED); /* M7: nobody waits for ever. */
    } else if (core->merge.yielding && !core->merge.acked &&
               asking_is_due(&core->merge.asking, core->now_ms)) {
        send_merge(core); /* It, or all that answered it, may have been lost. */
    }
}

uint64_t merge_deadline_ms(const struct core *core)
{
    const struct merge *merge = &core->merge;

    if (!merge->yielding) {
        return core->probe.due_ms;
    }
    return earlier(core->probe.due_ms,
                   merge->acked ? merge->asking.until_ms : asking_deadline_ms(&merge->asking));
}

void merge_on_view_installed(struct core *core)
{
    core->merge.yielding = false;
    if (core->view.cause == CAUSE_MERGE) {
        core->merge.failures = 0;
    }
}

void merge_reset(struct core *core)
{
    core->merge = (struct merge){.yielding = false};
}
