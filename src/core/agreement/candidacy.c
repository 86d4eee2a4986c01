#include "core/agreement/candidacy.h"

#include <string.h>

#include "core/agreement/behind.h"
#include "core/agreement/change.h"
#include "core/agreement/change_propose.h"
#include "core/agreement/electorate.h"
#include "core/agreement/install.h"
#include "core/agreement/promise.h"
#include "core/agreement/succession.h"
#include "core/agreement/unanswered.h"
#include "core/agreement/voting.h"
#include "core/detection/detector.h"
#include "core/detection/elders.h"
#include "core/detection/hearing.h"
#include "core/detection/route.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

enum {
    CHANCES_MAX = 4, /* of a candidate whose own loop is slow */
    UNHEARD_MAX = 6, /* doubles the time for voters so often at the most */
};

/* Is the electorate the voters? Else it is the members. */
static bool asks_voters(const struct core *core)
{
    return core_is_strict(core);
}

/* What the answers make of it so far. */
struct poll {
    bool won;
    bool mute; /* L3b: most of those who could answer say nothing */
};

/* --- The question --- */

/* Z13a: an outsider shows with whom the cluster was founded as long as they vote; and no more of a
 * view that it has accepted, for that may never be committed. */
static struct view *founders_to_show(struct core *core)
{
    const struct voter_lists *lists = &core->voter.accepted.voters;
    struct view *founders = &core->candidacy.founders;

    if (lists->count == 0 || lists->number != FOUNDERS_NUMBER) {
        return NULL;
    }
    view_clear(founders);
    founders->lineage = core->voter.record.lineage;
    voter_lists_copy(&founders->voters, lists);
    view_seal(founders);
    return founders;
}

/* Members are told the name of the view, so that the claim reaches those, too, who get nothing long
 * (C2a); a voter may be no member. */
static struct view *view_to_show(struct core *core)
{
    if (view_is_empty(&core->view)) {
        return founders_to_show(core);
    }
    return asks_voters(core) ? &core->view : NULL;
}

/* An outsider knows of no other lineage than its record's. */
static void fill_in(struct core *core, struct message *question)
{
    const struct candidacy *candidacy = &core->candidacy;
    struct view_carrier *carrier = &question->carrier;
    const bool outside = view_is_empty(&core->view);

    carrier->view = view_to_show(core);
    carrier->named = view_reference_of(&core->view);
    carrier->epoch = candidacy->epoch;
    carrier->handover_by = candidacy->handed_over.life;
    carrier->handover_epoch = candidacy->handed_over.epoch;
    carrier->lineage = outside ? core->voter.record.lineage : core->view.lineage;
    carrier->lease_ms = core->timing.lease_ms;
    carrier->hold_ms = timing_hold_ms(&core->timing);
}

static struct message *make_question(struct core *core)
{
    struct message *question = outbox_message(core, MESSAGE_CLAIM);

    if (question != NULL) {
        fill_in(core, question);
    }
    return question;
}

/* --- The members as electorate (C) --- */

/* C3a: who is suspected, or passed over, is not counted. */
static bool is_counted(const struct core *core, uint32_t position)
{
    return !core_is_self(core, position) && core->peers[position].charge.verdict == VERDICT_NONE &&
           !elders_are_passed_over(core, position);
}

/* L3b: is it heard, and, where it is watched, has it said that it holds the view? A joiner that has
 * not heard yet that it is in (J6) answers nothing. */
static bool could_answer(const struct core *core, uint32_t position)
{
    return hearing_is_fresh(core, position) &&
           (!watch_is_on(core, position) || hearing_holds_our_view(core, position));
}

/* C3a. It has its own vote. */
static struct poll poll_members(const struct core *core, bool over)
{
    const uint32_t size = core->view.member_count;
    uint32_t counted = 1;
    uint32_t granted = 1;
    uint32_t silent = 0;
    uint32_t mute = 0;
    bool refused = false;

    for (uint32_t i = 0; i < size; i++) {
        const enum answer answer = (enum answer)core->candidacy.answers[i];
        const bool is_silent = is_counted(core, i) && answer == ANSWER_NONE;
        granted += answer == ANSWER_YES;
        refused |= answer == ANSWER_NO;
        counted += is_counted(core, i);
        silent += is_silent;
        mute += is_silent && could_answer(core, i);
    }
    return (struct poll){.won = !refused && (silent == 0 || over) &&
                                quorum_is_majority(granted, counted),
                         .mute = mute > (counted - 1) / 2};
}

/* At first everybody is asked; then those whose answer is waited for (C3c), and those who refused
 * (C5a). */
