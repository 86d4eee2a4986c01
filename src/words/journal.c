#include "words/journal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "words/acting.h"
#include "words/notice_text.h"

_Static_assert(JOURNAL_NAMES_MAX >= 2, "a merge has two parents");

/* What joined and went since the view before, until the view that shows it is there. */
struct pending_change {
    uint32_t joined_count;
    uint32_t gone_count;
    size_t length;
    char text[CAUSE_TEXT_MAX];
};

/* The tags of a NOTICE_TAGS. */
struct tags_change {
    uint64_t cursor; /* of its entry; 0: none */
    struct tags before;
    struct tags now;
};

/* Of one step: how often that claimant has taken it since this node has its view. */
struct claims {
    struct node_id claimant;
    uint32_t count;
};

/* Rings: item `number`, counted from 0 for ever, lies at number % MAX. */
struct journal {
    uint64_t cursor; /* of the newest entry */
    uint64_t counts[JOURNAL_TYPES];
    struct journal_entry entries[JOURNAL_ENTRIES_MAX];

    uint64_t view_count; /* ever installed */
    struct view_record views[HISTORY_VIEWS_MAX];

    uint64_t evidence_first; /* number of the oldest that is kept */
    size_t evidence_count;
    struct journal_entry evidence[EVIDENCE_MAX];

    uint64_t tags_count; /* ever changed */
    struct tags_change tags[JOURNAL_TAGS_MAX];

    struct claims claims[CLAIM_DECLINED + 1];

    /* The view told last. */
    uint64_t epoch;
    uint64_t version;
    uint32_t member_count;

    struct pending_change pending;
    struct voter_lists voters; /* of the view told last */
};

struct journal *journal_new(void)
{
    return calloc(1, sizeof(struct journal));
}

