/* What a driver may ask between two steps. */
#include <assert.h>
#include <string.h>

#include "core/agreement/absent.h"
#include "core/agreement/autopilot.h"
#include "core/agreement/behind.h"
#include "core/agreement/electorate.h"
#include "core/agreement/next_view.h"
#include "core/agreement/successor.h"
#include "core/agreement/voter.h"
#include "core/core.h"
#include "core/detection/follow.h"
#include "core/detection/hearing.h"
#include "core/detection/lease.h"
#include "core/detection/removal.h"
#include "core/detection/standing.h"
#include "core/detection/watch.h"
#include "core/entry/meet.h"
#include "core/holding/roster.h"
#include "core/layout.h"

uint32_t core_unused(const struct core *core, struct core_part out[CORE_PARTS_MAX])
{
    return layout_unused(core, out);
}

uint64_t core_deadline_ms(const struct core *core)
{
    return core->due_ms;
}

enum phase core_phase(const struct core *core)
{
    return core->life.phase;
}

const struct member *core_self(const struct core *core)
{
    return &core->life.self;
}

const struct tags *core_tags_wanted(const struct core *core)
{
    return &core->tagging.tags;
}

const struct view *core_view(const struct core *core)
{
    return &core->view;
}

const struct view *core_accepted(const struct core *core)
{
    return &core->voter.accepted;
}

uint8_t core_version(const struct core *core)
{
    return core->version;
}

const struct terms *core_terms(const struct core *core)
{
    return &core->terms;
}

const struct terms *core_terms_configured(const struct core *core)
{
    return &core->configured.terms;
}

const struct agreed *core_agreed(const struct core *core)
{
    return &core->agreed;
}

const struct timing *core_timing(const struct core *core)
{
    return &core->timing;
}

enum unagreed core_unagreed(const struct core *core, const struct rules_wish *wish)
{
    return next_view_against(core, wish);
}

const struct member *core_coordinator(const struct core *core)
{
    return standing_coordinator(core);
}

/* Who is no member leases only when it is asked, and can be counted on if it answers (Z16c). */
static struct voter_count voters_there(const struct core *core, uint64_t now_ms)
{
    const struct voter_lists *lists = &core->view.voters;
    voter_set there = 0;

    for (uint8_t i = 0; i < lists->count; i++) {
        const struct node_id *record = &lists->voters[i].record;
        const bool is_there = lease_voter_until(core, record) > now_ms ||
                              (core->electorate.positions[i] == VIEW_NONE &&
                               absent_is_fresh(core, record));
        there |= is_there ? voter_set_of(i) : 0;
    }
    return voter_lists_count(lists, there);
}

struct guard_state core_guard(const struct core *core, uint64_t now_ms)
{
    struct guard_state state = standing_guard(core, now_ms);

    if (view_names_voters(&core->view) && core_is_coordinator(core)) {
        const struct voter_count count = voters_there(core, now_ms);
        state.fresh = count.have;
        state.needed = count.needed; /* Of that list, which may be the other one now. */
    }
    return state;
}

uint64_t core_acting_until_ms(const struct core *core, uint64_t now_ms)
{
    return standing_acting_until(core, now_ms);
}

bool core_is_acting(const struct core *core, uint64_t now_ms)
{
    return standing_is_acting(core, now_ms);
}

enum reign core_reign(const struct core *core, uint64_t now_ms)
{
    return standing_reign(core, now_ms);
}

uint64_t core_acting_said_ms_ago(const struct core *core, uint64_t now_ms)
{
    return standing_said_ms_ago(core, now_ms);
}

uint64_t core_acting_span_ms(const struct core *core)
{
    return lease_span_ms(core);
}

uint32_t core_acked(const struct core *core)
{
    return hearing_view_holders(core);
}

/* All but the accusers. */
static struct peer_state own_evidence(const struct core *core, uint32_t position, uint64_t now_ms)
{
    const struct peer_signs *signs = &core->peers[position].signs;
    const struct peer_charge *charge = &core->peers[position].charge;

    if (core_is_self(core, position)) {
        return (struct peer_state){.verdict = VERDICT_NONE, .behind = behind_is_on(core)};
    }
    const bool unknown = !watch_is_on(core, position);
    return (struct peer_state){
        .heard_ms_ago = signs->heard_ms == 0 || unknown ? NEVER_MS : now_ms - signs->heard_ms,
        .verdict = charge->verdict,
        .verdict_ms_ago = charge->verdict == VERDICT_NONE ? 0 : now_ms - charge->verdict_ms,
        .unknown = unknown,
        .linked = signs->linked && !unknown,
        .behind = position != 0 && follow_is_behind(core, position),
    };
}