static void ask_members(struct core *core, uint32_t before)
{
    const struct message *question = make_question(core);

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const enum answer answer = (enum answer)core->candidacy.answers[i];
        if (!core_is_self(core, i) && answer != ANSWER_YES &&
            (answer == ANSWER_NO || before == 0 || is_counted(core, i))) {
            watch_want_late(core, i, before);
            route_send(core, question, i);
        }
    }
}

/* --- The voters as electorate (Z4) --- */

static struct poll poll_voters(const struct core *core)
{
    return (struct poll){
        .won = voter_lists_agree(electorate_lists(core), core->candidacy.tally.granted) &&
               !succession_is_unshown(core)};
}

/* Z12a: the voters of the view that it would build on now decide. What they have answered stands,
 * for the epoch is the same. */
static void count_by(struct core *core, const struct voter_lists *former)
{
    struct candidacy *candidacy = &core->candidacy;
    const struct voter_lists *lists = electorate_lists(core);

    candidacy->tally.granted = voter_lists_move(candidacy->tally.granted, former, lists);
    candidacy->tally.refused = voter_lists_move(candidacy->tally.refused, former, lists);
    if (voter_lists_all(lists) != candidacy->tally.granted) {
        candidacy->asking.again_ms = core->now_ms; /* Some of them may not have been asked yet. */
    }
}

/* The candidate's own voter is asked last, when the others suffice with it: a candidate that
 * reaches nobody binds nobody, least of all its own voter, which the coordinator would then lack.
 */
static void ask_own_voter(struct core *core)
{
    const struct voter_lists *lists = electorate_lists(core);
    const struct tally *tally = &core->candidacy.tally;
    const uint8_t place = electorate_own(core, lists);
    struct message question;
    struct message vote;

    if (place != VOTER_NONE && !tally_has(tally, place) &&
        voter_lists_agree(lists, tally->granted | voter_set_of(place))) {
        message_clear(&question, MESSAGE_CLAIM);
        question.from = core->life.self.id;
        fill_in(core, &question);
        if (voting_ask_self(core, &question, &vote)) {
            candidacy_on_vote(core, &vote);
        }
    }
}

/* Z16c: who is no member makes no tests of C2, and would be bound to whoever asks it. So it is
 * asked when it could decide, with those who have granted and this node's own voter. */
static voter_set who_is_asked(const struct core *core)
{
    const struct voter_lists *lists = electorate_lists(core);
    const struct tally *tally = &core->candidacy.tally;
    const voter_set left = voter_lists_all(lists) & ~(tally->granted | tally->refused);
    const voter_set absent = electorate_absent(core, lists);
    const uint8_t own = electorate_own(core, lists);
    const voter_set deciding = absent | (own == VOTER_NONE ? 0 : voter_set_of(own));
    const bool could_decide = voter_lists_agree(lists, tally->granted | (deciding & left));

    return could_decide ? left : left & ~absent;
}

static void ask_voters(struct core *core, bool again)
{
    const struct message *question = make_question(core);

    core->candidacy.asked = who_is_asked(core);
    electorate_ask(core, question, electorate_lists(core), core->candidacy.asked);
    if (again) {
        electorate_seek(core, question);
    }
}

/* --- Beginning, and coming to an end --- */

void candidacy_tell(struct core *core, enum claim_step step, const struct member *claimant,
                    uint64_t epoch)
{
    struct notice *notice = outbox_notice_of(core, NOTICE_CLAIM, claimant);

    notice->claim = step;
    notice->epoch = epoch;
}

static void tell(struct core *core, enum claim_step step)
{
    candidacy_tell(core, step,
                   core_is_member(core) ? &core->view.members[core->position] : &core->life.self,
                   core->candidacy.epoch);
}

/* Who has not granted is asked again, each time after twice as long. To a voter that is no member
 * the whole view goes each time, so those are asked more rarely (Z4a, C3c). */
static void ask(struct core *core)
{
    struct candidacy *candidacy = &core->candidacy;
    const uint32_t before = candidacy->askings++;

    if (asks_voters(core)) {
        candidacy->asking.again_ms = core->now_ms + ((uint64_t)core->timing.prepare_ms / 3
                                                     << (before < 3 ? before : 3));
        ask_voters(core, before > 0);
        ask_own_voter(core);
    } else {
        candidacy->asking.again_ms = core->now_ms + timing_resend_ms(&core->timing, before + 1);
        ask_members(core, before);
    }
}