void journal_free(struct journal *journal)
{
    free(journal);
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
    if (!first) {
        pending->text[pending->length++] = ' ';
    }
    memcpy(pending->text + pending->length, word, strlen(word) + 1);
    pending->length += strlen(word);
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

/* What of a member changes while it is one: "~cyrene(drained)". */
static void pending_other(struct pending_change *pending, const struct subject *subject,
                          const char *what)
{
    char word[NAME_BYTES_MAX + 16];

    snprintf(word, sizeof word, "~%s(%s)", subject->name, what);
    pending_add(pending, word);
}

/* --- Names ----------------------------------------------------------------------------------- */

static void set_name(char out[NAME_BYTES_MAX + 1], const char *name)
{
    (void)text_set(out, NAME_BYTES_MAX + 1, name, strlen(name));
}

/* By age: among the members, else among the gone, newest first. */
static void name_of_age(const struct view *view, uint64_t age, char out[NAME_BYTES_MAX + 1])
{
    const uint32_t position = view_find_age(view, age);

    if (position != VIEW_NONE) {
        set_name(out, view->members[position].name);
        return;
    }
    for (uint32_t i = view->gone_count; i-- > 0;) {
        if (view->gone[i].age == age) {
            set_name(out, view->gone[i].name);
            return;
        }
    }
}

static void name_of_id(const struct view *view, const struct node_id *id,
                       char out[NAME_BYTES_MAX + 1])
{
    const uint32_t position = view_find(view, id);
    const struct gone *gone = view_find_gone(view, id);

    if (position != VIEW_NONE) {
        set_name(out, view->members[position].name);
    } else if (gone != NULL) {
        set_name(out, gone->name);
    }
}

static struct subject subject_of(const struct member *member)
{
    struct subject subject = {.id = member->id, .address = member->address, .age = member->age};

    memcpy(subject.name, member->name, sizeof subject.name);
    return subject;
}

/* Later, the members and the gone that an age or an id stands for may be out of reach. */
static void put_names(struct journal_entry *entry, const struct core *core)
{
    const struct view *view = core_view(core);
    const struct notice *notice = &entry->notice;

    if (notice->type == NOTICE_PHASE || notice->type == NOTICE_ADDRESS) {
        entry->notice.subject = subject_of(core_self(core));
    } else if (notice->type == NOTICE_GONE) {
        for (size_t i = 0; i < notice->gone.accuser_count && i < ACCUSERS_MAX; i++) {
            name_of_age(view, notice->gone.accusers[i], entry->names[i]);
        }
    } else if (notice->type == NOTICE_MERGE) {
        for (size_t i = 0; i < 2; i++) {
            name_of_id(view, &notice->parents[i].coordinator, entry->names[i]);
        }
    }
}

/* --- Views ----------------------------------------------------------------------------------- */

/* Whoever takes over alone suspects every other one. */
static bool suspects_all_others(const struct core *core, uint64_t now_ms)
{
    const struct view *view = core_view(core);
    const uint32_t self = view_find(view, &core_self(core)->id);

    for (uint32_t i = 0; i < view->member_count; i++) {
        if (i != self && core_hearing(core, self, i, now_ms) != HEARING_SUSPECT) {
            return false;
        }
    }
    return true;
}

static struct view_record *newest_record(struct journal *journal)
{
    return journal->view_count == 0
               ? NULL
               : &journal->views[(journal->view_count - 1) % HISTORY_VIEWS_MAX];
}

/* Whom the view joins, then who came and went: "4.9@athens & 3.7@delphi +delphi". */
static void write_change(const struct view_record *record, const struct pending_change *pending,
                         char out[CAUSE_TEXT_MAX])
{
    struct pending_change change = *pending;
    char parents[2][VIEW_NAME_MAX];
    char head[2 * VIEW_NAME_MAX + 4];

    if (record->cause == CAUSE_MERGE) {
        view_name_print(&record->parent, record->parent_coordinator, parents[0]);
        view_name_print(&record->merged, record->merged_coordinator, parents[1]);
        snprintf(head, sizeof head, "%s & %s", parents[0], parents[1]);
        change = (struct pending_change){.length = 0};
        pending_add(&change, head);
        pending_add(&change, pending->text);
    }
    memcpy(out, change.text, CAUSE_TEXT_MAX);
}

static void pending_voter(struct pending_change *pending, const char *name, const char *what)
{
    char word[NAME_BYTES_MAX + 24];

    snprintf(word, sizeof word, "~%s(%s)", name, what);
    pending_add(pending, word);
}

/* Was it in the list that held? */
static bool held_before(const struct voter_lists *former, const struct node_id *record)
{
    const uint8_t place = voter_lists_find(former, record);

    return place != VOTER_NONE && (former->voters[place].before || !voter_lists_are_joint(former));
}

/* Who becomes a voter of guard strict, and who stops: first while both lists hold, then when the
 * new one does alone. */
static void pending_voters(struct journal *journal, const struct voter_lists *now)
{
    const struct voter_lists *former = &journal->voters;
    const bool joint = voter_lists_are_joint(now);

    if (former->count > 0 && !voter_lists_equal(former, now)) {
        for (uint8_t i = 0; i < now->count; i++) {
            const struct listed_voter *voter = &now->voters[i];
            if (voter->now && !voter->before && !held_before(former, &voter->record)) {
                pending_voter(&journal->pending, voter->name, joint ? "becomes_voter" : "voter");
            } else if (!now->voters[voter_lists_find_name(now, voter->name)].now) {
                pending_voter(&journal->pending, voter->name, "leaves_voters");
            }
        }
        for (uint8_t i = 0; i < former->count && !joint; i++) {
            if (voter_lists_find_name(now, former->voters[i].name) == VOTER_NONE) {
                pending_voter(&journal->pending, former->voters[i].name, "no_voter");
            }
        }
    }
    voter_lists_copy(&journal->voters, now);
}

/* Closes the record of the view before and opens the one of this. */
static void record_view(struct journal *journal, struct journal_entry *entry,
                        const struct view *view)
{
    struct pending_change *pending = &journal->pending;
    struct view_record *before = newest_record(journal);
    struct view_record *record = &journal->views[journal->view_count % HISTORY_VIEWS_MAX];

    pending_voters(journal, &view->voters);
    if (before != NULL) {
        before->lasted_ms = entry->now_ms - before->now_ms;
    }
    entry->notice.subject = view_is_empty(view) ? (struct subject){.age = 0}
                                                : subject_of(view_coordinator(view));
    *record = (struct view_record){.lineage = view->lineage,
                                   .epoch = entry->epoch,
                                   .version = entry->version,
                                   .cause = entry->notice.cause,
                                   .wall_ms = entry->wall_ms,
                                   .now_ms = entry->now_ms,
                                   .member_count = entry->member_count,
                                   .joined_count = pending->joined_count,
                                   .gone_count = pending->gone_count,
                                   .parent = view->parent,
                                   .merged = view->merged};
    memcpy(record->coordinator, entry->notice.subject.name, sizeof record->coordinator);
    name_of_id(view, &view->parent.coordinator, record->parent_coordinator);
    name_of_id(view, &view->merged.coordinator, record->merged_coordinator);
    write_change(record, pending, record->change);
    memcpy(entry->change, record->change, sizeof entry->change);
    journal->view_count++;
    *pending = (struct pending_change){.length = 0};
}

/* What comes after the notice of the view, and is about it. */
static void record_split_or_merge(struct journal *journal, const struct notice *notice)
{
    struct view_record *record = newest_record(journal);

    if (record == NULL) {
        return;
    }
    if (notice->type == NOTICE_SPLIT) {
        record->split_lost = notice->count;
        record->split_of = notice->needed;
    } else if (notice->type == NOTICE_MERGE && record->cause == CAUSE_MERGE) {
        record->apart_ms = notice->apart_ms;
        record->taken_up = notice->lost;
    }
}

/* --- Evidence -------------------------------------------------------------------------------- */

static bool is_refusal(const struct notice *notice)
{
    return notice->type == NOTICE_JOIN_REFUSED || notice->type == NOTICE_TURNED_AWAY;
}

bool journal_is_evidence(enum notice_type type)
{
    switch (type) {
    case NOTICE_JOINED:
    case NOTICE_GONE:
    case NOTICE_FORGOTTEN:
    case NOTICE_COORDINATOR:
    case NOTICE_SUSPECT:
    case NOTICE_CLEARED:
    case NOTICE_AUTOPILOT:
    case NOTICE_OLD_RECORD:
    case NOTICE_CLAIM:
    case NOTICE_BAD_LINK:
    case NOTICE_LATE:
    case NOTICE_JOIN_REFUSED:
    case NOTICE_TURNED_AWAY:
    case NOTICE_PHASE:
    case NOTICE_SPLIT:
    case NOTICE_MERGE:
    case NOTICE_MERGING:
    case NOTICE_OTHER_TERMS:
    case NOTICE_ADDRESS:
        return true;
    case NOTICE_VIEW:
    case NOTICE_GUARD:
    case NOTICE_ACTING:
    case NOTICE_MISMATCH:
    case NOTICE_LEADER:
    case NOTICE_PARTITIONS:
    case NOTICE_TAGS:
    case NOTICE_DRAINED:
    case NOTICE_OWNERS:
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

/* Does the notice belong to the view that the step ends in? What led to that view does not. */
static bool belongs_to_new_view(const struct notice *notice)
{
    return notice->type == NOTICE_JOINED || notice->type == NOTICE_GONE ||
           notice->type == NOTICE_VIEW || notice->type == NOTICE_TAGS ||
           notice->type == NOTICE_DRAINED || notice->type == NOTICE_FORGOTTEN ||
           (notice->type == NOTICE_PHASE && notice->phase == PHASE_MEMBER);
}

static void note_view(struct journal *journal, const struct notice *notice, const struct view *view)
{
    if (notice->type == NOTICE_VIEW) {
        journal->epoch = view->epoch;
        journal->version = view->version;
        journal->member_count = view->member_count;
        memset(journal->claims, 0, sizeof journal->claims);
    } else if (notice->type == NOTICE_PHASE && notice->phase == PHASE_JOINING) {
        journal->epoch = 0;
        journal->version = 0;
        journal->member_count = 0;
    }
}

static void put_acting(struct journal_entry *entry, const struct core *core)
{
    if (entry->notice.type == NOTICE_ACTING) {
        const struct guard_state guard = core_guard(core, entry->now_ms);

        entry->advisory = guard_asks(&guard.guard).advisory;
        entry->acting_ms = entry->notice.on
                               ? acting_left_ms(core_acting_until_ms(core, entry->now_ms),
                                                entry->now_ms)
                               : 0;
    }
}

/* The core lends the tags for the step only. The oldest that are kept make room. */
static void keep_tags(struct journal *journal, struct journal_entry *entry)
{
    struct tags_change *change = &journal->tags[journal->tags_count++ % JOURNAL_TAGS_MAX];

    if (journal_get(journal, change->cursor) != NULL) {
        struct notice *former = &journal->entries[change->cursor % JOURNAL_ENTRIES_MAX].notice;
        former->tags_before = NULL;
        former->tags_now = NULL;
    }
    change->cursor = entry->cursor;
    tags_copy(&change->before, entry->notice.tags_before);
    tags_copy(&change->now, entry->notice.tags_now);
    entry->notice.tags_before = &change->before;
    entry->notice.tags_now = &change->now;
}

/* Counts this step of a claimant: how often has it come since this node has its view? */
static uint32_t count_claim(struct journal *journal, const struct notice *notice)
{
    struct claims *claims = &journal->claims[notice->claim];

    if (!id_equal(&claims->claimant, &notice->subject.id)) {
        *claims = (struct claims){.claimant = notice->subject.id};
    }
    return ++claims->count;
}

static bool is_power_of_two(uint32_t count)
{
    return (count & (count - 1)) == 0;
}

const struct journal_entry *journal_append(struct journal *journal, const struct notice *notice,
                                           const struct core *core, uint64_t now_ms,
                                           int64_t wall_ms)
{
    const struct view *view = core_view(core);
    const uint64_t cursor = journal->cursor + 1;
    const bool new_view = belongs_to_new_view(notice);
    const uint32_t times = notice->type == NOTICE_CLAIM ? count_claim(journal, notice) : 0;
    struct journal_entry *entry = &journal->entries[cursor % JOURNAL_ENTRIES_MAX];

    assert((size_t)notice->type < JOURNAL_TYPES);
    journal->counts[notice->type]++;
    if (!is_power_of_two(times)) {
        return NULL;
    }
    note_view(journal, notice, view);
    *entry = (struct journal_entry){
        .cursor = cursor,
        .wall_ms = wall_ms,
        .now_ms = now_ms,
        .epoch = new_view ? view->epoch : journal->epoch,
        .version = new_view ? view->version : journal->version,
        .member_count = new_view ? view->member_count : journal->member_count,
        .notice = *notice,
        .times = times,
        .alone = notice->type == NOTICE_CLAIM && notice->claim == CLAIM_WON &&
                 suspects_all_others(core, now_ms)};
    put_names(entry, core);
    put_acting(entry, core);
    if (notice->type == NOTICE_JOIN_REFUSED && notice->refused.reason == JOIN_REFUSED_TERMS) {
        terms_difference(&notice->refused.terms, core_terms_configured(core), entry->difference);
    }
    journal->cursor = cursor;
    if (notice->type == NOTICE_JOINED) {
        pending_joined(&journal->pending, &notice->subject);
    } else if (notice->type == NOTICE_GONE) {
        pending_gone(&journal->pending, &notice->gone);
    } else if (notice->type == NOTICE_TAGS) {
        pending_other(&journal->pending, &notice->subject, "tags");
        keep_tags(journal, entry);
    } else if (notice->type == NOTICE_DRAINED) {
        pending_other(&journal->pending, &notice->subject, notice->on ? "drained" : "undrained");
    } else if (notice->type == NOTICE_FORGOTTEN) {
        pending_other(&journal->pending, &notice->subject, "forgotten");
    } else if (notice->type == NOTICE_VIEW) {
        record_view(journal, entry, view);
    } else {
        record_split_or_merge(journal, notice);
    }
    if (journal_is_evidence(notice->type)) {
        evidence_append(journal, entry);
    }
    return entry;
}

uint64_t journal_cursor(const struct journal *journal)
{
    return journal->cursor;
}

uint64_t journal_count(const struct journal *journal, enum notice_type type)
{
    return journal->counts[type];
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

const struct journal_entry *journal_refusal(const struct journal *journal)
{
    for (size_t i = journal->evidence_count; i-- > 0;) {
        const struct journal_entry *entry = journal_evidence(journal, i);
        if (entry->notice.type == NOTICE_JOIN_REFUSED) {
            return entry;
        }
        if (entry->notice.type == NOTICE_PHASE) {
            return NULL; /* What was said before is of an earlier life. */
        }
    }
    return NULL;
}
