#include "control/documents/report_edges.h"

#include <stdlib.h>
#include <string.h>

#include "control/documents/report_watch.h"
#include "control/text/json.h"

/* What is told of one member: numbers, for an answer is one datagram. */
enum { AT_AGE, AT_HEARD_MS, AT_STATE, FIELDS, DOUBTS_MAX = 256 };

static const char *const states[] = {"heard", "asked", "silent", "dead", "lost", "stalled"};
enum { STATE_COUNT = sizeof states / sizeof states[0], STATE_HEARD = 0 };

/* All that was said, by position in the view. */
struct survey {
    const struct facts *facts;
    const struct core *core;
    json_t **said; /* arrays as of report_edges_own; NULL: no answer */
};

/* --- This node's own answer --- */

static size_t state_of(const char *text)
{
    size_t state = 0;

    while (state < STATE_COUNT && strcmp(states[state], text) != 0) {
        state++;
    }
    return state;
}

static json_t *entry_json(const struct facts *facts, uint32_t position, size_t state)
{
    const uint64_t heard_ms = facts->peers[position].heard_ms_ago;

    return json_pack("[I, o, i]", (json_int_t)facts->view->members[position].age,
                     heard_ms == NEVER_MS ? json_null() : json_of_number(heard_ms), (int)state);
}

json_t *report_edges_own(const struct facts *facts, size_t most)
{
    const struct core *core = node_core(facts->node);
    json_t *array = json_array();
    bool complete = true;

    for (int calm = 0; calm <= 1; calm++) {
        for (uint32_t i = 0; i < facts->view->member_count && json_array_size(array) < most; i++) {
            const struct watch_state watch = core_watch(core, i, facts->now_ms);
            const char *text = report_watch_state(facts, i, &watch);
            if (text != NULL && (state_of(text) == STATE_HEARD) == (calm == 1)) {
                complete &= json_array_append_new(array, entry_json(facts, i, state_of(text))) == 0;
            }
        }
    }
    return json_finished(array, complete);
}

/* --- The answers of all --- */

static json_t *said_by(const struct facts *facts, const struct inquiry *inquiry, uint32_t position)
{
    const struct inquiry_slot *slot = inquiry_find(inquiry, position);

    if (id_equal(&facts->view->members[position].id, &facts->self->id)) {
        return report_edges_own(facts, EDGES_TOLD_MAX);
    }
    if (slot == NULL || !slot->answered) {
        return NULL;
    }
    json_t *answer = json_loadb(slot->text, slot->length, 0, NULL);
    json_t *edges = json_object_get(answer, "edges");
    edges = json_is_array(edges) ? json_incref(edges) : NULL;
    json_decref(answer);
    return edges;
}

static bool survey_open(struct survey *survey, const struct facts *facts,
                        const struct inquiry *inquiry)
{
    *survey = (struct survey){.facts = facts, .core = node_core(facts->node)};
    survey->said = calloc((size_t)facts->view->member_count + 1, sizeof *survey->said);
    for (uint32_t i = 0; survey->said != NULL && i < facts->view->member_count; i++) {
        survey->said[i] = said_by(facts, inquiry, i);
    }
    return survey->said != NULL;
}

static void survey_close(struct survey *survey)
{
    for (uint32_t i = 0; survey->said != NULL && i < survey->facts->view->member_count; i++) {
        json_decref(survey->said[i]);
    }
    free(survey->said);
}

/* The entry about a member in what another said; NULL: it said nothing of it. */
static const json_t *find_entry(const json_t *said, uint64_t age)
{
    for (size_t i = 0; i < json_array_size(said) && i < EDGES_TOLD_MAX; i++) {
        const json_t *entry = json_array_get(said, i);
        const json_t *whose = json_array_get(entry, AT_AGE);
        if (json_array_size(entry) >= FIELDS && json_is_integer(whose) &&
            (uint64_t)json_integer_value(whose) == age) {
            return entry;
        }
    }
    return NULL;
}

