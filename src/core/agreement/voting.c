#include "core/agreement/voting.h"

#include "base/hash.h"
#include "core/agreement/accord.h"
#include "core/agreement/authority.h"
#include "core/agreement/electorate.h"
#include "core/agreement/install.h"
#include "core/agreement/promise.h"
#include "core/agreement/voter.h"
#include "core/detection/elders.h"
#include "core/detection/hearing.h"
#include "core/detection/lease.h"
#include "core/detection/route.h"
#include "core/detection/standing.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"
#include "core/state/strangers.h"

/* --- Answers --- */

static bool is_own(const struct vote_question *question)
{
    return address_is_none(&question->address);
}

/* Z4c: the asker proposed it in the reign that it asks from, and leaves it aside. */
static bool was_given_up(const struct vote_question *question, const struct view_id *accepted)
{
    const struct node_id *asker = &question->ballot.life;

    return accepted->epoch == question->view.epoch && id_equal(&accepted->coordinator, asker) &&
           id_equal(&question->view.coordinator, asker);
}

/* A grant shows what was accepted, by the voter or the member, where the asker has not seen it. */
static struct view *shown_with(const struct vote_question *question, const struct vote *vote,
                               struct view *accepted)
{
    const struct view_id id = view_id_of(accepted);
    const bool is_news = !view_is_empty(accepted) && view_id_compare(&id, &question->view) > 0 &&
                         !was_given_up(question, &id);

    return question->kind == VOTE_CLAIM && vote->result == VOTE_GRANTED && is_news ? accepted
                                                                                   : NULL;
}

/* Until the next question makes sense; or, of an epoch that is granted, for how long the one who
 * gets it waits before it grants roles (Z15c): by now, not by when the disk was asked. */
static uint64_t wait_of(const struct core *core, const struct vote_question *question,
                        const struct vote *vote)
{
    return question->kind == VOTE_CLAIM && vote->result == VOTE_GRANTED ? voter_held_ms(core)
                                                                        : vote->wait_ms;
}

static void fill_in(struct core *core, const struct vote_question *question,
                    const struct vote *vote, struct view *accepted, struct message *message)
{
    message->carrier.view = shown_with(question, vote, accepted);
    message->carrier.lineage = question->lineage;
    message->carrier.epoch = question->ballot.epoch;
    message->carrier.vote = (struct vote_answer){.record = core->voter.record.id,
                                                 .kind = question->kind,
                                                 .result = vote->result,
                                                 .version = question->view.version,
                                                 .promised = vote->promised,
                                                 .wait_ms = wait_of(core, question, vote),
                                                 .writes = voter_writes(core)};
}

void voting_reply(struct core *core, const struct vote_question *question, const struct vote *vote,
                  struct view *accepted)
{
    struct message *message = outbox_message(core, MESSAGE_VOTE);

    if (message != NULL) {
        fill_in(core, question, vote, accepted, message);
    }
    if (question->stamp != 0) { /* Z1e: here it is known what for. */
        outbox_answer(core, message, &question->ballot.life, &question->address,
                      (uint32_t)question->stamp);
    } else { /* U3f: who holds the view that it is of perhaps gets nothing long. */
        route_reach_brief(core, message, &question->ballot.life, &question->address);
    }
}

/* As a voter. */
static void reply(struct core *core, const struct vote_question *question, const struct vote *vote)
{
    voting_reply(core, question, vote, &core->voter.accepted);
}

static bool is_answer(const struct vote *vote)
{
    return vote->result == VOTE_GRANTED || vote->result == VOTE_REFUSED_EPOCH ||
           vote->result == VOTE_REFUSED_LEASE || vote->result == VOTE_REFUSED_FRESH;
}

