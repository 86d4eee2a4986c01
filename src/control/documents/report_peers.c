#include "control/documents/report_peers.h"

#include <string.h>

#include "base/utf8.h"
#include "base/version.h"
#include "control/documents/hears_survey.h"
#include "control/text/json.h"
#include "proto/wire.h"
#include "runtime/host/clock.h"
#include "words/notice_text.h"
#include "words/terms_text.h"
#include "words/voter_text.h"

enum { US_PER_MS = 1000, WORD_BYTES_MAX = 64 };

/* --- This node's own answer --- */

static bool put_terms(json_t *object, const struct facts *facts)
{
    const struct terms *terms = facts->terms;
    char policy[GUARD_TEXT_MAX];

    guard_text(&facts->guard.guard, policy);
    return json_put(object, "guard", json_of_word(policy)) &&
           json_put(object, "profile", json_of_word(profile_text(terms->profile))) &&
           json_put(object, "heartbeat_ms", json_of_number(terms->heartbeat_ms)) &&
           json_put(object, "fail_after_ms", json_of_number(terms->lost_ms)) &&
           json_put(object, "capacity", json_of_number(terms->capacity));
}

/* The key that it seals with: those of one cluster seal with the same, but while they change. */
static json_t *key_json(const struct facts *facts)
{
    const struct keyring *ring = node_keys(facts->node);
    char fingerprint[FINGERPRINT_TEXT_MAX];

    return json_of_word(ring == NULL || ring->count == 0
                            ? NULL
                            : fingerprint_text(ring->keys[0].fingerprint, fingerprint));
}

/* What a coordinator knows of the witnesses, which it asks and nobody else does: does each of them
 * answer, and for how long the one has not that has been silent longest. Null where there is none,
 * or this node does not ask. */
static bool put_witnesses(json_t *object, const struct facts *facts)
{
    const bool asks = facts->coordinator != NULL &&
                      id_equal(&facts->coordinator->id, &facts->self->id);
    uint64_t silent_ms = 0;
    uint32_t count = 0;
    bool answer = true;

    for (uint8_t i = 0; asks && i < facts->view->voters.count; i++) {
        const struct voter_contact *contact = &facts->contacts[i];
        if (facts->view->voters.voters[i].witness) {
            count++;
            answer = answer && contact->answers;
            silent_ms = contact->answered_ms_ago > silent_ms ? contact->answered_ms_ago : silent_ms;
        }
    }
    return json_put(object, "witness_answers", count == 0 ? json_null() : json_boolean(answer)) &&
           json_put(object, "witness_ms",
                    count == 0 || silent_ms == NEVER_MS ? json_null() : json_of_number(silent_ms));
}

/* Names and meanings are those of /v1/status. */
static json_t *own_answer(const struct facts *facts)
{
    const struct member *coordinator = facts->coordinator;
    json_t *object = json_object();

    return json_finished(
        object,
        json_put(object, "version", json_of_word(DOYEN_VERSION)) &&
            json_put(object, "protocol", json_of_number(wire_versions().high + 1U)) &&
            json_put(object, "phase", json_of_word(phase_text(facts->phase))) &&
            json_put(object, "epoch", json_of_u64(facts->view->epoch)) &&
            json_put(object, "view", json_of_u64(facts->view->version)) &&
            json_put(object, "members", json_of_number(facts->view->member_count)) &&
            json_put(object, "coordinator",
                     json_of_word(coordinator == NULL ? NULL : coordinator->name)) &&
            json_put(object, "acting", json_boolean(facts->acting)) &&
            json_put(object, "guard_met", json_boolean(facts->guard.met)) &&
            put_terms(object, facts) && json_put(object, "key", key_json(facts)) &&
            json_put(object, "voter", json_of_word(facts_voter_text(facts))) &&
            json_put(object, "record",
                     id_is_none(&facts->voter.record_id) ? json_null()
                                                         : json_of_id(&facts->voter.record_id)) &&
            put_witnesses(object, facts) &&
            json_put(object, "late_wakeups", json_of_number(facts->counters->late_wakeups)) &&
            json_put(object, "uptime_ms", json_of_number(facts->uptime_ms)) &&
            json_put(object, "wall_ms", json_of_number((uint64_t)clock_wall_ms())));
}

