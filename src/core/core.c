/* The core as a whole: its beginning, one step, and the invariants. Who acts on a message is in
 * dispatch.c, who is told of a new view and of the end of a life in announce.c, where everything
 * lies in memory in layout.c, and what a driver may ask between steps in query.c. */
#include "core/core.h"

#include <assert.h>

#include "base/text.h"
#include "core/agreement/absent.h"
#include "core/agreement/accord.h"
#include "core/agreement/autopilot.h"
#include "core/agreement/behind.h"
#include "core/agreement/candidacy.h"
#include "core/agreement/change.h"
#include "core/agreement/change_commit.h"
#include "core/agreement/change_propose.h"
#include "core/agreement/granter.h"
#include "core/agreement/install.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/agreement/succession.h"
#include "core/agreement/successor.h"
#include "core/agreement/unanswered.h"
#include "core/agreement/voter.h"
#include "core/agreement/voters_change.h"
#include "core/agreement/voting.h"
#include "core/detection/detector.h"
#include "core/detection/flap.h"
#include "core/detection/removal.h"
#include "core/detection/rounds.h"
#include "core/detection/signs.h"
#include "core/detection/standing.h"
#include "core/detection/verdict.h"
#include "core/detection/watch.h"
#include "core/dispatch.h"
#include "core/entry/founding.h"
#include "core/entry/join.h"
#include "core/entry/leave.h"
#include "core/entry/lifecycle.h"
#include "core/entry/move.h"
#include "core/entry/tag.h"
#include "core/entry/wish.h"
#include "core/handlers.h"
#include "core/healing/merge.h"
#include "core/healing/probe.h"
#include "core/holding/holding.h"
#include "core/layout.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"

/* --- Deadlines --- */

static bool hands_over(const struct core *core)
{
    return leave_hands_over(core) || successor_is_awaited(core);
}

/* When something is due by what holds now. */
static uint64_t soonest_ms(const struct core *core)
{
    if (core->life.phase == PHASE_STOPPED) {
        return NEVER_MS;
    }
    uint64_t due_ms = earlier(candidacy_deadline_ms(core), voter_deadline_ms(core));

    due_ms = earlier(due_ms, change_deadline_ms(core));
    if (core->life.phase == PHASE_JOINING) {
        return earlier(due_ms, join_deadline_ms(core));
    }
    due_ms = earlier(due_ms, detector_deadline_ms(core));
    due_ms = earlier(due_ms, absent_deadline_ms(core));
    due_ms = earlier(due_ms, autopilot_deadline_ms(core));
    due_ms = earlier(due_ms, voters_change_deadline_ms(core));
    due_ms = earlier(due_ms, holding_deadline_ms(core));
    due_ms = earlier(due_ms, wish_deadline_ms(core));
    due_ms = earlier(due_ms, move_deadline_ms(core));
    due_ms = earlier(due_ms, merge_deadline_ms(core));
    if (!core->change.on && core_is_coordinator(core) && !hands_over(core) &&
        !core->merge.yielding) {
        due_ms = earlier(due_ms, core->next.due_ms);
    }
    return due_ms;
}

/* --- Setting up --- */

size_t core_bytes(uint32_t capacity)
{
    return layout_bytes(capacity);
}

size_t core_witness_bytes(uint32_t capacity)
{
    return layout_witness_bytes(capacity);
}

/* Who this node is, for members and witnesses alike. */
static void core_init_life(struct core *core, const struct core_options *options, uint64_t now_ms)
{
    random_seed_wide(&core->random, options->random_seed);
    core->secret = random_u64(&core->random);
    lifecycle_draw_id(core);
    core->life.self.address = options->address;
    core->life.self.incarnation = options->incarnation + 1;
    core->life.self.versions = options->versions;
    bool fits = text_set(core->life.self.name, sizeof core->life.self.name, options->name,
                         text_length(options->name, NAME_BYTES_MAX + 1));
    assert(fits);
    core->life.self.tags = &core->life.tags;
    core->capacity = options->capacity;
    core->timing = options->timing;
    core->now_ms = now_ms;
}

/* Z16a: the rest of a core stays as it is, all zero. */
static struct core *core_init_witness(void *block, const struct core_options *options,
                                      uint64_t now_ms)
{
    struct core *core = layout_witness(block, options->capacity);

    core_init_life(core, options, now_ms);
    core->terms.guard.policy = options->guard.policy;
    accord_plan(core);
    core->configured.timing = options->timing;
    core->life.phase = PHASE_WITNESS;
    voter_start(core, options->record, options->record_damaged, options->has_disk);
    core->due_ms = NEVER_MS;
    return core;
}