static enum refusal refusal_of(const struct core *core, const struct vote_question *question,
                               const struct vote *vote)
{
    switch (vote->result) {
    case VOTE_REFUSED_EPOCH:
        return ballot_equal(&question->ballot, &core->voter.record.promise) ? REFUSED_VOTE_ACCEPTED
                                                                            : REFUSED_VOTE_PROMISED;
    case VOTE_REFUSED_LEASE:
        return REFUSED_VOTE_LEASED;
    case VOTE_MUTE:
        return voter_goes_by_older(core, core->now_ms) ? REFUSED_OLD_RECORD : REFUSED_VOTER_MUTE;
    case VOTE_REFUSED_FRESH:
        return REFUSED_OLDER_ONE_FRESH;
    case VOTE_REFUSED_BEHIND: /* A member's. */
    case VOTE_GRANTED:
    case VOTE_WAITS:
    case VOTE_UNPROVED:
        break;
    }
    return REFUSED_NOT;
}

/* Z2k: what nobody knows who does not receive where this life was asked from. */
static uint64_t proof_of(const struct core *core, const struct node_id *life)
{
    uint64_t hash = hash_bytes(HASH_START, life->bytes, sizeof life->bytes);

    return hash_finish(hash_u64(hash_u64(hash, core->secret), ~core->secret));
}

static void send_question_for_proof(struct core *core, const struct message *asked)
{
    struct message *ping = outbox_message(core, MESSAGE_PING);
    if (ping != NULL) {
        ping->ping = (struct ping){.nonce = proof_of(core, &asked->from),
                                   .subject = asked->from,
                                   .origin = core->life.self.id};
    }
    outbox_send_to(core, ping, &asked->from, &asked->source);
}

static void ask_for_proof(struct core *core, const struct message *asked)
{
    if (!refuse_beyond_few(core, asked)) {
        refuse(core, asked, REFUSED_VOTER_ASKS_FIRST);
        send_question_for_proof(core, asked);
    }
}

/* Z2k: the voter asks a stranger for proof with the grant, so that the stranger's proposal need not
 * wait for that. */
static void prepare_for_proposal(struct core *core, const struct message *claim)
{
    if (!voter_knows(core, &claim->from) && strangers_take(core, claim)) {
        send_question_for_proof(core, claim);
    }
}

bool voting_take_proof(struct core *core, const struct message *pong)
{
    if (!electorate_may_vote(core) || pong->relay ||
        pong->ping.nonce != proof_of(core, &pong->from)) {
        return false;
    }
    voter_proved(core, &pong->from);
    return true;
}

/* Z2h: who was made to believe in a founding that was none cannot know it from anybody else. */
static void tell_lineage(struct core *core, const struct vote_question *asked)
{
    struct vote_question question = *asked;
    const struct vote mute = {.result = VOTE_MUTE};

    question.lineage = core->voter.record.lineage;
    if (core->voter.record.state == VOTE_RECORD_FOUNDED && voter_votes(core, question.lineage)) {
        reply(core, &question, &mute);
    }
}

static void answer(struct core *core, const struct message *asked,
                   const struct vote_question *question, const struct vote *vote)
{
    enum refusal against = refusal_of(core, question, vote);

    if (against != REFUSED_NOT) {
        refuse(core, asked, against);
    }
    if (is_answer(vote)) {
        reply(core, question, vote);
    } else if (vote->result == VOTE_UNPROVED) {
        ask_for_proof(core, asked);
    }
}

static bool own_answer(struct core *core, const struct vote_question *question,
                       const struct vote *vote, struct message *message)
{
    if (!is_answer(vote)) {
        return false;
    }
    message_clear(message, MESSAGE_VOTE);
    message->from = core->life.self.id;
    fill_in(core, question, vote, &core->voter.accepted, message);
    return true;
}

bool voting_take(struct core *core, struct message *vote)
{
    const struct vote granted = {.result = VOTE_GRANTED};
    struct vote_question question;

    while (voter_take_answer(core, &question)) {
        if (!is_own(&question)) {
            reply(core, &question, &granted);
            continue;
        }
        return own_answer(core, &question, &granted, vote);
    }
    return false;
}

/* --- This node asks itself --- */

/* Z15a: one that has just begun a new life may have been started with other terms, or miss a
 * change of them, and yet is needed. */
