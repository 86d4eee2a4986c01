#include "control/documents/report_refusals.h"

#include "control/text/json.h"
#include "proto/wire_error.h"
#include "seal/seal.h"
#include "words/refused_text.h"

/* --- How often --- */

static bool append_count(json_t *array, const char *reason, const char *rule, const char *text,
                         uint64_t count)
{
    json_t *object = json_object();

    if (count == 0) {
        json_decref(object);
        return true; /* A list of zeros says nothing. */
    }
    const bool complete = json_put(object, "reason", json_of_word(reason)) &&
                          json_put(object, "rule", json_of_word(rule)) &&
                          json_put(object, "text", json_of_word(text)) &&
                          json_put(object, "count", json_of_number(count));
    return json_array_append_new(array, json_finished(object, complete)) == 0;
}

/* Among the other reasons nothing else says that the frame was sealed. */
static const char *not_opened_text(enum seal_result result)
{
    return result == SEAL_OTHER_KEY ? "sealed with a key that this node has not"
                                    : seal_result_text(result);
}

json_t *report_refusal_counts(const struct facts *facts)
{
    json_t *array = json_array();
    bool complete = true;

    for (unsigned i = 0; i < REFUSED_COUNT; i++) {
        complete &= append_count(array, refusal_name(i), refusal_clause(i), refusal_text(i),
                                 facts->counters->refused[i]);
    }
    for (unsigned i = 0; i < WIRE_ERROR_COUNT; i++) {
        complete &= append_count(array, wire_error_text(i), NULL, "these bytes are no message",
                                 facts->traffic->malformed[i]);
    }
    for (unsigned i = SEAL_OK + 1; i < SEAL_RESULTS; i++) {
        complete &= append_count(array, not_opened_text(i), NULL,
                                 "this sealed frame was not opened",
                                 facts->traffic->sealed_refused[i]);
    }
    complete &= append_count(array, "without_key", NULL,
                             "a frame without a key, and this node has one",
                             facts->traffic->plain_refused);
    complete &= append_count(array, "without_base", "U3b",
                             "a change of a view that this node does not hold",
                             facts->traffic->without_base);
    return json_finished(array, complete);
}

/* --- The last --- */

/* The latest refusals, the latest first. */
struct latest {
    const struct kept_refusal *items[REFUSALS_SHOWN_MAX];
    uint32_t count;
};

static void consider(struct latest *latest, const struct kept_refusal *item)
{
    uint32_t place = latest->count;

    if (item->count == 0) {
        return;
    }
    while (place > 0 && latest->items[place - 1]->last_ms < item->last_ms) {
        place--;
    }
    if (place == REFUSALS_SHOWN_MAX) {
        return;
    }
    latest->count += latest->count < REFUSALS_SHOWN_MAX;
    for (uint32_t i = latest->count - 1; i > place; i--) {
        latest->items[i] = latest->items[i - 1];
    }
    latest->items[place] = item;
}

static void consider_all(struct latest *latest, const struct peer_refusals *peer)
{
    for (uint32_t i = 0; peer != NULL && i < REFUSALS_PER_PEER; i++) {
        consider(latest, &peer->items[i]);
    }
}

static void consider_named(struct latest *latest, const struct facts *facts, const char *name)
{
    const uint32_t present = view_find_name(facts->view, name);
    const uint32_t gone = facts_find_gone(facts->view, name);

    if (present != VIEW_NONE) {
        consider_all(latest, refusals_of(facts->refusals, &facts->view->members[present].id));
    }
    if (gone != VIEW_NONE) {
        consider_all(latest, refusals_of(facts->refusals, &facts->view->gone[gone].id));
    }
}

static json_t *kept_json(const struct facts *facts, const struct kept_refusal *kept)
{
    const struct refused_message *refused = &kept->refused;
    json_t *object = json_object();
    char sender[SENDER_TEXT_MAX];

    (void)sender_text(facts->view, &refused->from, &refused->source, sender);
    return json_finished(
        object, json_put(object, "type", json_of_word(message_text(refused->type))) &&
                    json_put(object, "from", json_of_word(sender)) &&
                    json_put(object, "number",
                             refused->number == 0 ? json_null() : json_of_u64(refused->number)) &&
                    json_put(object, "rule", json_of_word(refusal_clause(refused->reason))) &&
                    json_put(object, "reason", json_of_word(refusal_name(refused->reason))) &&
                    json_put(object, "text", json_of_word(refusal_text(refused->reason))) &&
                    json_put(object, "count", json_of_number(kept->count)) &&
                    json_put(object, "since_ms", json_of_number(facts->now_ms - kept->last_ms)));
}

json_t *report_last_refusals(const struct facts *facts, const char *name)
{
    struct latest latest = {.count = 0};
    json_t *array = json_array();
    bool complete = true;

    if (name != NULL) {
        consider_named(&latest, facts, name);
    } else {
        consider_all(&latest, &facts->refusals->strangers);
        for (uint32_t i = 0; i < REFUSING_PEERS_MAX; i++) {
            consider_all(&latest, &facts->refusals->peers[i]);
        }
    }
    for (uint32_t i = 0; i < latest.count; i++) {
        complete &= json_array_append_new(array, kept_json(facts, latest.items[i])) == 0;
    }
    return json_finished(array, complete);
}
