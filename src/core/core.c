#include "core/core.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "core/book.h"
#include "core/change.h"
#include "core/claim.h"
#include "core/detector.h"
#include "core/install.h"
#include "core/join.h"
#include "core/leave.h"
#include "core/lifecycle.h"
#include "core/merge.h"
#include "core/outbox.h"
#include "core/plant.h"
#include "core/probe.h"
#include "core/removal.h"

/* --- Setting up --- */

/* Hands out parts of the core's one block. */
struct arena {
    uint8_t *base; /* NULL: only counts */
    size_t used;
};

static void *take(struct arena *arena, size_t bytes)
{
    size_t at = arena->used;

    arena->used += (bytes + 15) & ~(size_t)15;
    return arena->base == NULL ? NULL : arena->base + at;
}

static void take_view(struct arena *arena, struct view *view, uint32_t capacity)
{
    void *storage = take(arena, view_bytes(capacity));

    if (arena->base != NULL) {
        view_init(view, capacity, storage);
        view_clear(view);
    }
}

static void lay_out(struct arena *arena, struct core *core, uint32_t capacity)
{
    uint32_t joins = capacity < JOIN_QUEUE_MAX ? capacity : JOIN_QUEUE_MAX;

    take_view(arena, &core->view, capacity);
    take_view(arena, &core->pending, capacity);
    take_view(arena, &core->best, capacity);
    take_view(arena, &core->scratch, capacity);
    core->peers = take(arena, capacity * sizeof(struct peer));
    core->peers_spare = take(arena, capacity * sizeof(struct peer));
    core->answers = take(arena, capacity);
    core->joins.capacity = joins;
    core->joins.queue = take(arena, joins * sizeof(struct member));
    core->out.capacity = outbox_capacity(capacity);
    core->out.items = take(arena, core->out.capacity * sizeof(struct effect));
    core->out.messages = take(arena, MESSAGES_PER_STEP_MAX * sizeof(struct message));
}

size_t core_bytes(uint32_t capacity)
{
    struct core layout = {0};
    struct arena arena = {0};

    take(&arena, sizeof(struct core));
    lay_out(&arena, &layout, capacity);
    return arena.used;
}

/* When something is due by what holds now. */
static uint64_t soonest_ms(const struct core *core)
{
    if (core->phase == PHASE_STOPPED) {
        return NEVER_MS;
    }
    if (core->phase == PHASE_JOINING) {
        return join_deadline_ms(core);
    }
    uint64_t due_ms = earlier(core->heartbeat_ms, core->detect_ms);
    due_ms = earlier(due_ms, core->verify_ms);
    due_ms = earlier(due_ms, claim_deadline_ms(core));
    due_ms = earlier(due_ms, leave_deadline_ms(core));
    due_ms = earlier(due_ms, merge_deadline_ms(core));
    if (core->change.on) {
        due_ms = earlier(due_ms, earlier(core->change.deadline_ms, core->change.resend_ms));
    } else if (core_is_coordinator(core) && !leave_hands_over(core) && !core->merge.losing) {
        due_ms = earlier(due_ms, core->batch_ms);
    }
    return earlier(due_ms, core_is_coordinator(core) ? core->probe_ms : NEVER_MS);
}

struct core *core_init(void *block, const struct core_options *options, uint64_t now_ms)
{
    struct arena arena = {.base = block};
    struct core *core = take(&arena, sizeof *core);

    memset(core, 0, sizeof *core); /* What it points to is written before it is read. */
    lay_out(&arena, core, options->capacity);
    memset(core->answers, 0, options->capacity);
    random_seed_wide(&core->random, options->random_seed);
    core->secret = random_u64(&core->random);
    core->self.id = id_draw(&core->random);
    core->self.address = options->address;
    core->self.incarnation = options->incarnation + 1;
    bool fits = text_set(core->self.name, sizeof core->self.name, options->name,
                         text_length(options->name, NAME_BYTES_MAX + 1));
    assert(fits);
    if (options->tags != NULL) {
        core->self.tags = *options->tags;
    }
    core->terms = (struct terms){.guard = options->guard,
                                 .profile = options->profile,
                                 .heartbeat_ms = options->timing.heartbeat_ms,
                                 .lost_ms = options->timing.lost_ms,
                                 .capacity = options->capacity};
    core->timing = options->timing;
    core->has_seeds = options->has_seeds;
    core->capacity = options->capacity;
    core->epoch_seen = options->epoch_seen;
    core->now_ms = now_ms;
    core->heartbeat_ms = NEVER_MS;
    core->detect_ms = NEVER_MS;
    core->verify_ms = NEVER_MS;
    core->batch_ms = NEVER_MS;
    core->probe_ms = NEVER_MS;
    core->phase = PHASE_JOINING;
    join_start(core, false);
    core->due_ms = soonest_ms(core);
    return core;
}

