#include "control/documents/report_past.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "control/documents/report_refusals.h"
#include "control/events/entry.h"
#include "control/events/sentence.h"
#include "control/events/view_record.h"
#include "control/text/json.h"
#include "control/text/text_builder.h"
#include "words/notice_text.h"
#include "words/span_text.h"
#include "words/way_text.h"

/* Frees what `text` holds. */
static json_t *text_builder_to_json(struct text_builder *text)
{
    json_t *value = text->failed || text->bytes == NULL ? NULL
                                                        : json_of_text(text->bytes, text->length);
    text_builder_deinit(text);
    return value;
}

/* --- History --- */

json_t *report_history(const struct facts *facts, const struct past *past)
{
    const size_t count = journal_history_count(facts->journal);
    json_t *object = json_object();
    json_t *views = json_array();
    bool complete = past_add_views(past, views);

    for (size_t i = 0; i < count; i++) {
        const struct view_record *record = journal_history(facts->journal, i);
        complete &= json_array_append_new(
                        views, view_record_json(record, i + 1 == count, facts->life)) == 0;
    }
    complete &= json_put(object, "schema", json_integer(1));
    complete &= json_put(object, "self", json_of_word(facts->self->name));
    complete &= json_put(object, "life", life_json(facts->life));
    complete &= json_put(object, "views", views);
    return json_finished(object, complete);
}

/* --- Events --- */

/* The events of this life; `first`: there are none before them. */
static void add_own_events(const struct facts *facts, bool first, struct text_builder *text)
{
    const uint64_t last = journal_cursor(facts->journal);
    const uint64_t kept = last < JOURNAL_ENTRIES_MAX ? last : JOURNAL_ENTRIES_MAX;

    for (uint64_t cursor = last - kept + 1; cursor <= last; cursor++) {
        const struct journal_entry *entry = journal_get(facts->journal, cursor);
        text_builder_add(text, first ? "" : ",");
        text_builder_add_json(text, entry == NULL ? NULL : entry_json(entry, facts->life));
        first = false;
    }
}

void report_journal(const struct facts *facts, const struct past *past, struct text_builder *text)
{
    const uint64_t own = journal_cursor(facts->journal);
    const size_t room = own < PAST_EVENTS_MAX ? PAST_EVENTS_MAX - (size_t)own : 0;
    const size_t earlier = past_event_count(past);
    const size_t skip = earlier > room ? earlier - room : 0;

    text_builder_add(text, "{\"schema\":1,\"self\":");
    text_builder_add_json(text, json_of_word(facts->self->name));
    text_builder_add(text, ",\"life\":");
    text_builder_add_json(text, life_json(facts->life));
    text_builder_add(text, ",\"events\":[");
    past_add_events(past, skip, text);
    add_own_events(facts, earlier == skip, text);
    text_builder_add(text, "]}\n");
}

/* --- Evidence --- */

json_t *report_join_refused(const struct facts *facts)
{
    const struct journal_entry *refusal = journal_refusal(facts->journal);

    return facts->phase == PHASE_JOINING && refusal != NULL ? entry_json(refusal, facts->life)
                                                            : json_null();
}

/* The evidence about `name` (NULL: all of it), at most `limit` of the newest, oldest first. */
static json_t *evidence_json(const struct facts *facts, const struct past *past, const char *name,
                             size_t limit)
{
    size_t from = journal_evidence_count(facts->journal);
    size_t found = 0;
    json_t *array = json_array();

    while (from > 0 && found < limit) {
        from--;
        found += name == NULL || entry_is_about(journal_evidence(facts->journal, from), name);
    }
    bool complete = past_add_evidence(past, name, limit - found, array);
    for (size_t i = from; i < journal_evidence_count(facts->journal); i++) {
        const struct journal_entry *entry = journal_evidence(facts->journal, i);
        if (name == NULL || entry_is_about(entry, name)) {
            complete &= json_array_append_new(array, entry_json(entry, facts->life)) == 0;
        }
    }
    return json_finished(array, complete);
}

