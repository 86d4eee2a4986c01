#include "core/detection/standing.h"

#include <string.h>

#include "core/detection/follow.h"
#include "core/detection/hearing.h"
#include "core/detection/lease.h"
#include "core/detection/watch.h"
#include "core/state/outbox.h"

static bool was_just_heard(const struct core *core, uint32_t position, uint64_t now_ms)
{
    const struct peer *peer = &core->peers[position];

    return peer->signs.heard_ms != 0 && now_ms < peer->signs.heard_ms + core->timing.fresh_ms &&
           peer->charge.verdict == VERDICT_NONE;
}

/* Is that this node's own vote? */
static bool is_own_voter(const struct core *core, const struct listed_voter *voter)
{
    return core->voter.record.state == VOTE_RECORD_FOUNDED &&
           id_equal(&voter->record, &core->voter.record.id);
}

/* G1f: the voters among the members, and this node if it votes: of the list that lacks most. */
static struct voter_count fresh_voters(const struct core *core)
{
    const struct voter_lists *lists = &core->view.voters;
    voter_set fresh = 0;

    for (uint8_t i = 0; i < lists->count; i++) {
        const uint32_t position = core->electorate.positions[i];
        const bool heard = position != VIEW_NONE && !core_is_self(core, position) &&
                           hearing_is_heard(core, position);
        const bool votes = !core->voter.damaged && !core->voter.mute &&
                           core->now_ms >= core->voter.older_until_ms;
        if (is_own_voter(core, &lists->voters[i]) ? votes : heard) {
            fresh |= voter_set_of(i);
        }
    }
    return voter_lists_count(lists, fresh);
}

/* For a coordinator, itself and those whose leases it has; for others, those really heard within
 * T_fresh, itself, who never hears itself, and whom it does not watch, for nobody has spoken
 * against those (G1). */
static uint32_t fresh_count(const struct core *core, uint64_t now_ms)
{
    uint32_t count = core->view.member_count;

    if (core_is_coordinator(core)) {
        return lease_holders(core, now_ms);
    }
    for (uint32_t k = 0; k < watch_count(core); k++) {
        const uint32_t i = watch_at(core, k);
        count -= !core_is_self(core, i) && watch_is_on(core, i) && !was_just_heard(core, i, now_ms);
    }
    return count;
}

/* G1f: of other voters its coordinator knows whether there are enough; it cannot count them itself.
 */
static void add_count(const struct core *core, uint64_t now_ms, struct guard_state *state)
{
    const bool of_voters = view_names_voters(&core->view);
    struct voter_count count = {.have = fresh_count(core, now_ms), .needed = core->plan.guarded};

    if (of_voters) {
        count = core_is_coordinator(core) ? lease_of_voters(core, now_ms) : fresh_voters(core);
    }
    state->fresh = count.have;
    state->needed = count.needed;
    state->met = of_voters && !core_is_coordinator(core)
                     ? standing_reign(core, now_ms) == REIGN_ACTING
                     : count.have >= count.needed;
}

struct guard_state standing_guard(const struct core *core, uint64_t now_ms)
{
    struct guard_state state = {.guard = core->terms.guard, .needed = core->plan.guarded};

    if (core_is_member(core)) {
        add_count(core, now_ms, &state);
    }
    return state;
}

/* Could this node act, if it has the leases? */
static bool may_act(const struct core *core)
{
    return core->life.phase == PHASE_MEMBER && core_is_coordinator(core) && !core->merge.yielding &&
           core->view.epoch > core->succession.handed_epoch;
}

bool standing_is_handed_over(const struct core *core)
{
    return core_is_coordinator(core) && core->view.epoch <= core->succession.handed_epoch;
}

bool standing_tells_hand_over(const struct core *core)
{
    return standing_is_handed_over(core) &&
           core->now_ms >= core->succession.handed_ms + core->timing.claim_ms;
}

uint64_t standing_acting_until(const struct core *core, uint64_t now_ms)
{
    return may_act(core) ? lease_acts_until(core, now_ms) : 0;
}

bool standing_is_acting(const struct core *core, uint64_t now_ms)
{
    return may_act(core) && lease_is_enough(core, now_ms);
}

/* D8f: as long before the right to act ends as it takes to ask three times; and for a while after
 * it has ended, or a view has come in which it has to begin. */
static uint64_t ask_again_ms(const struct core *core)
{
    const uint64_t pause_ms = timing_ask_again_ms(&core->timing);
    const uint64_t again_ms = core->lease.asked_ms + pause_ms;
    const uint64_t until_ms = core->standing.acting_until_ms;

    if (core->standing.told_acting) {
        const uint64_t renewal_ms = timing_renewal_ms(&core->timing);
        return larger(until_ms > renewal_ms ? until_ms - renewal_ms : 0, again_ms);
    }
    return may_act(core) && again_ms < core->standing.idle_ms + core->timing.lost_ms ? again_ms
                                                                                     : NEVER_MS;
}

uint64_t standing_deadline_ms(const struct core *core)
{
    const uint64_t again_ms = ask_again_ms(core);

    return core->standing.told_acting ? earlier(core->standing.acting_until_ms, again_ms)
                                      : again_ms;
}

/* Whoever has not been heard in all the time a detection takes is silent, not slow. */
static bool has_waited(const struct core *core)
{
    return core->detector.late_until_ms == 0 ||
           core->now_ms >= core->detector.late_until_ms + core->timing.lost_ms;
}

bool standing_is_settled(const struct core *core)
{
    if (!has_waited(core) && !lease_is_enough(core, core->now_ms)) {
        return false;
    }
    return !follow_has_undecided(core);
}

