#include "control/documents/report_leader.h"

#include "control/text/json.h"
#include "runtime/services/elector.h"

static json_t *round_json(const struct election_round *round)
{
    json_t *object = json_object();

    return json_finished(object, json_put(object, "epoch", json_of_u64(round->epoch)) &&
                                     json_put(object, "version", json_of_u64(round->version)) &&
                                     json_put(object, "attempt", json_of_u64(round->attempt)));
}

/* The name of a member, or null for nobody and for who is none. */
static json_t *name_json(const struct view *view, const struct node_id *life)
{
    const uint32_t position = id_is_none(life) ? VIEW_NONE : view_find(view, life);

    return json_of_word(position == VIEW_NONE ? NULL : view->members[position].name);
}

static bool put_own_state(json_t *object, const struct elector *elector)
{
    const struct member *leader = elector_leader(elector);
    const struct election_round round = elector_round(elector);

    return json_put(object, "leader", json_of_word(leader == NULL ? NULL : leader->name)) &&
           json_put(object, "round", round_json(&round)) &&
           json_put(object, "heard_ms", json_of_number(0));
}

/* What it said of itself last; nothing is said with `oldest`. */
static bool put_heard_state(json_t *object, const struct facts *facts,
                            const struct elector_state *state)
{
    if (state == NULL) {
        return json_put(object, "leader", json_null()) && json_put(object, "round", json_null()) &&
               json_put(object, "heard_ms", json_null());
    }
    return json_put(object, "leader", name_json(facts->view, &state->leader)) &&
           json_put(object, "round", round_json(&state->round)) &&
           json_put(object, "heard_ms", json_of_number(facts->now_ms - state->heard_ms));
}

static json_t *member_json(const struct facts *facts, uint32_t position)
{
    const struct elector *elector = node_elector(facts->node);
    const struct member *member = &facts->view->members[position];
    const bool is_self = id_equal(&member->id, &facts->self->id);
    json_t *object = json_object();

    return json_finished(
        object,
        json_put(object, "name", json_of_word(member->name)) &&
            json_put(object, "self", json_boolean(is_self)) &&
            json_put(object, "age", json_of_number(member->age)) &&
            json_put(object, "priority", json_of_number(elector_priority(member))) &&
            (is_self ? put_own_state(object, elector)
                     : put_heard_state(object, facts, elector_state_of(elector, position))));
}

static json_t *members_json(const struct facts *facts)
{
    json_t *array = json_array();
    bool complete = array != NULL;

    for (uint32_t i = 0; i < facts->view->member_count && complete; i++) {
        complete = json_array_append_new(array, member_json(facts, i)) == 0;
    }
    return json_finished(array, complete);
}

json_t *report_leader(const struct facts *facts)
{
    const struct elector *elector = node_elector(facts->node);
    const struct config *config = facts->config;
    const struct member *leader = elector_leader(elector);
    const struct election_round round = elector_round(elector);
    json_t *object = json_object();

    return json_finished(
        object,
        json_put(object, "schema", json_integer(1)) &&
            json_put(object, "cluster", json_of_word(config->cluster)) &&
            json_put(object, "self", json_of_word(facts->self->name)) &&
            json_put(object, "algorithm",
                     json_of_word(elector_algorithm_text(config_election(config)))) &&
            json_put(object, "best",
                     json_string(config_prefers_newest(config) ? "highest" : "lowest")) &&
            json_put(object, "advisory", json_true()) &&
            json_put(object, "stands", json_boolean(elector_stands(elector))) &&
            json_put(object, "leader", json_of_word(leader == NULL ? NULL : leader->name)) &&
            json_put(object, "leader_id", leader == NULL ? json_null() : json_of_id(&leader->id)) &&
            json_put(object, "leader_address",
                     leader == NULL ? json_null() : json_of_address(&leader->address)) &&
            json_put(object, "round",
                     view_is_empty(facts->view) ? json_null() : round_json(&round)) &&
            json_put(object, "members", members_json(facts)));
}