static json_t *coordinator_why(const struct facts *facts, const struct whole *whole)
{
    const struct member *coordinator = facts->coordinator;
    struct text_builder text = {0};

    if (coordinator == NULL) {
        text_builder_format(&text, "there is no coordinator to be named: %s", whole->sentence);
    } else if (facts->view->member_count == 1) {
        text_builder_format(&text,
                            "%s coordinates: it is the only member of view %" PRIu64 ".%" PRIu64
                            ", of age %" PRIu64,
                            coordinator->name, facts->view->epoch, facts->view->version,
                            coordinator->age);
    } else {
        text_builder_format(&text,
                            "%s coordinates: of the %" PRIu32 " members of view %" PRIu64
                            ".%" PRIu64 " it is the oldest, of age %" PRIu64,
                            coordinator->name, facts->view->member_count, facts->view->epoch,
                            facts->view->version, coordinator->age);
    }
    return text_builder_to_json(&text);
}

json_t *report_why(const struct facts *facts, const struct whole *whole, const struct past *past)
{
    json_t *object = json_object();

    if (json_put(object, "schema", json_integer(1)) &&
        json_put(object, "self", json_of_word(facts->self->name)) &&
        json_put(object, "coordinator",
                 json_of_word(facts->coordinator == NULL ? NULL : facts->coordinator->name)) &&
        json_put(object, "text", coordinator_why(facts, whole)) &&
        json_put(object, "evidence", evidence_json(facts, past, NULL, EVIDENCE_MAX)) &&
        json_put(object, "refusals", report_last_refusals(facts, NULL))) {
        return object;
    }
    json_decref(object);
    return NULL;
}

static bool was_known(const struct past *past, const char *name)
{
    json_t *evidence = json_array();
    const bool known = past_add_evidence(past, name, 1, evidence) && json_array_size(evidence) > 0;

    json_decref(evidence);
    return known;
}

bool report_knows(const struct facts *facts, const struct past *past, const char *name)
{
    if (view_find_name(facts->view, name) != VIEW_NONE ||
        facts_find_gone(facts->view, name) != VIEW_NONE || text_equal(facts->self->name, name)) {
        return true;
    }
    for (size_t i = journal_evidence_count(facts->journal); i-- > 0;) {
        if (entry_is_about(journal_evidence(facts->journal, i), name)) {
            return true;
        }
    }
    return was_known(past, name);
}

const char *report_suggest(const struct facts *facts, const char *name)
{
    const struct view *view = facts->view;
    const size_t count = (size_t)view->member_count + view->gone_count;
    const char **names = malloc((count + 1) * sizeof *names);

    if (names == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < view->member_count; i++) {
        names[i] = view->members[i].name;
    }
    for (uint32_t i = 0; i < view->gone_count; i++) {
        names[view->member_count + i] = view->gone[i].name;
    }
    const char *nearest = suggest_nearest(name, names, count);
    free(names);
    return nearest;
}

/* Appends what is wrong with the way there, and what to do. */
static void way_sentence(const struct facts *facts, const struct node_id *life, const char *name,
                         const struct address *address, struct text_builder *text)
{
    const enum way_fault fault = node_way(facts->node, life);
    char words[WAY_TEXT_MAX];

    if (fault != WAY_SOUND) {
        text_builder_format(text, "; %s", way_text(fault, name, address, words));
        text_builder_format(text, "; %s", way_remedy(fault, name, address, words));
    }
}