static void note_terms(const struct core *core, struct vote_question *question,
                       const struct view *view)
{
    if (view != NULL) {
        const struct timing timing = view->agreed.number != 0 ? agreed_timing(&view->agreed)
                                                              : core->configured.timing;
        question->lease_max_ms = timing.stall_ms;
        question->hold_max_ms = timing_hold_max_ms(&timing);
    }
}

bool voting_prepare_self(struct core *core, const struct view *view, struct message *vote)
{
    struct vote_question question = {.kind = VOTE_PREPARE,
                                     .lineage = view->lineage,
                                     .ballot = {view->epoch, view->members[0].id},
                                     .view = view_id_of(view)};

    accord_lengths(core, &view->agreed, &question.lease_ms, &question.hold_ms);
    note_terms(core, &question, view);
    const struct vote cast = voter_on_prepare(core, &question, view);

    return own_answer(core, &question, &cast, vote);
}

void voting_renew_own(struct core *core)
{
    if (!electorate_may_vote(core) || !core_is_coordinator(core) || standing_is_handed_over(core)) {
        return;
    }
    const struct vote_question question = {.kind = VOTE_HEARTBEAT,
                                           .lineage = core->view.lineage,
                                           .ballot = {core->view.epoch, core->life.self.id},
                                           .lease_ms = core->timing.lease_ms,
                                           .hold_ms = timing_hold_ms(&core->timing)};

    if (voter_on_question(core, &question).result == VOTE_GRANTED) {
        lease_grant_own(core);
    }
}

/* --- Questions from the network --- */

/* What the answer has to echo, where its sender may not know this life as a member (Z1e). */
static uint64_t stamp_of(const struct message *asked)
{
    return asked->fellow ? 0 : asked->echo;
}

/* Z2c: what a member says that it was handed. A stranger says it of anybody. */
static struct ballot handed_over_by(const struct core *core, const struct message *claim)
{
    const struct view_carrier *carrier = &claim->carrier;

    return view_has(&core->view, &claim->from)
               ? (struct ballot){carrier->handover_epoch, carrier->handover_by}
               : (struct ballot){.epoch = 0};
}

/* C2a: a claim that names a view which this node holds, or has accepted, is as good as one that
 * shows it; but to a member under guard strict it does not say that its sender has seen what was
 * accepted there. */
static struct view *view_of(struct core *core, const struct message *claim, bool of_voter)
{
    const bool counts = of_voter ? !core_is_member(core) : !core->change.on;
    struct view *accepted = of_voter ? &core->voter.accepted : &core->change.pending;

    if (claim->carrier.view == NULL && view_is_named(&core->view, &claim->carrier.named)) {
        return &core->view;
    }
    return claim->carrier.view == NULL && counts && view_is_named(accepted, &claim->carrier.named)
               ? accepted
               : claim->carrier.view;
}

static struct vote_question question_of(const struct core *core, const struct message *claim,
                                        bool of_voter)
{
    const struct view_carrier *carrier = &claim->carrier;
    const struct view *view = carrier->view;

    struct vote_question question = {
        .kind = carrier->epoch == 0 ? VOTE_FOUNDING : VOTE_CLAIM,
        .of_voter = of_voter,
        .lineage = carrier->lineage,
        .ballot = {carrier->epoch, claim->from},
        .lease_ms = carrier->lease_ms,
        .hold_ms = carrier->hold_ms,
        .handed_over = handed_over_by(core, claim),
        .address = claim->source,
        .stamp = stamp_of(claim),
        .view = view == NULL ? carrier->named.view : view_id_of(view),
        .founders = view != NULL && view_is_empty(view) ? view : NULL,
    };
    note_terms(core, &question, view);
    return question;
}

bool voting_ask_self(struct core *core, const struct message *asked, struct message *vote)
{
    const struct vote_question question = question_of(core, asked, true);
    const struct vote cast = question.kind == VOTE_FOUNDING ? voter_on_founding(core, &question)
                                                            : voter_on_claim(core, &question);

    return own_answer(core, &question, &cast, vote);
}

/* It is heard, and says that it does not act: it reaches too few voters, and so deposing it does no
 * harm. */
