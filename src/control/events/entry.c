#include "control/events/entry.h"

#include "base/text.h"
#include "control/events/sentence.h"
#include "control/text/cursor.h"
#include "control/text/json.h"
#include "control/text/text_builder.h"
#include "control/text/time_text.h"
#include "words/notice_fields.h"

bool entry_is_about(const struct journal_entry *entry, const char *name)
{
    const struct notice *notice = &entry->notice;
    const char *subject = notice->type == NOTICE_GONE ? notice->gone.name : notice->subject.name;

    if (notice->type == NOTICE_MERGE &&
        (text_equal(entry->names[0], name) || text_equal(entry->names[1], name))) {
        return true;
    }
    return subject[0] != '\0' && text_equal(subject, name);
}

/* An empty name becomes null. */
static json_t *json_of_name(const char *name)
{
    return json_of_word(name[0] == '\0' ? NULL : name);
}

json_t *view_id_json(const struct view_id *id, const char *coordinator)
{
    json_t *object = json_object();

    if (json_put(object, "lineage", json_of_lineage(id->lineage)) &&
        json_put(object, "epoch", json_of_u64(id->epoch)) &&
        json_put(object, "version", json_of_u64(id->version)) &&
        json_put(object, "coordinator", json_of_name(coordinator)) &&
        json_put(object, "coordinator_id", json_of_id(&id->coordinator))) {
        return object;
    }
    json_decref(object);
    return NULL;
}

static json_t *accusers_json(const struct journal_entry *entry)
{
    json_t *array = json_array();
    bool complete = true;

    for (unsigned i = 0; i < entry->notice.gone.accuser_count && i < ACCUSERS_MAX; i++) {
        complete &= json_array_append_new(array, json_of_name(entry->names[i])) == 0;
    }
    return json_finished(array, complete);
}

static json_t *field_json(const struct notice_field *field, const struct journal_entry *entry)
{
    switch (field->kind) {
    case FIELD_NULL:
        return json_null();
    case FIELD_TEXT:
        return json_of_word(field->text);
    case FIELD_NUMBER:
        return json_of_number(field->number);
    case FIELD_WIDE:
        return json_of_u64(field->number);
    case FIELD_FLAG:
        return json_boolean(field->number == 1);
    case FIELD_NAMES:
        return accusers_json(entry);
    case FIELD_VIEW:
        return view_id_json(&entry->notice.parents[field->number], entry->names[field->number]);
    case FIELD_TAGS:
        return json_of_tags(field->tags);
    }
    return NULL;
}

static bool put_fields(json_t *object, const struct journal_entry *entry)
{
    struct notice_fields fields;
    bool complete = true;

    notice_fields(entry, &fields);
    for (size_t i = 0; i < fields.count && complete; i++) {
        complete = json_put(object, fields.items[i].key, field_json(&fields.items[i], entry));
    }
    return complete;
}

static json_t *sentence_json(const struct journal_entry *entry)
{
    struct text_builder sentence = {0};

    entry_sentence(entry, &sentence);
    json_t *value = sentence.bytes == NULL || sentence.failed
                        ? NULL
                        : json_of_text(sentence.bytes, sentence.length);
    text_builder_deinit(&sentence);
    return value;
}

json_t *entry_json(const struct journal_entry *entry, uint32_t life)
{
    const struct cursor cursor = {.life = life, .number = entry->cursor};
    char cursor_words[CURSOR_TEXT_MAX];
    char time[TIME_TEXT_MAX];
    json_t *object = json_object();

    return json_finished(
        object, json_put(object, "kind", json_of_word(notice_event(entry->notice.type))) &&
                    json_put(object, "cursor", json_of_word(cursor_text(cursor, cursor_words))) &&
                    json_put(object, "time", json_of_word(time_text(entry->wall_ms, time))) &&
                    put_fields(object, entry) && json_put(object, "text", sentence_json(entry)));
}