/* --- Small questions --- */

uint32_t core_room(const struct core *core)
{
    uint32_t size = guard_size_max(&core->terms.guard);

    return size < core->capacity ? size : core->capacity;
}

void core_drop(struct core *core, enum drop_reason reason)
{
    core->counters.dropped[reason]++;
}

void core_saw_epoch(struct core *core, uint64_t epoch)
{
    if (epoch > core->epoch_seen) {
        core->epoch_seen = epoch;
    }
}

/* --- One step --- */

/* What holds for every message, asked once (I1, V6). */
static bool passes_gate(struct core *core, const struct message *message)
{
    if (core->phase == PHASE_STOPPED) {
        core_drop(core, DROP_STOPPED);
        return false;
    }
    if (id_equal(&message->from, &core->self.id)) {
        core_drop(core, DROP_OURSELVES);
        return false;
    }
    if (!id_is_none(&message->to) && !id_equal(&message->to, &core->self.id)) {
        if (message->relay && core_is_member(core) && view_has(&core->view, &message->from)) {
            REACHED(relayed);
            outbox_hand_on(core, message); /* R2 */
        } else {
            core_drop(core, DROP_OTHER_LIFE);
        }
        return false;
    }
    return true;
}

/* What a node may hear before it is a member. */
static void dispatch_joining(struct core *core, const struct message *message)
{
    switch (message->type) {
    case MESSAGE_VIEW:
        install_on_view(core, message);
        return;
    case MESSAGE_PREPARE:
        change_on_prepare(core, message);
        return;
    case MESSAGE_COMMIT:
        change_on_commit(core, message);
        return;
    case MESSAGE_JOIN:
        join_on_join(core, message);
        return;
    case MESSAGE_OFFER:
        join_on_offer(core, message);
        return;
    case MESSAGE_JOIN_REFUSED:
        join_on_refused(core, message);
        return;
    case MESSAGE_PROBE:
        probe_on_probe(core, message);
        return;
    case MESSAGE_PING:
        removal_on_ping(core, message);
        return;
    case MESSAGE_HEARTBEAT:
    case MESSAGE_PULL:
    case MESSAGE_ACK:
    case MESSAGE_NACK:
    case MESSAGE_NOT_FOLLOWING:
    case MESSAGE_CLAIM:
    case MESSAGE_GRANT:
    case MESSAGE_CLAIM_REFUSED:
    case MESSAGE_READY:
    case MESSAGE_LEAVE:
    case MESSAGE_HANDOVER:
    case MESSAGE_PONG:
    case MESSAGE_PING_REQUEST:
    case MESSAGE_MERGE:
    case MESSAGE_MERGE_REFUSED:
    case MESSAGE_HELLO:
    case MESSAGE_TYPE_COUNT:
        core_drop(core, DROP_PHASE);
        return;
    }
}

static void dispatch_heartbeat(struct core *core, const struct message *message, uint32_t sender,
                               bool newer)
{
    if (sender == VIEW_NONE && install_is_as_good_as_commit(core, message)) {
        install_view(core, &core->pending);
    } else if (sender == VIEW_NONE) {
        core_drop(core, DROP_STRANGER);
        install_answer_stranger(core, message);
    } else if (!newer) {
        core_drop(core, DROP_STALE); /* D6 */
    } else {
        detector_on_heartbeat(core, message, sender);
    }
}

