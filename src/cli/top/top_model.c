#include "cli/top/top_model.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/request/document.h"

void top_model_deinit(struct top_model *model)
{
    for (size_t i = 0; i < TOP_DOCUMENT_COUNT; i++) {
        json_decref(model->documents[i]);
    }
    json_decref(model->events);
    json_decref(model->counters_before);
    json_decref(model->counters_now);
    *model = (struct top_model){.away = false};
}

/* --- What comes in --- */

/* Two samples that are too close would make one datagram a hundred each second. */
static void keep_counters(struct top_model *model, const json_t *status, uint64_t asked_ms)
{
    if (model->counters_now != NULL && asked_ms - model->counters_ms < TOP_SAMPLE_MS_MIN) {
        return;
    }
    json_decref(model->counters_before);
    model->counters_before = model->counters_now;
    model->counters_before_ms = model->counters_ms;
    model->counters_now = json_incref(json_object_get(status, "counters"));
    model->counters_ms = asked_ms;
}

void top_model_take(struct top_model *model, enum top_document which, json_t *document,
                    uint64_t asked_ms)
{
    if (which == TOP_STATUS) {
        keep_counters(model, document, asked_ms);
    }
    if (document != NULL && (which == TOP_MEMBERS || which == TOP_STATUS)) {
        model->away = false;
        model->seen_ms = which == TOP_MEMBERS ? asked_ms : model->seen_ms;
    }
    json_decref(model->documents[which]);
    model->documents[which] = document;
}

static bool is_known(const struct top_model *model, const char *cursor)
{
    for (size_t i = json_array_size(model->events); i > 0; i--) {
        if (strcmp(document_text(json_array_get(model->events, i - 1), "cursor", ""), cursor) ==
            0) {
            return true;
        }
    }
    return false;
}

void top_model_add_event(struct top_model *model, json_t *event)
{
    const char *cursor = document_text(event, "cursor", "");

    /* A snapshot and a gap say how things are, not what happened. */
    if (!document_has(event, "time") || cursor[0] == '\0' || is_known(model, cursor)) {
        return;
    }
    if (model->events == NULL) {
        model->events = json_array();
    }
    (void)json_array_append(model->events, event);
    if (json_array_size(model->events) > TOP_EVENTS_MAX) {
        (void)json_array_remove(model->events, 0);
    }
}

void top_model_add_journal(struct top_model *model, const json_t *journal)
{
    const json_t *events = json_object_get(journal, "events");

    for (size_t i = 0; i < json_array_size(events); i++) {
        top_model_add_event(model, json_array_get(events, i));
    }
}

void top_model_set_away(struct top_model *model, const char *why)
{
    model->away = true;
    snprintf(model->away_text, sizeof model->away_text, "%s", why);
}

/* --- Members --- */

uint64_t top_model_acting_left_ms(const struct top_model *model, uint64_t now_ms)
{
    const json_t *members = model->documents[TOP_MEMBERS];
    const uint64_t left_ms = document_number(members, "acting_ms");
    const uint64_t passed_ms = now_ms > model->seen_ms ? now_ms - model->seen_ms : 0;

    if (!document_is_true(members, "acting") || passed_ms >= left_ms) {
        return 0;
    }
    return left_ms - passed_ms;
}

static bool has_part(const char *text, const char *part)
{
    const size_t length = strlen(part);

    for (; *text != '\0'; text++) {
        if (strncasecmp(text, part, length) == 0) {
            return true;
        }
    }
    return length == 0;
}

static bool tag_has_part(const char *key, const char *value, const char *part)
{
    char text[MEMBER_FIELD_TEXT_MAX];

    snprintf(text, sizeof text, "%s=%s", key, value == NULL ? "" : value);
    return has_part(text, part);
}

static bool passes(const json_t *entry, const char *filter)
{
    const char *key = NULL;
    json_t *value = NULL;

    if (has_part(document_text(entry, "name", ""), filter) ||
        has_part(document_text(entry, "address", ""), filter) ||
        has_part(member_state(entry), filter)) {
        return true;
    }
    json_object_foreach(json_object_get(entry, "tags"), key, value)
    {
        if (tag_has_part(key, json_string_value(value), filter)) {
            return true;
        }
    }
    return false;
}

size_t top_model_rows(const struct top_model *model, const char *filter, struct member_row *rows,
                      size_t max)
{
    static const char *const lists[] = {"members", "gone"};
    const json_t *document = model->documents[TOP_MEMBERS];
    size_t count = 0;

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const json_t *list = json_object_get(document, lists[i]);
        for (size_t k = 0; k < json_array_size(list); k++) {
            const json_t *entry = json_array_get(list, k);
            if (!passes(entry, filter)) {
                continue;
            }
            if (count < max) {
                rows[count] = (struct member_row){document, entry, i > 0};
            }
            count++;
        }
    }
    return count;
}

const char *top_row_id(const struct member_row *row)
{
    return document_text(row->entry, "id", document_text(row->entry, "name", ""));
}

static bool is_held_by(const json_t *role, const char *name)
{
    const json_t *holders = json_object_get(role, "holders");

    for (size_t i = 0; i < json_array_size(holders); i++) {
        if (strcmp(document_text(json_array_get(holders, i), "member", ""), name) == 0) {
            return true;
        }
    }
    return false;
}

void top_model_held(const struct top_model *model, const char *name, char text[TOP_HELD_MAX])
{
    const json_t *roles = json_object_get(model->documents[TOP_ROLES], "roles");
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < json_array_size(roles); i++) {
        const json_t *role = json_array_get(roles, i);
        if (!is_held_by(role, name)) {
            continue;
        }
        const int more = snprintf(text + length, TOP_HELD_MAX - length, "%s%s",
                                  length == 0 ? "" : ", ", document_text(role, "role", "?"));
        if (more < 0 || (size_t)more >= TOP_HELD_MAX - length) {
            return;
        }
        length += (size_t)more;
    }
}

/* --- Counters --- */

static uint64_t counter_in(const json_t *counters, const char *key, const char *below)
{
    json_t *value = json_object_get(counters, key);
    const char *name = NULL;
    json_t *part = NULL;
    uint64_t sum = 0;

    if (!json_is_object(value)) {
        return document_number(counters, key);
    }
    if (below != NULL) {
        return document_number(value, below);
    }
    json_object_foreach(value, name, part)
    {
        sum += document_number(value, name);
    }
    return sum;
}

uint64_t top_model_counter(const struct top_model *model, const char *key, const char *below)
{
    return counter_in(json_object_get(model->documents[TOP_STATUS], "counters"), key, below);
}

bool top_model_rate(const struct top_model *model, const char *key, const char *below,
                    double *per_second)
{
    const uint64_t now = counter_in(model->counters_now, key, below);

    if (model->counters_before == NULL || model->counters_ms <= model->counters_before_ms) {
        return false;
    }
    const uint64_t before = counter_in(model->counters_before, key, below);
    if (now < before) {
        return false; /* The daemon was restarted and counts from 0. */
    }
    *per_second = (double)(now - before) * 1000.0 /
                  (double)(model->counters_ms - model->counters_before_ms);
    return true;
}