/* Z4h: a disk may take longer for a promise, and each epoch is another one. */
static uint64_t time_for_voters_ms(const struct core *core)
{
    const struct timing *timing = &core->timing;
    const uint64_t patient_ms = (uint64_t)timing->claim_ms << core->candidacy.unheard;

    return timing->lease_ms + earlier(patient_ms, larger(timing->stall_ms, timing->claim_ms));
}

/* V2a, Z4a: gives the candidacy an epoch above all that this node has seen; no life asks for one
 * twice. C3a: who asks members grants its own claim; a voter is asked (Z4a). */
static void take_epoch(struct core *core)
{
    struct candidacy *candidacy = &core->candidacy;
    const struct timing *timing = &core->timing;

    if (asks_voters(core)) {
        asking_begin(&candidacy->asking, core->now_ms, time_for_voters_ms(core));
        candidacy->epoch = larger(promise_epoch_to_ask(core), candidacy->epoch + 1);
        promise_saw_epoch(core, candidacy->epoch);
    } else {
        asking_begin(&candidacy->asking, core->now_ms, timing->claim_ms);
        candidacy->epoch = larger(promise_epoch_to_claim(core), core->promise.epoch + 1);
        promise_give(core, candidacy->epoch, &core->life.self.id,
                     core->now_ms + 2 * timing->claim_ms);
    }
}

static void start(struct core *core, const struct ballot *handed_over, bool stays)
{
    struct candidacy *candidacy = &core->candidacy;

    change_restart(core);
    take_epoch(core);
    candidacy->on = true;
    candidacy->anew = false;
    candidacy->handed_over = *handed_over;
    candidacy->stays = stays;
    candidacy->askings = 0;
    memset(candidacy->answers, ANSWER_NONE, core->view.member_count);
    memset(&candidacy->tally, 0, sizeof candidacy->tally);
    succession_on_begun(core);
    tell(core, CLAIM_STARTED);
    ask(core);
}

static void lose(struct core *core)
{
    core->candidacy.on = false;
    promise_back_off(core);
    tell(core, CLAIM_LOST);
}

/* C4e: among members, who is not in the candidate's own view has to answer. */
static void propose(struct core *core, struct view *next)
{
    next->epoch = core->candidacy.epoch;
    change_propose(core, next,
                   &(struct proposal){.first_joiner = asks_voters(core) ? next->member_count : 0});
}

static void win(struct core *core)
{
    core->candidacy.unheard = 0;
    tell(core, CLAIM_WON);
    struct view *next = succession_build(core);
    core->candidacy.on = false;
    if (next == NULL) {
        REACHED(won_and_was_out);
        core->candidacy.out = true;
        return;
    }
    propose(core, next);
}

/* C4f: under the same epoch, and on the view that the grants showed: the highest that a quorum of
 * voters had accepted is still built on, and answers to the former proposal count no more (Z5b). */
static void propose_anew(struct core *core)
{
    REACHED(older_one_came_back);
    core->candidacy.anew = true;
    propose(core, succession_build(core));
}

bool candidacy_take_out(struct core *core)
{
    bool out = core->candidacy.out;

    core->candidacy.out = false;
    return out;
}

/* --- Who begins --- */

static bool may_begin(const struct core *core)
{
    return !core->candidacy.on && core->life.phase == PHASE_MEMBER && !core->change.on &&
           pause_is_over(&core->promise.backoff, core->now_ms);
}

void candidacy_on_evidence(struct core *core)
{
    struct candidacy *candidacy = &core->candidacy;
    const struct ballot by = succession_handed_over(core);

    if (candidacy->on && succession_is_void(core)) {
        REACHED(candidacy_ended_by_a_sign_of_life);
        lose(core);
        return;
    }
    if (candidacy->on && candidacy->handed_over.epoch == 0 && by.epoch != 0) {
        candidacy->handed_over = by; /* The coordinator has lived on, and says so only now. */
        candidacy->stays = true;
    }
    if (may_begin(core) && (succession_is_ours(core) || succession_is_overtaken(core))) {
        if (core_is_coordinator(core)) {
            promise_saw_epoch(core, succession_said_to_bind(core));
        }
        /* E6: who is older by what was handed over stays; nobody else is older than a coordinator.
         */
        start(core, &by, by.epoch != 0 || core_is_coordinator(core));
    }
}

bool candidacy_on_handover(struct core *core, const struct ballot *by, bool stays)
{
    if (!asks_voters(core)) {
        return false;
    }
    if (!core->candidacy.on || !ballot_equal(&core->candidacy.handed_over, by) ||
        core->candidacy.stays != stays) {
        start(core, by, stays);
    }
    return true;
}

