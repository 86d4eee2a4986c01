#include "control/documents/report_partitions.h"

#include <string.h>

#include "control/documents/report_owning.h"
#include "control/text/json.h"
#include "partition/keeper.h"

/* The name of the member at that place of the table; null: it has gone. */
static json_t *name_json(const struct facts *facts, const struct keeper *keeper, uint16_t place)
{
    const uint32_t position = view_is_empty(facts->view)
                                  ? VIEW_NONE
                                  : view_find(facts->view, &keeper->members[place]);

    return json_of_word(position == VIEW_NONE ? NULL : facts->view->members[position].name);
}

static json_t *member_json(const struct facts *facts, const struct keeper *keeper, uint16_t place)
{
    json_t *object = json_object();
    uint32_t owned = 0;
    uint32_t kept = 0;

    for (uint32_t p = 0; p < keeper->table.partitions; p++) {
        owned += keeper->table.rows[p].copies[0] == place;
        for (uint32_t i = 0; i < keeper->table.copies; i++) {
            kept += keeper->table.rows[p].copies[i] == place;
        }
    }
    return json_finished(
        object, json_put(object, "name", name_json(facts, keeper, place)) &&
                    json_put(object, "id", json_of_id(&keeper->members[place])) &&
                    json_put(object, "owned", json_of_number(owned)) &&
                    json_put(object, "kept", json_of_number(kept)) &&
                    json_put(object, "held", report_owned_by(facts, &keeper->members[place])));
}

static json_t *members_json(const struct facts *facts, const struct keeper *keeper)
{
    json_t *array = json_array();
    bool complete = array != NULL;

    for (uint32_t i = 0; i < keeper->member_count && complete; i++) {
        complete = json_array_append_new(array, member_json(facts, keeper, (uint16_t)i)) == 0;
    }
    return json_finished(array, complete);
}

/* The owner's place first. */
static json_t *row_json(const struct keeper *keeper, uint32_t partition)
{
    json_t *array = json_array();
    bool complete = array != NULL;

    for (uint32_t i = 0; i < keeper->table.copies && complete; i++) {
        const uint16_t place = keeper->table.rows[partition].copies[i];
        complete = place == PARTITION_NOBODY ||
                   json_array_append_new(array, json_of_number(place)) == 0;
    }
    return json_finished(array, complete);
}

static json_t *table_json(const struct keeper *keeper)
{
    json_t *array = json_array();
    bool complete = array != NULL;

    for (uint32_t p = 0; p < keeper->table.partitions && complete; p++) {
        complete = json_array_append_new(array, row_json(keeper, p)) == 0;
    }
    return json_finished(array, complete);
}

/* Who keeps that partition, the owner first. */
static json_t *keepers_json(const struct facts *facts, const struct keeper *keeper,
                            uint32_t partition)
{
    json_t *array = json_array();
    bool complete = array != NULL;

    for (uint32_t i = 0; i < keeper->table.copies && complete; i++) {
        const uint16_t place = keeper->table.rows[partition].copies[i];
        complete = place == PARTITION_NOBODY ||
                   json_array_append_new(array, name_json(facts, keeper, place)) == 0;
    }
    return json_finished(array, complete);
}

static json_t *change_json(const struct partition_change *change)
{
    json_t *object = json_object();

    return json_finished(object,
                         json_put(object, "moved", json_of_number(change->moved)) &&
                             json_put(object, "least", json_of_number(change->least)) &&
                             json_put(object, "owners_changed", json_of_number(change->led)));
}

static bool put_table(json_t *object, const struct facts *facts, const struct keeper *keeper,
                      const char *key)
{
    if (!keeper_has_table(keeper)) {
        return json_put(object, "epoch", json_null()) && json_put(object, "version", json_null());
    }
    if (!json_put(object, "epoch", json_of_u64(keeper->of.epoch)) ||
        !json_put(object, "version", json_of_u64(keeper->of.version)) ||
        !json_put(object, "change", change_json(&keeper->change)) ||
        !json_put(object, "members", members_json(facts, keeper))) {
        return false;
    }
    if (key == NULL) {
        return json_put(object, "table", table_json(keeper)) && report_owning_put(object, facts);
    }
    const uint32_t partition = partition_of(key, strlen(key), keeper->table.partitions);
    return json_put(object, "partition", json_of_number(partition)) &&
           json_put(object, "keepers", keepers_json(facts, keeper, partition)) &&
           report_owning_put_token(object, facts, partition);
}

json_t *report_partitions(const struct facts *facts, const char *key)
{
    const struct keeper *keeper = node_partitions(facts->node);
    const struct config *config = facts->config;
    json_t *object = json_object();
    const bool complete =
        json_put(object, "schema", json_integer(1)) &&
        json_put(object, "cluster", json_of_word(config->cluster)) &&
        json_put(object, "self", json_of_word(facts->self->name)) &&
        json_put(object, "advisory", json_true()) &&
        json_put(object, "partitions",
                 keeper == NULL ? json_null() : json_of_number(config->partitions)) &&
        json_put(object, "backups",
                 keeper == NULL ? json_null() : json_of_number(config->backups)) &&
        json_put(object, "settled", json_boolean(keeper != NULL && keeper->settled)) &&
        (keeper == NULL || put_table(object, facts, keeper, key));

    return json_finished(object, complete);
}
