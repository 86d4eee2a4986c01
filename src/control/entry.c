#include "control/entry.h"

#include <inttypes.h>

#include "base/text.h"
#include "control/sentence.h"
#include "control/sheet.h"
#include "control/words.h"
#include "words/address_text.h"
#include "words/notice_text.h"
#include "words/terms_text.h"

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

/* Sets a key and takes the value over; false when memory ran out. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static bool set_subject(json_t *object, const struct subject *subject)
{
    if (id_is_none(&subject->id) && subject->name[0] == '\0') {
        return set(object, "name", json_null()) &&
               set(object, "address", json_of_address(&subject->address));
    }
    return set(object, "name", json_of_word(subject->name)) &&
           set(object, "id", json_of_id(&subject->id)) &&
           set(object, "address", json_of_address(&subject->address)) &&
           set(object, "age", json_of_number(subject->age));
}

/* null where there is none. */
static json_t *json_of_name(const char *name)
{
    return json_of_word(name[0] == '\0' ? NULL : name);
}

static bool set_gone(json_t *object, const struct journal_entry *entry)
{
    const struct gone *gone = &entry->notice.gone;
    json_t *accusers = json_array();

    for (unsigned i = 0; i < gone->accuser_count && i < ACCUSERS_MAX; i++) {
        if (json_array_append_new(accusers, json_of_name(entry->names[i])) != 0) {
            json_decref(accusers);
            return false;
        }
    }
    return set(object, "accusers", accusers) && set(object, "name", json_of_word(gone->name)) &&
           set(object, "id", json_of_id(&gone->id)) &&
           set(object, "address", json_of_address(&gone->address)) &&
           set(object, "age", json_of_number(gone->age)) &&
           set(object, "state", json_of_word(gone_state_word(gone->reason))) &&
           set(object, "reason", json_of_word(gone_reason_text(gone->reason))) &&
           set(object, "verdict", json_of_word(verdict_text(gone->verdict))) &&
           set(object, "silent_ms", json_of_number(gone->silent_ms));
}

static bool set_refused(json_t *object, const struct join_refused *refused)
{
    char guard[GUARD_TEXT_MAX];

    if (!set(object, "refusal", json_of_word(join_refusal_text(refused->reason)))) {
        return false;
    }
    switch (refused->reason) {
    case JOIN_REFUSED_TERMS:
        guard_text(&refused->terms.guard, guard);
        return set(object, "guard", json_of_word(guard)) &&
               set(object, "size", json_of_guard_size(&refused->terms.guard)) &&
               set(object, "profile", json_of_word(profile_text(refused->terms.profile))) &&
               set(object, "heartbeat_ms", json_of_number(refused->terms.heartbeat_ms)) &&
               set(object, "fail_after_ms", json_of_number(refused->terms.lost_ms)) &&
               set(object, "capacity", json_of_number(refused->terms.capacity));
    case JOIN_REFUSED_NAME:
        return set(object, "in_use_at", json_of_address(&refused->address));
    case JOIN_REFUSED_FULL:
        return set(object, "limit", json_of_number(refused->limit));
    }
    return true;
}

json_t *view_id_json(const struct view_id *id, const char *coordinator)
{
    json_t *object = json_object();

    if (set(object, "lineage", json_sprintf("%016" PRIx64, id->lineage)) &&
        set(object, "epoch", json_of_u64(id->epoch)) &&
        set(object, "version", json_of_u64(id->version)) &&
        set(object, "coordinator", json_of_name(coordinator)) &&
        set(object, "coordinator_id", json_of_id(&id->coordinator))) {
        return object;
    }
    json_decref(object);
    return NULL;
}

/* The part that went on, and the one that was taken up. */
static bool set_merge(json_t *object, const struct journal_entry *entry)
{
    const struct notice *notice = &entry->notice;

    return set(object, "parent", view_id_json(&notice->parents[0], entry->names[0])) &&
           set(object, "merged", view_id_json(&notice->parents[1], entry->names[1])) &&
           set(object, "taken_up", json_boolean(notice->lost)) &&
           set(object, "apart_ms",
               notice->apart_ms == 0 ? json_null() : json_of_number(notice->apart_ms));
}