struct peer_state core_peer(const struct core *core, uint32_t position, uint64_t now_ms)
{
    struct peer_state state = own_evidence(core, position, now_ms);

    state.accuser_count = removal_accusers(core, position, now_ms);
    return state;
}

/* Counts one accuser for each member that the one at `accuser` accuses, by the rules of
 * removal_accusers: lately, in our lineage, somebody else, and each once. */
static void count_accused(const struct core *core, uint32_t accuser, uint64_t now_ms,
                          struct peer_state *out)
{
    const struct peer_signs *signs = &core->peers[accuser].signs;
    uint32_t counted[SUSPECTS_MAX];
    uint32_t count = 0;

    if (core_is_self(core, accuser) || signs->suspects_ms == 0 ||
        now_ms >= signs->suspects_ms + core->timing.fresh_ms ||
        signs->view.lineage != core->view.lineage) {
        return;
    }
    for (uint8_t i = 0; i < signs->suspect_count; i++) {
        const struct suspicion *doubt = &core->doubts[accuser].list[i];
        const uint32_t accused = view_find_age(&core->view, doubt->age);
        bool counts = accused != VIEW_NONE && accused != accuser && doubt->verdict != VERDICT_NONE;
        for (uint32_t j = 0; j < count && counts; j++) {
            counts = counted[j] != accused;
        }
        if (counts) {
            counted[count++] = accused;
            out[accused].accuser_count++;
        }
    }
}

void core_peers(const struct core *core, uint64_t now_ms, struct peer_state *out)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        out[i] = own_evidence(core, i, now_ms);
    }
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        count_accused(core, i, now_ms, out);
    }
}

bool core_is_in_step(const struct core *core, uint32_t position, uint64_t within_ms,
                     uint64_t now_ms)
{
    const struct peer_signs *signs = &core->peers[position].signs;

    return signs->heard_ms != 0 && now_ms - signs->heard_ms < within_ms && !signs->acked &&
           hearing_holds_our_view(core, position);
}

uint64_t core_number(const struct core *core, uint32_t position)
{
    return core->peers[position].number.highest;
}

bool core_is_merging(const struct core *core)
{
    return core->merge.yielding;
}

bool core_is_handing_over(const struct core *core)
{
    return successor_is_awaited(core);
}

bool core_has_handed_over(const struct core *core)
{
    return core_is_member(core) && core->succession.handed_epoch >= core->view.epoch;
}

enum unfit core_unfit(const struct core *core, uint32_t position)
{
    return successor_unfit(core, position);
}

uint32_t core_successor(const struct core *core)
{
    return successor_next(core);
}

/* Who has the record of a cluster goes by its list, and not by that of its options (Z8). */
static uint32_t recorded_voters(const struct voter *voter)
{
    return voter->record.state == VOTE_RECORD_FOUNDED && view_names_voters(&voter->accepted)
               ? voter_lists_length(&voter->accepted.voters)
               : 0;
}

struct waiting_state core_waiting(const struct core *core, uint64_t now_ms)
{
    if (core->life.phase != PHASE_JOINING) {
        return (struct waiting_state){.expect = 0};
    }
    return (struct waiting_state){.expect = core->expect,
                                  .met = meet_count(core, now_ms),
                                  .may_found = core->join.may_found || meet_founder(core, now_ms),
                                  .voters = recorded_voters(&core->voter)};
}

enum hearing core_hearing(const struct core *core, uint32_t observer, uint32_t subject,
                          uint64_t now_ms)
{
    return hearing_of(core, observer, subject, now_ms);
}

uint64_t core_gone_ms(const struct core *core, uint32_t position, uint64_t now_ms)
{
    assert(position < core->view.gone_count);
    return now_ms - core->detector.gone_ms[position];
}