static const char *state_text(const json_t *entry)
{
    const json_int_t state = json_integer_value(json_array_get(entry, AT_STATE));

    return state >= 0 && state < (json_int_t)STATE_COUNT ? states[state] : "unknown";
}

static bool put_sign(json_t *object, const json_t *entry)
{
    const json_t *heard = json_array_get(entry, AT_HEARD_MS);

    return json_put(object, "heard_ms",
                    json_integer_value(heard) >= 0 && json_is_integer(heard)
                        ? json_integer(json_integer_value(heard))
                        : json_null()) &&
           json_put(object, "state", json_of_word(entry == NULL ? "unknown" : state_text(entry)));
}

/* The last sign that the one has of the other, as it says. */
static json_t *sign_json(const struct survey *survey, uint32_t observer, uint32_t subject)
{
    const struct facts *facts = survey->facts;
    const uint64_t age = facts->view->members[subject].age;
    json_t *object = json_object();

    if (!id_equal(&facts->view->members[observer].id, &facts->self->id)) {
        return json_finished(object, put_sign(object, find_entry(survey->said[observer], age)));
    }
    /* What this node itself would say, which may be of all members. */
    const struct watch_state watch = core_watch(survey->core, subject, facts->now_ms);
    const char *state = report_watch_state(facts, subject, &watch);
    json_t *own = state == NULL ? NULL : entry_json(facts, subject, state_of(state));
    object = json_finished(object, put_sign(object, own));
    json_decref(own);
    return object;
}

static bool add_edge(const struct survey *survey, json_t *edges, uint32_t a, uint32_t b)
{
    const struct member *members = survey->facts->view->members;
    const char *why = report_edge_text(core_edge(survey->core, a, b));
    json_t *object = json_object();
    json_t *ends = json_pack("[o, o]", json_of_word(members[a].name),
                             json_of_word(members[b].name));
    json_t *signs = json_pack("[o, o]", sign_json(survey, a, b), sign_json(survey, b, a));
    const bool complete = json_put(object, "members", ends) &&
                          json_put(object, "on", json_of_word(why)) &&
                          json_put(object, "signs", signs);

    return json_array_append_new(edges, json_finished(object, complete)) == 0;
}

/* So far along a ring; what is farther is nearer the other way. */
static uint32_t steps(const struct survey *survey)
{
    const uint32_t half = survey->facts->view->member_count / 2;
    const uint32_t reach = core_ring_reach(survey->core);

    return reach < half ? reach : half;
}

static bool comes_before(const struct survey *survey, int ring, uint32_t from, uint32_t to)
{
    bool found = false;

    for (uint32_t nth = 1; !found && nth <= steps(survey); nth++) {
        found = core_ring_next(survey->core, ring, from, nth) == to;
    }
    return found;
}

/* The way from one member to the nth one after it. Where few others are left for either it may be
 * the way back, too, and is shown once. */
static bool add_step(const struct survey *survey, json_t *edges, int ring, uint32_t from,
                     uint32_t nth)
{
    const unsigned wanted = ring == 0 ? EDGE_RING_1 : EDGE_RING_2;
    const uint32_t next = core_ring_next(survey->core, ring, from, nth);
    const bool again = next < from && comes_before(survey, ring, next, from);

    return core_edge(survey->core, from, next) != wanted || again ||
           add_edge(survey, edges, from, next);
}

/* Along the ring, beginning with the oldest. Ring 2 leaves out who is a neighbour on ring 1, so it
 * may come in pieces. */
static bool add_ring(const struct survey *survey, json_t *edges, int ring, uint32_t nth)
{
    const uint32_t count = survey->facts->view->member_count;
    bool *passed = calloc(count, sizeof *passed);
    bool complete = passed != NULL;

    for (uint32_t i = 0; complete && i < count; i++) {
        for (uint32_t at = i; !passed[at]; at = core_ring_next(survey->core, ring, at, nth)) {
            passed[at] = true;
            complete &= add_step(survey, edges, ring, at, nth);
        }
    }
    free(passed);
    return complete;
}

