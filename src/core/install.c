#include "core/install.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "core/book.h"
#include "core/change.h"
#include "core/claim.h"
#include "core/detector.h"
#include "core/flap.h"
#include "core/join.h"
#include "core/lifecycle.h"
#include "core/merge.h"
#include "core/outbox.h"
#include "core/plant.h"
#include "core/removal.h"

/* A view that holds this life holds it under its own name and address. */
static bool knows_us(const struct core *core, const struct view *view)
{
    uint32_t position = view_find(view, &core->self.id);

    return position == VIEW_NONE ||
           (text_equal(view->members[position].name, core->self.name) &&
            address_equal(&view->members[position].address, &core->self.address));
}

bool install_is_sound(struct core *core, struct view *view)
{
    if (view->member_count > core->capacity) {
        core_drop(core, DROP_CAPACITY);
        return false;
    }
    if (!view_is_sound(view) || !knows_us(core, view)) {
        core_drop(core, DROP_UNSOUND_VIEW);
        return false;
    }
    if (view->epoch > core->epoch_seen + LEAP_MAX ||
        view->version > core->view.version + LEAP_MAX) {
        core_drop(core, DROP_LEAP);
        return false;
    }
    return true;
}

bool install_coordinator_is_fresh(const struct core *core)
{
    return core_is_coordinator(core) || detector_is_fresh(core, 0);
}

/* Where one who lived with us went, and we are listed too, only a merge can have brought us both.
 */
static bool was_ours(const struct core *core, const struct node_id *id)
{
    uint32_t position = view_find(&core->view, id);

    return position != VIEW_NONE && core->peers[position].ours;
}

bool install_allows(const struct core *core, const struct view *view, const struct node_id *from)
{
    const struct node_id *coordinator = &view->members[0].id;

    if (PLANTED(LINEAGE_IGNORED) && view->lineage != core->view.lineage) {
        return true;
    }
    if (view->lineage == core->view.lineage && id_equal(coordinator, &core->view.members[0].id)) {
        return true;
    }
    if (!core_is_coordinator(core) && id_equal(from, &core->view.members[0].id) &&
        view_has(view, from)) {
        REACHED(followed_the_coordinator);
        return true; /* Where our coordinator itself went, we follow (M4). */
    }
    if (merge_names_ours(core, view) && (!core_is_coordinator(core) || core->merge.acked)) {
        REACHED(merged_view_missed_its_proposal);
        return true; /* Our coordinator agreed to it. */
    }
    if (view->hash == core->pending.hash && !view_is_empty(&core->pending)) {
        return true; /* We accepted that very content when it was proposed. */
    }
    if (!core_is_coordinator(core)) {
        return !detector_is_fresh(core, 0) && view_has(view, from) &&
               (view->lineage == core->view.lineage || was_ours(core, from));
    }
    if (view->lineage != core->view.lineage) {
        return false;
    }
    /* A coordinator gives up its reign only to a view that nobody it hears stays outside of. */
    for (uint32_t i = 1; i < core->view.member_count; i++) {
        if (detector_is_fresh(core, i) && !view_has(view, &core->view.members[i].id)) {
            return false;
        }
    }
    return true;
}

/* Tells who came, after the peers were mapped: `peers_spare` holds the former ones. */
static void tell_joined(struct core *core, const struct view *old)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct member *member = &core->view.members[i];
        if (!view_has(old, &member->id)) {
            outbox_notice_of(core, NOTICE_JOINED, member);
            if (!id_equal(&member->id, &core->self.id)) {
                outbox_link(core, EFFECT_LINK_OPEN, member);
                book_remember(core, &member->address);
            }
        }
    }
}

static void tell_gone(struct core *core, const struct member *member)
{
    struct notice *notice = outbox_notice_of(core, NOTICE_GONE, member);
    const struct gone *gone = view_find_gone(&core->view, &member->id);

    if (gone != NULL) {
        notice->gone = *gone;
        return;
    }
    /* Only a name that is back at once leaves no entry among the gone (J4). */
    notice->gone.reason = GONE_REPLACED;
    notice->gone.id = member->id;
    notice->gone.address = member->address;
    notice->gone.age = member->age;
    memcpy(notice->gone.name, member->name, sizeof notice->gone.name);
}