static bool coordinator_is_idle(const struct core *core)
{
    if (core_is_coordinator(core)) {
        return !core->standing.told_acting;
    }
    return hearing_is_fresh(core, 0) && core->peers[0].signs.suspects_ms != 0 &&
           !core->peers[0].signs.acting;
}

/* E5d: it is the coordinator's own word who follows, however many are older. */
static bool is_chosen(const struct core *core, const struct vote_question *question)
{
    return id_equal(&question->handed_over.life, &core->view.members[0].id) &&
           question->handed_over.epoch >= core->view.epoch;
}

/* Z4b: a coordinator that this voter hears must not be deposed by one who does not. */
static bool is_refused_for_freshness(struct core *core, const struct message *claim,
                                     const struct vote_question *question, uint32_t claimant)
{
    watch_want_older(core, claimant);
    uint64_t wait_ms = elders_are_fresh_for_ms(core, claimant, &question->handed_over.life);

    if (wait_ms == 0 || coordinator_is_idle(core) || is_chosen(core, question)) {
        return false;
    }
    const struct vote fresh = {.result = VOTE_REFUSED_FRESH, .wait_ms = wait_ms};
    answer(core, claim, question, &fresh);
    return true;
}

/* Can the view be taken? Z9f: whoever claims with one that cannot be is to hear that somebody
 * coordinates here. */
static bool is_shown_soundly(struct core *core, const struct message *claim,
                             const struct vote_question *question)
{
    const bool of_founders = question->founders != NULL;

    if (claim->carrier.view == NULL || (of_founders ? view_is_sound_of_founders(question->founders)
                                                    : install_is_sound(core, claim))) {
        return true;
    }
    if (of_founders) {
        refuse(core, claim, REFUSED_VIEW_UNSOUND);
    } else if (question->kind == VOTE_CLAIM && question->of_voter && core_is_member(core) &&
               !view_has(&core->view, &claim->from)) {
        is_refused_for_freshness(core, claim, question, VIEW_NONE);
    }
    return false;
}

/* Is the claimant's view, which is higher, one to install here? */
static bool speaks_for_us(struct core *core, const struct message *claim,
                          const struct vote_question *question)
{
    const struct view *theirs = claim->carrier.view;

    return theirs != NULL && (question->of_voter || view_has(theirs, &core->life.self.id)) &&
           authority_counts(install_weigh(core, claim));
}

/* C2a, Z4b: what a member has against a claim. Returns whether it may be granted. */
static bool passes_membership(struct core *core, const struct message *claim,
                              const struct vote_question *question)
{
    const struct view_id ours = view_id_of(&core->view);
    const struct view *theirs = claim->carrier.view;
    int order = view_id_compare(&question->view, &ours);

    if (order > 0 && speaks_for_us(core, claim, question)) {
        if (!view_has(theirs, &core->life.self.id)) {
            return true; /* What it holds is committed: so this membership is over, if unawares. */
        }
        install_view(core, theirs);
        order = 0;
    } else if (order > 0 && !(question->of_voter && theirs != NULL)) {
        refuse(core, claim, REFUSED_CLAIM_VIEW_HIGHER);
        if (view_has(&core->view, &claim->from)) {
            install_pull(core, claim);
        }
        return false;
    }
    const uint32_t claimant = view_find(&core->view, &claim->from);
    /* Z4b: who coordinates a view has it; this one says that it has not, and so never made it. */
    const bool disowns = question->of_voter && claimant == 0 &&
                         question->ballot.epoch > core->view.epoch;
    if (claimant != VIEW_NONE && !disowns && order < 0) {
        REACHED(claim_with_an_older_view);
        refuse(core, claim, REFUSED_CLAIM_VIEW_LOWER);
        if (!question->of_voter) {
            const struct vote behind = {
                .result = VOTE_REFUSED_BEHIND,
                .promised = larger(core->promise.epoch, core->change.pending.epoch)};
            reply(core, question, &behind);
        }
        install_on_pull(core, claim); /* It gets the newer view and starts again from there. */
        return false;
    }
    if (question->of_voter ? !is_refused_for_freshness(core, claim, question, claimant)
                           : claimant != VIEW_NONE) {
        return true;
    }
    if (!question->of_voter) {
        refuse(core, claim, REFUSED_OF_STRANGER);
    }
    if (claimant == VIEW_NONE && order <= 0 && question->view.epoch != 0) {
        install_answer_stranger(core, claim); /* Z4j: it is out, and nobody else tells it so. */
    }
    return false;
}

