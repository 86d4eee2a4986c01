#include "control/documents/voter_survey.h"

#include "control/documents/report_peers.h"
#include "runtime/services/inquiry.h"

void voter_survey_deinit(struct voter_survey *survey)
{
    for (size_t i = 0; i < VOTERS_MAX; i++) {
        json_decref(survey->voters[i].answer);
    }
    *survey = (struct voter_survey){0};
}

/* The position of the voter among the members, if it is another one; else VIEW_NONE. */
static uint32_t position_of(const struct facts *facts, uint8_t voter)
{
    const uint32_t position = view_find_name(facts->view, facts->config->voters.names[voter]);
    const bool is_self = position != VIEW_NONE &&
                         id_equal(&facts->view->members[position].id, &facts->self->id);

    return is_self ? VIEW_NONE : position;
}

static void take(struct voter_survey *survey, const struct facts *facts)
{
    const struct inquiry *inquiry = node_inquiry(facts->node);

    for (uint8_t voter = 0; voter < facts->config->voters.count; voter++) {
        struct voter_said *said = &survey->voters[voter];
        const uint32_t position = position_of(facts, voter);
        json_t *answer = position == VIEW_NONE ? NULL : report_peer_said(facts, inquiry, position);
        if (answer != NULL) {
            json_decref(said->answer);
            *said = (struct voter_said){.life = facts->view->members[position].id,
                                        .said_ms = inquiry->began_ms,
                                        .answer = answer};
        }
    }
}

void voter_survey_ask(struct voter_survey *survey, const struct facts *facts, uint64_t lately_ms)
{
    struct inquiry *inquiry = node_inquiry(facts->node);

    if (facts->config->voters.count == 0) {
        return;
    }
    take(survey, facts);
    if (inquiry->slots == NULL || facts->now_ms >= inquiry->began_ms + lately_ms) {
        (void)inquiry_begin(inquiry); /* Without memory nobody is asked. */
    }
    inquiry_ask(inquiry);
}

const json_t *voter_survey_said(const struct voter_survey *survey, const struct facts *facts,
                                uint8_t voter)
{
    const struct voter_said *said = &survey->voters[voter];
    const uint32_t position = position_of(facts, voter);

    return position != VIEW_NONE && !facts->silent[position] && said->answer != NULL &&
                   id_equal(&said->life, &facts->view->members[position].id) &&
                   facts->now_ms < said->said_ms + VOTER_SAID_MS
               ? said->answer
               : NULL;
}

uint32_t voter_survey_waiting(const struct voter_survey *survey, const struct facts *facts)
{
    uint32_t count = 0;

    for (uint8_t voter = 0; voter < facts->config->voters.count; voter++) {
        const uint32_t position = position_of(facts, voter);
        count += position != VIEW_NONE && !facts->silent[position] &&
                 voter_survey_said(survey, facts, voter) == NULL;
    }
    return count;
}
