#include "core/entry/founding.h"

#include <string.h>

#include "core/agreement/campaign.h"
#include "core/agreement/electorate.h"
#include "core/agreement/voter.h"
#include "core/agreement/voting.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

enum { FOUNDER = 0 }; /* the first of the names */

bool founding_may_begin(const struct core *core)
{
    const struct voter *voter = &core->voter;

    if (core->electorate.own == VOTER_NONE || voter->mute || voter->damaged) {
        return false;
    }
    return voter->record.state == VOTE_RECORD_FOUNDED || core->electorate.own == FOUNDER;
}

/* A request for a record names the life that it is for, so that a late one makes none for another;
 * and echoes that life's JOIN (Z8h). */
static void ask(struct core *core, uint64_t lineage)
{
    struct message *message = outbox_message(core, MESSAGE_BALLOT);

    if (message != NULL) {
        message->carrier.lineage = lineage;
    }
    for (uint8_t voter = 0; voter < core->terms.voters.count; voter++) {
        if (voter != core->electorate.own && core->founding.tally.answers[voter] != ANSWER_YES) {
            electorate_ask_for_record(core, message, voter);
        }
    }
}

static void ask_for_records(struct core *core)
{
    uint64_t lineage = voter_begin_founding(core);
    const struct vote_question question = {
        .kind = VOTE_FOUNDING, .lineage = lineage, .ballot = {0, core->life.self.id}};
    struct message vote;

    if (lineage == 0 || !voter_is_synced(core)) {
        return; /* A lineage that it forgot would keep the voters that took it from any other. */
    }
    ask(core, lineage);
    if (core->founding.tally.answers[core->electorate.own] != ANSWER_YES &&
        voting_ask_self(core, &question, &vote)) {
        founding_on_vote(core, &vote);
    }
}

/* Not before the disk says *founded*: what comes of the epoch would be forgotten by a founder that
 * still found itself *founding* when it starts again, and founded once more. */
static void ask_for_epoch(struct core *core)
{
    if (voter_is_synced(core)) {
        campaign_as_outsider(core);
    }
}

void founding_go_on(struct core *core)
{
    if (core->voter.record.state == VOTE_RECORD_FOUNDED) {
        ask_for_epoch(core);
    } else {
        ask_for_records(core);
    }
}

void founding_on_synced(struct core *core)
{
    const struct voter *voter = &core->voter;

    if (core->life.phase == PHASE_JOINING && voter->record.state == VOTE_RECORD_FOUNDED &&
        voter->record.promise.epoch == 0) {
        ask_for_epoch(core);
    }
}

void founding_on_vote(struct core *core, const struct message *vote)
{
    if (core->voter.record.state != VOTE_RECORD_FOUNDING || core->electorate.own != FOUNDER ||
        vote->carrier.lineage != core->voter.record.lineage) {
        refuse(core, vote, REFUSED_NOT_FOUNDING);
        return;
    }
    core->founding.tally.answers[vote->carrier.vote.voter] = ANSWER_YES;
    if (electorate_is_unanimous(core, &core->founding.tally)) {
        voter_end_founding(core);
    }
}

void founding_reset(struct core *core)
{
    memset(&core->founding, 0, sizeof core->founding);
}