void core_stored(const struct core *core, struct stored *stored)
{
    stored->incarnation = core->life.self.incarnation;
    stored->epoch_seen = core->promise.seen;
    stored->agreed = core->proven;
    stored->started = terms_rules(&core->configured.terms);
    stored->peer_count = 0;
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

struct bound_state core_bound(const struct core *core)
{
    struct bound_state bound = {.epoch = core->promise.epoch, .to = core->promise.to};

    if (!view_is_empty(&core->change.pending)) {
        bound.accepted = view_id_of(&core->change.pending);
    }
    return bound;
}

void core_record(const struct core *core, struct vote_record *record)
{
    voter_record(core, record);
}

/* Does the view name it as a voter, or before there is one whoever founds? */
static bool is_to_vote(const struct core *core)
{
    return core_is_member(core)
               ? voter_lists_find_name(&core->view.voters, core->life.self.name) != VOTER_NONE
               : core->voter.named;
}

static enum voter_status voter_status_of(const struct core *core, uint64_t now_ms)
{
    const struct voter *voter = &core->voter;

    if (!is_to_vote(core) && !voter->damaged && voter->record.state == VOTE_RECORD_NONE) {
        return VOTER_NOT;
    }
    if (voter->damaged || voter->mute) {
        return voter->damaged ? VOTER_DAMAGED : VOTER_MUTE;
    }
    switch (voter->record.state) {
    case VOTE_RECORD_NONE:
        return VOTER_NO_RECORD;
    case VOTE_RECORD_FOUNDING:
        return VOTER_FOUNDING;
    case VOTE_RECORD_FOUNDED:
        return voter_goes_by_older(core, now_ms) ? VOTER_OLDER : VOTER_FOUNDED;
    case VOTE_RECORD_RETIRED:
        /* Z8i: it stands in the place of the one that the view still lists, and that was lost. */
        return core_is_member(core) && is_to_vote(core) ? VOTER_NO_RECORD : VOTER_RETIRED;
    }
    return VOTER_NO_RECORD;
}

struct autopilot_state core_autopilot(const struct core *core)
{
    return autopilot_outlook(core);
}

struct voter_state core_voter(const struct core *core, uint64_t now_ms)
{
    const struct voter *voter = &core->voter;
    struct voter_state state = {
        .status = voter_status_of(core, now_ms),
        .record_id = voter->record.id,
        .lineage = voter->record.lineage,
        .promise = voter->record.promise,
        .until_ms = voter->until_ms > now_ms ? voter->until_ms - now_ms : 0,
        .syncs = voter->syncs,
        .sync_failures = voter->sync_failures,
        .sync_ms_ago = voter->syncs == 0 ? NEVER_MS : now_ms - voter->synced_ms,
        .synced = voter_is_synced(core),
    };

    if (state.status == VOTER_NO_RECORD) { /* What stands in its place is not told (Z8i). */
        state.record_id = (struct node_id){{0}};
        state.lineage = 0;
        state.promise = (struct ballot){.epoch = 0};
    } else if (!view_is_empty(&voter->accepted)) {
        state.accepted = view_id_of(&voter->accepted);
    }
    return state;
}

struct voter_contact core_voter_contact(const struct core *core, uint8_t place, uint64_t now_ms)
{
    const struct listed_voter *voter = &core->view.voters.voters[place];
    const struct absent_voter *known = absent_find(core, &voter->record);
    struct voter_contact contact = {.is_member = electorate_position(core, voter) != VIEW_NONE,
                                    .answered_ms_ago = NEVER_MS};

    assert(place < core->view.voters.count);
    if (core_is_coordinator(core) && !contact.is_member && known != NULL && known->heard_ms != 0) {
        contact.answers = absent_is_fresh(core, &voter->record);
        contact.answered_ms_ago = now_ms - known->answered_ms;
        contact.round_trip_ms = known->rtt_ms;
    }
    return contact;
}

uint32_t core_own_roles(const struct core *core, struct own_role *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < core->holder.top; i++) {
        const struct own_candidate *own = &core->holder.own[i];
        if (own->state == HOLDER_FREE) {
            continue;
        }
        struct own_role *role = &out[count++];
        *role = (struct own_role){.request = own->is.request,
                                  .number = own->is.number,
                                  .token = own->is.token,
                                  .until_ms = own->state == HOLDER_LEADS ? own->until_ms : 0,
                                  .lost = own->state == HOLDER_LOST};
        memcpy(role->role, own->is.role, sizeof role->role);
    }
    return count;
}

bool core_may_grant(const struct core *core)
{
    return core->roster.epoch != 0 && roster_may_grant(core);
}

uint64_t core_merged_epoch(const struct core *core)
{
    return core->roster.merged_epoch;
}

uint32_t core_role_places(const struct core *core)
{
    return core->roster.epoch != 0 ? core->listed.candidate_top : 0;
}

bool core_listed_role(const struct core *core, uint32_t at, struct listed_role *out)
{
    const struct candidate *candidate = &core->listed.candidates[at];

    assert(at < core_role_places(core));
    *out = (struct listed_role){.life = candidate->life,
                                .request = candidate->request,
                                .role = core->listed.roles[candidate->role].name,
                                .number = candidate->number,
                                .token = candidate->token,
                                .revoked = candidate->revoked};
    return candidate->used;
}

const struct core_counters *core_counters(const struct core *core)
{
    return &core->counters;
}