static void dispatch_member(struct core *core, const struct message *message)
{
    uint32_t sender = view_find(&core->view, &message->from);

    if (sender != VIEW_NONE && message->number > core->peers[sender].number + LEAP_MAX) {
        core_drop(core, DROP_LEAP); /* It would outrun everything the member says later (D6). */
        return;
    }
    bool newer = sender != VIEW_NONE && detector_heard(core, message, sender);

    switch (message->type) {
    case MESSAGE_HEARTBEAT:
        dispatch_heartbeat(core, message, sender, newer);
        return;
    case MESSAGE_PULL:
        install_on_pull(core, message);
        return;
    case MESSAGE_VIEW:
        install_on_view(core, message);
        return;
    case MESSAGE_PREPARE:
        change_on_prepare(core, message);
        return;
    case MESSAGE_ACK:
        change_on_ack(core, message);
        return;
    case MESSAGE_NACK:
        change_on_nack(core, message);
        return;
    case MESSAGE_NOT_FOLLOWING:
        install_on_not_following(core, message);
        return;
    case MESSAGE_COMMIT:
        change_on_commit(core, message);
        return;
    case MESSAGE_CLAIM:
        claim_on_claim(core, message);
        return;
    case MESSAGE_GRANT:
        claim_on_grant(core, message);
        return;
    case MESSAGE_CLAIM_REFUSED:
        claim_on_refused(core, message);
        return;
    case MESSAGE_JOIN:
        join_on_join(core, message);
        return;
    case MESSAGE_READY:
        join_on_ready(core, message);
        return;
    case MESSAGE_LEAVE:
        leave_on_leave(core, message);
        return;
    case MESSAGE_HANDOVER:
        leave_on_handover(core, message);
        return;
    case MESSAGE_PING:
        removal_on_ping(core, message);
        return;
    case MESSAGE_PONG:
        removal_on_pong(core, message);
        return;
    case MESSAGE_PING_REQUEST:
        removal_on_ping_request(core, message);
        return;
    case MESSAGE_PROBE:
        probe_on_probe(core, message);
        return;
    case MESSAGE_MERGE:
        merge_on_merge(core, message);
        return;
    case MESSAGE_MERGE_REFUSED:
        merge_on_refused(core, message);
        return;
    case MESSAGE_OFFER:
    case MESSAGE_JOIN_REFUSED:
    case MESSAGE_HELLO:
    case MESSAGE_TYPE_COUNT:
        core_drop(core, DROP_PHASE);
        return;
    }
}

static void on_message(struct core *core, const struct message *message)
{
    assert(message->type > 0 && message->type < MESSAGE_TYPE_COUNT);
    core->counters.received[message->type]++;
    if (!passes_gate(core, message)) {
        return;
    }
    if (core->phase == PHASE_JOINING) {
        dispatch_joining(core, message);
    } else {
        dispatch_member(core, message);
    }
}

static void dispatch(struct core *core, const struct event *event)
{
    switch (event->type) {
    case EVENT_TICK:
        return;
    case EVENT_MESSAGE:
        on_message(core, event->message);
        return;
    case EVENT_LINK:
        if (core_is_member(core)) {
            detector_on_link(core, &event->link);
        }
        return;
    case EVENT_ADDRESSES:
        join_on_addresses(core, &event->addresses);
        return;
    case EVENT_LEAVE:
        leave_on_command(core);
        return;
    }
}

/* Does it act, given that its guard is met or not? */
static bool acts_if(const struct core *core, bool guard_met)
{
    return guard_met && core->phase == PHASE_MEMBER && core_is_coordinator(core) &&
           (!core->merge.losing || PLANTED(LOSER_ACTS)) && detector_is_awake(core);
}

/* Guard and acting are told when they change; both follow from who was heard lately. */
static void tell_guard_and_acting(struct core *core)
{
    struct guard_state guard = core_guard(core, core->now_ms);
    bool acting = acts_if(core, guard.met);

    if (guard.guard.policy != GUARD_NONE && guard.met != core->told_guard_met) {
        core->told_guard_met = guard.met;
        struct notice *notice = outbox_notice_of(core, NOTICE_GUARD, &core->self);
        notice->on = guard.met;
        notice->count = guard.fresh;
        notice->needed = guard.needed;
    }
    if (acting != core->told_acting) {
        core->told_acting = acting;
        struct notice *notice = outbox_notice_of(core, NOTICE_ACTING, &core->self);
        notice->on = acting;
        notice->count = guard.fresh;
        notice->needed = guard.needed;
    }
}

static void tell_standing(struct core *core)
{
    bool guarded = core->terms.guard.policy != GUARD_NONE;

    if (guarded || acts_if(core, true) != core->told_acting) {
        tell_guard_and_acting(core);
    }
    if (view_is_empty(&core->view) && !id_is_none(&core->told_coordinator)) {
        memset(&core->told_coordinator, 0, sizeof core->told_coordinator);
        outbox_notice(core, NOTICE_COORDINATOR);
    }
}

