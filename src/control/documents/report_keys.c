#include "control/documents/report_keys.h"

#include "control/text/json.h"

/* The name of who lived that life, as far as the view has it. */
static const char *name_of(const struct facts *facts, const struct node_id *life)
{
    const uint32_t position = view_find(facts->view, life);

    return position == VIEW_NONE ? NULL : facts->view->members[position].name;
}

static json_t *key_json(const struct facts *facts, uint32_t index)
{
    const struct key_state state = node_key(facts->node, index);
    char fingerprint[FINGERPRINT_TEXT_MAX];
    const bool used = state.used_ms != 0;
    json_t *object = json_object();

    return json_finished(
        object,
        json_put(object, "key", json_of_word(fingerprint_text(state.fingerprint, fingerprint))) &&
            json_put(object, "seals", json_boolean(state.seals)) &&
            json_put(object, "held", json_of_number(state.held)) &&
            json_put(object, "members", json_of_number(state.members)) &&
            json_put(object, "used_since_ms",
                     used ? json_of_number(facts->now_ms - state.used_ms) : json_null()) &&
            json_put(object, "used_by", json_of_word(used ? name_of(facts, &state.by) : NULL)));
}

json_t *report_keys(const struct facts *facts)
{
    const struct keyring *ring = node_keys(facts->node);
    json_t *object = json_object();
    json_t *keys = json_array();
    bool complete = keys != NULL;

    for (uint32_t i = 0; ring != NULL && i < ring->count; i++) {
        complete = complete && json_array_append_new(keys, key_json(facts, i)) == 0;
    }
    return json_finished(object, json_put(object, "schema", json_integer(1)) &&
                                     json_put(object, "self", json_of_word(facts->self->name)) &&
                                     json_put(object, "keys", keys) && complete);
}