/* Also whom it watches, as many as there is room for. */
size_t report_peer_write(const struct facts *facts, char text[INQUIRY_TEXT_MAX])
{
    json_t *answer = own_answer(facts);
    size_t length = 0;

    for (size_t most = HEARS_TOLD_MAX; answer != NULL; most /= 2) {
        if (!json_put(answer, "hears", hears_own(facts, most))) {
            break;
        }
        length = json_dumpb(answer, text, INQUIRY_TEXT_MAX, JSON_COMPACT);
        if (length <= INQUIRY_TEXT_MAX || most == 0) {
            break;
        }
    }
    json_decref(answer);
    return length <= INQUIRY_TEXT_MAX ? length : 0;
}

/* --- What another member says --- */

enum kind { KIND_TEXT, KIND_NUMBER, KIND_FLAG };

/* What is taken from an answer, which may say anything. */
static const struct field {
    const char *key;
    enum kind kind;
} fields[] = {
    {"version", KIND_TEXT},
    {"protocol", KIND_NUMBER},
    {"phase", KIND_TEXT},
    {"epoch", KIND_TEXT},
    {"view", KIND_TEXT},
    {"members", KIND_NUMBER},
    {"coordinator", KIND_TEXT},
    {"acting", KIND_FLAG},
    {"guard_met", KIND_FLAG},
    {"guard", KIND_TEXT},
    {"profile", KIND_TEXT},
    {"heartbeat_ms", KIND_NUMBER},
    {"fail_after_ms", KIND_NUMBER},
    {"capacity", KIND_NUMBER},
    {"voter", KIND_TEXT},
    {"record", KIND_TEXT},
    {"witness_answers", KIND_FLAG},
    {"witness_ms", KIND_NUMBER},
    {"late_wakeups", KIND_NUMBER},
    {"uptime_ms", KIND_NUMBER},
    {"key", KIND_TEXT},
};

static bool is_of_kind(const json_t *value, enum kind kind)
{
    switch (kind) {
    case KIND_TEXT:
        return json_is_string(value) && json_string_length(value) < WORD_BYTES_MAX &&
               utf8_is_printable(json_string_value(value), json_string_length(value));
    case KIND_NUMBER:
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case KIND_FLAG:
        return json_is_boolean(value);
    }
    return false;
}

static json_t *known_fields(json_t *said)
{
    json_t *object = json_object();
    bool complete = true;

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        json_t *value = json_object_get(said, fields[i].key);
        complete &= json_put(object, fields[i].key,
                             is_of_kind(value, fields[i].kind) ? json_incref(value) : json_null());
    }
    return json_finished(object, complete);
}

/* How far its clock is ahead of this node's: it read it half-way between question and answer, or up
 * to half of that time earlier or later. */
static json_t *clock_json(const struct inquiry_slot *slot, const json_t *said)
{
    const json_t *wall = json_object_get(said, "wall_ms");
    const int64_t here_ms = slot->asked_wall_ms + (int64_t)(slot->took_us / 2 / US_PER_MS);

    return is_of_kind(wall, KIND_NUMBER) ? json_integer(json_integer_value(wall) - here_ms)
                                         : json_null();
}

/* The answer as it came, which may be no document at all. */
static bool put_answer(json_t *object, const struct inquiry_slot *slot)
{
    json_t *said = json_loadb(slot->text, slot->length, 0, NULL);
    const bool complete = json_put(object, "took_us", json_of_number(slot->took_us)) &&
                          json_put(object, "clock_ms", clock_json(slot, said)) &&
                          json_put(object, "answer", known_fields(said));

    json_decref(said);
    return complete;
}