struct core *core_init(void *block, const struct core_options *options, uint64_t now_ms)
{
    if (options->witness) {
        return core_init_witness(block, options, now_ms);
    }
    struct core *core = layout_core(block, options->capacity);

    core_init_life(core, options, now_ms);
    if (options->tags != NULL) {
        tags_copy(&core->life.tags, options->tags);
    }
    core->terms = (struct terms){.guard = options->guard,
                                 .profile = options->profile,
                                 .watchers = options->watchers,
                                 .heartbeat_ms = options->timing.heartbeat_ms,
                                 .lost_ms = options->timing.lost_ms,
                                 .capacity = options->capacity};
    if (options->voters != NULL && options->voters->count > 0) {
        core->terms.voters = *options->voters;
        core->terms.guard.count = options->voters_target;
    }
    core->timing.heartbeat_ms_longest = core->timing.heartbeat_ms;
    core->timing.lost_ms_shortest = core->timing.lost_ms;
    core->configured.terms = core->terms;
    core->configured.timing = core->timing;
    core->has_seeds = options->has_seeds;
    core->expect = options->expect;
    core->fanout = options->fanout;
    accord_start(core, &options->agreed, &options->started);
    core->promise.seen = options->epoch_seen;
    book_init(&core->book, &options->address);
    flap_start(core);
    numbers_start(core);
    signs_reset(core);
    rounds_reset(core);
    detector_reset(core);
    removal_reset(core);
    next_view_reset(core);
    probe_reset(core);
    holding_start(core);
    voter_start(core, options->record, options->record_damaged, options->has_disk);
    tag_start(core);
    core->life.phase = PHASE_JOINING;
    join_start(core, false);
    core->due_ms = soonest_ms(core);
    return core;
}

/* --- One step --- */

static void dispatch(struct core *core, const struct event *event)
{
    switch (event->type) {
    case EVENT_TICK:
        return;
    case EVENT_MESSAGE:
        dispatch_message(core, event->message);
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
    case EVENT_SYNCED:
        voter_on_synced(core, &event->synced);
        founding_on_synced(core);
        return;
    case EVENT_MOVE:
        wish_on_move_command(core, &event->move);
        return;
    case EVENT_WITHDRAWN:
        move_on_withdrawn(core);
        return;
    case EVENT_ROLE:
        holding_on_command(core, event->role);
        return;
    case EVENT_TAGS:
        wish_on_tags_command(core, event->tags);
        return;
    case EVENT_TERMS:
        wish_on_terms_command(core, event->wish);
        return;
    }
}

/* D4: by how much this node's own loop was late. Only a deadline that has passed can tell. */
static uint64_t lateness_ms(const struct core *core, uint64_t deadline_ms, uint64_t now_ms)
{
    uint64_t due_ms = deadline_ms > core->now_ms ? deadline_ms : core->now_ms;
    uint64_t late_ms = now_ms > due_ms ? now_ms - due_ms : 0;

    return core_is_member(core) && late_ms > core->timing.silent_ms / 2 ? late_ms : 0;
}

/* D4: what this node had under way is void if it slept, and takes longer if it is only slow. */
static void on_late(struct core *core, uint64_t late_ms)
{
    if (detector_on_late(core, late_ms)) {
        candidacy_drop(core);
        change_restart(core);
        promise_pause(core, core->detector.late_until_ms);
    } else {
        change_on_late(core, late_ms);
        candidacy_on_late(core, late_ms);
        verdict_put_off(core, late_ms);
    }
    outbox_notice_of(core, NOTICE_LATE, &core->life.self)->silent_ms = late_ms;
}

/* The next view is to be without somebody more; J5a, J5b say when it is made. */
static void on_found(struct core *core, enum found found)
{
    switch (found) {
    case FOUND_DEAD:
        next_view_without_the_dead(core);
        break;
    case FOUND_SILENT:
        next_view_without_the_silent(core, removal_is_anybody_silent(core));
        break;
    case FOUND_MOVED:
        next_view_soon(core);
        break;
    case FOUND_NOBODY:
        break;
    }
}

/* `found`: who was found earlier in this step. All whom a step finds go with one view. */
static void judge_evidence(struct core *core, enum found found)
{
    candidacy_on_evidence(core);
    const enum found more = removal_review(core);
    on_found(core, more > found ? more : found);
    if (install_is_left_alone(core)) {
        REACHED(left_alone);
        lifecycle_end_life(core, REASON_LEFT_ALONE);
    }
}