/* Each survivor keeps what is known of it, whatever its new position. */
static void map_peers(struct core *core, const struct view *old)
{
    struct peer *former = core->peers;

    core->peers = core->peers_spare;
    core->peers_spare = former;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct node_id *id = &core->view.members[i].id;
        const struct gone *gone = view_find_gone(old, id);
        uint32_t before = view_find(old, id);

        if (before != VIEW_NONE) {
            core->peers[i] = former[before];
            core->peers[i].ours = former[before].ours && old->lineage == core->view.lineage;
            if (!id_equal(&core->view.members[0].id, &old->members[0].id)) {
                removal_start_over(core, i); /* What was found out under another one (L2, R1). */
            }
            continue;
        }
        detector_watch(core, i);
        if (gone != NULL) { /* A life that was apart goes on where it was (D6, R4). */
            core->peers[i].number = core->gone_numbers[gone - old->gone];
            flap_forgive(core, core->view.members[i].name);
        }
    }
}

/* R4: counted wherever it is seen, for any member may coordinate tomorrow. */
static void note_failure(struct core *core, const struct member *member)
{
    const struct gone *gone = view_find_gone(&core->view, &member->id);

    if (gone != NULL && gone->reason == GONE_FAILED) {
        flap_on_failure(core, member->name);
    }
}

/* When each of the gone went, as this node saw it, and the number of its last message. `old` still
 * has the former list. */
static void map_gone(struct core *core, const struct view *old)
{
    uint64_t former_ms[GONE_MAX];
    uint64_t former_numbers[GONE_MAX];

    memcpy(former_ms, core->gone_ms, old->gone_count * sizeof former_ms[0]);
    memcpy(former_numbers, core->gone_numbers, old->gone_count * sizeof former_numbers[0]);
    for (uint32_t i = 0; i < core->view.gone_count; i++) {
        const struct gone *gone = view_find_gone(old, &core->view.gone[i].id);
        uint32_t member = view_find(old, &core->view.gone[i].id);

        core->gone_ms[i] = gone != NULL ? former_ms[gone - old->gone] : core->now_ms;
        core->gone_numbers[i] = gone != NULL ? former_numbers[gone - old->gone] : 0;
        if (member != VIEW_NONE) {
            core->gone_numbers[i] = core->peers_spare[member].number;
        }
    }
}

static void settle_promise(struct core *core)
{
    if (core->view.epoch >= core->promise.epoch) {
        memset(&core->promise, 0, sizeof core->promise);
    }
    core_saw_epoch(core, core->view.epoch);
}

/* What was under way refers to the view before. */
static void settle_work(struct core *core)
{
    struct view_id now = view_id_of(&core->view);
    struct view_id pending = view_id_of(&core->pending);

    core->claim.on = false;
    core->merge.losing = false;
    core->bump_epoch = core->bump_epoch && core->view.epoch < core->epoch_seen;
    core->merge.failures = core->view.cause == CAUSE_MERGE ? 0 : core->merge.failures;
    view_clear(&core->best);
    core->evidence_changed = true;
    /* A proposal of our own was built on the view before, and does not know this one. */
    if (core->change.on || view_is_empty(&core->pending) || pending.lineage != now.lineage ||
        view_id_compare(&pending, &now) <= 0) {
        view_clear(&core->pending);
        core->change.on = false;
    }
    if (core->view.cause == CAUSE_MERGE) {
        core->joins.count = 0; /* Their READYs knew nothing of the other part (S5). */
    }
    if (!core_is_coordinator(core)) {
        core->joins.count = 0;
        core->batch_ms = NEVER_MS;
        core->bump_epoch = false;
        core->bump_version = false;
        core->probe_ms = NEVER_MS;
    } else if (core->probe_ms == NEVER_MS) {
        core->probe_ms = core->now_ms + random_jitter(&core->random, core->timing.probe_ms, 30);
    }
}

static void tell_coordinator(struct core *core)
{
    const struct member *coordinator = view_coordinator(&core->view);

    if (!id_equal(&coordinator->id, &core->told_coordinator)) {
        core->told_coordinator = coordinator->id;
        outbox_notice_of(core, NOTICE_COORDINATOR, coordinator);
    }
}

/* M8: for how long members of the new view had been gone for us, the longest; 0: none had. */
static uint64_t apart_ms(const struct core *core, const struct view *old)
{
    uint64_t longest_ms = 0;

    for (uint32_t i = 0; i < old->gone_count; i++) {
        uint64_t gone_ms = core->now_ms - core->gone_ms[i];
        if (view_has(&core->view, &old->gone[i].id) && gone_ms > longest_ms) {
            longest_ms = gone_ms;
        }
    }
    return longest_ms;
}

