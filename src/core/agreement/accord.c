#include "core/agreement/accord.h"

#include <string.h>

#include "core/detection/detector.h"
#include "core/detection/hearing.h"
#include "core/detection/lease.h"
#include "core/detection/standing.h"
#include "core/detection/watch.h"
#include "core/model/limits.h"
#include "core/state/outbox.h"

/* What holds as long as nobody has changed it. */
static struct agreed started_with(const struct terms *terms)
{
    return (struct agreed){.room = terms->capacity, .now = terms_rules(terms)};
}

struct agreed accord_now(const struct core *core)
{
    return core->view.agreed.number != 0 ? core->view.agreed
                                         : started_with(&core->configured.terms);
}

static struct timing timing_in(const struct core *core, const struct agreed *agreed)
{
    return agreed->number == 0 ? core->configured.timing : agreed_timing(agreed);
}

/* Two guards hold while terms change (A2). */
static struct agreed in_force(const struct core *core)
{
    return core->agreed.number == 0 ? started_with(&core->terms) : core->agreed;
}

/* As if members were counted, as they are where no voters are. */
static void plan_for_members(struct core *core)
{
    struct plan *plan = &core->plan;
    const struct agreed agreed = in_force(core);
    const struct guard_asks asks = agreed_asks(&agreed);
    const uint32_t members = core->view.member_count;
    const uint32_t founders = core->terms.voters.count;
    const uint32_t others = quorum_of_others(asks.needed, members);

    plan->guarded = founders > 0 ? founders / 2 + 1 : asks.needed;
    plan->size_max = asks.size_max;
    plan->leases_needed = others + 1;
    /* A2b: while terms change, it takes the word of each that it has heard of them. */
    plan->leases_asked = core->agreed.joint ? members : quorum_with_spares(others);
    plan->by_heartbeat = others + 1;
}

/* Here alone the guard is looked at for what the rooms above go by as numbers. */
static void plan_by_guard(struct core *core)
{
    struct plan *plan = &core->plan;
    const bool strict = core_is_strict(core);

    core->spans = timing_spans(&core->timing, strict);
    /* V7a: half, so that what is made above it is no leap for those who were not told; but what a
     * voter has promised is for good, so there the others have to come after it. */
    plan->said_leap = strict ? BOUND_LEAP_MAX : SAID_LEAP_MAX;
    plan->counts_seen = strict;
    plan->fanout = strict ? MEMBER_MAX : core->fanout; /* Each voter answers who asks it. */
    plan->voters_target = strict ? (uint8_t)core->terms.guard.count : 0;
    plan->named_from = strict ? REIGN_ACTING : REIGN_UNKNOWN;
    plan->untold_max = strict ? MEMBER_MAX : 0; /* The voters tell (Z15c). */
    plan->grace_ms_min = strict ? NEVER_MS : 0;
    if (view_names_voters(&core->view)) {
        plan->guarded = voter_lists_count(&core->view.voters, 0).needed;
        /* Z5c, Z9b: what each voter is bound to has to be known, and by all whether it acts. */
        plan->leases_needed = UINT32_MAX;
        plan->leases_asked = core->view.member_count;
        plan->by_heartbeat = 0;
    }
}

void accord_plan(struct core *core)
{
    plan_for_members(core);
    plan_by_guard(core);
}

static void apply(struct core *core)
{
    const struct agreed *agreed = &core->agreed;
    const struct rules rules = agreed->number == 0 ? terms_rules(&core->configured.terms)
                                                   : agreed->now;

    core->terms.number = agreed->number;
    core->terms.origin = agreed->origin;
    core->terms.room = agreed->room;
    core->terms.guard = rules.guard; /* The guard strict is never left, nor come to (A4a). */
    core->terms.profile = rules.profile;
    core->terms.heartbeat_ms = rules.heartbeat_ms;
    core->terms.lost_ms = rules.lost_ms;
    core->terms.capacity = rules.capacity;
    const struct timing before = core->timing;
    core->timing = timing_in(core, agreed);
    if (!agreed_equal(agreed, &core->proven)) {
        const struct timing proven = timing_in(core, &core->proven);
        core->timing = timing_unproven(&proven, &core->timing);
    }
    accord_plan(core);
    lease_on_timing(core, &before);
}

