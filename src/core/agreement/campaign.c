#include "core/agreement/campaign.h"

#include <string.h>

#include "core/agreement/absent.h"
#include "core/agreement/change.h"
#include "core/agreement/change_count.h"
#include "core/agreement/change_propose.h"
#include "core/agreement/claim.h"
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
#include "core/detection/route.h"
#include "core/detection/standing.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

static void tell(struct core *core, enum claim_step step)
{
    struct notice *notice = outbox_notice_of(core, NOTICE_CLAIM, &core->life.self);

    notice->claim = step;
    notice->epoch = core->campaign.epoch;
}

/* --- What the winner builds on --- */

/* Z12a: its voters decide now. What they have answered stands, for the epoch is the same. */
static void count_by(struct core *core, const struct voter_lists *former)
{
    struct campaign *campaign = &core->campaign;
    const struct voter_lists *lists = electorate_lists(core);
    uint64_t leased_ms[VOTERS_LISTED_MAX] = {0};

    for (uint8_t i = 0; i < lists->count; i++) {
        const uint8_t place = voter_lists_find(former, &lists->voters[i].record);
        leased_ms[i] = place == VOTER_NONE ? 0 : campaign->leased_ms[place];
    }
    memcpy(campaign->leased_ms, leased_ms, sizeof leased_ms);
    campaign->tally.granted = voter_lists_move(campaign->tally.granted, former, lists);
    campaign->tally.refused = voter_lists_move(campaign->tally.refused, former, lists);
    if (voter_lists_all(lists) != campaign->tally.granted) {
        campaign->asking.again_ms = core->now_ms; /* Some of them may not have been asked yet. */
    }
}

static void consider(struct core *core, const struct view *accepted)
{
    struct view_id theirs = view_id_of(accepted);
    struct view_id best = view_id_of(&core->campaign.best);

    /* What this coordinator proposed in its reign and has not installed, it gave up. It was built
     * on a view that it holds, and nobody else could commit it. */
    if (core_is_coordinator(core) && theirs.epoch == core->view.epoch) {
        return;
    }
    if (view_is_empty(&core->campaign.best) || view_id_compare(&theirs, &best) > 0) {
        struct voter_lists former;
        voter_lists_copy(&former, electorate_lists(core));
        view_copy(&core->campaign.best, accepted);
        if (!voter_lists_equal(&former, electorate_lists(core))) {
            count_by(core, &former);
        }
    }
}

static struct gone evidence_of(const struct core *core, const struct member *member)
{
    uint32_t position = view_find(&core->view, &member->id);
    struct gone why = {.reason = GONE_FAILED};

    if (position != VIEW_NONE) {
        why = removal_evidence(core, position);
    }
    if (!core->campaign.stays && id_equal(&member->id, &core->campaign.handed_over.life)) {
        why.reason = GONE_LEFT;
    }
    return why;
}

/* Whoever died together with those who are older goes with them. */
static bool is_dead(const struct core *core, const struct member *member)
{
    uint32_t position = view_find(&core->view, &member->id);

    return position != VIEW_NONE && core->peers[position].charge.verdict == VERDICT_DEAD &&
           removal_is_backed(core, position);
}

/* Is this somebody whom the node succeeds? What was accepted may have another order (E5b, E7a): who
 * is older there alone is one whom nothing speaks against. */
static bool is_succeeded(const struct core *core, const struct member *member)
{
    uint32_t position = view_find(&core->view, &member->id);

    return !core_is_member(core) || (position != VIEW_NONE && position < core->position);
}

static bool is_heard(const struct core *core, uint32_t position)
{
    bool trusted = core->peers[position].charge.verdict == VERDICT_NONE;

    return (trusted && hearing_is_fresh(core, position)) || removal_is_unwarranted(core, position);
}

/* Is this somebody older whom the node hears again, or others do, though it was to succeed it
 * (Z4e, Z5d)? Not one who leaves, or follows another. */
