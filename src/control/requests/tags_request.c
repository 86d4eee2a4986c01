#include "control/requests/tags_request.h"

#include <stdio.h>
#include <string.h>

#include "control/requests/move_request.h"
#include "control/text/json.h"
#include "runtime/options/tag_list.h"

static bool set_one(struct tags *tags, const char *key, const json_t *value,
                    struct complaint *complaint)
{
    if (!json_is_string(value)) {
        return complaint_set(complaint, "the value of '%.60s' is no text", key);
    }
    return tag_list_put(tags, key, json_string_value(value), complaint);
}

static bool set_all(struct tags *tags, json_t *set, struct complaint *complaint)
{
    const char *key;
    json_t *value;

    if (set != NULL && !json_is_object(set)) {
        return complaint_set(complaint, "\"set\" wants an object of keys and their values");
    }
    json_object_foreach(set, key, value)
    {
        if (!set_one(tags, key, value, complaint)) {
            return false;
        }
    }
    return true;
}

static bool unset_all(struct tags *tags, const json_t *unset, struct complaint *complaint)
{
    if (unset != NULL && !json_is_array(unset)) {
        return complaint_set(complaint, "\"unset\" wants an array of keys");
    }
    for (size_t i = 0; i < json_array_size(unset); i++) {
        const char *key = json_string_value(json_array_get(unset, i));
        if (key == NULL) {
            return complaint_set(complaint, "\"unset\" has something that is no text");
        }
        if (!tag_list_unset(tags, key, complaint)) {
            return false;
        }
    }
    return true;
}

/* What is taken out goes first, so that there is room for what is set. */
static bool change(struct tags *tags, json_t *body, struct complaint *complaint)
{
    static const char *const known[] = {"set", "unset"};
    json_t *set = json_object_get(body, "set");
    const json_t *unset = json_object_get(body, "unset");
    const char *unknown = json_unknown_key(body, known, sizeof known / sizeof known[0]);

    if (unknown != NULL) {
        return complaint_set(complaint,
                             "\"%.40s\" is neither set nor unset, as in {\"set\": {\"KEY\": "
                             "\"VALUE\"}, \"unset\": [\"KEY\"]}",
                             unknown);
    }
    if (set == NULL && unset == NULL) {
        return complaint_set(complaint, "the body must be an object with set, unset or both, as "
                                        "{\"set\": {\"KEY\": \"VALUE\"}, \"unset\": [\"KEY\"]}");
    }
    return unset_all(tags, unset, complaint) && set_all(tags, set, complaint);
}

/* {"node": "athens", "tags": {"role": "db"}, "done": false} */
static struct answer answer_tags(const struct facts *facts, const struct tags *tags)
{
    const bool done = tags_equal(member_tags(facts->self), tags) && facts->phase == PHASE_MEMBER;
    json_t *object = json_object();
    const bool complete = json_put(object, "node", json_of_word(facts->self->name)) &&
                          json_put(object, "tags", json_of_tags(tags)) &&
                          json_put(object, "done", json_boolean(done));

    return answer_json(done ? MHD_HTTP_OK : MHD_HTTP_ACCEPTED, json_finished(object, complete));
}

struct answer tags_request(const struct facts *facts, const char *body, size_t length)
{
    struct complaint complaint;
    struct tags tags = *node_tags(facts->node);

    if (facts->phase != PHASE_MEMBER && facts->phase != PHASE_JOINING) {
        return move_request_not_a_member(facts);
    }
    json_t *wanted = json_of_body(body, length, complaint.text, sizeof complaint.text);
    const bool elects = config_election(node_config(facts->node)) != ELECT_OLDEST;
    const bool good = wanted != NULL && change(&tags, wanted, &complaint) &&
                      (!elects || tag_list_may_elect(&tags, &complaint));
    json_decref(wanted);
    if (!good) {
        return answer_problem(MHD_HTTP_BAD_REQUEST, "no tags",
                              "doyen tag shows the tags that there are", "%s", complaint.text);
    }
    node_set_tags(facts->node, &tags);
    return answer_tags(facts, &tags);
}