/* Those that the coordinator has besides. */
static bool add_others(const struct survey *survey, json_t *edges)
{
    const unsigned rings = EDGE_RING_1 | EDGE_RING_2;
    bool complete = true;

    for (uint32_t b = 1; b < survey->facts->view->member_count; b++) {
        const unsigned edge = core_edge(survey->core, 0, b);
        if (edge != 0 && (edge & rings) == 0) {
            complete &= add_edge(survey, edges, 0, b);
        }
    }
    return complete;
}

static json_t *edges_json(const struct survey *survey)
{
    json_t *edges = json_array();
    bool complete = true;

    for (int ring = 0; ring <= 1; ring++) {
        for (uint32_t nth = 1; complete && nth <= steps(survey); nth++) {
            complete = add_ring(survey, edges, ring, nth);
        }
    }
    complete &= add_others(survey, edges);
    return json_finished(edges, complete);
}

/* Whatever anybody says of anybody, but that it is heard. */
static json_t *doubts_json(const struct survey *survey)
{
    const struct view *view = survey->facts->view;
    json_t *doubts = json_array();
    bool complete = true;

    for (uint32_t i = 0; i < view->member_count; i++) {
        for (size_t k = 0; k < json_array_size(survey->said[i]) && k < EDGES_TOLD_MAX; k++) {
            const json_t *entry = json_array_get(survey->said[i], k);
            const json_t *age = json_array_get(entry, AT_AGE);
            const uint32_t subject = view_find_age(view, (uint64_t)json_integer_value(age));
            if (subject == VIEW_NONE || strcmp(state_text(entry), states[STATE_HEARD]) == 0 ||
                json_array_size(doubts) == DOUBTS_MAX) {
                continue;
            }
            json_t *object = json_object();
            object = json_finished(
                object, json_put(object, "about", json_of_word(view->members[subject].name)) &&
                            json_put(object, "by", json_of_word(view->members[i].name)) &&
                            put_sign(object, entry));
            complete &= json_array_append_new(doubts, object) == 0;
        }
    }
    return json_finished(doubts, complete);
}

static json_t *unanswered_json(const struct survey *survey)
{
    const struct view *view = survey->facts->view;
    json_t *names = json_array();
    bool complete = true;

    for (uint32_t i = 0; i < view->member_count; i++) {
        if (survey->said[i] == NULL) {
            complete &= json_array_append_new(names, json_of_word(view->members[i].name)) == 0;
        }
    }
    return json_finished(names, complete);
}

static uint64_t waiting_count(const struct facts *facts, const struct inquiry *inquiry)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        const struct inquiry_slot *slot = inquiry_find(inquiry, i);
        count += slot != NULL && !slot->answered &&
                 !id_equal(&facts->view->members[i].id, &facts->self->id);
    }
    return count;
}

/* All that has been said until now. */
static bool put_answers(json_t *object, const struct facts *facts, const struct inquiry *inquiry)
{
    struct survey survey;
    const bool complete = survey_open(&survey, facts, inquiry) &&
                          json_put(object, "unanswered", unanswered_json(&survey)) &&
                          json_put(object, "edges", edges_json(&survey)) &&
                          json_put(object, "doubts", doubts_json(&survey)) &&
                          json_put(object, "roll_call", report_roll_call(facts));

    survey_close(&survey);
    return complete;
}

json_t *report_edges(const struct facts *facts, const struct inquiry *inquiry)
{
    const uint64_t unasked = inquiry->slot_count - inquiry->asked_count;
    json_t *object = json_object();

    return json_finished(
        object, json_put(object, "schema", json_integer(1)) &&
                    json_put(object, "self", json_of_word(facts->self->name)) &&
                    json_put(object, "watchers", json_of_number(facts->terms->watchers)) &&
                    json_put(object, "members", json_of_number(facts->view->member_count)) &&
                    json_put(object, "unasked", json_of_number(unasked)) &&
                    json_put(object, "waiting", json_of_number(waiting_count(facts, inquiry))) &&
                    (unasked > 0 || put_answers(object, facts, inquiry)));
}