static bool set_notice(json_t *object, const struct journal_entry *entry)
{
    const struct notice *notice = &entry->notice;
    const struct subject *subject = &notice->subject;

    switch (notice->type) {
    case NOTICE_PHASE:
        return set(object, "phase", json_of_word(phase_text(notice->phase))) &&
               set(object, "reason", json_of_word(phase_reason_text(notice->reason)));
    case NOTICE_VIEW:
        return set(object, "cause", json_of_word(view_cause_text(notice->cause))) &&
               set(object, "coordinator", json_of_name(subject->name)) &&
               set(object, "change", json_of_word(entry->change));
    case NOTICE_JOINED:
    case NOTICE_COORDINATOR:
    case NOTICE_VOUCHED:
        return set_subject(object, subject);
    case NOTICE_GONE:
        return set_gone(object, entry);
    case NOTICE_SUSPECT:
        return set_subject(object, subject) &&
               set(object, "verdict", json_of_word(verdict_text(notice->verdict))) &&
               set(object, "silent_ms", json_of_number(notice->silent_ms));
    case NOTICE_CLEARED:
        return set_subject(object, subject) &&
               set(object, "silent_ms", json_of_number(notice->silent_ms));
    case NOTICE_GUARD:
        return set(object, "met", json_boolean(notice->on)) &&
               set(object, "fresh", json_of_number(notice->count)) &&
               set(object, "needed", json_of_number(notice->needed));
    case NOTICE_ACTING:
        return set(object, "acting", json_boolean(notice->on));
    case NOTICE_LATE:
        return set(object, "late_ms", json_of_number(notice->silent_ms));
    case NOTICE_CLAIM:
        return set_subject(object, subject) &&
               set(object, "step", json_of_word(claim_step_text(notice->claim))) &&
               set(object, "claim_epoch", json_of_u64(notice->epoch)) &&
               (notice->claim != CLAIM_WON || set(object, "alone", json_boolean(entry->alone)));
    case NOTICE_JOIN_REFUSED:
    case NOTICE_TURNED_AWAY:
    case NOTICE_OTHER_TERMS:
        return set_subject(object, subject) && set_refused(object, &notice->refused);
    case NOTICE_MISMATCH:
        return true;
    case NOTICE_SPLIT:
        return set(object, "lost", json_of_number(notice->count)) &&
               set(object, "of", json_of_number(notice->needed));
    case NOTICE_MERGE:
        return set_merge(object, entry);
    case NOTICE_MERGING:
        return set(object, "merging", json_boolean(notice->on)) &&
               set(object, "with", notice->on ? json_of_address(&subject->address) : json_null()) &&
               set(object, "refusal",
                   notice->on ? json_null() : json_of_word(merge_refusal_text(notice->refusal)));
    }
    return true;
}

static json_t *sentence_json(const struct journal_entry *entry)
{
    struct sheet sentence = {0};

    entry_sentence(entry, &sentence);
    json_t *value = sentence.bytes == NULL || sentence.failed
                        ? NULL
                        : json_of_text(sentence.bytes, sentence.length);
    sheet_deinit(&sentence);
    return value;
}

json_t *entry_json(const struct journal_entry *entry)
{
    const bool in_view = entry->member_count > 0;
    char time[TIME_TEXT_MAX];
    json_t *object = json_object();

    if (set(object, "kind", json_of_word(notice_event(entry->notice.type))) &&
        set(object, "cursor", json_of_u64(entry->cursor)) &&
        set(object, "time", json_of_word(time_text(entry->wall_ms, time))) &&
        set(object, "epoch", in_view ? json_of_u64(entry->epoch) : json_null()) &&
        set(object, "version", in_view ? json_of_u64(entry->version) : json_null()) &&
        set(object, "members", json_of_number(entry->member_count)) && set_notice(object, entry) &&
        set(object, "text", sentence_json(entry))) {
        return object;
    }
    json_decref(object);
    return NULL;
}