static bool is_back(const struct core *core, const struct member *member)
{
    uint32_t position = view_find(&core->view, &member->id);

    return position < core->position && is_heard(core, position) &&
           !follow_has_moved(core, position) &&
           !id_equal(&member->id, &core->campaign.handed_over.life);
}

static bool goes(const struct core *core, const struct member *member, bool older)
{
    return (older && !core->campaign.stays && is_succeeded(core, member) &&
            !is_back(core, member)) ||
           (!id_equal(&member->id, &core->life.self.id) && is_dead(core, member));
}

/* Without everybody older than this node, who is in it; or, where they stay, ahead of them. */
static struct view *succeed(struct core *core, const struct view *base)
{
    struct view *next = next_view_begin(core, base, CAUSE_CLAIM);
    uint32_t own = view_find(next, &core->life.self.id);

    for (uint32_t i = next->member_count; i > 0; i--) {
        if (goes(core, &next->members[i - 1], i - 1 < own)) {
            struct gone why = evidence_of(core, &next->members[i - 1]);
            view_remove(next, i - 1, &why);
        }
    }
    bool overtakes = view_find(next, &core->life.self.id) > 0;
    if (overtakes || core->campaign.handed_over.epoch != 0) {
        next->cause = CAUSE_HANDOVER;
    }
    if (overtakes || core->campaign.stays) {
        successor_overtake(core, next);
    }
    return next;
}

/* Everybody was gone, and this node is the first who is back: all of them join it. */
static struct view *restart(struct core *core, const struct view *base)
{
    struct view *next = next_view_begin(core, base, CAUSE_CLAIM);
    const struct gone why = {.reason = GONE_FAILED};

