#include "control/events/past.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "control/events/entry.h"
#include "control/events/view_record.h"
#include "control/text/json.h"
#include "runtime/disk/journal_file.h"

/* A line of the file:
 *
 *     {"evidence": true, "event": {...}, "views": [...]}
 *
 * The event is one of /v1/events. The views are those that are new or that have changed since the
 * line before, as in /v1/history: one that was told before takes the place of what was said then.
 */

/* --- Earlier lives --------------------------------------------------------------------------- */

/* Are these two records of one and the same view? */
static bool is_same_view(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"life", "lineage", "epoch", "version", "time"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (!json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i]))) {
            return false;
        }
    }
    return true;
}

static void add_view(struct past *past, json_t *view)
{
    for (size_t back = 1; back <= 2 && back <= json_array_size(past->views); back++) {
        const size_t at = json_array_size(past->views) - back;
        if (is_same_view(json_array_get(past->views, at), view)) {
            (void)json_array_set(past->views, at, view);
            return;
        }
    }
    if (json_array_append(past->views, view) == 0 &&
        json_array_size(past->views) > HISTORY_VIEWS_MAX) {
        (void)json_array_remove(past->views, 0);
    }
}

static void add_event(struct past *past, char *text, bool evidence)
{
    struct past_event *event = &past->events[past->event_count % PAST_EVENTS_MAX];

    free(event->text);
    *event = (struct past_event){.text = text, .evidence = evidence};
    past->event_count++;
}

/* A line that is whole and yet says something else is of another version: it is left out. */
static void on_found(void *context, const char *line, size_t length)
{
    struct past *past = context;
    json_t *root = json_loadb(line, length, 0, NULL);
    const json_t *event = json_object_get(root, "event");
    const json_t *views = json_object_get(root, "views");

    if (json_is_object(event)) {
        char *text = json_dumps(event, JSON_COMPACT);
        if (text != NULL) {
            add_event(past, text, json_is_true(json_object_get(root, "evidence")));
        }
    }
    for (size_t i = 0; past->views != NULL && i < json_array_size(views); i++) {
        if (json_is_object(json_array_get(views, i))) {
            add_view(past, json_array_get(views, i));
        }
    }
    json_decref(root);
}

void past_open(struct past *past, uv_loop_t *loop, struct node *node, uint32_t life,
               struct log *log)
{
    const char *dir = node_config(node)->state_dir;

    *past = (struct past){.journal = node_journal(node), .life = life, .next = 1};
    if (dir[0] != '\0') {
        past->views = json_array();
        past->file = journal_file_open(loop, dir, log, on_found, past);
    }
}

/* --- Writing --------------------------------------------------------------------------------- */

/* The views that are new, and the one before them, which has ended or was no split yet. */
static json_t *changed_views(struct past *past)
{
    const size_t kept = journal_history_count(past->journal);
    const uint64_t ever = journal_count(past->journal, NOTICE_VIEW);
    const uint64_t fresh = ever - past->views_told + 1;
    json_t *array = json_array();
    bool complete = true;

    for (size_t i = fresh < kept ? kept - (size_t)fresh : 0; i < kept; i++) {
        complete &= json_array_append_new(array, view_record_json(journal_history(past->journal, i),
                                                                  i + 1 == kept, past->life)) == 0;
    }
    past->views_told = ever;
    return json_finished(array, complete);
}

static void write_entry(struct past *past, const struct journal_entry *entry, bool with_views)
{
    const bool evidence = journal_is_evidence(entry->notice.type);
    json_t *line = json_object();

    line = json_finished(
        line, json_put(line, "evidence", json_boolean(evidence)) &&
                  json_put(line, "event", entry_json(entry, past->life)) &&
                  json_put(line, "views", with_views ? changed_views(past) : json_array()));
    char *text = line == NULL ? NULL : json_dumps(line, JSON_COMPACT);
    if (text != NULL) { /* Without memory it is one event less after a restart. */
        journal_file_append(past->file, text, strlen(text));
    }
    free(text);
    json_decref(line);
}

static bool changes_views(const struct journal_entry *entry)
{
    return entry->notice.type == NOTICE_VIEW || entry->notice.type == NOTICE_SPLIT ||
           entry->notice.type == NOTICE_MERGE;
}

static void write_some(struct past *past, size_t limit)
{
    for (size_t i = 0; i < limit && past->next <= journal_cursor(past->journal); i++) {
        const struct journal_entry *entry = journal_get(past->journal, past->next);
        if (entry != NULL) {
            write_entry(past, entry, changes_views(entry));
        }
        past->next++;
    }
}

void past_write(struct past *past)
{
    if (past->file != NULL) {
        write_some(past, PAST_TURN_EVENTS);
    }
}

bool past_close(struct past *past, void (*on_closed)(void *context), void *context)
{
    const bool is_open = past->file != NULL;

    if (is_open) {
        write_some(past, PAST_EVENTS_MAX);
        journal_file_close(past->file, on_closed, context);
        past->file = NULL;
    }
    for (size_t i = 0; i < PAST_EVENTS_MAX; i++) {
        free(past->events[i].text);
        past->events[i] = (struct past_event){.text = NULL};
    }
    json_decref(past->views);
    past->views = NULL;
    past->event_count = 0;
    return is_open;
}

/* --- Telling --------------------------------------------------------------------------------- */

size_t past_event_count(const struct past *past)
{
    return past->event_count < PAST_EVENTS_MAX ? (size_t)past->event_count : PAST_EVENTS_MAX;
}

static const struct past_event *event_at(const struct past *past, size_t index)
{
    const size_t count = past_event_count(past);

    return &past->events[(past->event_count - count + index) % PAST_EVENTS_MAX];
}

void past_add_events(const struct past *past, size_t skip, struct text_builder *text)
{
    for (size_t i = skip; i < past_event_count(past); i++) {
        if (i > skip) {
            text_builder_add(text, ",");
        }
        text_builder_add(text, event_at(past, i)->text);
    }
}

bool past_add_views(const struct past *past, json_t *array)
{
    return past->views == NULL || json_array_extend(array, past->views) == 0;
}

/* As entry_is_about has it for the events of this life. */
static bool is_about(const json_t *event, const char *name)
{
    static const char *const sides[] = {"parent", "merged"};
    const char *subject = json_string_value(json_object_get(event, "name"));

    if (subject != NULL && text_equal(subject, name)) {
        return true;
    }
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        const json_t *side = json_object_get(event, sides[i]);
        subject = json_string_value(json_object_get(side, "coordinator"));
        if (subject != NULL && text_equal(subject, name)) {
            return true;
        }
    }
    return false;
}

/* The event as a document, if it is wanted; NULL: it is not, or memory ran out. */
static json_t *wanted(const struct past_event *event, const char *name)
{
    if (!event->evidence || (name != NULL && strstr(event->text, name) == NULL)) {
        return NULL; /* Most need not be parsed. */
    }
    json_t *document = json_loads(event->text, 0, NULL);
    if (name != NULL && !is_about(document, name)) {
        json_decref(document);
        return NULL;
    }
    return document;
}

bool past_add_evidence(const struct past *past, const char *name, size_t limit, json_t *array)
{
    bool complete = true;

    for (size_t i = past_event_count(past), found = 0; i-- > 0 && found < limit;) {
        json_t *document = wanted(event_at(past, i), name);
        if (document != NULL) {
            found++;
            complete &= json_array_insert_new(array, 0, document) == 0;
        }
    }
    return complete;
}