/* Z11h: whoever asks one that is retired may know nobody else, and wait for it for ever. */
static void tell_who_votes(struct core *core, const struct message *claim,
                           const struct vote_question *question)
{
    const struct view_id last = view_id_of(&core->voter.accepted);
    const bool is_news = voter_knows_successor(core, question->lineage) ||
                         view_id_compare(&last, &question->view) > 0;

    if (core_is_member(core)) {
        install_on_pull(core, claim);
    } else if (question->stamp != 0 && is_news && !refuse_beyond_few(core, claim)) {
        struct message *message = outbox_message(core, MESSAGE_VIEW);
        if (message != NULL) {
            message->carrier.view = &core->voter.accepted;
        }
        outbox_answer(core, message, &claim->from, &claim->source, (uint32_t)question->stamp);
    }
}

/* This node's record does not vote in that lineage. Who asks may hear of the one that it is of, or
 * of who votes now, from nobody else, and wait for ever (Z2h, Z11h, Z18d). */
static void answer_without_vote(struct core *core, const struct message *asked,
                                const struct vote_question *question)
{
    refuse(core, asked, REFUSED_VOTER_MUTE);
    tell_lineage(core, question);
    if (core->voter.record.state == VOTE_RECORD_RETIRED) {
        tell_who_votes(core, asked, question);
    }
}

/* Z8b: does the claim come while this record waits for the founding to end, and not name it? Who
 * claims when that has ended shows the founders, or a view, in which it is. */
static bool is_before_founding(const struct core *core, const struct message *claim)
{
    const struct vote_record *record = &core->voter.record;
    const struct view *shown = claim->carrier.view;

    return record->state == VOTE_RECORD_FOUNDING &&
           (shown == NULL || voter_lists_find(&shown->voters, &record->id) == VOTER_NONE);
}

static bool may_be_wanted(const struct core *core)
{
    return core_is_member(core) || core_is_witness(core);
}

/* Why the question is none to this node, or cannot be answered; REFUSED_NOT: it can. */
static enum refusal why_not_asked(const struct core *core, const struct message *claim,
                                  const struct vote_question *question)
{
    if (question->kind == VOTE_FOUNDING) {
        return electorate_may_vote(core) || may_be_wanted(core) ? REFUSED_NOT : REFUSED_NO_VOTER;
    }
    if (!question->of_voter) {
        if (!core_is_member(core)) {
            return REFUSED_NOT_YET_MEMBER;
        }
        if (question->lineage != core->view.lineage) {
            return REFUSED_OTHER_LINEAGE;
        }
        if (question->ballot.epoch > promise_numbers_max(core).epoch) {
            return REFUSED_EPOCH_LEAPS;
        }
    } else if (!electorate_may_vote(core)) {
        return REFUSED_NO_VOTER;
    } else if (!voter_votes(core, question->lineage)) {
        return REFUSED_VOTER_MUTE;
    } else if (is_before_founding(core, claim)) {
        return REFUSED_NOT_FOUNDED;
    }
    return question->ballot.epoch <= question->view.epoch ? REFUSED_CLAIM_NOT_NEW : REFUSED_NOT;
}

/* Whom it asks, and by which view. */
static struct vote_question take_claim(struct core *core, const struct message *asked,
                                       struct message *claim)
{
    const bool of_voter = core_is_strict(core);

    message_copy(claim, asked);
    claim->carrier.view = view_of(core, asked, of_voter);
    return question_of(core, claim, of_voter);
}

/* Z11e: who asks for a record takes this one for no voter's, and names the view that may say so:
 * what it answered with would be retired by that view (Z11h). */
