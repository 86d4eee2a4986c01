#include "core/agreement/change_answers.h"

#include <string.h>

#include "base/hash.h"
#include "core/agreement/absent.h"
#include "core/agreement/change.h"
#include "core/agreement/electorate.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/detection/follow.h"
#include "core/detection/hearing.h"
#include "core/detection/route.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

/* --- Who has answered --- */

bool change_is_awaited(const struct core *core, uint32_t position)
{
    const struct member *member = &core->change.pending.members[position];

    if (core->answered.members[position] != ANSWER_NONE ||
        id_equal(&member->id, &core->life.self.id)) {
        return false;
    }
    /* A suspected member is not waited for, since failures come together (H30); nor one that is
     * behind, as it gets nothing (L5b). */
    uint32_t in_view = view_find(&core->view, &member->id);
    return in_view == VIEW_NONE || (core->peers[in_view].charge.verdict == VERDICT_NONE &&
                                    !follow_is_behind(core, in_view));
}

bool change_all_answered(const struct core *core)
{
    for (uint32_t i = 0; i < core->change.pending.member_count; i++) {
        if (change_is_awaited(core, i)) {
            return false;
        }
    }
    return true;
}

bool change_all_but_the_former_answered(const struct core *core, uint32_t former)
{
    for (uint32_t i = 0; i < core->change.pending.member_count; i++) {
        if (i != former && change_is_awaited(core, i)) {
            return false;
        }
    }
    return true;
}

/* L3b: it hears that one, and has no answer of it. */
static bool is_silent(const struct core *core, uint32_t position)
{
    const uint32_t in_view = view_find(&core->view, &core->change.pending.members[position].id);

    return in_view != VIEW_NONE && change_is_awaited(core, position) &&
           hearing_is_fresh(core, in_view) && !core->peers[in_view].signs.late;
}

/* Was it heard last as a life that the view does not know: one that asks to come in, or answered
 * the claim? */
static bool is_seen_anew(const struct core *core, const struct listed_voter *voter)
{
    const struct sighting *seen = electorate_seen(core, voter->name);

    return seen != NULL && core->now_ms < seen->heard_ms + core->timing.stall_ms &&
           !view_has(&core->view, &seen->life) && view_find_gone(&core->view, &seen->life) == NULL;
}

/* One that is no member, or whose member is suspected, is heard by what it leases (Z16b), or as
 * another life. That has the proposal of others alone, who do not ask its voter (U4d), or is not in
 * it. */
static bool is_silent_voter(const struct core *core, uint8_t place)
{
    const struct view *pending = &core->change.pending;
    const struct listed_voter *voter = &pending->voters.voters[place];
    const uint32_t in_view = electorate_position(core, voter);
    const uint32_t position = in_view == VIEW_NONE
                                  ? VIEW_NONE
                                  : view_find(pending, &core->view.members[in_view].id);

    if (position != VIEW_NONE && core->peers[in_view].charge.verdict == VERDICT_NONE) {
        return is_silent(core, position);
    }
    return !tally_has(&core->answered.tally, place) &&
           (is_seen_anew(core, voter) || absent_is_fresh(core, &voter->record));
}

/* Nothing is heard of it, so that it will not answer either; or it is this node's own. */
static bool is_lost_voter(const struct core *core, uint8_t place)
{
    const struct listed_voter *voter = &core->change.pending.voters.voters[place];
    const uint32_t position = electorate_position(core, voter);

    if (tally_has(&core->answered.tally, place)) {
        return false;
    }
    if (position == VIEW_NONE) {
        return !absent_is_fresh(core, &voter->record);
    }
    return core_is_self(core, position) || core->peers[position].charge.verdict != VERDICT_NONE;
}

/* L3b, under strict: no quorum accepts it, even if each of those who are not silent does. */
static bool lacks_voters(const struct core *core)
{
    const struct voter_lists *lists = &core->change.pending.voters;
    voter_set others = voter_lists_all(lists);
    uint32_t silent = 0;

    for (uint8_t i = 0; i < lists->count; i++) {
        const bool is_silent = is_silent_voter(core, i);
        if (is_silent || is_lost_voter(core, i)) {
            others &= ~voter_set_of(i);
        }
        silent += is_silent;
    }
    return silent > 1 && !voter_lists_agree(lists, others);
}

bool change_is_unanswered(const struct core *core)
{
    uint32_t asked = 0;
    uint32_t silent = 0;

    for (uint32_t i = 0; i < core->change.pending.member_count; i++) {
        const uint32_t in_view = view_find(&core->view, &core->change.pending.members[i].id);
        if (in_view != VIEW_NONE && !core_is_self(core, in_view) &&
            core->peers[in_view].charge.verdict == VERDICT_NONE &&
            !follow_is_behind(core, in_view)) {
            asked++;
            silent += is_silent(core, i);
        }
    }
    return (silent > 1 && silent > asked / 2) || lacks_voters(core);
}

bool change_has_agreed(const struct core *core, uint32_t position)
{
    return position != VIEW_NONE && core->answered.members[position] == ANSWER_YES;
}

uint32_t change_who_stands_down(const struct core *core)
{
    return view_find(&core->change.pending, &core->proposing.proposal.handover_by);
}

void change_forget_answers(struct core *core)
{
    memset(core->answered.members, ANSWER_NONE, core->change.pending.member_count);
    memset(&core->answered.tally, 0, sizeof core->answered.tally);
}

/* --- Answers that come --- */

