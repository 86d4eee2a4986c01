#include "core/agreement/succession.h"

#include <assert.h>

#include "core/agreement/absent.h"
#include "core/agreement/behind.h"
#include "core/agreement/change.h"
#include "core/agreement/change_accept.h"
#include "core/agreement/change_count.h"
#include "core/agreement/electorate.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/agreement/successor.h"
#include "core/agreement/voter.h"
#include "core/agreement/voting.h"
#include "core/detection/elders.h"
#include "core/detection/follow.h"
#include "core/detection/hearing.h"
#include "core/detection/lease.h"
#include "core/detection/removal.h"
#include "core/detection/standing.h"
#include "core/model/marks.h"
#include "core/state/refuse.h"

/* --- Who may ask: a member --- */

/* Others say that they hear that one: they would refuse a claim (C2), again and again for as long
 * as a link is bad. Or they have not found it lost yet, or this node may be cut off (D2f). */
static bool may_be_alive(const struct core *core, uint32_t position)
{
    return hearing_is_heard_by_others(core, position) ||
           hearing_not_lost_until_ms(core, position) != 0;
}

/* C1: holds a verdict on every member older than itself, or sees it follow another. A claim is not
 * begun while one of those suspected may be alive. */
static bool is_candidate(const struct core *core, bool begun)
{
    uint32_t position = core->position;

    for (uint32_t i = 0; i < position; i++) {
        enum verdict verdict = core->peers[i].charge.verdict;
        if (elders_are_passed_over(core, i)) {
            REACHED(older_one_passed_over);
            continue;
        }
        if (verdict == VERDICT_NONE) {
            return false;
        }
        if (!begun && verdict != VERDICT_DEAD && may_be_alive(core, i)) {
            return false;
        }
    }
    return position > 0;
}

bool succession_is_ours(const struct core *core)
{
    return !core->change.on && core->now_ms >= core->detector.late_until_ms &&
           behind_may_lead(core) && is_candidate(core, core->candidacy.on);
}

bool succession_is_called_for(const struct core *core)
{
    return core_is_coordinator(core) || !hearing_holds_our_view(core, 0);
}

/* C1b: members refuse who claims while they hear a coordinator that does not say that it has handed
 * over; voters are told so by the claim itself (Z4b). */
bool succession_is_void(const struct core *core)
{
    const struct candidacy *candidacy = &core->candidacy;
    const bool holds = core_is_strict(core)
                           ? candidacy->handed_over.epoch != 0 ||
                                 (candidacy->stays && succession_is_called_for(core))
                           : core_is_coordinator(core);

    return !holds && !is_candidate(core, true);
}

struct ballot succession_handed_over(const struct core *core)
{
    return elders_coordinator_has_handed_over(core)
               ? (struct ballot){core->view.epoch, core->view.members[0].id}
               : (struct ballot){.epoch = 0};
}

/* --- Who may ask: a coordinator by the word of voters --- */

static bool reigns(const struct core *core)
{
    return core_is_coordinator(core) && core->life.phase == PHASE_MEMBER;
}

uint64_t succession_given_back_ms(const struct core *core)
{
    const struct succession *succession = &core->succession;

    return reigns(core) && succession->handed_epoch >= core->view.epoch ? succession->given_back_ms
                                                                        : NEVER_MS;
}

/* Is that voter there, so that its word is one of now? */
static bool is_voter_fresh(const struct core *core, const struct listed_voter *voter)
{
    const uint32_t position = electorate_position(core, voter);

    return position == VIEW_NONE ? absent_is_fresh(core, &voter->record)
                                 : hearing_is_fresh(core, position);
}

/* Whoever says so may never answer. */
uint64_t succession_said_to_bind(const struct core *core)
{
    uint64_t bound = 0;

    for (uint32_t i = 0; i < VOTERS_LISTED_MAX; i++) {
        const struct voter_lease *lease = &core->lease.voters[i];
        const struct listed_voter *voter = lease->promised > core->view.epoch
                                               ? lease_voter(core, &lease->record)
                                               : NULL;
        if (voter != NULL && is_voter_fresh(core, voter)) {
            bound = larger(bound, promise_within_reach(core, lease->promised));
        }
    }
    return bound;
}

