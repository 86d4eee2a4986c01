#include "core/agreement/promise.h"

#include "core/detection/verdict.h"
#include "core/model/marks.h"

/* --- Leaps --- */

static uint64_t higher(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* What the view or this node's voter stands for, so that the others learn of it. */
static uint64_t known_epoch(const struct core *core, const struct view *view)
{
    return higher(view->epoch, core->voter.record.promise.epoch);
}

/* Did the last span begin so short a time ago that the next one adds up with it? */
static bool adds_up(const struct core *core)
{
    const uint64_t began_ms = core->promise.base.ms;

    return began_ms != 0 && core->now_ms < began_ms + core->timing.stall_ms * UINT64_C(3) / 2;
}

/* What the numbers of this T_stall are measured against, if `view` is the one that holds. */
static struct leap_base leap_base(const struct core *core, const struct view *view)
{
    const struct promise *promise = &core->promise;

    if (promise->base.ms != 0 && core->now_ms < promise->base.ms + core->timing.stall_ms) {
        return promise->base;
    }
    const struct leap_base none = {.ms = 0};
    const struct leap_base near = adds_up(core) ? promise->near : none;
    const uint64_t known = known_epoch(core, view);
    const uint64_t counts = higher(known, core->plan.counts_seen ? near.epoch : 0);

    return (struct leap_base){.ms = core->now_ms,
                              .epoch = known == 0 ? promise->seen : earlier(promise->seen, counts),
                              .version = higher(view->version, near.version),
                              .next_age = higher(view->next_age, near.next_age)};
}

/* What was seen long ago, when it led to nothing, counts no longer. */
static void begin_span(struct core *core, const struct view *view)
{
    const struct leap_base base = leap_base(core, view);

    if (base.ms != core->promise.base.ms) {
        core->promise.near = (struct leap_base){.ms = 0};
    }
    core->promise.base = base;
}

struct leap_base promise_numbers_max(const struct core *core)
{
    struct leap_base max = {
        .epoch = COUNTER_MAX / 4, .version = COUNTER_MAX / 4, .next_age = COUNTER_MAX / 4};

    if (core_is_member(core)) { /* Otherwise there is nothing to compare with. */
        max = leap_base(core, &core->view);
        max.epoch += LEAP_MAX;
        max.version += LEAP_MAX;
        max.next_age += LEAP_MAX;
    }
    return max;
}

struct leap_base promise_said_max(const struct core *core)
{
    const uint64_t leap = core->plan.said_leap;
    struct leap_base max = leap_base(core, &core->view);

    max.epoch += leap;
    max.version += leap;
    max.next_age += leap;
    return max;
}

bool promise_is_above(const struct view *view, const struct leap_base *max)
{
    return view->epoch > max->epoch || view->version > max->version ||
           view->next_age > max->next_age;
}

bool promise_epoch_leaps(const struct core *core, uint64_t epoch)
{
    return epoch > COUNTER_MAX || epoch > promise_said_max(core).epoch;
}

bool promise_epoch_leaps_for_stranger(const struct core *core, uint64_t epoch)
{
    return epoch > leap_base(core, &core->view).epoch + STRANGERS_LEAP_MAX;
}

void promise_saw_epoch(struct core *core, uint64_t epoch)
{
    if (epoch > core->promise.seen) {
        begin_span(core, &core->view);
        core->promise.seen = epoch;
    }
    core->promise.near.epoch = higher(core->promise.near.epoch, epoch);
}

uint64_t promise_within_reach(const struct core *core, uint64_t epoch)
{
    const uint64_t near = leap_base(core, &core->view).epoch + SAID_LEAP_MAX;

    return promise_epoch_leaps(core, epoch) && near < epoch ? near : epoch;
}

void promise_near_epoch(struct core *core, uint64_t epoch)
{
    if (epoch <= COUNTER_MAX) {
        const uint64_t near = promise_within_reach(core, epoch);
        begin_span(core, &core->view); /* Though as much was seen: who asks again is heard then. */
        promise_saw_epoch(core, near);
    }
}

static uint64_t within_half(uint64_t number, uint64_t base)
{
    return number < base + SAID_LEAP_MAX ? number : base + SAID_LEAP_MAX;
}

void promise_near_view(struct core *core, const struct view *view)
{
    struct leap_base *near = &core->promise.near;

    begin_span(core, &core->view);
    promise_near_epoch(core, view->epoch);
    const struct leap_base *base = &core->promise.base;
    near->version = higher(near->version, within_half(view->version, base->version));
    near->next_age = higher(near->next_age, within_half(view->next_age, base->next_age));
}

uint64_t promise_new_epoch(const struct core *core)
{
    return core->promise.seen + 1;
}

uint64_t promise_epoch_to_claim(const struct core *core)
{
    uint64_t next = promise_new_epoch(core);
    bool leaps = next > core->view.epoch + BOUND_LEAP_MAX;

    return leaps ? core->view.epoch + 1 : next; /* Nobody would heed the higher one. */
}

uint64_t promise_epoch_to_ask(const struct core *core)
{
    const uint64_t known = known_epoch(core, &core->view);
    const bool asked = core->candidacy.epoch > known || known == 0;
    const uint64_t base = leap_base(core, &core->view).epoch;
    const uint64_t bound = (asked ? base : earlier(base, known)) + BOUND_LEAP_MAX;
    uint64_t seen = core->promise.seen;

    if (seen >= bound) { /* Was less seen lately, some voter may be bound to that. */
        seen = higher(bound - STRANGERS_LEAP_MAX, earlier(core->promise.near.epoch, bound - 1));
    }
    return higher(seen, known) + 1;
}

/* V7a: where voters grant, a proposal that none of them may be bound to may be made up, and what
 * this node asks for above it would be a leap for the others. */
static uint64_t proved_epoch(const struct core *core, uint64_t epoch)
{
    return core_is_strict(core) ? earlier(epoch, promise_said_max(core).epoch) : epoch;
}

void promise_saw_proposal(struct core *core, uint64_t epoch)
{
    promise_saw_epoch(core, proved_epoch(core, epoch));
}

void promise_give(struct core *core, uint64_t epoch, const struct node_id *to, uint64_t until_ms)
{
    core->promise.epoch = epoch;
    core->promise.to = *to;
    core->promise.until_ms = until_ms;
    promise_saw_proposal(core, epoch);
}

static void release(struct core *core)
{
    core->promise.epoch = 0;
    core->promise.to = (struct node_id){.bytes = {0}};
    core->promise.until_ms = 0;
}

void promise_forget(struct core *core)
{
    REACHED(promise_forgotten);
    core->promise.epoch = 0; /* `seen` keeps later claims above it. */
    core->promise.until_ms = 0;
    verdict_evidence_changed(core); /* Nothing came of it: perhaps it is our turn. */
}

void promise_pause(struct core *core, uint64_t until_ms)
{
    core->promise.backoff.over_ms = until_ms;
}

void promise_back_off(struct core *core)
{
    uint64_t claim_ms = core->timing.claim_ms;

    promise_pause(core, core->now_ms + random_between(&core->random, claim_ms / 2, 2 * claim_ms));
}

void promise_end_pause(struct core *core)
{
    struct pause *backoff = &core->promise.backoff;

    if (backoff->over_ms != 0 && pause_is_over(backoff, core->now_ms)) {
        backoff->over_ms = 0;
        verdict_evidence_changed(core);
    }
}

uint64_t promise_deadline_ms(const struct core *core)
{
    const uint64_t over_ms = core->promise.backoff.over_ms;

    return core_is_member(core) && over_ms != 0 ? over_ms : NEVER_MS;
}

/* V7f: what a joiner was told leaps above the first view that it installs, so the others never heed
 * it. What this node's voter has promised, or this life has asked for (Z4a), is not forgotten. */
static void forget_what_leaps(struct core *core)
{
    const uint64_t known = known_epoch(core, &core->view);
    const bool leaps = core->promise.seen > core->view.epoch + core->plan.said_leap &&
                       core->candidacy.epoch == 0;

    if (core->promise.seen < known || leaps) {
        core->promise.seen = known;
    }
}

void promise_on_view_installed(struct core *core, const struct installed *before)
{
    bool merged = !view_is_empty(before->view) && before->view->lineage != core->view.lineage;

    if (merged || core->view.epoch >= core->promise.epoch) {
        release(core); /* C5b: what was promised in a lineage that is left binds nobody. */
    }
    if (view_is_empty(before->view)) {
        core->promise.base.ms = 0; /* The first one is no leap. */
        core->promise.near = (struct leap_base){.ms = 0};
        forget_what_leaps(core);
        return;
    }
    begin_span(core, before->view);
    promise_saw_epoch(core, core->view.epoch);
}

void promise_reset(struct core *core)
{
    release(core);
    core->promise.backoff.over_ms = 0;
}