static bool is_to_learn_who_votes(struct core *core, const struct message *claim,
                                  const struct vote_question *question)
{
    const struct view_id ours = view_id_of(&core->view);

    if (question->kind != VOTE_FOUNDING || !may_be_wanted(core) ||
        view_id_compare(&question->view, &ours) <= 0 ||
        !voter_may_be_left_out(core, &question->view)) {
        return false;
    }
    REACHED(voter_asked_who_votes);
    refuse(core, claim, REFUSED_CLAIM_VIEW_HIGHER);
    if (core_is_member(core)) {
        install_pull(core, claim);
    } else {
        install_ask_stranger(core, claim);
    }
    return true;
}

bool voting_on_claim(struct core *core, const struct message *asked)
{
    struct message claim;
    const struct vote_question question = take_claim(core, asked, &claim);
    const enum refusal against = why_not_asked(core, &claim, &question);
    if (against == REFUSED_VOTER_MUTE) {
        answer_without_vote(core, &claim, &question);
        return false;
    }
    if (against != REFUSED_NOT) {
        refuse(core, &claim, against);
        return false;
    }
    if (is_to_learn_who_votes(core, &claim, &question)) {
        return false;
    }
    const bool is_claim = question.kind == VOTE_CLAIM;
    if (!is_shown_soundly(core, &claim, &question) ||
        (is_claim && core_is_member(core) && !passes_membership(core, &claim, &question))) {
        return false;
    }
    if (is_claim && !question.of_voter) {
        return true;
    }
    const struct vote vote = is_claim              ? voter_on_claim(core, &question)
                             : may_be_wanted(core) ? voter_on_wanted(core, &question)
                                                   : voter_on_founding(core, &question);
    answer(core, &claim, &question, &vote);
    if (is_claim && (vote.result == VOTE_GRANTED || vote.result == VOTE_WAITS)) {
        prepare_for_proposal(core, &claim);
    }
    return false;
}

/* Z2i: our own coordinator takes this voter for failed, and is heard. If its proposal were accepted
 * here, the next to be elected would have to build on it, though nobody else may have. */
static bool removes_this_voter(const struct core *core, const struct view *view)
{
    const struct gone *gone = view_find_gone(view, &core->life.self.id);

    return core->life.phase == PHASE_MEMBER && view->epoch == core->view.epoch &&
           view->lineage == core->view.lineage && gone != NULL && gone->reason == GONE_FAILED;
}

void voting_on_prepare(struct core *core, const struct message *prepare)
{
    const struct view *view = prepare->carrier.view;
    struct vote_question question = {.kind = VOTE_PREPARE,
                                     .lineage = view->lineage,
                                     .ballot = {view->epoch, view->members[0].id},
                                     .lease_ms = prepare->carrier.lease_ms,
                                     .hold_ms = prepare->carrier.hold_ms,
                                     .address = prepare->source,
                                     .stamp = stamp_of(prepare),
                                     .view = view_id_of(view)};

    note_terms(core, &question, view);
    if (voter_knows_successor(core, view->lineage)) { /* Its maker's history is over (Z18d). */
        answer_without_vote(core, prepare, &question);
        return;
    }
    /* Z10b: it votes on what names its record. */
    if (electorate_own(core, &view->voters) == VOTER_NONE || removes_this_voter(core, view)) {
        return;
    }
    const struct vote vote = voter_on_prepare(core, &question, view);
    answer(core, prepare, &question, &vote);
}

/* To which epoch this node's voter is bound, as Z6b has it for who reigns under that one. */
static uint64_t bound_to(const struct core *core, const struct ballot *reign)
{
    const struct ballot *promise = &core->voter.record.promise;
    const bool is_other_life = !id_equal(&promise->life, &reign->life);

    return promise->epoch + (promise->epoch == reign->epoch && is_other_life ? 1 : 0);
}

uint64_t voting_own_promise(const struct core *core)
{
    const struct ballot reign = {core->view.epoch, core->view.members[0].id};

    return bound_to(core, &reign);
}

/* It acts no more, and the next one is not to wait for its lease. */
static bool has_handed_over(const struct core *core, const struct node_id *life)
{
    return id_equal(life, &core->view.members[0].id) && elders_coordinator_has_handed_over(core);
}