static void tell_merge(struct core *core, const struct view *old, uint64_t apart)
{
    struct view_id former = view_id_of(old);
    struct notice *notice = outbox_notice_of(core, NOTICE_MERGE, view_coordinator(&core->view));

    notice->parents[0] = core->view.parent;
    notice->parents[1] = core->view.merged;
    notice->apart_ms = apart;
    notice->lost = former.lineage == core->view.merged.lineage &&
                   former.epoch == core->view.merged.epoch &&
                   id_equal(&former.coordinator, &core->view.merged.coordinator);
}

/* M8: half of the members or more, lost within T_fresh of each other, are more than failures. */
static void tell_split(struct core *core, const struct view *old)
{
    uint32_t lost = 0;

    for (uint32_t i = 0; i < old->member_count; i++) {
        const struct gone *gone = view_find_gone(&core->view, &old->members[i].id);
        lost += gone != NULL && (gone->reason == GONE_FAILED || gone->reason == GONE_MOVED);
    }
    if (lost == 0) {
        return;
    }
    if (core->losses == 0 || core->now_ms >= core->losses_since_ms + core->timing.fresh_ms) {
        core->losses = 0;
        core->losses_since_ms = core->now_ms;
        core->losses_of = old->member_count;
    }
    bool told = 2 * core->losses >= core->losses_of && core->losses > 0;
    core->losses += lost;
    if (!told && core->losses_of > 2 && 2 * core->losses >= core->losses_of) {
        struct notice *notice = outbox_notice_of(core, NOTICE_SPLIT, view_coordinator(&core->view));
        notice->count = core->losses;
        notice->needed = core->losses_of;
    }
}

/* Former members are worth asking, by whoever has just come in too (M1). */
static void remember_gone(struct core *core)
{
    for (uint32_t i = 0; i < core->view.gone_count; i++) {
        book_remember(core, &core->view.gone[i].address);
    }
}

void install_view(struct core *core, const struct view *view)
{
    struct view_id next = view_id_of(view);
    struct view_id ours = view_id_of(&core->view);

    assert(view_has(view, &core->self.id));                                  /* S3 */
    assert(view_is_empty(&core->view) || view_id_compare(&next, &ours) > 0); /* S2 */
    bool joining = core->phase == PHASE_JOINING;

    /* `scratch` takes the former view, unless the new one is in it: then they change places. */
    if (view == &core->scratch) {
        struct view former = core->view;
        core->view = core->scratch;
        core->scratch = former;
    } else {
        view_copy(&core->scratch, &core->view);
        view_copy(&core->view, view);
    }
    const struct view *old = &core->scratch;

    core->position = view_find(&core->view, &core->self.id);
    core->counters.views_installed++;
    if (joining) {
        lifecycle_enter(core, PHASE_MEMBER,
                        core->view.cause == CAUSE_FOUND ? REASON_FOUNDED : REASON_ADMITTED);
    }
    uint64_t apart = apart_ms(core, old);
    map_peers(core, old);
    map_gone(core, old);
    for (uint32_t i = 0; i < old->member_count; i++) {
        if (!view_has(&core->view, &old->members[i].id)) {
            outbox_link(core, EFFECT_LINK_CLOSE, &old->members[i]);
            book_renew(core, &old->members[i].address);
            tell_gone(core, &old->members[i]);
            note_failure(core, &old->members[i]);
        }
    }
    tell_joined(core, old);
    join_forget_let_in(core, old);
    settle_promise(core);
    settle_work(core);
    struct notice *notice = outbox_notice_of(core, NOTICE_VIEW, view_coordinator(&core->view));
    notice->cause = core->view.cause;
    if (core->view.cause == CAUSE_MERGE && !joining) {
        tell_merge(core, old, apart);
    } else {
        tell_split(core, old);
    }
    tell_coordinator(core);
    remember_gone(core);
    outbox_store(core);
    detector_greet(core, old);
}

static void send_view(struct core *core, const struct node_id *to, const struct address *address)
{
    struct message *message = outbox_message(core, MESSAGE_VIEW);
    if (message != NULL) {
        message->carrier.view = &core->view;
    }
    outbox_reach(core, message, to, address);
}

static void send_view_to_peer(struct core *core, uint32_t position)
{
    struct peer *peer = &core->peers[position];

    if (peer->sent_view_ms != 0 &&
        core->now_ms < peer->sent_view_ms + core->timing.heartbeat_ms / 4) {
        return;
    }
    peer->sent_view_ms = core->now_ms;
    send_view(core, &core->view.members[position].id, &core->view.members[position].address);
}

void install_show(struct core *core, const struct node_id *to, const struct address *address)
{
    if (outbox_may_answer_stranger(core)) {
        send_view(core, to, address);
    }
}

void install_answer_stranger(struct core *core, const struct message *message)
{
    install_show(core, &message->from, &message->source);
}