bool succession_is_overtaken(const struct core *core)
{
    return reigns(core) && !successor_is_awaited(core) &&
           (succession_said_to_bind(core) > core->view.epoch || change_is_overtaken(core) ||
            core->now_ms >= succession_given_back_ms(core) ||
            voting_own_promise(core) > core->view.epoch);
}

/* --- Handing over --- */

void succession_hand_over(struct core *core)
{
    core->succession.handed_epoch = core->view.epoch;
    core->succession.handed_ms = core->now_ms;
    core->succession.given_back_ms = larger(core->now_ms, absent_bound_until(core)) +
                                     2 * core->timing.lost_ms;
}

void succession_take_back(struct core *core)
{
    core->succession.given_back_ms = core->now_ms;
}

/* Are so many of them members, besides this node, that another one could act? */
static bool has_voters(const struct core *core)
{
    const struct voter_lists *lists = &core->view.voters;
    voter_set members = 0;

    for (uint8_t i = 0; i < lists->count; i++) {
        const bool votes = lists->voters[i].witness || core->electorate.positions[i] != VIEW_NONE;
        members |= votes ? voter_set_of(i) : 0;
    }
    return core->view.member_count > 1 && voter_lists_agree(lists, members);
}

/* Z7b: when a coordinator that does not act is to hand over; once in each reign. What counts is
 * whether it may act by the clock, as others read it; it is told so a moment later. */
static uint64_t idle_deadline_ms(const struct core *core)
{
    bool idle = reigns(core) && !core->standing.told_acting &&
                core->succession.handed_epoch < core->view.epoch && has_voters(core) &&
                !standing_is_acting(core, core->now_ms);

    return idle ? core->standing.idle_ms + core->timing.lost_ms : NEVER_MS;
}

void succession_tick(struct core *core)
{
    if (core->now_ms < idle_deadline_ms(core) || core->proposing.sent) {
        return;
    }
    uint32_t successor = successor_next(core);
    REACHED(idle_coordinator_handed_over);
    change_restart(core);
    succession_hand_over(core);
    if (successor != VIEW_NONE) {
        successor_ask(core, successor);
    }
}

uint64_t succession_deadline_ms(const struct core *core)
{
    uint64_t given_back_ms = succession_given_back_ms(core);

    if (given_back_ms <= core->now_ms) {
        given_back_ms = core->now_ms + core->timing.batch_ms; /* Something else is under way. */
    }
    return earlier(given_back_ms, idle_deadline_ms(core));
}

/* --- What the winner builds on --- */

/* The view leaves out a member that this node hears, or one that its maker never saw. */
static bool loses_somebody(const struct core *core, const struct view *view)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct member *member = &core->view.members[i];
        bool heard = core->peers[i].charge.verdict == VERDICT_NONE && hearing_is_fresh(core, i);
        if ((heard && !view_has(view, &member->id)) ||
            (i > core->position && !view_knows(view, member))) {
            return true;
        }
    }
    return false;
}

/* C4b: the last proposal of a coordinator that had gone deaf must not remove members that live
 * (S8). What a quorum of voters may have committed is never discarded (Z4c). */
static const struct view *safe_base(const struct core *core)
{
    const struct view *base = electorate_highest(core);

    return core_is_strict(core) || !loses_somebody(core, base) ? base : &core->view;
}

/* Was the view made by one whom this node's claim deposes, or by itself? Then nobody else goes by
 * it whom this node would take its coordinator from. */
static bool is_made_by_an_elder(const struct core *core, const struct view *accepted)
{
    return view_find(&core->view, &accepted->members[0].id) <= core->position; /* VIEW_NONE: no */
}

static bool is_higher(const struct core *core, const struct view *view)
{
    const struct view_id theirs = view_id_of(view);
    const struct view_id best = view_id_of(electorate_highest(core));

    return view_id_compare(&theirs, &best) > 0;
}

/* Why the view is not one to build on (C4a); REFUSED_NOT: it is. */
static enum refusal why_not_base(const struct core *core, const struct view *view)
{
    if (core->candidacy.on && view->epoch >= core->candidacy.epoch) {
        return REFUSED_BASE_UNFIT; /* The candidacy under way asks for an epoch that is not above.
                                    */
    }
    if (view->cause == CAUSE_MERGE /* Only its proposer could have the other part's word (M7). */ ||
        view->lineage != core->view.lineage || !view_has(view, &core->life.self.id) ||
        !is_made_by_an_elder(core, view)) {
        return REFUSED_BASE_UNFIT;
    }
    return is_higher(core, view) ? REFUSED_NOT : REFUSED_BASE_NOT_HIGHEST;
}

