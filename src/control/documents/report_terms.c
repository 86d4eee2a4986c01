#include "control/documents/report_terms.h"

#include "control/text/json.h"
#include "words/terms_text.h"

/* Null without one, and under another guard. */
static json_t *target_json(const struct guard *guard)
{
    return guard_is_strict(guard) && guard->count > 0 ? json_of_number(guard->count) : json_null();
}

static json_t *rules_json(const struct rules *rules)
{
    char guard[GUARD_TEXT_MAX];
    json_t *object = json_object();

    guard_text(&rules->guard, guard);
    return json_finished(
        object, json_put(object, "guard", json_of_word(guard)) &&
                    json_put(object, "size", json_of_guard_size(&rules->guard)) &&
                    json_put(object, "voters_target", target_json(&rules->guard)) &&
                    json_put(object, "profile", json_of_word(profile_text(rules->profile))) &&
                    json_put(object, "heartbeat_ms", json_of_number(rules->heartbeat_ms)) &&
                    json_put(object, "fail_after_ms", json_of_number(rules->lost_ms)) &&
                    json_put(object, "capacity", json_of_number(rules->capacity)));
}

bool terms_drift(const struct facts *facts)
{
    const struct rules now = terms_rules(facts->terms);
    const struct rules started = terms_rules(facts->started);

    return !rules_are_written_down(&started, &now, facts->agreed->room);
}

json_t *report_terms(const struct facts *facts)
{
    const struct rules now = terms_rules(facts->terms);
    const struct rules started = terms_rules(facts->started);
    const struct agreed *agreed = facts->agreed;
    json_t *object = json_object();

    return json_finished(
        object,
        json_put(object, "schema", json_integer(1)) &&
            json_put(object, "node", json_of_word(facts->self->name)) &&
            json_put(object, "number", json_of_u64(agreed->number)) &&
            json_put(object, "settled", json_boolean(!agreed->joint)) &&
            json_put(object, "agreed", rules_json(&now)) &&
            json_put(object, "before", agreed->joint ? rules_json(&agreed->before) : json_null()) &&
            json_put(object, "started", rules_json(&started)) &&
            json_put(object, "drift", json_boolean(terms_drift(facts))) &&
            json_put(object, "room",
                     json_of_number(agreed->number == 0 ? started.capacity : agreed->room)));
}