    while (next->member_count > 0) {
        view_remove(next, next->member_count - 1, &why);
    }
    view_append(next, &core->life.self);
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

static void propose(struct core *core, struct view *next)
{
    next->epoch = core->campaign.epoch;
    change_propose(core, next,
                   &(struct proposal){.first_joiner = next->member_count, .forced = true});
}

static void win(struct core *core)
{
    const struct view *base = electorate_highest(core);
    struct view *next;

    tell(core, CLAIM_WON);
    core->campaign.on = false;
    if (view_is_empty(base)) {
        next = found(core);
    } else if (view_has(base, &core->life.self.id)) {
        next = succeed(core, base);
    } else if (core_is_member(core) || view_find_gone(base, &core->life.self.id) != NULL) {
        REACHED(won_and_was_out);
        core->campaign.out = true;
        return;
    } else {
        next = restart(core, base);
    }
    propose(core, next);
}

/* The view that the node has built on, when it had won. */
static const struct view *built_on(const struct core *core)
{
    const struct view_id best = view_id_of(&core->campaign.best);
    const struct view_id ours = view_id_of(&core->view);

    return view_id_compare(&best, &ours) > 0 ? &core->campaign.best : &core->view;
}

/* Z5d: what the node proposed when it had won removes somebody who is back, and need not: the view
 * that it builds on holds that one. Voters may be away for long, and within T_prepare it would have
 * been so as well. Once, so that it comes to an end. */
static bool removes_who_is_back(const struct core *core)
{
    const struct change *change = &core->change;

    if (core->campaign.anew || !change->on || core->proposing.sent || !core_is_member(core) ||
        core_is_coordinator(core) || change->pending.epoch != core->campaign.epoch ||
        core->now_ms < change->accepted_ms + core->timing.prepare_ms) {
        return false;
    }
    for (uint32_t i = 0; i < core->position; i++) {
        const struct member *older = &core->view.members[i];
        if (is_back(core, older) && view_has(built_on(core), &older->id) &&
            view_find_gone(&change->pending, &older->id) != NULL) {
            return true;
        }
    }
    return false;
}

/* Under the same epoch, and on the view that the grants showed: the highest that a quorum of voters
 * had accepted is still built on, and answers to the former proposal count no more (Z5b). */
static void propose_anew(struct core *core)
{
    REACHED(older_one_came_back);
    core->campaign.anew = true;
    propose(core, succeed(core, built_on(core)));
}

bool campaign_take_out(struct core *core)
{
    bool out = core->campaign.out;

    core->campaign.out = false;
    return out;
}

/* --- Asking --- */

static void lose(struct core *core)
{
    core->campaign.on = false;
    promise_back_off(core);
    tell(core, CLAIM_LOST);
}

/* Of the view it is in; an outsider knows of no other than its record's. */
static uint64_t lineage_of(const struct core *core)
{
    return view_is_empty(&core->view) ? core->voter.record.lineage : core->view.lineage;
}

static struct vote_question own_question(const struct core *core)
{
    return (struct vote_question){.kind = VOTE_CLAIM,
                                  .lineage = lineage_of(core),
                                  .ballot = {core->campaign.epoch, core->life.self.id},
                                  .lease_ms = core->timing.lease_ms,
                                  .hold_ms = timing_hold_ms(&core->timing),
                                  .handed_over = core->campaign.handed_over,
                                  .view = view_id_of(&core->view)};
}

/* Last, when the others suffice with it: a candidate that reaches nobody binds nobody, least of all
 * its own voter, which the coordinator would then lack. */
static void ask_own_voter(struct core *core)
{
    const struct voter_lists *lists = electorate_lists(core);
    const struct tally *tally = &core->campaign.tally;
    const uint8_t place = electorate_own(core, lists);
    struct message vote;

    if (place != VOTER_NONE && ((tally->granted | tally->refused) & voter_set_of(place)) == 0 &&
        voter_lists_agree(lists, tally->granted | voter_set_of(place))) {
        const struct vote_question question = own_question(core);
        if (voting_ask_self(core, &question, &vote)) {
            campaign_on_vote(core, &vote);
        }
    }
}

/* When those who have not granted are asked again: each time after twice as long, and who has
 * leased when that is over, as it said. */
static uint64_t asks_next_ms(struct core *core)
{
    struct campaign *campaign = &core->campaign;
    const uint64_t shortest_ms = core->timing.prepare_ms / 3;
    uint64_t next_ms = core->now_ms +
                       (shortest_ms << (campaign->askings < 3 ? campaign->askings : 3));

    campaign->askings++;
    for (uint32_t i = 0; i < VOTERS_LISTED_MAX; i++) {
        if (campaign->leased_ms[i] > core->now_ms) {
            next_ms = earlier(next_ms, campaign->leased_ms[i]);
        }
    }
    return next_ms;
}

/* Z13a: an outsider that has accepted nothing yet shows with whom the cluster is founded. */
static struct view *view_to_show(struct core *core)
{
    if (!view_is_empty(&core->view)) {
        return &core->view;
    }
    return view_is_of_founders(&core->voter.accepted) ? &core->voter.accepted : NULL;
}

/* Z16c: who is no member makes no tests of C2, and would be bound to whoever asks it. So it is
 * asked when it could decide, with those who have granted and this node's own voter. */
static voter_set who_is_asked(const struct core *core)
{
    const struct voter_lists *lists = electorate_lists(core);
    const struct tally *tally = &core->campaign.tally;
    const voter_set left = voter_lists_all(lists) & ~(tally->granted | tally->refused);
    const voter_set absent = electorate_absent(core, lists);
    const uint8_t own = electorate_own(core, lists);
    const voter_set deciding = absent | (own == VOTER_NONE ? 0 : voter_set_of(own));
    const bool could_decide = voter_lists_agree(lists, tally->granted | (deciding & left));

    return could_decide ? left : left & ~absent;
}

static void ask(struct core *core, bool again)
{
    struct message *message = outbox_message(core, MESSAGE_BALLOT);

    if (message != NULL) {
        message->carrier.view = view_to_show(core);
        message->carrier.lineage = lineage_of(core);
        message->carrier.epoch = core->campaign.epoch;
        message->carrier.handover_by = core->campaign.handed_over.life;
        message->carrier.handover_epoch = core->campaign.handed_over.epoch;
        message->carrier.lease_ms = core->timing.lease_ms;
        message->carrier.hold_ms = timing_hold_ms(&core->timing);
    }
    const uint32_t sendings = core->campaign.askings;
    core->campaign.asking.again_ms = asks_next_ms(core);
    core->campaign.asked = who_is_asked(core);
    electorate_ask(core, message, electorate_lists(core), core->campaign.asked,
                   core->campaign.leased_ms, sendings);
    if (again) {
        electorate_seek(core, message);
    }
    ask_own_voter(core);
}

static void start(struct core *core, const struct ballot *handed_over, bool stays)
{
    struct campaign *campaign = &core->campaign;

    change_restart(core);
    campaign->on = true;
    campaign->anew = false;
    campaign->epoch = promise_new_epoch(core);
    campaign->handed_over = *handed_over;
    campaign->stays = stays;
    campaign->asking.until_ms = core->now_ms + core->timing.lease_ms + core->timing.claim_ms;
    campaign->last_chance = false;
    campaign->askings = 0;
    memset(campaign->leased_ms, 0, sizeof campaign->leased_ms);
    memset(&campaign->tally, 0, sizeof campaign->tally);
    view_clear(&campaign->best);
    promise_saw_epoch(core, campaign->epoch); /* No life asks for one twice. */
    tell(core, CLAIM_STARTED);
    ask(core, false);
}

/* --- Who begins --- */

/* Z7b: nothing came of what this node handed over by then, so it may ask for an epoch above that.
 */
static uint64_t given_back_ms(const struct core *core)
{
    bool handed = core_is_strict(core) && core_is_coordinator(core) &&
                  core->life.phase == PHASE_MEMBER &&
                  core->campaign.handed_epoch >= core->view.epoch;

    return handed ? core->campaign.handed_ms + 2 * core->timing.lost_ms : NEVER_MS;
}

/* Is that voter there, so that its word is one of now? */
static bool is_voter_fresh(const struct core *core, const struct listed_voter *voter)
{
    const uint32_t position = electorate_position(core, voter);

    return position == VIEW_NONE ? absent_is_fresh(core, &voter->record)
                                 : hearing_is_fresh(core, position);
}

/* The highest epoch to which a voter says that it is bound, as far as this node may go now (V7c).
 * Whoever says so may never answer. */
static uint64_t said_to_bind(const struct core *core)
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

/* A coordinator whose voters have promised more to somebody from whom nothing came (Z5c). */
static bool is_overtaken(const struct core *core)
{
    if (!core_is_coordinator(core) || core->life.phase != PHASE_MEMBER ||
        successor_is_awaited(core)) {
        return false;
    }
    return said_to_bind(core) > core->view.epoch || change_is_overtaken(core) ||
           core->now_ms >= given_back_ms(core) || voting_own_promise(core) > core->view.epoch;
}

static bool may_begin(const struct core *core)
{
    return !core->campaign.on && core->life.phase == PHASE_MEMBER && !core->change.on &&
           core->now_ms >= core->promise.backoff_ms;
}

/* What the coordinator of the view has handed over, by its own word. */
static struct ballot handed_over_to_us(const struct core *core)
{
    return elders_coordinator_has_handed_over(core)
               ? (struct ballot){core->view.epoch, core->view.members[0].id}
               : (struct ballot){.epoch = 0};
}

void campaign_on_evidence(struct core *core)
{
    bool candidate = claim_is_ours(core);

    if (core->campaign.on && core->position > 0 && core->campaign.handed_over.epoch == 0 &&
        !core->campaign.stays && core_is_member(core) && !claim_goes_on(core)) {
        REACHED(campaign_ended_by_a_sign_of_life);
        lose(core);
        return;
    }
    const struct ballot by = handed_over_to_us(core);
    if (core->campaign.on && core->campaign.handed_over.epoch == 0 && by.epoch != 0) {
        core->campaign.handed_over = by; /* It has lived on, and says so only now. */
        core->campaign.stays = true;
    }
    if (may_begin(core) && (candidate || is_overtaken(core))) {
        if (core_is_coordinator(core)) {
            promise_saw_epoch(core, said_to_bind(core));
        }
        /* E6: who is older by what was handed over stays; nobody else is older than a coordinator.
         */
        start(core, &by, by.epoch != 0 || core_is_coordinator(core));
    }
}

static void on_handed_over(struct core *core, const struct ballot *by, bool stays)
{
    if (!core->campaign.on || !ballot_equal(&core->campaign.handed_over, by) ||
        core->campaign.stays != stays) {
        start(core, by, stays);
    }
}

void campaign_on_handover(struct core *core, const struct ballot *by)
{
    on_handed_over(core, by, false);
}

void campaign_on_stand_down(struct core *core, const struct ballot *by)
{
    on_handed_over(core, by, true);
}

void campaign_on_followed(struct core *core)
{
    const struct ballot nobody = {.epoch = 0};

    if (may_begin(core)) {
        start(core, &nobody, true);
    }
}

void campaign_as_outsider(struct core *core)
{
    const struct ballot nobody = {.epoch = 0};

    if (!core->campaign.on && !core->change.on) {
        start(core, &nobody, false);
    }
}

/* --- Answers --- */

static bool is_for_us(struct core *core, const struct message *vote)
{
    if (core->campaign.on && vote->carrier.epoch == core->campaign.epoch) {
        return true;
    }
    refuse(core, vote, REFUSED_ANOTHER_CLAIM);
    return false;
}

/* Z4g: later only while no voter is bound to that epoch or a higher one. */
static void wait_until(struct core *core, uint64_t until_ms)
{
    struct campaign *campaign = &core->campaign;
    const bool refused = campaign->tally.refused != 0;

    campaign->asking.until_ms = refused ? earlier(campaign->asking.until_ms, until_ms) : until_ms;
    campaign->last_chance = campaign->last_chance && refused;
}

/* The voter's own clock tells for how long yet. */
static void asks_when_lease_ends(struct core *core, const struct vote_answer *answer, uint8_t place)
{
    const uint64_t wait_ms = earlier(answer->wait_ms, core->timing.lost_ms);
    const uint64_t ends_ms = core->now_ms + wait_ms + 1;

    core->campaign.leased_ms[place] = ends_ms;
    core->campaign.asking.again_ms = earlier(core->campaign.asking.again_ms, ends_ms);
    wait_until(core, core->now_ms + wait_ms + core->timing.claim_ms);
}

/* Soon again where somebody older is only fresh yet: its lifeline may close any moment. */
static void ask_again_in(struct core *core, uint64_t wait_ms)
{
    uint64_t soon_ms = core->now_ms + earlier(wait_ms + 1, core->timing.batch_ms);

    core->campaign.asking.again_ms = earlier(core->campaign.asking.again_ms, soon_ms);
    wait_until(core, core->now_ms + wait_ms + core->timing.claim_ms);
}

/* Z15c: a voter's word is believed for no longer than it can be true: a lease, and then a T_hold,
 * of the longest that there are. */
static void note_held(struct core *core, uint64_t wait_ms)
{
    const uint64_t until_ms = core->now_ms + earlier(wait_ms, UINT64_C(2) * LEASE_MS_MAX);

    if (wait_ms != 0 && until_ms > core->campaign.held_until_ms) {
        core->campaign.held_until_ms = until_ms;
    }
}

void campaign_on_vote(struct core *core, const struct message *vote)
{
    const struct vote_answer *answer = &vote->carrier.vote;
    const struct voter_lists *lists = electorate_lists(core);
    const uint8_t place = voter_lists_find(lists, &answer->record);
    struct tally *tally = &core->campaign.tally;

    if (!is_for_us(core, vote) || place == VOTER_NONE) {
        return;
    }
    electorate_learn_from(core, vote, lists->voters[place].name);
    switch (answer->result) {
    case VOTE_GRANTED:
        tally->granted |= voter_set_of(place);
        tally->refused &= ~voter_set_of(place);
        note_held(core, answer->wait_ms);
        if (vote->carrier.view != NULL) {
            consider(core, vote->carrier.view);
        }
        break;
    case VOTE_REFUSED_EPOCH:
        promise_saw_epoch(core, answer->promised);
        tally->refused |= voter_set_of(place);
        tally->granted &= ~voter_set_of(place);
        wait_until(core, core->now_ms + core->timing.prepare_ms);
        if (!voter_lists_agree(lists, voter_lists_all(lists) & ~tally->refused)) {
            lose(core);
        }
        return;
    case VOTE_REFUSED_FRESH:
        if (!core_is_member(core)) {
            REACHED(outsider_found_a_member);
            lose(core); /* A cluster is there: it is to be joined. */
            return;
        }
        ask_again_in(core, earlier(answer->wait_ms, core->timing.lost_ms));
        return;
    case VOTE_REFUSED_LEASE:
        asks_when_lease_ends(core, answer, place);
        return;
    case VOTE_WAITS:
    case VOTE_MUTE:
    case VOTE_UNPROVED:
        return;
    }
    if (voter_lists_agree(electorate_lists(core), tally->granted)) {
        win(core);
        return;
    }
    if ((who_is_asked(core) & ~core->campaign.asked) != 0) {
        core->campaign.asking.again_ms = core->now_ms;
    }
    ask_own_voter(core);
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
    bool idle = core_is_strict(core) && core_is_coordinator(core) &&
                core->life.phase == PHASE_MEMBER && !core->standing.told_acting &&
                core->campaign.handed_epoch < core->view.epoch && core->campaign.has_voters &&
                !standing_is_acting(core, core->now_ms);

    return idle ? core->standing.idle_ms + core->timing.lost_ms : NEVER_MS;
}

static void hand_over_idle(struct core *core)
{
    uint32_t successor = successor_next(core);

    REACHED(idle_coordinator_handed_over);
    change_restart(core);
    campaign_hand_over(core);
    if (successor != VIEW_NONE) {
        successor_ask(core, successor);
    }
}

/* Z4h: a slow loop has the answers still before it. */
static void end_campaign(struct core *core)
{
    struct campaign *campaign = &core->campaign;

    if (campaign->last_chance) {
        lose(core);
    } else {
        campaign->last_chance = true;
        campaign->asking.until_ms = core->now_ms + core->timing.batch_ms;
    }
}

void campaign_tick(struct core *core)
{
    if (core->now_ms >= idle_deadline_ms(core) && !core->proposing.sent) {
        hand_over_idle(core);
    }
    if (core->now_ms >= given_back_ms(core) && may_begin(core)) {
        const struct ballot nobody = {.epoch = 0};
        start(core, &nobody, true);
    }
    if (removes_who_is_back(core)) {
        propose_anew(core);
    }
    if (!core->campaign.on) {
        return;
    }
    if (voter_lists_agree(electorate_lists(core), core->campaign.tally.granted)) {
        win(core);
    } else if (asking_is_over(&core->campaign.asking, core->now_ms)) {
        end_campaign(core);
    } else if (asking_is_due(&core->campaign.asking, core->now_ms)) {
        ask(core, true);
    }
}

uint64_t campaign_deadline_ms(const struct core *core)
{
    uint64_t asked_ms = core->campaign.on ? asking_deadline_ms(&core->campaign.asking) : NEVER_MS;

    uint64_t given_back = given_back_ms(core);
    if (given_back != NEVER_MS && given_back <= core->now_ms) {
        given_back = core->now_ms + core->timing.batch_ms; /* Something else is under way. */
    }
    return earlier(asked_ms, earlier(given_back, idle_deadline_ms(core)));
}

void campaign_hand_over(struct core *core)
{
    core->campaign.handed_epoch = core->view.epoch;
    core->campaign.handed_ms = core->now_ms;
}

void campaign_take_back(struct core *core)
{
    core->campaign.handed_ms = 0;
}

void campaign_drop(struct core *core)
{
    core->campaign.on = false;
}

void campaign_on_view_installed(struct core *core)
{
    campaign_drop(core);
    core->campaign.has_voters = has_voters(core);
}

void campaign_reset(struct core *core)
{
    campaign_drop(core);
    core->campaign.out = false;
    core->campaign.epoch = 0;
    core->campaign.handed_epoch = 0;
}