void install_on_pull(struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->view, &message->from);

    if (position == VIEW_NONE) {
        install_answer_stranger(core, message);
        return;
    }
    send_view_to_peer(core, position);
}

/* L2: it says itself that it follows another coordinator. */
static void note_moved(struct core *core, uint32_t position)
{
    struct peer *peer = &core->peers[position];

    if (peer->moved_ms == 0 || core->now_ms > peer->moved_seen_ms + 2 * core->timing.fresh_ms) {
        peer->moved_ms = core->now_ms;
    }
    peer->moved_seen_ms = core->now_ms;
    core->evidence_changed = true;
}

void install_on_not_following(struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->view, &message->from);
    uint32_t in_pending = core->change.on ? view_find(&core->pending, &message->from) : VIEW_NONE;

    if (position != VIEW_NONE &&
        id_equal(&message->reference.view.coordinator, &core->view.members[0].id)) {
        change_on_late_refusal(core); /* It hears the one whom our claim would depose (C3). */
        return;
    }
    if (in_pending != VIEW_NONE) {
        REACHED(answer_not_following);
        core->answers[in_pending] = ANSWER_NO; /* U2: not waited for any longer. */
    }
    if (position == VIEW_NONE) {
        core_drop(core, DROP_STRANGER);
        return;
    }
    note_moved(core, position);
}

/* L1: a view leaves us out: a higher one of our lineage, or one of another. Whether that means that
 * we are out depends on whose word it is. */
static void on_view_without_us(struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;
    uint32_t position = view_find(&core->view, &message->from);

    struct view_id theirs = view_id_of(view);
    struct view_id ours = view_id_of(&core->view);
    /* Not in a view from before it came to us. */
    bool coordinator_went = position == 0 && view_has(view, &message->from) &&
                            view_id_compare(&theirs, &ours) > 0;

    if (view->lineage != core->view.lineage && !coordinator_went) {
        core_drop(core, DROP_LINEAGE);
        if (position != VIEW_NONE) {
            note_moved(core, position); /* Another part let it in as well, and it went there. */
        }
        return;
    }
    bool binding = coordinator_went || id_equal(&view->members[0].id, &core->view.members[0].id) ||
                   (!install_coordinator_is_fresh(core) && !core->claim.on);
    /* A coordinator that leaves is left out by its successor. */
    bool handed_over = core_is_coordinator(core) && position != VIEW_NONE;
    if (core->phase == PHASE_LEAVING && (binding || handed_over)) {
        lifecycle_enter(core, PHASE_STOPPED, REASON_LEAVE_DONE);
        return;
    }
    if (core->phase == PHASE_MEMBER && binding) {
        book_remember(core, &view->members[0].address);
        lifecycle_start_over(core, REASON_REMOVED);
        return;
    }
    if (core_is_coordinator(core) && position != VIEW_NONE) {
        book_remember(core, &view->members[0].address);
        note_moved(core, position);
        return;
    }
    core_drop(core, DROP_STALE);
}

bool install_is_as_good_as_commit(const struct core *core, const struct message *heartbeat)
{
    return core->merge.losing && core->merge.acked && id_equal(&heartbeat->from, &core->merge.to) &&
           !view_is_empty(&core->pending) && core->pending.cause == CAUSE_MERGE &&
           core->pending.epoch > core->view.epoch &&
           heartbeat->heartbeat.view_hash == core->pending.hash;
}

void install_check_left_alone(struct core *core)
{
    if (!core_is_coordinator(core) || core->view.member_count == 1) {
        return;
    }
    bool moved = false;
    for (uint32_t i = 1; i < core->view.member_count; i++) {
        const struct peer *peer = &core->peers[i];
        bool gone_over = removal_has_moved(core, i);
        if (!gone_over && peer->verdict == VERDICT_NONE) {
            return;
        }
        moved = moved || gone_over;
    }
    if (moved && core->phase == PHASE_LEAVING) {
        lifecycle_enter(core, PHASE_STOPPED, REASON_LEAVE_DONE);
    } else if (moved) {
        REACHED(left_alone);
        lifecycle_start_over(core, REASON_LEFT_ALONE);
    }
}

/* Our coordinator is another one, and fresh. Should both turn out to be dead, what was shown here
 * is still the highest view there is (C4). */
static void refuse_to_follow(struct core *core, const struct message *message)
{
    claim_consider(core, message->carrier.view);

    struct message *answer = outbox_message(core, MESSAGE_NOT_FOLLOWING);
    const struct member *proposer = &message->carrier.view->members[0];

    if (answer != NULL) {
        answer->reference.view = view_id_of(&core->view);
        answer->reference.view_hash = core->view.hash;
    }
    outbox_reach(core, answer, &proposer->id, &proposer->address);
}

