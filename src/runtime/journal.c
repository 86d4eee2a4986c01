#include "runtime/journal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/notice_text.h"

struct observer {
    journal_observer *call;
    void *context;
};

/* What joined and went since the view before, until the view that shows it is there. */
struct pending_change {
    uint32_t joined_count;
    uint32_t gone_count;
    size_t length;
    char text[CAUSE_TEXT_MAX];
};

/* Rings: item `number`, counted from 0 for ever, lies at number % MAX. */
struct journal {
    uint64_t cursor; /* of the newest entry */
    struct journal_entry entries[JOURNAL_ENTRIES_MAX];

    uint64_t view_count; /* ever installed */
    struct view_record views[HISTORY_VIEWS_MAX];

    uint64_t evidence_first; /* number of the oldest that is kept */
    size_t evidence_count;
    struct journal_entry evidence[EVIDENCE_MAX];

    struct pending_change pending;
    size_t observer_count;
    struct observer observers[JOURNAL_OBSERVERS_MAX];
};

struct journal *journal_new(void)
{
    return calloc(1, sizeof(struct journal));
}

void journal_free(struct journal *journal)
{
    free(journal);
}

void journal_observe(struct journal *journal, journal_observer *observer, void *context)
{
    assert(journal->observer_count < JOURNAL_OBSERVERS_MAX);
    journal->observers[journal->observer_count++] = (struct observer){.call = observer,
                                                                      .context = context};
}

/* --- What a view changes --------------------------------------------------------------------- */

/* Adds one word to the text; where it does not fit, "..." ends it, once. */
static void pending_add(struct pending_change *pending, const char *word)
{
    static const char more[] = " ...";
    const size_t room = sizeof pending->text - sizeof more - pending->length;
    const bool first = pending->length == 0;
    const size_t length = strlen(word) + (first ? 0 : 1);

    if (pending->length >= sizeof pending->text - sizeof more) {
        return; /* The dots are there. */
    }
    if (length > room) {
        memcpy(pending->text + pending->length, more, sizeof more);
        pending->length = sizeof pending->text - 1;
        return;
    }
    snprintf(pending->text + pending->length, sizeof pending->text - pending->length, "%s%s",
             first ? "" : " ", word);
    pending->length += length;
}

static void pending_joined(struct pending_change *pending, const struct subject *subject)
{
    char word[NAME_BYTES_MAX + 8];

    snprintf(word, sizeof word, "+%s", subject->name);
    pending->joined_count++;
    pending_add(pending, word);
}

/* A failure is told by its verdict, which says more: "-athens(dead)", "-delphi(left)". */
static void pending_gone(struct pending_change *pending, const struct gone *gone)
{
    const bool has_verdict = gone->reason == GONE_FAILED && gone->verdict != VERDICT_NONE;
    char word[NAME_BYTES_MAX + 32];

    snprintf(word, sizeof word, "-%s(%s)", gone->name,
             has_verdict ? verdict_text(gone->verdict) : gone_reason_text(gone->reason));
    pending->gone_count++;
    pending_add(pending, word);
}

/* Closes the record of the view before and opens the one of this. */
static void record_view(struct journal *journal, struct journal_entry *entry,
                        const struct view *view)
{
    struct pending_change *pending = &journal->pending;
    struct view_record *record = &journal->views[journal->view_count % HISTORY_VIEWS_MAX];

    if (journal->view_count > 0) {
        struct view_record *before = &journal->views[(journal->view_count - 1) % HISTORY_VIEWS_MAX];
        before->lasted_ms = entry->now_ms - before->now_ms;
    }

    entry->notice.subject = (struct subject){.age = 0};
    if (!view_is_empty(view)) {
        const struct member *coordinator = view_coordinator(view);
        entry->notice.subject.id = coordinator->id;
        entry->notice.subject.address = coordinator->address;
        entry->notice.subject.age = coordinator->age;
        memcpy(entry->notice.subject.name, coordinator->name, sizeof coordinator->name);
    }
    memcpy(entry->change, pending->text, sizeof entry->change);

    *record = (struct view_record){.lineage = view->lineage,
                                   .epoch = entry->epoch,
                                   .version = entry->version,
                                   .cause = entry->notice.cause,
                                   .wall_ms = entry->wall_ms,
                                   .now_ms = entry->now_ms,
                                   .member_count = entry->member_count,
                                   .joined_count = pending->joined_count,
                                   .gone_count = pending->gone_count};
    memcpy(record->coordinator, entry->notice.subject.name, sizeof record->coordinator);
    memcpy(record->change, pending->text, sizeof record->change);
    journal->view_count++;
    *pending = (struct pending_change){.length = 0};
}

/* --- Evidence -------------------------------------------------------------------------------- */

static bool is_refusal(const struct notice *notice)
{
    return notice->type == NOTICE_JOIN_REFUSED || notice->type == NOTICE_TURNED_AWAY;
}

