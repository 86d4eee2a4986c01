#include "control/documents/voter_count.h"

#include <string.h>

#include "words/voter_text.h"

/* Nobody else asks witnesses. */
static bool hears_coordinator(const struct facts *facts)
{
    return facts->view->member_count > 0 && !facts->silent[0] &&
           facts->peers[0].verdict == VERDICT_NONE;
}

/* Is the voter heard? A witness is by the coordinator, which asks it: while that is heard, and
 * until it has said that the witness does not answer, it counts like a member that has not been
 * asked. */
bool voter_count_hears(const struct facts *facts, const struct voter_survey *survey, uint8_t voter)
{
    const struct listed_voter *listed = &facts->voters->voters[voter];

    if (listed->witness) {
        const struct witness_said said = voter_survey_witness(survey, facts, voter);
        return said.answers || (!said.is_known && hears_coordinator(facts));
    }
    const uint32_t position = view_find_name(facts->view, listed->name);
    if (position == VIEW_NONE) { /* It votes all the same, and answers the coordinator (Z16b). */
        return facts->view->voters.count > 0 && facts->contacts[voter].answers;
    }
    return !facts->silent[position] && facts->peers[position].verdict == VERDICT_NONE;
}

/* How the voter stands; NULL: it votes, or has not said. */
static const char *lack_of(const struct facts *facts, const struct voter_survey *survey,
                           uint8_t voter)
{
    const char *text = voter_survey_status(survey, facts, voter);

    return text == NULL || strcmp(text, voter_status_text(VOTER_FOUNDED)) == 0 ? NULL : text;
}

/* Did its host say that the process of that name ended, which is a member still or gone? */
static bool has_ended(const struct facts *facts, const char *name, uint32_t position)
{
    const uint32_t gone = facts_find_gone(facts->view, name);

    if (position != VIEW_NONE) {
        return facts->peers[position].verdict == VERDICT_DEAD;
    }
    return gone != VIEW_NONE && facts->view->gone[gone].reason == GONE_FAILED &&
           facts->view->gone[gone].verdict == VERDICT_DEAD;
}

bool voter_count_votes(const struct facts *facts, const struct voter_survey *survey, uint8_t voter)
{
    return voter_count_hears(facts, survey, voter) && lack_of(facts, survey, voter) == NULL;
}

static struct voter_tally tally_of(const struct facts *facts, const struct voter_survey *survey,
                                   bool before)
{
    struct voter_tally tally = {.count = 0};

    for (uint8_t voter = 0; voter < facts->voters->count; voter++) {
        const struct listed_voter *listed = &facts->voters->voters[voter];
        if (!(before ? listed->before : listed->now)) {
            continue;
        }
        const uint32_t position = view_find_name(facts->view, listed->name);
        const char *lack = lack_of(facts, survey, voter);
        tally.count++;
        if (!voter_count_hears(facts, survey, voter)) {
            tally.ended += has_ended(facts, listed->name, position);
            continue;
        }
        tally.heard++;
        tally.lacking += lack != NULL;
        tally.lack = lack == NULL ? tally.lack : lack;
    }
    tally.needed = tally.count == 0 ? 0 : tally.count / 2 + 1;
    return tally;
}

struct voter_tally voter_count(const struct facts *facts, const struct voter_survey *survey)
{
    const struct voter_tally now = tally_of(facts, survey, false);
    const struct voter_tally before = tally_of(facts, survey, true);

    return before.count > 0 && before.needed + voter_count_voting(&now) >
                                   now.needed + voter_count_voting(&before)
               ? before
               : now;
}

uint32_t voter_count_voting(const struct voter_tally *tally)
{
    return tally->heard - tally->lacking;
}

uint32_t voter_count_spare(const struct voter_tally *tally)
{
    const uint32_t voting = voter_count_voting(tally);

    return voting > tally->needed ? voting - tally->needed : 0;
}
