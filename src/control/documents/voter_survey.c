#include "control/documents/voter_survey.h"

#include "base/text.h"
#include "control/documents/report_peers.h"
#include "control/text/json.h"
#include "runtime/services/inquiry.h"
#include "words/voter_text.h"

void voter_survey_deinit(struct voter_survey *survey)
{
    for (size_t i = 0; i < VOTERS_LISTED_MAX; i++) {
        json_decref(survey->voters[i].answer);
    }
    json_decref(survey->coordinator.answer);
    *survey = (struct voter_survey){0};
}

/* The position of the voter among the members, if it is another one; else VIEW_NONE. */
static uint32_t position_of(const struct facts *facts, uint8_t voter)
{
    const uint32_t position = view_find_name(facts->view, facts->voters->voters[voter].name);
    const bool is_self = position != VIEW_NONE &&
                         id_equal(&facts->view->members[position].id, &facts->self->id);

    return is_self ? VIEW_NONE : position;
}

/* Other voters, or the same by other records: nobody has said yet how it stands now. */
static void forget_former(struct voter_survey *survey, const struct facts *facts)
{
    if (survey->number != facts->voters->number) {
        voter_survey_deinit(survey);
        survey->number = facts->voters->number;
        survey->since_ms = facts->now_ms;
    }
}

static void take_from(const struct facts *facts, uint32_t position, struct voter_said *said)
{
    const struct inquiry *inquiry = node_inquiry(facts->node);
    json_t *answer = position == VIEW_NONE ? NULL : report_peer_said(facts, inquiry, position);

    if (answer != NULL) {
        json_decref(said->answer);
        *said = (struct voter_said){.life = facts->view->members[position].id,
                                    .said_ms = inquiry->began_ms,
                                    .answer = answer};
    }
}

static bool coordinates(const struct facts *facts)
{
    return facts->view->member_count > 0 && id_equal(&facts->view->members[0].id, &facts->self->id);
}

static void take(struct voter_survey *survey, const struct facts *facts)
{
    for (uint8_t voter = 0; voter < facts->voters->count; voter++) {
        take_from(facts, position_of(facts, voter), &survey->voters[voter]);
    }
    if (facts->view->member_count > 0 && !coordinates(facts)) {
        take_from(facts, 0, &survey->coordinator);
    }
}

void voter_survey_ask(struct voter_survey *survey, const struct facts *facts, uint64_t lately_ms)
{
    struct inquiry *inquiry = node_inquiry(facts->node);

    if (facts->voters->count == 0) {
        return;
    }
    forget_former(survey, facts);
    if (inquiry->began_ms >= survey->since_ms) {
        take(survey, facts);
    }
    if (inquiry->slots == NULL || inquiry->began_ms < survey->since_ms ||
        facts->now_ms >= inquiry->began_ms + lately_ms) {
        (void)inquiry_begin(inquiry); /* Without memory nobody is asked. */
    }
    inquiry_ask(inquiry);
}

/* What the member said lately; NULL: nothing. */
static const json_t *lately(const struct facts *facts, const struct voter_said *said,
                            uint32_t position)
{
    return position != VIEW_NONE && !facts->silent[position] && said->answer != NULL &&
                   id_equal(&said->life, &facts->view->members[position].id) &&
                   facts->now_ms < said->said_ms + VOTER_SAID_MS
               ? said->answer
               : NULL;
}

const json_t *voter_survey_said(const struct voter_survey *survey, const struct facts *facts,
                                uint8_t voter)
{
    return lately(facts, &survey->voters[voter], position_of(facts, voter));
}

/* Another coordinator, as it said of all witnesses together. */
static struct witness_said said_of_witnesses(const struct voter_survey *survey,
                                             const struct facts *facts)
{
    const json_t *said = facts->view->member_count == 0 ? NULL
                                                        : lately(facts, &survey->coordinator, 0);
    const json_t *answers = json_object_get(said, "witness_answers");
    const json_t *silent = json_object_get(said, "witness_ms");
    const uint64_t since_ms = facts->now_ms - survey->coordinator.said_ms;

    return (struct witness_said){
        .is_known = json_is_boolean(answers),
        .answers = json_is_true(answers),
        .answered_ms = json_is_integer(silent) ? (uint64_t)json_integer_value(silent) + since_ms
                                               : NEVER_MS};
}

struct witness_said voter_survey_witness(const struct voter_survey *survey,
                                         const struct facts *facts, uint8_t voter)
{
    const struct voter_contact *contact = &facts->contacts[voter];

    return coordinates(facts) ? (struct witness_said){.is_known = true,
                                                      .answers = contact->answers,
                                                      .answered_ms = contact->answered_ms_ago}
                              : said_of_witnesses(survey, facts);
}

uint32_t voter_survey_waiting(const struct voter_survey *survey, const struct facts *facts)
{
    uint32_t count = 0;

    for (uint8_t voter = 0; voter < facts->voters->count; voter++) {
        const uint32_t position = position_of(facts, voter);
        const bool waits = facts->voters->voters[voter].witness
                               ? !voter_survey_witness(survey, facts, voter).is_known &&
                                     facts->view->member_count > 0 && !facts->silent[0]
                               : position != VIEW_NONE && !facts->silent[position] &&
                                     voter_survey_said(survey, facts, voter) == NULL;
        count += waits;
    }
    return count;
}

static bool is_said_of(const char *record, const struct node_id *id)
{
    json_t *expected = json_of_id(id);
    const bool same = expected != NULL && text_equal(json_string_value(expected), record);

    json_decref(expected);
    return same;
}

const char *voter_survey_status(const struct voter_survey *survey, const struct facts *facts,
                                uint8_t voter)
{
    const struct listed_voter *listed = &facts->voters->voters[voter];
    const struct node_id *own = &facts->voter.record_id;
    const json_t *said = voter_survey_said(survey, facts, voter);
    const char *record = json_string_value(json_object_get(said, "record"));
    const bool is_self = text_equal(listed->name, facts->self->name);
    const bool has_another = is_self ? !id_is_none(own) && !id_equal(own, &listed->record)
                                     : record != NULL && !is_said_of(record, &listed->record);

    if (listed->witness) { /* It answers by its record alone. */
        return voter_survey_witness(survey, facts, voter).answers ? voter_status_text(VOTER_FOUNDED)
                                                                  : NULL;
    }
    if (has_another && !id_is_none(&listed->record)) {
        return VOTER_OTHER_RECORD;
    }
    return is_self ? facts_voter_text(facts) : json_string_value(json_object_get(said, "voter"));
}