/* Is this the answer of somebody who was asked, to what is proposed now? */
static bool answers_proposal(struct core *core, const struct message *message)
{
    if (!core->change.on || !view_is_named(&core->change.pending, &message->reference)) {
        refuse(core, message, REFUSED_ANSWER_TO_ANOTHER);
    } else if (!view_has(&core->change.pending, &message->from)) {
        refuse(core, message, REFUSED_ANSWER_OF_OUTSIDER);
    } else {
        return true;
    }
    return false;
}

/* U2f: it acknowledges what was committed; so the COMMIT did not reach it. Returns whether that is
 * so. */
static bool missed_commit(struct core *core, const struct message *message)
{
    const struct view_id ours = view_id_of(&core->view);
    const uint32_t position = view_find(&core->view, &message->from);

    if (!core_is_coordinator(core) || position == VIEW_NONE ||
        !view_id_equal(&message->reference.view, &ours) ||
        message->reference.view_hash != core->view.hash) {
        return false;
    }
    struct message *commit = outbox_message(core, MESSAGE_COMMIT);
    if (commit != NULL) {
        commit->reference.view = ours;
        commit->reference.view_hash = core->view.hash;
    }
    route_send(core, commit, position);
    return true;
}

/* A number of a message, which is what is echoed between members, is never as high. */
uint32_t change_merge_nonce(const struct core *core)
{
    const uint64_t hash = hash_u64(hash_u64(core->life.salt, core->secret),
                                   core->change.pending.hash);

    return (uint32_t)hash_finish(hash) | UINT32_C(0x80000000);
}

/* M4f: it is the other part's coordinator that says so, and not somebody in its name. */
static bool comes_from_who_was_asked(struct core *core, const struct message *ack)
{
    const struct proposal *proposal = &core->proposing.proposal;

    if (proposal->merge == 0 || !id_equal(&ack->from, &proposal->merge_with) ||
        ack->echo == change_merge_nonce(core)) {
        return true;
    }
    refuse(core, ack, REFUSED_MERGE_UNASKED);
    return false;
}

void change_on_ack(struct core *core, const struct message *message)
{
    if (missed_commit(core, message)) {
        REACHED(committed_again);
    } else if (answers_proposal(core, message) && comes_from_who_was_asked(core, message)) {
        uint32_t position = view_find(&core->change.pending, &message->from);
        core->answered.members[position] = ANSWER_YES;
    }
}

void change_on_vote(struct core *core, const struct message *vote)
{
    const struct vote_answer *answer = &vote->carrier.vote;
    const struct voter_lists *lists = &core->change.pending.voters;
    const uint8_t place = voter_lists_find(lists, &answer->record);
    struct tally *tally = &core->answered.tally;

    if (!core->change.on || vote->carrier.epoch != core->change.pending.epoch ||
        answer->version != core->change.pending.version) {
        refuse(core, vote, REFUSED_ANSWER_TO_ANOTHER);
    } else if (place == VOTER_NONE) {
        refuse(core, vote, REFUSED_VOTER_UNKNOWN);
    } else if (answer->result == VOTE_GRANTED) {
        tally_granted(tally, place);
    } else if (answer->result == VOTE_REFUSED_EPOCH) {
        REACHED(proposal_overtaken_by_a_promise);
        promise_saw_epoch(core, answer->promised);
        tally_refused(tally, place);
        if (!voter_lists_agree(lists, voter_lists_all(lists) & ~tally->refused)) {
            change_give_way(core);
        }
    }
}

void change_on_nack(struct core *core, const struct message *message)
{
    uint64_t promised = message->reference.promised;

    if (!answers_proposal(core, message)) {
        return;
    }
    if (promised <= core->change.pending.epoch) {
        refuse(core, message, REFUSED_NACK_NOT_ABOVE);
        return;
    }
    if (promise_epoch_leaps(core, promised)) {
        refuse(core, message, REFUSED_EPOCH_LEAPS);
        return;
    }
    promise_saw_epoch(core, promised);
    bool coordinator = core_is_coordinator(core);
    if (core->moving.step == STAND_DOWN_GIVEN) {
        REACHED(return_refused_by_a_promise);
        change_close(core); /* E6a: what is made anew is built on that, for its ages are given. */
        return;
    }
    change_abandon(core);
    if (coordinator) {
        REACHED(change_refused_by_a_promise);
        next_view_want_epoch(core); /* H43: above the promise, the change goes on. */
        next_view_soon(core);
    } else {
        promise_back_off(core);
    }
}

/* A member still follows the coordinator whom this node's won claim would depose: the claim is lost
 * all the same (C3). */
static void on_late_refusal(struct core *core, const struct message *message, bool answers)
{
    bool overtakes = answers && change_who_stands_down(core) != VIEW_NONE;

    if (!overtakes && (!answers || core->change.pending.cause != CAUSE_CLAIM)) {
        refuse(core, message, REFUSED_ANOTHER_CLAIM);
        return;
    }
    change_abandon(core);
    promise_back_off(core);
}

void change_on_not_following(struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->view, &message->from);
    const bool answers = core->change.on &&
                         message->reference.view_hash == core->change.pending.hash;
    uint32_t in_pending = answers ? view_find(&core->change.pending, &message->from) : VIEW_NONE;

    if (position != VIEW_NONE && message->reference.view.lineage == core->view.lineage &&
        id_equal(&message->reference.view.coordinator, &core->view.members[0].id)) {
        on_late_refusal(
            core, message,
            answers); /* The member hears the coordinator whom this node's claim would depose. */
        return;
    }
    if (in_pending != VIEW_NONE) {
        REACHED(answer_not_following);
        core->answered.members[in_pending] = ANSWER_NO; /* U2: not waited for any longer. */
    }
    if (position == VIEW_NONE) {
        refuse(core, message, REFUSED_OF_STRANGER);
        return;
    }
    follow_note_named(core, position, &message->reference.view);
}