static bool is_base(const struct core *core, const struct view *view)
{
    const struct view *base = &core->succession.base;

    return !view_is_empty(base) && view->hash == base->hash;
}

static void build_on(struct core *core, const struct view *view)
{
    view_copy(&core->succession.base, view);
    core->succession.unshown = false;
    core->succession.base_ms = core->now_ms;
}

void succession_consider(struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;
    const enum refusal against = why_not_base(core, view);

    if (view->lineage == core->view.lineage) { /* S6: what this node saw given is given. */
        core->succession.next_age = larger(core->succession.next_age, view->next_age);
    }
    if (against != REFUSED_NOT) {
        refuse(core, message, against);
        return;
    }
    REACHED(voter_had_accepted_more);
    build_on(core, view);
}

bool succession_is_unshown(const struct core *core)
{
    return !view_is_empty(&core->succession.base) && core->succession.unshown;
}

bool succession_on_accepted(struct core *core, const struct view *accepted)
{
    /* What this coordinator proposed in its reign and has not installed, it gave up. It was built
     * on a view that it holds, and nobody else could commit it. */
    if ((core_is_coordinator(core) && accepted->epoch == core->view.epoch) ||
        (!is_higher(core, accepted) && !is_base(core, accepted))) {
        return false;
    }
    build_on(core, accepted);
    return true;
}

void succession_compare(struct core *core, const struct message *heartbeat, uint32_t position)
{
    const struct succession *succession = &core->succession;

    if (!core->candidacy.on && !core->change.on &&
        change_is_in_vain(core, heartbeat, position, &succession->base, succession->base_ms)) {
        view_clear(&core->succession.base);
    }
}

void succession_on_begun(struct core *core)
{
    const struct view *accepted = &core->change.pending;

    if (core_is_strict(core)) {
        view_clear(&core->succession.base); /* Z4c: what comes with its grants alone counts. */
        if (!core_is_member(core) && !view_is_empty(&core->voter.accepted)) {
            build_on(core, &core->voter.accepted); /* Z12a: so its own has to. */
            core->succession.unshown = true;
        }
        return;
    }
    if (core->succession.base.epoch >= core->candidacy.epoch) {
        view_clear(&core->succession.base); /* What was shown before may leap (C4a, V7a). */
    }
    if (!view_is_empty(accepted) && why_not_base(core, accepted) == REFUSED_NOT) {
        REACHED(voter_had_accepted_more);
        build_on(core, accepted);
    }
}

/* --- Who goes --- */

static bool is_heard(const struct core *core, uint32_t position)
{
    bool trusted = core->peers[position].charge.verdict == VERDICT_NONE;

    return (trusted && hearing_is_fresh(core, position)) || removal_is_unwarranted(core, position);
}

/* Is this somebody older whom the node hears again, or others do, though it was to succeed it
 * (C4e, C4f)? Not one who leaves, or follows another. */
static bool is_back(const struct core *core, uint32_t position)
{
    return position < core->position && is_heard(core, position) &&
           !follow_has_moved(core, position) &&
           !id_equal(&core->peers[position].id, &core->candidacy.handed_over.life);
}

/* C4c, C4e. What was accepted may have another order (E5b, E7a): who is older there alone is one
 * whom nothing speaks against. An outsider knows no other order (Z8). */
static bool is_succeeded(const struct core *core, uint32_t position, bool older_there)
{
    const bool older = core_is_member(core) ? position < core->position : older_there;

    return older && !core->candidacy.stays && !is_back(core, position);
}

/* Whoever died together with those who are older goes with them. */
static bool is_dead(const struct core *core, uint32_t position)
{
    return position != VIEW_NONE && !core_is_self(core, position) &&
           core->peers[position].charge.verdict == VERDICT_DEAD &&
           removal_is_backed(core, position);
}

static bool is_accused_by(const struct gone *gone, uint64_t age)
{
    for (uint8_t k = 0; k < gone->accuser_count; k++) {
        if (gone->accusers[k] == age) {
            return true;
        }
    }
    return false;
}

/* Members who granted stand behind the removal, next to our own evidence (R5). */
static struct gone evidence_of(const struct core *core, const struct node_id *id, uint32_t position)
{
    struct gone gone = {.reason = GONE_FAILED};

