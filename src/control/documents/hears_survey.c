#include "control/documents/hears_survey.h"

#include <stdlib.h>
#include <string.h>

#include "control/documents/report_links.h"
#include "control/text/json.h"

/* What is told of one member: numbers, for an answer is one datagram. */
enum { AT_AGE, AT_STATE, FIELDS };

static const char *const states[] = {"heard", "asked", "silent", "dead", "lost", "stalled"};
enum { STATE_COUNT = sizeof states / sizeof states[0], STATE_HEARD = 0, STATE_SILENT = 2 };

static bool is_self(const struct facts *facts, uint32_t position)
{
    return id_equal(&facts->view->members[position].id, &facts->self->id);
}

/* --- This node's own answer --- */

static int state_of(const char *text)
{
    int state = 0;

    while (state < STATE_COUNT && strcmp(states[state], text) != 0) {
        state++;
    }
    return state;
}

json_t *hears_own(const struct facts *facts, size_t most)
{
    json_t *array = json_array();
    bool complete = true;

    for (int calm = 0; calm <= 1; calm++) {
        for (uint32_t i = 0; i < facts->view->member_count && json_array_size(array) < most; i++) {
            const struct watch_state watch = core_watch(node_core(facts->node), i, facts->now_ms);
            const char *text = report_watch_state(facts, i, &watch);
            if (text != NULL && (state_of(text) == STATE_HEARD) == (calm == 1)) {
                json_t *entry = json_pack("[I, i]", (json_int_t)facts->view->members[i].age,
                                          state_of(text));
                complete &= json_array_append_new(array, entry) == 0;
            }
        }
    }
    return json_finished(array, complete);
}

/* --- The answers of all --- */

static json_t *said_by(const struct facts *facts, const struct inquiry *inquiry, uint32_t position)
{
    const struct inquiry_slot *slot = inquiry_find(inquiry, position);

    if (is_self(facts, position)) {
        return hears_own(facts, facts->view->member_count);
    }
    if (slot == NULL || !slot->answered) {
        return NULL;
    }
    json_t *answer = json_loadb(slot->text, slot->length, 0, NULL);
    json_t *said = json_object_get(answer, "hears");
    said = json_is_array(said) ? json_incref(said) : NULL;
    json_decref(answer);
    return said;
}

bool hears_survey_open(struct hears_survey *survey, const struct facts *facts,
                       const struct inquiry *inquiry)
{
    *survey = (struct hears_survey){.facts = facts};
    survey->said = calloc((size_t)facts->view->member_count + 1, sizeof *survey->said);
    for (uint32_t i = 0; survey->said != NULL && i < facts->view->member_count; i++) {
        survey->said[i] = said_by(facts, inquiry, i);
    }
    return survey->said != NULL;
}

void hears_survey_close(struct hears_survey *survey)
{
    for (uint32_t i = 0; survey->said != NULL && i < survey->facts->view->member_count; i++) {
        json_decref(survey->said[i]);
    }
    free(survey->said);
}

/* Whom an entry is about and in which state, which may say anything; VIEW_NONE: nobody. */
static uint32_t entry_read(const struct hears_survey *survey, const json_t *entry, int *state)
{
    const json_t *age = json_array_get(entry, AT_AGE);
    const json_t *told = json_array_get(entry, AT_STATE);

    if (json_array_size(entry) < FIELDS || !json_is_integer(age) || !json_is_integer(told) ||
        json_integer_value(told) < 0 || json_integer_value(told) >= (json_int_t)STATE_COUNT) {
        return VIEW_NONE;
    }
    *state = (int)json_integer_value(told);
    return view_find_age(survey->facts->view, (uint64_t)json_integer_value(age));
}

/* How many entries of an answer are read: of this node's own, all. */
static size_t entry_count(const struct hears_survey *survey, uint32_t observer)
{
    const size_t count = json_array_size(survey->said[observer]);

    return count > HEARS_TOLD_MAX && !is_self(survey->facts, observer) ? HEARS_TOLD_MAX : count;
}

json_t *hears_survey_json(const struct hears_survey *survey, uint32_t position)
{
    const json_t *said = survey->said[position];
    json_t *object = json_object();
    bool complete = true;

    if (said == NULL) {
        json_decref(object);
        return json_null();
    }
    for (size_t i = 0; i < entry_count(survey, position); i++) {
        int state = 0;
        const uint32_t subject = entry_read(survey, json_array_get(said, i), &state);
        if (subject == VIEW_NONE) {
            continue;
        }
        const char *name = survey->facts->view->members[subject].name;
        if (json_object_get(object, name) == NULL) { /* What it says first. */
            complete &= json_put(object, name, json_of_word(states[state]));
        }
    }
    return json_finished(object, complete);
}

/* --- As links --- */

static enum hearing state_hearing(int state)
{
    return state < STATE_SILENT    ? HEARING_YES
           : state == STATE_SILENT ? HEARING_SILENT
                                   : HEARING_SUSPECT;
}

static enum hearing said_hearing(const void *context, uint32_t observer, uint32_t subject)
{
    const struct hears_survey *survey = context;

    if (survey->said[observer] == NULL || is_self(survey->facts, observer)) {
        return links_told_hearing(survey->facts, observer, subject);
    }
    for (size_t i = 0; i < entry_count(survey, observer); i++) {
        int state = 0;
        if (entry_read(survey, json_array_get(survey->said[observer], i), &state) == subject) {
            return state_hearing(state);
        }
    }
    return observer == subject ? HEARING_YES : HEARING_UNKNOWN;
}

static uint32_t said_doubts(const void *context, uint32_t observer, uint32_t out[LINKS_DOUBTS_MAX])
{
    const struct hears_survey *survey = context;
    uint32_t count = 0;

    if (survey->said[observer] == NULL || is_self(survey->facts, observer)) {
        return links_told_doubts(survey->facts, observer, out);
    }
    for (size_t i = 0; i < entry_count(survey, observer); i++) {
        int state = 0;
        const uint32_t subject = entry_read(survey, json_array_get(survey->said[observer], i),
                                            &state);
        if (subject != VIEW_NONE && state >= STATE_SILENT) {
            out[count++] = subject;
        }
    }
    return count;
}

struct links hears_survey_links(const struct hears_survey *survey,
                                const struct hearing_stability *stability)
{
    return (struct links){
        .hearing = said_hearing, .doubts = said_doubts, .context = survey, .stability = stability};
}