void accord_lengths(const struct core *core, const struct agreed *next, uint64_t *lease_ms,
                    uint64_t *hold_ms)
{
    const struct timing timing = timing_in(core, next);

    *lease_ms = larger(core->timing.lease_ms, timing.lease_ms);
    *hold_ms = larger(timing_hold_ms(&core->timing), timing_hold_ms(&timing));
}

/* V7g: may those terms come after these? */
static bool may_follow(const struct core *core, const struct agreed *next,
                       const struct agreed *agreed)
{
    const struct rules started = terms_rules(&core->configured.terms);
    const uint64_t origin = agreed->number == 0 ? rules_hash(&started) : agreed->origin;
    const uint32_t room = agreed->number == 0 ? core->configured.terms.capacity : agreed->room;

    return next->number <= agreed->number + AGREED_LEAP_MAX && next->origin == origin &&
           next->room == room;
}

bool accord_leaps(const struct core *core, const struct agreed *agreed)
{
    if (agreed->number == 0) {
        return false;
    }
    if (!core_is_member(core)) {
        return agreed->number > AGREED_FIRST_MAX;
    }
    return !may_follow(core, agreed, &core->view.agreed) &&
           !may_follow(core, agreed, &core->proven);
}

/* A5a: they hold as long as the operator says the same as then, or has written them down since. */
static bool is_still_meant(const struct core *core, const struct agreed *agreed,
                           const struct rules *before)
{
    const struct rules started = terms_rules(&core->configured.terms);

    return rules_equal(&started, before) ||
           rules_are_written_down(&started, &agreed->now, agreed->room);
}

void accord_start(struct core *core, const struct agreed *agreed, const struct rules *before)
{
    memset(&core->agreed, 0, sizeof core->agreed);
    if (agreed->number != 0 && !accord_leaps(core, agreed) && agreed_is_sound(agreed) &&
        accord_fits(core, agreed) && is_still_meant(core, agreed, before)) {
        core->agreed = *agreed;
    }
    core->proven = core->agreed;
    apply(core);
}

struct agreed accord_to_found_with(const struct core *core)
{
    struct agreed agreed = core->proven;

    if (agreed.number != 0) {
        agreed.room = core->capacity;
    }
    return agreed;
}

struct agreed accord_to_take_over_with(const struct core *core)
{
    return core->proven;
}

struct agreed accord_begin(const struct core *core, const struct rules *rules)
{
    const struct agreed from = accord_now(core);
    struct agreed joint = agreed_begin(&from, rules);

    joint.origin = from.number == 0 ? rules_hash(&from.now) : from.origin;
    return joint;
}

/* An ACK does not do: who has not installed the view does not go by it yet. Nor does who may not
 * have heard that this node goes by it: its next view might not have both guards (A3c). */
static bool all_hold_the_view(const struct core *core)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct peer *peer = &core->peers[i];
        if (!core_is_self(core, i) && (!peer->signs.said || !hearing_holds_our_view(core, i) ||
                                       peer->lease.asked_ms < core->agreed_ms)) {
            return false;
        }
    }
    return true;
}

bool accord_is_settled(const struct core *core)
{
    return core->view.agreed.joint && core_is_coordinator(core) &&
           core->life.phase == PHASE_MEMBER && !core->merge.yielding && all_hold_the_view(core) &&
           standing_guard(core, core->now_ms).met;
}

/* Could whoever goes by that guard, and can hold so many, be in one cluster with this node? */
static bool may_share(const struct core *core, const struct guard *guard, uint32_t capacity,
                      uint32_t room)
{
    return guard_may_become(&core->terms.guard, guard) && room <= capacity;
}