void standing_ask(struct core *core)
{
    if (may_act(core)) {
        lease_ask(core, core->plan.leases_asked);
    }
}

bool standing_asks_by_heartbeat(const struct core *core)
{
    return may_act(core) && core->plan.by_heartbeat > 0;
}

void standing_ask_with_round(struct core *core)
{
    if (!standing_asks_by_heartbeat(core) || !standing_is_acting(core, core->now_ms)) {
        standing_ask(core);
    }
}

void standing_ask_first(struct core *core)
{
    if (!standing_is_acting(core, core->now_ms)) {
        standing_ask(core);
    }
}

void standing_tick(struct core *core)
{
    if (core->now_ms < ask_again_ms(core)) {
        return;
    }
    if (core->standing.told_acting) { /* Answers have come since that was looked at. */
        core->standing.acting_until_ms = standing_acting_until(core, core->now_ms);
    }
    if (core->now_ms >= ask_again_ms(core)) {
        standing_ask(core);
    }
}

static void tell_guard(struct core *core)
{
    struct guard_state guard = standing_guard(core, core->now_ms);

    if (guard.needed > 0 && guard.met != core->standing.told_guard_met) {
        core->standing.told_guard_met = guard.met;
        struct notice *notice = outbox_notice_of(core, NOTICE_GUARD, &core->life.self);
        notice->on = guard.met;
        notice->count = guard.fresh;
        notice->needed = guard.needed;
    }
}

static void tell_acting(struct core *core)
{
    bool acting = standing_is_acting(core, core->now_ms);

    if (acting) { /* Each turn looks, so that none is for this alone while leases are renewed. */
        core->standing.acting_until_ms = standing_acting_until(core, core->now_ms);
    }
    if (acting == core->standing.told_acting) {
        return;
    }
    core->standing.told_acting = acting;
    core->standing.idle_ms = core->now_ms;
    struct guard_state guard = standing_guard(core, core->now_ms);
    struct notice *notice = outbox_notice_of(core, NOTICE_ACTING, &core->life.self);
    notice->on = acting;
    notice->count = guard.fresh;
    notice->needed = guard.needed;
}

/* --- The coordinator's name --- */

enum reign standing_reign(const struct core *core, uint64_t now_ms)
{
    const struct peer_signs *signs = &core->peers[0].signs;

    if (!core_is_member(core)) {
        return REIGN_UNKNOWN;
    }
    if (core_is_coordinator(core)) {
        return standing_is_acting(core, now_ms) ? REIGN_ACTING : REIGN_IDLE;
    }
    if (!watch_is_on(core, 0) || !hearing_coordinator_is_fresh(core)) {
        return REIGN_UNKNOWN;
    }
    if (signs->acting) { /* The coordinator's questions alone may come through, and they do not say
                            that it acts. */
        return now_ms < signs->suspects_ms + 2 * core->timing.lost_ms ? REIGN_ACTING
                                                                      : REIGN_UNKNOWN;
    }
    /* What it said before it claimed the place says nothing of now. */
    return signs->said && signs->view.epoch == core->view.epoch ? REIGN_IDLE : REIGN_UNKNOWN;
}

uint64_t standing_said_ms_ago(const struct core *core, uint64_t now_ms)
{
    if (standing_reign(core, now_ms) != REIGN_ACTING) {
        return NEVER_MS;
    }
    return core_is_coordinator(core) ? 0 : now_ms - core->peers[0].signs.suspects_ms;
}

/* Z9b: under guard strict there is one only while it acts, or said so within T_fresh. */
static bool has_coordinator(const struct core *core)
{
    const enum reign least = core->plan.named_from;

    return core_is_member(core) &&
           (least == REIGN_UNKNOWN || standing_reign(core, core->now_ms) >= least);
}

const struct member *standing_coordinator(const struct core *core)
{
    return has_coordinator(core) ? view_coordinator(&core->view) : NULL;
}

static bool is_told(const struct core *core, const struct member *coordinator)
{
    const struct node_id *told = &core->standing.told_coordinator;

    return coordinator == NULL ? id_is_none(told) : id_equal(told, &coordinator->id);
}

bool standing_is_told(const struct core *core)
{
    if (!core->standing.told_acting && standing_is_acting(core, core->now_ms)) {
        return false;
    }
    return is_told(core, standing_coordinator(core));
}

static void tell_coordinator(struct core *core)
{
    const struct member *coordinator = standing_coordinator(core);

    if (is_told(core, coordinator)) {
        return;
    }
    if (coordinator == NULL) {
        memset(&core->standing.told_coordinator, 0, sizeof core->standing.told_coordinator);
        outbox_notice(core, NOTICE_COORDINATOR);
    } else {
        core->standing.told_coordinator = coordinator->id;
        outbox_notice_of(core, NOTICE_COORDINATOR, coordinator);
    }
}

/* --- Telling --- */

/* Guard and acting are told when they change; both follow from who was heard lately, and by whom.
 */
void standing_tell(struct core *core)
{
    if (core->plan.guarded > 0) {
        tell_guard(core);
    }
    if (may_act(core) || core->standing.told_acting) {
        tell_acting(core);
    } else {
        core->standing.idle_ms = core->now_ms; /* This node lacks nothing that others could give. */
    }
    tell_coordinator(core);
}

void standing_on_view_installed(struct core *core)
{
    core->standing.idle_ms = core->now_ms; /* Z7b: a quorum of voters has just agreed to it. */
    tell_coordinator(core);
}