static bool is_evidence(const struct notice *notice)
{
    switch (notice->type) {
    case NOTICE_JOINED:
    case NOTICE_GONE:
    case NOTICE_COORDINATOR:
    case NOTICE_SUSPECT:
    case NOTICE_CLEARED:
    case NOTICE_CLAIM:
    case NOTICE_VOUCHED:
    case NOTICE_LATE:
    case NOTICE_JOIN_REFUSED:
    case NOTICE_TURNED_AWAY:
        return true;
    case NOTICE_PHASE:
    case NOTICE_VIEW:
    case NOTICE_GUARD:
    case NOTICE_ACTING:
    case NOTICE_MISMATCH:
        return false;
    }
    return false;
}

static struct journal_entry *evidence_at(struct journal *journal, size_t index)
{
    return &journal->evidence[(journal->evidence_first + index) % EVIDENCE_MAX];
}

static void evidence_remove(struct journal *journal, size_t index)
{
    if (index == 0) {
        journal->evidence_first++;
    } else {
        for (size_t i = index; i + 1 < journal->evidence_count; i++) {
            *evidence_at(journal, i) = *evidence_at(journal, i + 1);
        }
    }
    journal->evidence_count--;
}

/* Makes room for a refusal among the refusals: in place of the same one, or of the oldest when
 * they have their share. */
static void evidence_thin_refusals(struct journal *journal, const struct notice *notice)
{
    size_t oldest = EVIDENCE_MAX;
    size_t count = 0;

    for (size_t i = 0; i < journal->evidence_count; i++) {
        const struct notice *known = &evidence_at(journal, i)->notice;
        if (!is_refusal(known)) {
            continue;
        }
        if (known->type == notice->type && text_equal(known->subject.name, notice->subject.name)) {
            evidence_remove(journal, i);
            return;
        }
        oldest = count == 0 ? i : oldest;
        count++;
    }
    if (count == EVIDENCE_REFUSALS_MAX) {
        evidence_remove(journal, oldest);
    }
}

static void evidence_append(struct journal *journal, const struct journal_entry *entry)
{
    if (is_refusal(&entry->notice)) {
        evidence_thin_refusals(journal, &entry->notice);
    }
    if (journal->evidence_count == EVIDENCE_MAX) {
        evidence_remove(journal, 0);
    }
    *evidence_at(journal, journal->evidence_count) = *entry;
    journal->evidence_count++;
}

/* --- Entries --------------------------------------------------------------------------------- */

void journal_append(struct journal *journal, const struct notice *notice, const struct core *core,
                    uint64_t now_ms, int64_t wall_ms)
{
    const struct view *view = core_view(core);
    const uint64_t cursor = journal->cursor + 1;
    struct journal_entry *entry = &journal->entries[cursor % JOURNAL_ENTRIES_MAX];

    *entry = (struct journal_entry){.cursor = cursor,
                                    .wall_ms = wall_ms,
                                    .now_ms = now_ms,
                                    .epoch = view->epoch,
                                    .version = view->version,
                                    .member_count = view->member_count,
                                    .notice = *notice};
    journal->cursor = cursor;
    if (notice->type == NOTICE_JOINED) {
        pending_joined(&journal->pending, &notice->subject);
    } else if (notice->type == NOTICE_GONE) {
        pending_gone(&journal->pending, &notice->gone);
    } else if (notice->type == NOTICE_VIEW) {
        record_view(journal, entry, view);
    }
    if (is_evidence(notice)) {
        evidence_append(journal, entry);
    }
    for (size_t i = 0; i < journal->observer_count; i++) {
        journal->observers[i].call(journal->observers[i].context, entry);
    }
}

uint64_t journal_cursor(const struct journal *journal)
{
    return journal->cursor;
}

const struct journal_entry *journal_get(const struct journal *journal, uint64_t cursor)
{
    if (cursor == 0 || cursor > journal->cursor ||
        journal->cursor - cursor >= JOURNAL_ENTRIES_MAX) {
        return NULL;
    }
    return &journal->entries[cursor % JOURNAL_ENTRIES_MAX];
}

size_t journal_history_count(const struct journal *journal)
{
    return journal->view_count < HISTORY_VIEWS_MAX ? (size_t)journal->view_count
                                                   : HISTORY_VIEWS_MAX;
}

const struct view_record *journal_history(const struct journal *journal, size_t index)
{
    const size_t count = journal_history_count(journal);

    assert(index < count);
    return &journal->views[(journal->view_count - count + index) % HISTORY_VIEWS_MAX];
}

size_t journal_evidence_count(const struct journal *journal)
{
    return journal->evidence_count;
}

const struct journal_entry *journal_evidence(const struct journal *journal, size_t index)
{
    assert(index < journal->evidence_count);
    return &journal->evidence[(journal->evidence_first + index) % EVIDENCE_MAX];
}