bool accord_fits(const struct core *core, const struct agreed *agreed)
{
    return agreed->number == 0 ||
           (may_share(core, &agreed->now.guard, core->capacity, agreed->room) &&
            (!agreed->joint ||
             may_share(core, &agreed->before.guard, core->capacity, agreed->room)));
}

static bool admits(const struct core *core, const struct agreed *agreed,
                   const struct terms *started)
{
    if (agreed->number == 0) {
        return terms_equal(started, &core->configured.terms);
    }
    return may_share(core, &started->guard, started->capacity, agreed->room);
}

bool accord_admits(const struct core *core, const struct terms *started)
{
    return admits(core, &core->view.agreed, started);
}

bool accord_would_admit(const struct core *core, const struct terms *started)
{
    const struct agreed agreed = accord_to_found_with(core);

    return admits(core, &agreed, started) &&
           voters_equal(&started->voters, &core->configured.terms.voters);
}

/* A5: which terms of the start they were changed from. */
static uint64_t origin_of(const struct terms *terms)
{
    const struct rules rules = terms_rules(terms);

    return terms->number == 0 ? rules_hash(&rules) : terms->origin;
}

static uint32_t room_of(const struct terms *terms)
{
    return terms->number == 0 ? terms->capacity : terms->room;
}

bool accord_may_merge(const struct core *core, const struct terms *theirs)
{
    const struct terms *ours_now = &core->terms;

    if (terms_equal(theirs, ours_now)) {
        return theirs->number == ours_now->number || room_of(theirs) == room_of(ours_now);
    }
    return may_share(core, &theirs->guard, room_of(theirs), room_of(ours_now)) &&
           (theirs->number != 0 || ours_now->number != 0) && room_of(theirs) == room_of(ours_now) &&
           origin_of(theirs) == origin_of(ours_now);
}

struct agreed accord_merge(const struct core *core, const struct view *theirs,
                           const struct terms *started)
{
    const struct agreed winner = accord_now(core);
    const struct agreed loser = theirs->agreed.number != 0 ? theirs->agreed : started_with(started);

    return winner.number == 0 && loser.number == 0 ? core->view.agreed
                                                   : agreed_merge(&winner, &loser);
}

/* A3b: the terms of the view are what its coordinator goes by. */
static void prove(struct core *core)
{
    core->proven = core->agreed;
    apply(core);
    detector_on_timing(core);
}

/* A3b: only the coordinator knows at once that it goes by them; and it has T_stall to say
 * otherwise, whoever coordinated before. */
void accord_on_view_installed(struct core *core, const struct installed *before)
{
    const bool others = !agreed_equal(&core->agreed, &core->view.agreed);

    if (others || view_is_empty(before->view) ||
        !id_equal(&core->view.members[0].id, &before->view->members[0].id)) {
        core->agreed_ms = core->now_ms;
    }
    accord_plan(core);
    if (others) {
        core->agreed = core->view.agreed;
        apply(core);
        detector_on_timing(core);
    }
    /* The coordinator may have been heard to name this view before the view itself came. */
    const bool was_named = core->peers[0].signs.said && hearing_holds_our_view(core, 0);
    if ((core_is_coordinator(core) || was_named) && !agreed_equal(&core->agreed, &core->proven)) {
        prove(core);
    }
}

void accord_on_named(struct core *core, uint32_t position)
{
    const bool lasts = core->now_ms >= core->agreed_ms + core->timing.stall_ms;
    const bool counts = position == 0 || (lasts && !watch_is_on(core, 0));

    if (counts && !agreed_equal(&core->agreed, &core->proven)) {
        prove(core);
        outbox_store(core);
    }
}

void accord_reset(struct core *core)
{
    core->agreed = core->proven; /* A3b: what nobody was heard to go by was nothing. */
    apply(core);
}