/* A member of ours lives in a view of another coordinator that is lower than ours: it went that
 * way when it had the choice, and will not come back by itself. */
static void note_other_way(struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;
    uint32_t position = view_find(&core->view, &message->from);

    if (position != VIEW_NONE && view_has(view, &message->from) &&
        !id_equal(&view->members[0].id, &core->view.members[0].id)) {
        note_moved(core, position);
    }
}

static void install_while_joining(struct core *core, const struct view *view, bool holds_us)
{
    if (holds_us && core->asking.said_ready) {
        install_view(core, view);
        return;
    }
    if (holds_us) {
        core_drop(core, DROP_STRANGER); /* Nobody was told that we are ready (J3). */
        return;
    }
    book_remember(core, &view->members[0].address);
    if (view_find_gone(view, &core->self.id) != NULL) {
        REACHED(was_in_without_knowing);
        lifecycle_renew(core); /* We were in without knowing it, and are out again (S5). */
    }
}

void install_on_view(struct core *core, const struct message *message)
{
    struct view *view = message->carrier.view;

    if (!install_is_sound(core, view)) {
        return;
    }
    bool holds_us = view_has(view, &core->self.id);
    if (core->phase == PHASE_JOINING) {
        install_while_joining(core, view, holds_us);
        return;
    }
    struct view_id theirs = view_id_of(view);
    struct view_id ours = view_id_of(&core->view);
    if (PLANTED(STALE_VIEW) && holds_us && view->hash != core->view.hash) {
        install_view(core, view);
        return;
    }
    if (theirs.lineage == ours.lineage && view_id_compare(&theirs, &ours) <= 0) {
        note_other_way(core, message);
        core_drop(core, DROP_STALE);
        return;
    }
    if (!holds_us) {
        on_view_without_us(core, message);
        return;
    }
    if (view_id_compare(&theirs, &ours) <= 0) {
        REACHED(lower_view_of_another_founding);
        core_drop(core, DROP_LINEAGE); /* Another founding's numbers; its merge is above both. */
        return;
    }
    core_saw_epoch(core, view->epoch);
    if (install_allows(core, view, &message->from)) {
        install_view(core, view);
    } else {
        refuse_to_follow(core, message);
    }
}

void install_pull(struct core *core, const struct node_id *from, const struct address *address)
{
    if (core->now_ms >= core->pull_ms) {
        core->pull_ms = core->now_ms + core->timing.heartbeat_ms / 4;
        outbox_reach(core, outbox_message(core, MESSAGE_PULL), from, address);
    }
}

/* S1 is broken, by damage or by a bug: the coordinator supersedes both contents (V2). */
static void on_mismatch(struct core *core, uint32_t position)
{
    core->counters.mismatches++;
    outbox_notice_of(core, NOTICE_MISMATCH, &core->view.members[position]);
    if (core_is_coordinator(core)) {
        core->bump_version = true;
        core->batch_ms = core->batch_ms < core->now_ms ? core->batch_ms : core->now_ms;
    }
}

static void repair_lower(struct core *core, uint32_t position)
{
    struct peer *peer = &core->peers[position];

    if (peer->lower_ms == 0) {
        peer->lower_ms = core->now_ms;
    }
    /* The coordinator repairs at once, the others when that has not helped: not everyone sends
     * the whole list to everyone (H49). */
    if (core_is_coordinator(core) || core->now_ms >= peer->lower_ms + core->timing.heartbeat_ms) {
        send_view_to_peer(core, position);
    }
}

void install_compare(struct core *core, const struct message *message, uint32_t position)
{
    struct peer *peer = &core->peers[position];
    const struct heartbeat *heartbeat = &message->heartbeat;
    struct view_id ours = view_id_of(&core->view);
    int order = view_id_compare(&heartbeat->view, &ours);

    if (heartbeat->view.lineage == core->view.lineage) {
        peer->ours = true;
    } else {
        note_moved(core, position); /* Or it missed the merge: then this repairs it (M4). */
    }
    if (order < 0) {
        repair_lower(core, position);
        return;
    }
    peer->lower_ms = 0;
    if (order == 0) {
        removal_forget_move(core, position); /* It came back. */
        if (heartbeat->view_hash != core->view.hash) {
            on_mismatch(core, position);
        }
        return;
    }
    if (!id_equal(&heartbeat->view.coordinator, &ours.coordinator)) {
        note_moved(core, position);
    }
    install_pull(core, &message->from, &message->source);
}