static struct vote_question lease_question_of(const struct core *core, const struct message *ping)
{
    const struct lease_asked *asked = &ping->ping.asked;
    const bool is_ours = id_equal(&asked->record, &core->voter.record.id);

    return (struct vote_question){.kind = VOTE_HEARTBEAT,
                                  .lineage = asked->lineage,
                                  .ballot = {asked->epoch, ping->from},
                                  .lease_ms = asked->lease_ms,
                                  .hold_ms = asked->hold_ms,
                                  .writes = is_ours ? asked->writes : 0};
}

static struct lease_said say(const struct core *core, const struct vote_question *question,
                             bool leased)
{
    return (struct lease_said){.promised = bound_to(core, &question->ballot),
                               .leased = leased,
                               .record = core->voter.record.id,
                               .writes = voter_writes(core)};
}

struct lease_said voting_on_question(struct core *core, const struct message *ping)
{
    const struct vote_question question = lease_question_of(core, ping);

    if (!electorate_may_vote(core) || question.ballot.epoch == 0 || !ping->fellow || ping->relay ||
        !core_is_member(core)) {
        return (struct lease_said){.promised = 0};
    }
    const bool leased = !has_handed_over(core, &ping->from) &&
                        voter_on_question(core, &question).result == VOTE_GRANTED;

    return say(core, &question, leased);
}

/* Its member's life has given up its reign, whoever asks now in its name. */
static bool is_of_former_reign(const struct core *core, const struct message *ping)
{
    return core_is_member(core) && has_handed_over(core, &ping->from);
}

/* Z16b: the answer is no longer than the question, and goes where that came from. */
static void answer_stranger(struct core *core, const struct message *ping,
                            const struct lease_said *said)
{
    struct message *pong = outbox_message(core, MESSAGE_PONG);

    if (pong != NULL) {
        pong->ping = (struct ping){.nonce = ping->ping.nonce,
                                   .subject = core->life.self.id,
                                   .origin = ping->ping.origin,
                                   .said = *said};
    }
    outbox_answer(core, pong, &ping->from, &ping->source, ping->echo);
}

bool voting_on_strangers_ping(struct core *core, const struct message *ping)
{
    const struct vote_question question = lease_question_of(core, ping);

    if (question.ballot.epoch == 0 || ping->fellow || ping->relay ||
        core->voter.record.state == VOTE_RECORD_NONE ||
        !id_equal(&ping->ping.subject, &core->voter.record.id)) {
        return false;
    }
    if (is_of_former_reign(core, ping)) {
        return true;
    }
    const struct vote vote = voter_on_question(core, &question);
    if (vote.result == VOTE_UNPROVED) {
        ask_for_proof(core, ping);
    } else if (voter_votes(core, question.lineage) && core->voter.record.promise.epoch != 0) {
        const struct lease_said said = say(core, &question, vote.result == VOTE_GRANTED);
        answer_stranger(core, ping, &said);
    }
    return true;
}

/* Z2l: what this voter holds beyond the view that its coordinator names is to come to light now.
 * One that does not act gets another epoch anyway. */
void voting_on_heartbeat(struct core *core, const struct message *heartbeat)
{
    const struct view_id *named = &heartbeat->heartbeat.view;
    const struct vote disagrees = {.result = VOTE_REFUSED_EPOCH, .promised = named->epoch};
    const struct vote_question question = {.kind = VOTE_HEARTBEAT,
                                           .lineage = named->lineage,
                                           .ballot = {named->epoch, heartbeat->from},
                                           .address = heartbeat->source,
                                           .view = *named};

    if (electorate_may_vote(core) && heartbeat->fellow && heartbeat->heartbeat.acting &&
        id_equal(&named->coordinator, &heartbeat->from) &&
        !has_handed_over(core, &heartbeat->from) && voter_disagrees(core, &heartbeat->heartbeat)) {
        REACHED(voter_disagrees_with_its_coordinator);
        reply(core, &question, &disagrees);
    }
}