bool candidacy_on_followed(struct core *core)
{
    const bool voters = asks_voters(core);

    if (voters && may_begin(core) && succession_is_called_for(core)) {
        start(core, &(struct ballot){.epoch = 0}, true);
    }
    return voters;
}

void candidacy_as_outsider(struct core *core)
{
    if (!core->candidacy.on && !core->change.on) {
        start(core, &(struct ballot){.epoch = 0}, false);
    }
}

/* --- Answers --- */

/* The refusal holds for `wait_ms` alone: the candidate asks again then (C5a, Z4g), and has T_claim
 * more for that; but no longer once a voter is bound to that epoch or a higher one. */
static void wait_for(struct core *core, uint64_t wait_ms)
{
    struct candidacy *candidacy = &core->candidacy;
    const uint64_t until_ms = core->now_ms + wait_ms + core->timing.claim_ms;

    candidacy->asking.again_ms = earlier(candidacy->asking.again_ms, core->now_ms + wait_ms + 1);
    if (candidacy->tally.refused == 0) {
        asking_prolong(&candidacy->asking, until_ms);
    }
}

/* Z4g: for the other voters it waits T_prepare at most, if they could suffice. Where members decide
 * nobody else could (C3a). */
static void on_bound(struct core *core)
{
    struct asking *asking = &core->candidacy.asking;
    const struct voter_lists *lists = electorate_lists(core);
    const voter_set others = voter_lists_all(lists) & ~core->candidacy.tally.refused;

    asking->until_ms = earlier(asking->until_ms, core->now_ms + core->timing.prepare_ms);
    if (!voter_lists_agree(lists, others)) {
        lose(core);
    }
}

/* A cluster is there, which an outsider is to join; and a member's claim may be over by what its
 * coordinator has named since, without a sign of life that would end it (C1b). */
static void on_fresh(struct core *core, uint64_t wait_ms)
{
    struct asking *asking = &core->candidacy.asking;

    if (!core_is_member(core)) {
        REACHED(outsider_found_a_member);
        lose(core);
        return;
    }
    if (succession_is_void(core)) {
        lose(core);
        return;
    }
    wait_for(core, earlier(wait_ms, core->timing.fresh_ms));
    asking->again_ms = earlier(asking->again_ms, core->now_ms + core->spans.refused_ms);
}

static void on_refused(struct core *core, const struct vote_answer *answer)
{
    core->candidacy.unheard = 0;
    promise_saw_epoch(core, answer->promised);
    switch (answer->result) {
    case VOTE_REFUSED_EPOCH:
        on_bound(core);
        return;
    case VOTE_REFUSED_FRESH:
        on_fresh(core, answer->wait_ms);
        return;
    case VOTE_REFUSED_LEASE: /* The voter's own clock tells for how long yet. */
        wait_for(core, earlier(answer->wait_ms, core->timing.lost_ms));
        return;
    case VOTE_REFUSED_BEHIND:
    case VOTE_GRANTED:
    case VOTE_WAITS:
    case VOTE_MUTE:
    case VOTE_UNPROVED:
        return;
    }
}

/* C4a: it shows what it has accepted. */
static void on_members_grant(struct core *core, const struct message *vote, uint32_t position)
{
    struct candidacy *candidacy = &core->candidacy;
    const struct view *accepted = vote->carrier.view;
    const bool usable = accepted != NULL && install_is_sound(core, vote);

    if (usable && accepted->lineage == core->view.lineage && accepted->epoch >= candidacy->epoch) {
        promise_saw_epoch(core, accepted->epoch);
        refuse(core, vote, REFUSED_GRANT_OF_TAKEN); /* Nobody grants what it knows as taken. */
        return;
    }
    candidacy->answers[position] = ANSWER_YES;
    if (!hearing_holds_our_view(core, position)) {
        detector_on_acknowledged(core, position, 0); /* U3c: both hold the view that it is of. */
    }
    if (usable) {
        succession_consider(core, vote);
    }
}

static void on_members_vote(struct core *core, const struct message *vote, uint32_t position)
{
    const struct vote_answer *answer = &vote->carrier.vote;
    uint8_t *noted = &core->candidacy.answers[position];

    if (answer->result == VOTE_GRANTED) {
        on_members_grant(core, vote, position);
    } else if (*noted == ANSWER_YES) {
        refuse(core, vote, REFUSED_GRANTED_BEFORE); /* The grant stands. */
    } else {
        *noted = ANSWER_NO;
        if (answer->result == VOTE_REFUSED_BEHIND) {
            behind_note(core, position); /* It is shown that view, and mostly gets it. */
        }
        on_refused(core, answer);
    }
}

