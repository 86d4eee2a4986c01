#include "control/entry.h"

#include <inttypes.h>

#include "base/text.h"
#include "control/words.h"
#include "runtime/options.h"
#include "runtime/value.h"
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

/* --- Sentences --- */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void accusers_words(const struct journal_entry *entry, struct sheet *sentence)
{
    const struct gone *gone = &entry->notice.gone;

    for (unsigned i = 0; i < gone->accuser_count && i < ACCUSERS_MAX; i++) {
        sheet_text(sentence, i == 0                         ? ", accused by "
                             : i + 1 == gone->accuser_count ? " and "
                                                            : ", ");
        if (entry->names[i][0] != '\0') {
            sheet_text(sentence, entry->names[i]);
        } else {
            sheet_format(sentence, "the member of age %" PRIu64, gone->accusers[i]);
        }
    }
}

void gone_sentence(const struct journal_entry *entry, struct sheet *sentence)
{
    const struct gone *gone = &entry->notice.gone;

    switch (gone->reason) {
    case GONE_FAILED:
        sheet_format(sentence, "%s was removed: %s, silent %" PRIu32 " ms", gone->name,
                     verdict_words(gone->verdict), gone->silent_ms);
        accusers_words(entry, sentence);
        return;
    case GONE_LEFT:
        sheet_format(sentence, "%s left in good order", gone->name);
        return;
    case GONE_MOVED:
        sheet_format(sentence, "%s was removed: it follows another coordinator", gone->name);
        return;
    case GONE_REPLACED:
        sheet_format(sentence, "%s was replaced by a new life with its name or address",
                     gone->name);
        return;
    }
    sheet_format(sentence, "%s is gone", gone->name);
}

static void refusal_sentence(const struct join_refused *refused, struct sheet *sentence)
{
    char text[ADDRESS_TEXT_MAX];
    char terms[TERMS_WORDS_MAX];

    switch (refused->reason) {
    case JOIN_REFUSED_TERMS:
        terms_words(&refused->terms, terms);
        sheet_format(sentence, "the terms differ; the cluster has %s", terms);
        return;
    case JOIN_REFUSED_NAME:
        sheet_format(sentence, "the name is in use at %s", address_text(&refused->address, text));
        return;
    case JOIN_REFUSED_FULL:
        sheet_format(sentence, "there is no room for more than %" PRIu32 " members",
                     refused->limit);
        return;
    }
    sheet_text(sentence, "for an unknown reason");
}

static void claim_sentence(const struct journal_entry *entry, struct sheet *sentence)
{
    const struct notice *notice = &entry->notice;
    const char *name = notice->subject.name;

    switch (notice->claim) {
    case CLAIM_STARTED:
        sheet_format(sentence, "%s asks to take over, because it suspects every older member",
                     name);
        break;
    case CLAIM_WON:
        sheet_format(sentence,
                     entry->alone ? "%s took over alone: it suspects every other member"
                                  : "%s took over: the others granted its claim",
                     name);
        break;
    case CLAIM_LOST:
        sheet_format(sentence, "%s did not take over: its claim was refused", name);
        break;
    case CLAIM_GRANTED:
        sheet_format(sentence, "this node granted the claim of %s", name);
        break;
    case CLAIM_DECLINED:
        sheet_format(sentence, "this node refused the claim of %s", name);
        break;
    }
    sheet_format(sentence, " (epoch %" PRIu64 ")", notice->epoch);
}

static void coordinator_sentence(const struct subject *subject, struct sheet *sentence)
{
    if (id_is_none(&subject->id)) {
        sheet_text(sentence, "there is no coordinator now");
        return;
    }
    sheet_format(sentence, "%s coordinates: it is the oldest member, of age %" PRIu64,
                 subject->name, subject->age);
}

/* How long two parts were apart, as people say it: "600 ms", "30.2 s", "2 h 5 min". */
static void apart_words(uint64_t ms, struct sheet *sentence)
{
    const uint64_t minutes = ms / 60000;

    if (ms < 1000) {
        sheet_format(sentence, "%" PRIu64 " ms", ms);
    } else if (minutes == 0) {
        sheet_format(sentence, "%" PRIu64 ".%" PRIu64 " s", ms / 1000, ms % 1000 / 100);
    } else if (minutes < 60) {
        sheet_format(sentence, "%" PRIu64 " min %" PRIu64 " s", minutes, ms % 60000 / 1000);
    } else {
        sheet_format(sentence, "%" PRIu64 " h %" PRIu64 " min", minutes / 60, minutes % 60);
    }
}

static void view_words(const struct view_id *id, struct sheet *sentence)
{
    sheet_format(sentence, "view %" PRIu64 ".%" PRIu64, id->epoch, id->version);
}

/* M8: both parts by their coordinators and views, and which of them was this node's. */
static void merge_sentence(const struct journal_entry *entry, struct sheet *sentence)
{
    const struct notice *notice = &entry->notice;
    const unsigned ours = notice->lost ? 1 : 0;
    const unsigned other = 1 - ours;

    sheet_format(sentence, "this node's part (%s, ",
                 entry->names[ours][0] == '\0' ? "?" : entry->names[ours]);
    view_words(&notice->parents[ours], sentence);
    sheet_format(sentence, "%s%s, ",
                 notice->lost ? ") was taken up by another (" : ") took up another (",
                 entry->names[other][0] == '\0' ? "?" : entry->names[other]);
    view_words(&notice->parents[other], sentence);
    sheet_text(sentence, ")");
    if (notice->apart_ms > 0) {
        sheet_text(sentence, ", apart for ");
        apart_words(notice->apart_ms, sentence);
    }
}

