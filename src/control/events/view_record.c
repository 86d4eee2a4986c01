#include "control/events/view_record.h"

#include <inttypes.h>
#include <stdio.h>

#include "control/events/entry.h"
#include "control/text/cursor.h"
#include "control/text/json.h"
#include "control/text/time_text.h"
#include "words/notice_text.h"

/* The views that this one was made from: none for the first of a cluster, two for a merge. */
static json_t *parents_json(const struct view_record *record)
{
    json_t *array = json_array();
    bool complete = true;

    if (record->parent.version > 0) {
        complete &= json_array_append_new(
                        array, view_id_json(&record->parent, record->parent_coordinator)) == 0;
    }
    if (record->cause == CAUSE_MERGE) {
        complete &= json_array_append_new(
                        array, view_id_json(&record->merged, record->merged_coordinator)) == 0;
    }
    return json_finished(array, complete);
}

/* null, or how many of how many were lost at once. */
static json_t *split_json(const struct view_record *record)
{
    json_t *object = NULL;

    if (record->split_lost == 0) {
        return json_null();
    }
    object = json_object();
    if (json_put(object, "lost", json_of_number(record->split_lost)) &&
        json_put(object, "of", json_of_number(record->split_of))) {
        return object;
    }
    json_decref(object);
    return NULL;
}

json_t *life_json(uint32_t life)
{
    char text[CURSOR_TEXT_MAX];

    snprintf(text, sizeof text, "%08" PRIx32, life);
    return json_of_word(text);
}

json_t *view_record_json(const struct view_record *record, bool current, uint32_t life)
{
    const bool merge = record->cause == CAUSE_MERGE;
    char time[TIME_TEXT_MAX];
    json_t *object = json_object();

    if (json_put(object, "life", life_json(life)) &&
        json_put(object, "lineage", json_of_lineage(record->lineage)) &&
        json_put(object, "epoch", json_of_u64(record->epoch)) &&
        json_put(object, "version", json_of_u64(record->version)) &&
        json_put(object, "cause", json_of_word(view_cause_text(record->cause))) &&
        json_put(object, "time", json_of_word(time_text(record->wall_ms, time))) &&
        json_put(object, "lasted_ms", current ? json_null() : json_of_number(record->lasted_ms)) &&
        json_put(object, "members", json_of_number(record->member_count)) &&
        json_put(object, "joined", json_of_number(record->joined_count)) &&
        json_put(object, "gone", json_of_number(record->gone_count)) &&
        json_put(object, "coordinator",
                 json_of_word(record->coordinator[0] == '\0' ? NULL : record->coordinator)) &&
        json_put(object, "change", json_of_word(record->change)) &&
        json_put(object, "parents", parents_json(record)) &&
        json_put(object, "taken_up", merge ? json_boolean(record->taken_up) : json_null()) &&
        json_put(object, "apart_ms",
                 merge && record->apart_ms > 0 ? json_of_number(record->apart_ms) : json_null()) &&
        json_put(object, "split", split_json(record))) {
        return object;
    }
    json_decref(object);
    return NULL;
}
