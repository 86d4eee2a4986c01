/* A handler for each message that concerns several modules. */
#include "core/handlers.h"

#include "core/agreement/authority.h"
#include "core/agreement/behind.h"
#include "core/agreement/candidacy.h"
#include "core/agreement/change_accept.h"
#include "core/agreement/change_answers.h"
#include "core/agreement/change_count.h"
#include "core/agreement/electorate.h"
#include "core/agreement/install.h"
#include "core/agreement/promise.h"
#include "core/agreement/spread.h"
#include "core/agreement/succession.h"
#include "core/agreement/voter.h"
#include "core/agreement/voters_change.h"
#include "core/agreement/voting.h"
#include "core/detection/detector.h"
#include "core/detection/hearing.h"
#include "core/detection/numbers.h"
#include "core/detection/removal.h"
#include "core/entry/join.h"
#include "core/entry/lifecycle.h"
#include "core/entry/move.h"
#include "core/healing/merge.h"
#include "core/healing/probe.h"
#include "core/model/marks.h"
#include "core/state/refuse.h"

/* V4i: whoever coordinates makes a view above it; that is this node, too, if its own coordinator
 * has come to believe so. */
static void on_view_not_ours(struct core *core, const struct message *message)
{
    bool believed = core_is_coordinator(core) ||
                    id_equal(&message->from, &core->view.members[0].id);

    if (believed && change_outdo(core, message->carrier.view)) {
        move_on_followed(core);
    }
}

/* L4, Z9e: what its own coordinator, or others under strict, held for long this node cannot follow.
 */
static void end_life_if_disowned(struct core *core)
{
    if (install_is_disowned(core)) {
        REACHED(disowned);
        lifecycle_end_life(core, REASON_LEFT_ALONE);
    }
}

void handlers_on_view(struct core *core, const struct message *message)
{
    switch (install_on_view(core, message)) {
    case SHOWN_SETTLED:
        end_life_if_disowned(core); /* There may be nobody left whose heartbeats would do it. */
        return;
    case SHOWN_REFUSED:
        /* Should both coordinators turn out to be dead, it is still the highest view there is. */
        succession_consider(core, message);
        return;
    case SHOWN_LEFT_OUT:
        lifecycle_end_life(core, REASON_REMOVED);
        return;
    case SHOWN_SUCCESSOR:
        REACHED(met_a_successor);
        voter_on_successor(core, message->carrier.view);
        book_remember(&core->book, &message->carrier.view->members[0].address);
        lifecycle_end_life(core, REASON_SUCCEEDED);
        return;
    case SHOWN_TO_JOINER:
        if (join_believes(core, message)) {
            install_view(core, message->carrier.view);
        }
        return;
    case SHOWN_GONE:
        join_renew(core);
        return;
    case SHOWN_NOT_OURS:
        on_view_not_ours(core, message);
        return;
    }
}

void handlers_on_prepare(struct core *core, const struct message *message)
{
    if (spread_is_known(core, message)) {
        return;
    }
    if (change_on_prepare(core, message)) {
        candidacy_give_way(core, message->carrier.view->epoch);
        spread_hand_on(core, message, message->carrier.view);
        merge_on_accepted(core, message);
        move_on_accepted(core, message);
    } else if (core->life.phase == PHASE_MEMBER && merge_is_beyond_reach(core, message)) {
        REACHED(merge_beyond_reach);
        lifecycle_end_life(core, REASON_LEFT_ALONE);
    }
}

void handlers_on_commit(struct core *core, const struct message *message)
{
    if (!spread_is_known(core, message) && change_on_commit(core, message)) {
        spread_hand_on(core, message, &core->view);
    }
}

void handlers_on_probe(struct core *core, const struct message *message)
{
    if (probe_on_probe(core, message)) {
        merge_ask(core, message);
    }
}

/* Does the voter name a promise that leaps, or vote in another founding than this member's? */
static bool is_beyond(struct core *core, const struct message *vote)
{
    if (promise_epoch_leaps(core, vote->carrier.vote.promised)) {
        promise_near_epoch(core, vote->carrier.vote.promised);
        refuse(core, vote, REFUSED_EPOCH_LEAPS);
        return true;
    }
    if (core_is_member(core) && vote->carrier.lineage != core->view.lineage) {
        refuse(core, vote, REFUSED_OTHER_LINEAGE);
        return true;
    }
    return false;
}

/* Z9f: nobody lives in its view but itself, and those who live have another. */
static bool is_forlorn(const struct core *core)
{
    return core_is_member(core) && hearing_is_alone(core, core->timing.flap_ms);
}