static const char *merge_failure(enum merge_refusal refusal)
{
    switch (refusal) {
    case MERGE_NOT_REFUSED:
        return "no answer came";
    case MERGE_REFUSED_BUSY:
        return "the other coordinator is busy";
    case MERGE_REFUSED_LOSING:
        return "the other part is the one to be taken up";
    case MERGE_REFUSED_FULL:
        return "there is no room for both";
    case MERGE_REFUSED_ABORTED:
        return "the other coordinator gave it up";
    case MERGE_REFUSED_NAME:
        return "this node's name is in use there";
    }
    return "an unknown reason";
}

static void merging_sentence(const struct notice *notice, struct sheet *sentence)
{
    char text[ADDRESS_TEXT_MAX];

    if (notice->on) {
        sheet_format(sentence,
                     "this node's part asks the coordinator at %s to take it up, and does not act "
                     "meanwhile",
                     address_text(&notice->subject.address, text));
        return;
    }
    sheet_format(sentence, "the merge came to nothing, for %s: this node's part goes on as it was",
                 merge_failure(notice->refusal));
}

static void other_terms_sentence(const struct notice *notice, struct sheet *sentence)
{
    char text[ADDRESS_TEXT_MAX];
    char terms[TERMS_WORDS_MAX];

    terms_words(&notice->refused.terms, terms);
    sheet_format(sentence,
                 "the part of the cluster at %s stays apart, for its nodes were started with other "
                 "terms: %s",
                 address_text(&notice->subject.address, text), terms);
}

void entry_sentence(const struct journal_entry *entry, struct sheet *sentence)
{
    const struct notice *notice = &entry->notice;
    const struct subject *subject = &notice->subject;
    char text[ADDRESS_TEXT_MAX];

    switch (notice->type) {
    case NOTICE_PHASE:
        sheet_format(sentence, "this node is in phase %s: %s", phase_text(notice->phase),
                     phase_reason_words(notice->reason));
        return;
    case NOTICE_VIEW:
        sheet_format(sentence,
                     "view %" PRIu64 ".%" PRIu64 " with %" PRIu32 " member%s holds (cause: %s)",
                     entry->epoch, entry->version, entry->member_count, plural(entry->member_count),
                     view_cause_text(notice->cause));
        return;
    case NOTICE_JOINED:
        sheet_format(sentence, "%s joined with age %" PRIu64 " from %s", subject->name,
                     subject->age, address_text(&subject->address, text));
        return;
    case NOTICE_GONE:
        gone_sentence(entry, sentence);
        return;
    case NOTICE_COORDINATOR:
        coordinator_sentence(subject, sentence);
        return;
    case NOTICE_SUSPECT:
        sheet_format(sentence, "this node suspects %s: %s, silent %" PRIu64 " ms", subject->name,
                     verdict_words(notice->verdict), notice->silent_ms);
        return;
    case NOTICE_CLEARED:
        sheet_format(sentence, "%s is not suspected any more: heard again after %" PRIu64 " ms",
                     subject->name, notice->silent_ms);
        return;
    case NOTICE_GUARD:
        sheet_format(sentence, "the guard is %smet: %" PRIu32 " fresh member%s, %" PRIu32 " needed",
                     notice->on ? "" : "not ", notice->count, plural(notice->count),
                     notice->needed);
        return;
    case NOTICE_ACTING:
        sheet_text(sentence, notice->on ? "this node acts as coordinator now"
                                        : "this node does not act as coordinator any more");
        return;
    case NOTICE_LATE:
        sheet_format(sentence,
                     "this node itself was late by %" PRIu64 " ms and accuses nobody for a while",
                     notice->silent_ms);
        return;
    case NOTICE_CLAIM:
        claim_sentence(entry, sentence);
        return;
    case NOTICE_VOUCHED:
        sheet_format(sentence,
                     "%s stays: others hear it, though this node does not; look at the "
                     "link between the two",
                     subject->name);
        return;
    case NOTICE_JOIN_REFUSED:
        sheet_format(sentence, "the member at %s turned this node away: ",
                     address_text(&subject->address, text));
        refusal_sentence(&notice->refused, sentence);
        sheet_format(sentence, "; %s", join_refusal_advice(notice->refused.reason));
        return;
    case NOTICE_TURNED_AWAY:
        sheet_format(sentence, "%s at %s was turned away: ", subject->name,
                     address_text(&subject->address, text));
        refusal_sentence(&notice->refused, sentence);
        return;
    case NOTICE_MISMATCH:
        sheet_format(sentence,
                     "view %" PRIu64 ".%" PRIu64 " exists with two contents; the "
                     "coordinator repairs it",
                     entry->epoch, entry->version);
        return;
    case NOTICE_SPLIT:
        sheet_format(sentence,
                     "the cluster may have split: %" PRIu32 " of %" PRIu32
                     " members were lost at once",
                     notice->count, notice->needed);
        return;
    case NOTICE_MERGE:
        merge_sentence(entry, sentence);
        return;
    case NOTICE_MERGING:
        merging_sentence(notice, sentence);
        return;
    case NOTICE_OTHER_TERMS:
        other_terms_sentence(notice, sentence);
        return;
    }
}

/* --- JSON --- */

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