/* D4: by how much this node's own loop was late. Only a deadline that has passed can tell. */
static uint64_t lateness_ms(const struct core *core, uint64_t deadline_ms, uint64_t now_ms)
{
    uint64_t due_ms = deadline_ms > core->now_ms ? deadline_ms : core->now_ms;
    uint64_t late_ms = now_ms > due_ms ? now_ms - due_ms : 0;

    if (PLANTED(NO_LATENESS)) {
        return 0;
    }
    return core_is_member(core) && late_ms > core->timing.silent_ms / 2 ? late_ms : 0;
}

/* What is due by now, in a fixed order, so that a run can be repeated. */
static void run_due(struct core *core)
{
    if (core_is_member(core)) {
        detector_tick(core);
        removal_tick(core);
        claim_end_backoff(core);
    }
    if (core->evidence_changed && core_is_member(core)) {
        core->evidence_changed = false;
        claim_on_evidence(core);
        removal_review(core);
        install_check_left_alone(core);
    }
    claim_tick(core);
    merge_tick(core);
    change_tick(core);
    leave_tick(core);
    probe_tick(core);
    join_tick(core);
}

struct effects core_step(struct core *core, const struct event *event)
{
    uint64_t installed = core->counters.views_installed;
    enum phase phase = core->phase;
    uint64_t late_ms = lateness_ms(core, core->due_ms, event->now_ms);
    bool timer = event->now_ms >= core->due_ms;

    assert(event->now_ms >= core->now_ms);
    core->now_ms = event->now_ms;
    outbox_reset(core);
    core->change.sent = false;
    if (late_ms > 0) {
        detector_on_late(core, late_ms);
    }
    dispatch(core, event);
    if (core->phase != PHASE_STOPPED) {
        run_due(core);
    }
    bool moved = core->counters.views_installed != installed || core->phase != phase;
    if ((timer || moved) && core->phase != PHASE_STOPPED) {
        tell_standing(core);
    }
    core->due_ms = soonest_ms(core);
    core_check(core);
    return (struct effects){.items = core->out.items, .count = core->out.count};
}

/* --- What a driver may ask --- */

uint64_t core_deadline_ms(const struct core *core)
{
    return core->due_ms;
}

enum phase core_phase(const struct core *core)
{
    return core->phase;
}

const struct member *core_self(const struct core *core)
{
    return &core->self;
}

const struct view *core_view(const struct core *core)
{
    return &core->view;
}

const struct member *core_coordinator(const struct core *core)
{
    return core_is_member(core) ? view_coordinator(&core->view) : NULL;
}

struct guard_state core_guard(const struct core *core, uint64_t now_ms)
{
    struct guard_state state = {.guard = core->terms.guard,
                                .needed = guard_needed(&core->terms.guard)};

    if (core_is_member(core)) {
        state.fresh = detector_fresh_count(core, now_ms);
        state.met = guard_met(&core->terms.guard, state.fresh);
    }
    return state;
}

bool core_is_acting(const struct core *core, uint64_t now_ms)
{
    bool guarded = core->terms.guard.policy != GUARD_NONE;

    return acts_if(core, true) && (!guarded || core_guard(core, now_ms).met);
}

uint32_t core_acked(const struct core *core)
{
    struct view_id ours = view_id_of(&core->view);
    uint32_t count = 0;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct peer *peer = &core->peers[i];
        bool self = core_is_self(core, i);
        count += self || (view_id_equal(&peer->view, &ours) && peer->view_hash == core->view.hash &&
                          peer->verdict == VERDICT_NONE);
    }
    return count;
}

struct peer_state core_peer(const struct core *core, uint32_t position, uint64_t now_ms)
{
    const struct peer *peer = &core->peers[position];
    struct peer_state state = {.accuser_count = removal_accusers(core, position, now_ms)};

    if (core_is_self(core, position)) {
        return state;
    }
    state.heard_ms_ago = peer->heard_ms == 0 ? NEVER_MS : now_ms - peer->heard_ms;
    state.verdict = peer->verdict;
    state.verdict_ms_ago = peer->verdict == VERDICT_NONE ? 0 : now_ms - peer->verdict_ms;
    state.linked = peer->linked;
    return state;
}

