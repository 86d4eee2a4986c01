#include "core/entry/founding.h"

#include <string.h>

#include "base/text.h"
#include "core/agreement/candidacy.h"
#include "core/agreement/electorate.h"
#include "core/agreement/voter.h"
#include "core/agreement/voting.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

/* The first of the names. */
static bool is_founder(const struct core *core)
{
    const struct voter_lists *founders = &core->founding.voters;

    return founders->count > 0 && text_equal(founders->voters[0].name, core->life.self.name);
}

/* Does it know whom to ask (Z12c)? */
static bool knows_voters(const struct core *core)
{
    return core->voter.record.state == VOTE_RECORD_FOUNDED && core->voter.accepted.voters.count > 0;
}

bool founding_may_begin(const struct core *core)
{
    const struct voter *voter = &core->voter;

    if (voter->mute || voter->damaged) {
        return false;
    }
    return knows_voters(core) || (is_founder(core) && voter->record.state < VOTE_RECORD_FOUNDED);
}

/* Who has said to this life by which record it votes. */
static voter_set said_by(const struct core *core)
{
    const struct founding *founding = &core->founding;

    return id_equal(&founding->answered_to, &core->life.self.id) ? founding->answered : 0;
}

static bool have_all_said(const struct core *core)
{
    return said_by(core) == voter_lists_all(&core->founding.voters);
}

bool founding_needs_another_life(const struct core *core)
{
    return core->voter.record.state == VOTE_RECORD_FOUNDING && core->founding.any_changed &&
           have_all_said(core);
}

static bool is_complete(const struct voter_lists *founders)
{
    for (uint8_t i = 0; i < founders->count; i++) {
        if (id_is_none(&founders->voters[i].record)) {
            return false;
        }
    }
    return true;
}

/* A request for a record names the life that it is for, so that a late one makes none for another;
 * and echoes that life's JOIN (Z8h). Once all have one it names those. */
static void ask(struct core *core, uint64_t lineage)
{
    const struct voter_lists *founders = &core->founding.voters;
    struct message *message = outbox_message(core, MESSAGE_CLAIM);

    if (message != NULL) {
        message->carrier.lineage = lineage;
        message->carrier.view = is_complete(founders) ? voter_name_founders(core, founders) : NULL;
    }
    for (uint8_t i = 1; i < founders->count; i++) { /* The first is this node. */
        if ((said_by(core) & voter_set_of(i)) == 0) {
            electorate_ask_for_record(core, message, founders->voters[i].name);
        }
    }
}

static void ask_for_records(struct core *core)
{
    uint64_t lineage = voter_begin_founding(core);
    struct message question;
    struct message vote;

    if (lineage == 0 || !voter_is_synced(core)) {
        return; /* A lineage that it forgot would keep the voters that took it from any other. */
    }
    ask(core, lineage);
    message_clear(&question, MESSAGE_CLAIM);
    question.from = core->life.self.id;
    question.carrier.lineage = lineage;
    if ((said_by(core) & voter_set_of(0)) == 0 && voting_ask_self(core, &question, &vote)) {
        founding_on_vote(core, &vote);
    }
}

/* Not before the disk says *founded*: what comes of the epoch would be forgotten by a founder that
 * still found itself *founding* when it starts again, and founded once more. */
static void ask_for_epoch(struct core *core)
{
    if (voter_is_synced(core)) {
        candidacy_as_outsider(core);
    }
}

bool founding_go_on(struct core *core)
{
    if (core->founding.voters.count == 0) {
        return false;
    }
    if (knows_voters(core)) {
        ask_for_epoch(core);
    } else {
        ask_for_records(core);
    }
    return true;
}

void founding_on_synced(struct core *core)
{
    const struct voter *voter = &core->voter;

    if (core->life.phase == PHASE_JOINING && voter->record.state == VOTE_RECORD_FOUNDED &&
        voter->record.promise.epoch == 0) {
        ask_for_epoch(core);
    }
}

/* Which of the voters answers: this node, or the life that was asked under that name; or
 * VOTER_NONE. */
static uint8_t who_answers(const struct core *core, const struct message *vote)
{
    if (id_equal(&vote->from, &core->life.self.id)) {
        return 0;
    }
    for (uint8_t i = 1; i < core->founding.voters.count; i++) {
        if (electorate_was_asked_for_record(core, vote, core->founding.voters.voters[i].name)) {
            return i;
        }
    }
    return VOTER_NONE;
}

static void note(struct core *core, uint8_t place, const struct message *vote)
{
    struct founding *founding = &core->founding;
    struct listed_voter *voter = &founding->voters.voters[place];
    const struct node_id *record = &vote->carrier.vote.record;

    if (!id_equal(&founding->answered_to, &core->life.self.id)) {
        founding->answered_to = core->life.self.id;
        founding->answered = 0;
        founding->any_changed = false;
    }
    founding->answered |= voter_set_of(place);
    founding->any_changed = founding->any_changed ||
                            (place != 0 && !id_equal(&voter->record, record));
    voter->record = *record;
    voter->address = place == 0 ? core->life.self.address : vote->source;
}

void founding_on_vote(struct core *core, const struct message *vote)
{
    const struct voter_lists *founders = &core->founding.voters;
    const uint8_t place = who_answers(core, vote);

    if (core->voter.record.state != VOTE_RECORD_FOUNDING || !is_founder(core) ||
        vote->carrier.lineage != core->voter.record.lineage || place == VOTER_NONE ||
        id_is_none(&vote->carrier.vote.record)) {
        refuse(core, vote, REFUSED_NOT_FOUNDING);
        return;
    }
    note(core, place, vote);
    if (have_all_said(core) && !core->founding.any_changed && voter_lists_are_sound(founders)) {
        voter_end_founding(core, founders);
    }
}

void founding_reset(struct core *core)
{
    memset(&core->founding, 0, sizeof core->founding);
    voter_lists_from_names(&core->founding.voters, &core->terms.voters);
    core->founding.voters.number = FOUNDERS_NUMBER;
}