/* Z18c: names it a history that takes the place of this member's? Then asks for the view. */
static bool asks_successor(struct core *core, const struct message *message, uint64_t lineage)
{
    if (!authority_is_succeeded_by(core, lineage)) {
        return false;
    }
    refuse(core, message, REFUSED_VIEW_UNASKED);
    install_ask_stranger(core, message);
    return true;
}

/* It may know nobody else who would tell of it. */
bool handlers_on_claim(struct core *core, const struct message *message)
{
    return !asks_successor(core, message, message->carrier.lineage) &&
           voting_on_claim(core, message);
}

void handlers_on_vote(struct core *core, const struct message *message)
{
    const struct vote_answer *vote = &message->carrier.vote;
    const bool of_voter = !id_is_none(&vote->record);

    if (asks_successor(core, message, message->carrier.lineage)) {
        return;
    }
    if (!electorate_knows(core, message)) {
        refuse(core, message, REFUSED_VOTER_UNKNOWN);
        return;
    }
    if (vote->writes < core_writes_known(core, &vote->record)) {
        refuse(core, message, REFUSED_OLD_RECORD);
        return;
    }
    /* Z4c: the winner may take no other view than a sound one. A member's grant counts without it.
     */
    if (of_voter && message->carrier.view != NULL && !install_is_sound(core, message)) {
        end_life_if_disowned(core);
        return;
    }
    if (is_beyond(core, message)) {
        if (of_voter) { /* Z9e: it says that this node does not know the chain. */
            install_saw_leap(core);
            end_life_if_disowned(core);
        }
        return;
    }
    switch (vote->kind) {
    case VOTE_CLAIM:
        if (of_voter && vote->result == VOTE_REFUSED_FRESH && is_forlorn(core)) {
            lifecycle_end_life(core, REASON_LEFT_ALONE);
            return;
        }
        if (vote->result == VOTE_REFUSED_FRESH && core->life.phase == PHASE_JOINING) {
            join_put_off_founding(core);
        }
        candidacy_on_vote(core, message);
        return;
    case VOTE_PREPARE:
        change_on_vote(core, message);
        return;
    case VOTE_FOUNDING:
        if (core_is_coordinator(core)) {
            voters_change_on_vote(core, message);
        } else {
            join_on_record(core, message);
        }
        return;
    case VOTE_HEARTBEAT:
        change_on_disagreement(core, message);
        return;
    }
}

/* Z6b: to a fellow member what comes once more, or late, renews nothing. */
void handlers_on_ping(struct core *core, const struct message *message)
{
    const uint32_t sender = view_find(&core->view, &message->from);
    struct lease_said said = {.promised = 0};

    if (voting_on_strangers_ping(core, message)) {
        return;
    }
    if (!id_equal(&message->ping.subject, &core->life.self.id)) {
        removal_on_request(core, message);
        return;
    }
    if (sender != VIEW_NONE && numbers_takes_question(core, message, sender)) {
        said = voting_on_question(core, message);
    }
    removal_on_ping(core, message, &said);
}

/* D6e: what overtook it may have said more of the view that its sender holds, as an ACK does. */
static bool still_says(const struct core *core, const struct message *message, uint32_t sender,
                       enum number number)
{
    return number == NUMBER_NEWER ||
           (number == NUMBER_OVERTAKEN &&
            view_id_compare(&message->heartbeat.view, &core->peers[sender].signs.view) >= 0);
}

void handlers_on_heartbeat(struct core *core, const struct message *message, uint32_t sender,
                           enum number number)
{
    if (sender == VIEW_NONE && install_is_as_good_as_commit(core, message)) {
        install_view(core, &core->change.pending);
    } else if (sender == VIEW_NONE &&
               asks_successor(core, message, message->heartbeat.view.lineage)) {
        return;
    } else if (sender == VIEW_NONE) {
        refuse(core, message, REFUSED_OF_STRANGER);
        behind_note_stranger(core, message);
        install_answer_stranger(core, message);
    } else if (!still_says(core, message, sender, number)) {
        refuse(core, message, REFUSED_OVERTAKEN);
    } else {
        detector_on_heartbeat(core, message, sender);
        install_note_lower(core, message, sender);
        if (number != NUMBER_NEWER) {
            return; /* What overtook it may have said later whom its sender follows. */
        }
        detector_answer(core, message, sender);
        voting_on_heartbeat(core, message);
        install_compare(core, message, sender);
        change_compare(core, message, sender);
        succession_compare(core, message, sender);
        end_life_if_disowned(core);
    }
}