bool core_is_merging(const struct core *core)
{
    return core->merge.losing;
}

static enum hearing own_hearing(const struct core *core, uint32_t subject, uint64_t now_ms)
{
    const struct peer *peer = &core->peers[subject];

    if (id_equal(&peer->id, &core->self.id)) {
        return HEARING_YES;
    }
    if (peer->verdict != VERDICT_NONE) {
        return HEARING_SUSPECT;
    }
    return now_ms < peer->silent_from_ms + core->timing.silent_ms ? HEARING_YES : HEARING_SILENT;
}

enum hearing core_hearing(const struct core *core, uint32_t observer, uint32_t subject,
                          uint64_t now_ms)
{
    const struct peer *peer = &core->peers[observer];

    if (core_is_self(core, observer)) {
        return own_hearing(core, subject, now_ms);
    }
    if (observer == subject) {
        return HEARING_YES;
    }
    if (peer->suspects_ms == 0 || now_ms >= peer->suspects_ms + core->timing.lost_ms ||
        peer->view.lineage != core->view.lineage) {
        return HEARING_UNKNOWN;
    }
    for (uint8_t i = 0; i < peer->suspect_count; i++) {
        if (peer->suspects[i].age == core->view.members[subject].age) {
            return peer->suspects[i].verdict == VERDICT_NONE ? HEARING_SILENT : HEARING_SUSPECT;
        }
    }
    return peer->suspect_count < SUSPECTS_MAX ? HEARING_YES : HEARING_UNKNOWN;
}

uint64_t core_gone_ms(const struct core *core, uint32_t position, uint64_t now_ms)
{
    assert(position < core->view.gone_count);
    return now_ms - core->gone_ms[position];
}

void core_stored(const struct core *core, struct stored *stored)
{
    memset(stored, 0, sizeof *stored);
    stored->incarnation = core->self.incarnation;
    stored->epoch_seen = core->epoch_seen;
    /* Members first, then former ones, the latest of them first. */
    for (uint32_t i = 0; i < core->view.member_count && stored->peer_count < PEERS_STORED_MAX;
         i++) {
        if (!core_is_self(core, i)) {
            stored->peers[stored->peer_count++] = core->view.members[i].address;
        }
    }
    for (uint32_t i = core->book.count; i > 0 && stored->peer_count < PEERS_STORED_MAX; i--) {
        const struct address *address = &core->book.entries[i - 1];
        if (view_find_address(&core->view, address) == VIEW_NONE) {
            stored->peers[stored->peer_count++] = *address;
        }
    }
}

const char *drop_reason_text(enum drop_reason reason)
{
    switch (reason) {
    case DROP_OURSELVES:
        return "from_ourselves";
    case DROP_OTHER_LIFE:
        return "for_another_life";
    case DROP_STOPPED:
        return "stopped";
    case DROP_PHASE:
        return "wrong_phase";
    case DROP_STRANGER:
        return "not_a_member";
    case DROP_STALE:
        return "stale";
    case DROP_UNSOUND_VIEW:
        return "unsound_view";
    case DROP_LEAP:
        return "leap";
    case DROP_LINEAGE:
        return "other_lineage";
    case DROP_CAPACITY:
        return "capacity";
    case DROP_TERMS:
        return "other_terms";
    case DROP_COUNT:
        break;
    }
    return "?";
}

const struct core_counters *core_counters(const struct core *core)
{
    return &core->counters;
}

/* --- Invariants --- */

static void check_view(const struct core *core)
{
    const struct view *view = &core->view;

    assert(core->position < view->member_count); /* S3 */
    assert(id_equal(&view->members[core->position].id, &core->self.id));
    assert(view->members[view->member_count - 1].age < view->next_age);
    assert(view->member_count <= core->capacity && view->gone_count <= GONE_MAX);
    assert(view->epoch <= core->epoch_seen);
}

void core_check(const struct core *core)
{
    assert(core_is_member(core) == !view_is_empty(&core->view) || core->phase == PHASE_STOPPED);
    assert(core->joins.count <= core->joins.capacity);
    assert(core->book.count <= BOOK_MAX);
    assert(!(core->change.on && core->claim.on));
    assert(!core->change.on || !view_is_empty(&core->pending));
    if (core_is_member(core)) {
        check_view(core);
    }
}