static bool put_no_answer(json_t *object)
{
    return json_put(object, "took_us", json_null()) && json_put(object, "clock_ms", json_null()) &&
           json_put(object, "answer", json_null());
}

static bool put_own(json_t *object, const struct facts *facts)
{
    json_t *answer = own_answer(facts);
    const bool complete = json_put(object, "took_us", json_of_number(0)) &&
                          json_put(object, "clock_ms", json_of_number(0)) &&
                          json_put(object, "answer", answer == NULL ? NULL : known_fields(answer));

    json_decref(answer);
    return complete;
}

static json_t *member_json(const struct facts *facts, const struct inquiry_slot *slot,
                           const struct hears_survey *survey, uint32_t position)
{
    const struct member *member = &facts->view->members[position];
    const bool is_self = id_equal(&member->id, &facts->self->id);
    json_t *object = json_object();

    return json_finished(object,
                         json_put(object, "name", json_of_word(member->name)) &&
                             json_put(object, "address", json_of_address(&member->address)) &&
                             json_put(object, "self", json_boolean(is_self)) &&
                             json_put(object, "hears", hears_survey_json(survey, position)) &&
                             (is_self                          ? put_own(object, facts)
                              : slot != NULL && slot->answered ? put_answer(object, slot)
                                                               : put_no_answer(object)));
}

static uint64_t waiting_count(const struct facts *facts, const struct inquiry *inquiry)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        const struct inquiry_slot *slot = inquiry_find(inquiry, i);
        count += !id_equal(&facts->view->members[i].id, &facts->self->id) && slot != NULL &&
                 !slot->answered;
    }
    return count;
}

static json_t *members_json(const struct facts *facts, const struct inquiry *inquiry,
                            const struct hears_survey *survey)
{
    json_t *array = json_array();
    bool complete = true;

    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        complete &= json_array_append_new(
                        array, member_json(facts, inquiry_find(inquiry, i), survey, i)) == 0;
    }
    return json_finished(array, complete);
}

json_t *report_peer_said(const struct facts *facts, const struct inquiry *inquiry,
                         uint32_t position)
{
    const struct inquiry_slot *slot = inquiry_find(inquiry, position);
    json_t *said = NULL;

    if (id_equal(&facts->view->members[position].id, &facts->self->id)) {
        said = own_answer(facts);
    } else if (slot != NULL && slot->answered) {
        said = json_loadb(slot->text, slot->length, 0, NULL);
    }
    json_t *known = said == NULL ? NULL : known_fields(said);

    json_decref(said);
    return known;
}

/* All that has been said until now. */
static bool put_answers(json_t *object, const struct facts *facts, const struct inquiry *inquiry,
                        const struct hearing_stability *stability)
{
    struct hears_survey survey;
    bool complete = hears_survey_open(&survey, facts, inquiry);

    if (complete) {
        const struct links links = hears_survey_links(&survey, stability);
        complete = json_put(object, "members", members_json(facts, inquiry, &survey)) &&
                   links_put(object, &links, facts);
    }
    hears_survey_close(&survey);
    return complete;
}

json_t *report_peers(const struct facts *facts, const struct inquiry *inquiry,
                     const struct hearing_stability *stability)
{
    const uint64_t unasked = inquiry->slot_count - inquiry->asked_count;
    json_t *object = json_object();

    /* Thousands of members take many requests: they are written when all of them are asked. */
    return json_finished(
        object, json_put(object, "schema", json_integer(1)) &&
                    json_put(object, "self", json_of_word(facts->self->name)) &&
                    json_put(object, "unasked", json_of_number(unasked)) &&
                    json_put(object, "waiting", json_of_number(waiting_count(facts, inquiry))) &&
                    (unasked > 0 ? json_put(object, "members", json_array())
                                 : put_answers(object, facts, inquiry, stability)));
}