/* Z15c: a voter's word is believed for no longer than it can be true: a lease, and then a T_hold,
 * of the longest that there are. */
static void note_held(struct core *core, uint64_t wait_ms)
{
    const uint64_t until_ms = core->now_ms + earlier(wait_ms, UINT64_C(2) * LEASE_MS_MAX);

    if (wait_ms != 0 && until_ms > core->candidacy.held_until_ms) {
        core->candidacy.held_until_ms = until_ms;
    }
}

/* Z4c. With another view may come other voters. */
static void consider(struct core *core, const struct view *accepted)
{
    struct voter_lists former;

    voter_lists_copy(&former, electorate_lists(core));
    if (succession_on_accepted(core, accepted) &&
        !voter_lists_equal(&former, electorate_lists(core))) {
        count_by(core, &former);
    }
}

static void on_voters_grant(struct core *core, const struct message *vote, uint8_t place)
{
    struct candidacy *candidacy = &core->candidacy;

    tally_granted(&candidacy->tally, place);
    note_held(core, vote->carrier.vote.wait_ms);
    if (vote->carrier.view != NULL) {
        consider(core, vote->carrier.view);
    }
    if (poll_voters(core).won) {
        win(core);
        return;
    }
    if ((who_is_asked(core) & ~candidacy->asked) != 0) {
        candidacy->asking.again_ms = core->now_ms;
    }
    ask_own_voter(core);
}

static void on_voters_vote(struct core *core, const struct message *vote, uint8_t place)
{
    const struct vote_answer *answer = &vote->carrier.vote;

    electorate_learn_from(core, vote, electorate_lists(core)->voters[place].name);
    if (answer->result == VOTE_GRANTED) {
        on_voters_grant(core, vote, place);
        return;
    }
    if (answer->result == VOTE_REFUSED_EPOCH) {
        tally_refused(&core->candidacy.tally, place);
    }
    on_refused(core, answer);
}

void candidacy_on_vote(struct core *core, const struct message *vote)
{
    const uint8_t place = voter_lists_find(electorate_lists(core), &vote->carrier.vote.record);

    if (!core->candidacy.on || vote->carrier.epoch != core->candidacy.epoch) {
        refuse(core, vote, REFUSED_ANOTHER_CLAIM);
    } else if (place != VOTER_NONE) {
        on_voters_vote(core, vote, place);
    } else if (id_is_none(&vote->carrier.vote.record)) {
        on_members_vote(core, vote, view_find(&core->view, &vote->from));
    }
}

/* --- Time --- */

static void decide(struct core *core)
{
    struct candidacy *candidacy = &core->candidacy;
    const bool over = asking_is_over(&candidacy->asking, core->now_ms);
    const struct poll poll = asks_voters(core) ? poll_voters(core) : poll_members(core, over);

    if (poll.won) {
        win(core);
    } else if (asking_ends(&candidacy->asking, core->now_ms, core->timing.batch_ms, CHANCES_MAX)) {
        if (poll.mute) {
            unanswered_note(core);
        }
        if (candidacy->tally.refused == 0 && candidacy->unheard < UNHEARD_MAX) {
            candidacy->unheard++;
        }
        lose(core);
    } else if (!over && asking_is_due(&candidacy->asking, core->now_ms)) {
        ask(core);
    }
}

void candidacy_tick(struct core *core)
{
    if (core->now_ms >= succession_given_back_ms(core)) {
        (void)candidacy_on_followed(core);
    }
    if (succession_removes_who_is_back(core)) {
        propose_anew(core);
    }
    if (core->candidacy.on) {
        decide(core);
    }
}

uint64_t candidacy_deadline_ms(const struct core *core)
{
    const uint64_t due_ms = earlier(succession_deadline_ms(core), promise_deadline_ms(core));

    return core->candidacy.on ? earlier(due_ms, asking_deadline_ms(&core->candidacy.asking))
                              : due_ms;
}

void candidacy_on_late(struct core *core, uint64_t late_ms)
{
    asking_on_late(&core->candidacy.asking, late_ms);
}

/* If nothing comes of the other one's proposal, what this node knows is judged again. */
void candidacy_give_way(struct core *core, uint64_t epoch)
{
    if (core->candidacy.on && epoch >= core->candidacy.epoch) {
        core->candidacy.on = false;
        promise_pause(core, core->now_ms + timing_proposal_ms(&core->timing));
    }
}

void candidacy_drop(struct core *core)
{
    core->candidacy.on = false;
}

void candidacy_reset(struct core *core)
{
    candidacy_drop(core);
    core->candidacy.out = false;
    core->candidacy.epoch = 0;
}