    if (position != VIEW_NONE) {
        gone = removal_evidence(core, position);
    }
    for (uint32_t i = 0; i < core->view.member_count && gone.accuser_count < ACCUSERS_MAX; i++) {
        const uint64_t age = core->view.members[i].age;
        if (core->candidacy.answers[i] == ANSWER_YES && removal_may_be_accused(core, position) &&
            !is_accused_by(&gone, age)) {
            gone.accusers[gone.accuser_count++] = age;
        }
    }
    if (!core->candidacy.stays && id_equal(id, &core->candidacy.handed_over.life)) {
        gone.reason = GONE_LEFT;
    }
    return gone;
}

/* --- The winner's view --- */

/* C4d: what this node saw given is given (S6). */
static uint64_t next_age_of(const struct core *core, const struct view *next)
{
    const struct view *accepted = &core->change.pending;
    const uint64_t seen = larger(core->succession.next_age, core->view.next_age);
    const bool ours = !view_is_empty(accepted) && accepted->lineage == core->view.lineage;

    return larger(next->next_age, larger(seen, ours ? accepted->next_age : 0));
}

/* Without everybody whom this node succeeds; who is older there and stays comes behind it. For an
 * outsider all are older: everybody was gone, it is the first who is back, and they join it. */
static struct view *succeed(struct core *core, const struct view *base)
{
    struct view *next = next_view_begin(core, base, CAUSE_CLAIM);
    const uint32_t own = view_find(next, &core->life.self.id);

    for (uint32_t i = next->member_count; i > 0; i--) {
        const struct node_id id = next->members[i - 1].id;
        const uint32_t position = view_find(&core->view, &id);
        if (is_succeeded(core, position, i - 1 < own) || is_dead(core, position)) {
            struct gone why = evidence_of(core, &id, position);
            view_remove(next, i - 1, &why);
        }
    }
    if (own == VIEW_NONE) {
        view_append(next, &core->life.self);
    }
    if (core->candidacy.handed_over.epoch != 0) {
        next->cause = CAUSE_HANDOVER;
    }
    if (view_find(next, &core->life.self.id) > 0 || core->candidacy.stays) {
        REACHED(claim_overtook);
        successor_overtake(core, next);
    }
    next->next_age = next_age_of(core, next);
    return next;
}

/* Z13a, Z18a: on what a founder's record names, or what a recovery left. */
static struct view *found(struct core *core)
{
    const struct view *founders = &core->voter.accepted;
    struct view *next = next_view_buffer(core);

    view_clear(next);
    next->lineage = core->voter.record.lineage;
    next->cause = CAUSE_FOUND;
    next->parent = founders->parent;
    next->agreed = founders->agreed;
    next->next_age = larger(next->next_age, founders->next_age);
    voter_lists_copy(&next->voters, electorate_lists(core));
    view_append(next, &core->life.self);
    return next;
}

struct view *succession_build(struct core *core)
{
    const struct view *base = safe_base(core);

    if (view_is_empty(base)) {
        return found(core);
    }
    const bool is_out = core_is_member(core) || view_find_gone(base, &core->life.self.id) != NULL;
    return is_out && !view_has(base, &core->life.self.id) ? NULL : succeed(core, base);
}

/* The view that it builds on holds that one. Voters may be away for long, and within T_prepare it
 * would have been so as well. Once, so that it comes to an end. */
bool succession_removes_who_is_back(const struct core *core)
{
    const struct change *change = &core->change;

    if (core->candidacy.anew || !change->on || core->proposing.sent || !core_is_member(core) ||
        core_is_coordinator(core) || change->pending.epoch != core->candidacy.epoch ||
        core->now_ms < change->accepted_ms + core->timing.prepare_ms) {
        return false;
    }
    for (uint32_t i = 0; i < core->position; i++) {
        const struct node_id *older = &core->view.members[i].id;
        if (is_back(core, i) && view_has(electorate_highest(core), older) &&
            view_find_gone(&change->pending, older) != NULL) {
            return true;
        }
    }
    return false;
}

/* --- What becomes of it --- */

void succession_on_view_installed(struct core *core)
{
    view_clear(&core->succession.base);
    core->succession.next_age = 0;
}

void succession_reset(struct core *core)
{
    succession_on_view_installed(core);
    core->succession.handed_epoch = 0;
}