/* What is due by now, in a fixed order, so that a run can be repeated. */
static void run_due(struct core *core)
{
    enum found found = FOUND_NOBODY;

    if (core_is_member(core)) {
        detector_tick(core);
        standing_tick(core);
        absent_tick(core);
        found = removal_tick(core);
        promise_end_pause(core);
    }
    if (behind_was_left(core)) {
        REACHED(left_behind);
        lifecycle_end_life(core, REASON_BEHIND);
    }
    if (core_is_member(core) && verdict_take_evidence(core)) {
        judge_evidence(core, found);
    }
    granter_tick(core);
    succession_tick(core);
    candidacy_tick(core);
    if (unanswered_gives_way(core)) {
        REACHED(gave_way_unanswered);
        lifecycle_end_life(core, REASON_BEHIND);
    }
    merge_tick(core);
    change_tick(core);
    wish_tick(core);
    move_tick(core);
    autopilot_tick(core);
    voters_change_tick(core);
    next_view_settle_terms(core);
    if (!hands_over(core)) {
        change_start_next(core);
    }
    leave_tick(core);
    probe_tick(core);
    join_tick(core);
}

/* Under guard strict: what this node's own voter has to say. */
static void take_votes(struct core *core)
{
    struct message vote;

    while (voting_take(core, &vote)) {
        handlers_on_vote(core, &vote);
    }
}

static void end_votes(struct core *core)
{
    voting_renew_own(core);
    if (candidacy_take_out(core)) {
        if (core_is_member(core)) {
            lifecycle_end_life(core, REASON_REMOVED);
        } else {
            join_renew(core);
        }
    }
    voter_end_step(core);
}

/* Tells watchers, and the others, who under guard strict name a coordinator only once they have
 * heard that it acts (G2c, Z9b). */
static void tell(struct core *core)
{
    bool acted = core->standing.told_acting;

    standing_tell(core);
    if (core->standing.told_acting && !acted) {
        detector_announce_acting(core);
    }
}

static void step_witness(struct core *core, const struct event *event)
{
    core->now_ms = event->now_ms;
    outbox_reset(core);
    if (event->type == EVENT_MESSAGE) {
        dispatch_message(core, event->message);
    } else if (event->type == EVENT_SYNCED) {
        voter_on_synced(core, &event->synced);
        take_votes(core);
    }
    voter_end_step(core);
    core->due_ms = voter_deadline_ms(core);
}

#ifdef DOYEN_TESTED
void core_skip_numbers(struct core *core, uint64_t count)
{
    outbox_skip_numbers(core, count);
}
#endif

struct effects core_step(struct core *core, const struct event *event)
{
    if (core_is_witness(core)) {
        step_witness(core, event);
        return (struct effects){.items = core->out.items, .count = core->out.count};
    }
    uint64_t installed = core->counters.views_installed;
    enum phase phase = core->life.phase;
    uint64_t handed_epoch = core->succession.handed_epoch;
    uint64_t late_ms = lateness_ms(core, core->due_ms, event->now_ms);
    bool timer = event->now_ms >= core->due_ms;

    assert(event->now_ms >= core->now_ms);
    core->now_ms = event->now_ms;
    outbox_reset(core);
    change_begin_step(core);
    if (late_ms > 0) {
        on_late(core, late_ms);
    }
    dispatch(core, event);
    if (core->life.phase != PHASE_STOPPED) {
        take_votes(core);
        run_due(core);
        end_votes(core);
    }
    bool moved = core->counters.views_installed != installed || core->life.phase != phase ||
                 core->succession.handed_epoch != handed_epoch;
    if ((timer || moved || !standing_is_told(core)) && core->life.phase != PHASE_STOPPED) {
        tell(core);
    }
    holding_tick(core);
    core->due_ms = soonest_ms(core);
    core_check(core);
    return (struct effects){.items = core->out.items, .count = core->out.count};
}

/* --- Invariants --- */

static void check_view(const struct core *core)
{
    const struct view *view = &core->view;

    assert(core->position < view->member_count); /* S3 */
    assert(id_equal(&view->members[core->position].id, &core->life.self.id));
    assert(view->members[view->member_count - 1].age < view->next_age);
    assert(view->member_count <= core->capacity && view->gone_count <= GONE_MAX);
    assert(view->epoch <= core->promise.seen);
}

void core_check(const struct core *core)
{
    assert(core_is_member(core) == !view_is_empty(&core->view) ||
           core->life.phase == PHASE_STOPPED);
    assert(core->next.joiner_count <= core->next.joiner_capacity);
    assert(core->book.count <= BOOK_MAX);
    assert(!(core->change.on && core->candidacy.on) || core_is_coordinator(core) ||
           core->life.phase == PHASE_STOPPED); /* Z5c */
    assert(!core->change.on || !view_is_empty(&core->change.pending));
    if (core_is_member(core)) {
        check_view(core);
    }
}
