#include "control/documents/report_targets.h"

#include <ctype.h>
#include <stdio.h>

#include "control/text/json.h"
#include "words/address_text.h"

#define LABEL_PREFIX "__meta_doyen_"
#define TAG_PREFIX LABEL_PREFIX "tag_"

/* What Prometheus does not take in the name of a label becomes an underscore. */
static bool put_tag_label(json_t *labels, const char *key, json_t *value)
{
    char name[sizeof TAG_PREFIX + TAGS_BYTES_MAX];

    snprintf(name, sizeof name, TAG_PREFIX "%s", key);
    for (char *at = name; *at != '\0'; at++) {
        *at = isalnum((unsigned char)*at) ? *at : '_';
    }
    return json_put(labels, name, json_incref(value));
}

static json_t *labels_json(const struct facts *facts, const char *name, const char *state,
                           const struct tags *tags)
{
    json_t *labels = json_object();
    json_t *values = tags == NULL ? json_object() : json_of_tags(tags);
    bool complete = values != NULL;
    const char *key;
    json_t *value;

    json_object_foreach(values, key, value)
    {
        complete &= put_tag_label(labels, key, value);
    }
    json_decref(values);
    complete &= json_put(labels, LABEL_PREFIX "cluster", json_of_word(facts->config->cluster));
    complete &= json_put(labels, LABEL_PREFIX "name", json_of_word(name));
    complete &= json_put(labels, LABEL_PREFIX "state", json_of_word(state));
    return json_finished(labels, complete);
}

static json_t *group_json(struct address address, uint16_t port, json_t *labels)
{
    json_t *group = json_object();
    json_t *targets = json_array();
    bool complete = targets != NULL;

    address.port = port;
    complete &= json_array_append_new(targets, json_of_address(&address)) == 0;
    complete &= json_put(group, "targets", targets);
    complete &= json_put(group, "labels", labels);
    return json_finished(group, complete);
}

json_t *report_targets(const struct facts *facts, uint16_t port)
{
    const struct view *view = facts->view;
    json_t *groups = json_array();
    bool complete = groups != NULL;

    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        json_t *labels = labels_json(facts, member->name, "member", member_tags(member));
        complete &= json_array_append_new(groups, group_json(member->address, port, labels)) == 0;
    }
    for (uint32_t i = 0; i < view->gone_count; i++) {
        const struct gone *gone = &view->gone[i];
        if (gone->reason != GONE_LEFT && gone->reason != GONE_REPLACED) {
            json_t *labels = labels_json(facts, gone->name, "failed", NULL);
            complete &= json_array_append_new(groups, group_json(gone->address, port, labels)) == 0;
        }
    }
    return json_finished(groups, complete);
}