static void present_sentence(const struct facts *facts, const struct links *links,
                             uint32_t position, struct text_builder *text)
{
    const struct member *member = &facts->view->members[position];
    const struct peer_state *peer = &facts->peers[position];
    char span[SPAN_TEXT_MAX];

    if (id_equal(&member->id, &facts->self->id)) {
        text_builder_format(text, "%s is this node, a member of age %" PRIu64, member->name,
                            member->age);
        links_sentence(links, facts, position, text);
        return;
    }
    text_builder_format(text, "%s is a member of age %" PRIu64, member->name, member->age);
    if (peer->unknown) {
        text_builder_add(text, "; its neighbours on the rings watch it, this node does not");
        links_sentence(links, facts, position, text);
        return;
    }
    if (peer->heard_ms_ago == NEVER_MS) {
        text_builder_add(text, ", not heard yet");
    } else {
        text_builder_format(text, ", heard %s ago", span_text(peer->heard_ms_ago, span));
    }
    text_builder_add(text, peer->linked ? ", its link up" : ", its link down");
    if (peer->verdict != VERDICT_NONE) {
        text_builder_format(text, "; this node suspects it for %s: %s",
                            span_text(peer->verdict_ms_ago, span), verdict_words(peer->verdict));
    }
    if (peer->accuser_count > 0) {
        text_builder_format(text, "; %" PRIu32 " other member%s suspect%s it", peer->accuser_count,
                            peer->accuser_count == 1 ? "" : "s",
                            peer->accuser_count == 1 ? "s" : "");
    }
    way_sentence(facts, &member->id, member->name, &member->address, text);
    links_sentence(links, facts, position, text);
}

/* Appends the removal from the journal, with its accusers' names at that time. A removal that the
 * journal no longer holds comes from the view, with the names of today. */
static void removal_sentence(const struct facts *facts, const struct gone *gone,
                             struct text_builder *text)
{
    struct journal_entry removal = {.notice = {.type = NOTICE_GONE, .gone = *gone}};

    for (size_t i = journal_evidence_count(facts->journal); i-- > 0;) {
        const struct journal_entry *entry = journal_evidence(facts->journal, i);
        if (entry->notice.type == NOTICE_GONE && id_equal(&entry->notice.gone.id, &gone->id)) {
            gone_sentence(entry, text);
            return;
        }
    }
    for (unsigned i = 0; i < gone->accuser_count && i < ACCUSERS_MAX; i++) {
        const char *name = facts_name_of_age(facts->view, gone->accusers[i]);
        if (name != NULL) {
            (void)text_set(removal.names[i], sizeof removal.names[i], name, strlen(name));
        }
    }
    gone_sentence(&removal, text);
}

/* What the name stands for now: a member, one that is gone, or one known from the evidence alone.
 */
static json_t *now_text(const struct facts *facts, const struct links *links, const char *name)
{
    const uint32_t present = view_find_name(facts->view, name);
    const uint32_t gone = facts_find_gone(facts->view, name);
    struct text_builder text = {0};
    char span[SPAN_TEXT_MAX];

    if (present != VIEW_NONE) {
        present_sentence(facts, links, present, &text);
    } else if (gone != VIEW_NONE) {
        removal_sentence(facts, &facts->view->gone[gone], &text);
        text_builder_format(&text, ", %s ago", span_text(facts->gone_ms[gone], span));
        way_sentence(facts, &facts->view->gone[gone].id, name, &facts->view->gone[gone].address,
                     &text);
    } else {
        text_builder_format(&text, "%s is not a member", name);
    }
    return text_builder_to_json(&text);
}

static const char *now_state(const struct facts *facts, const char *name)
{
    const uint32_t present = view_find_name(facts->view, name);
    if (present != VIEW_NONE) {
        const bool is_self = id_equal(&facts->view->members[present].id, &facts->self->id);
        return is_self || facts->peers[present].verdict == VERDICT_NONE ? "alive" : "suspect";
    }

    const uint32_t gone = facts_find_gone(facts->view, name);
    return gone == VIEW_NONE ? NULL : gone_state_text(facts->view->gone[gone].reason);
}

json_t *report_why_member(const struct facts *facts, const struct links *links,
                          const struct past *past, const char *name)
{
    json_t *object = json_object();

    if (json_put(object, "schema", json_integer(1)) &&
        json_put(object, "self", json_of_word(facts->self->name)) &&
        json_put(object, "node", json_of_word(name)) &&
        json_put(object, "state", json_of_word(now_state(facts, name))) &&
        json_put(object, "text", now_text(facts, links, name)) &&
        json_put(object, "evidence", evidence_json(facts, past, name, WHY_ENTRIES_MAX)) &&
        json_put(object, "refusals", report_last_refusals(facts, name))) {
        return object;
    }
    json_decref(object);
    return NULL;
}
