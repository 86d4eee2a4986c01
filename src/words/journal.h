/* What happened on this node, in order: a bounded ring of notices, each with a rising cursor, and
 * longer-lived rings of installed views and of evidence. The control socket's events, history and
 * evidence, and the log, are all derived from it.
 *
 * A journal is one block of about two megabytes, most of which stays untouched until that much has
 * happened; nothing is allocated after journal_new. */
#ifndef WORDS_JOURNAL_H
#define WORDS_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "words/terms_text.h"

enum {
    JOURNAL_ENTRIES_MAX = 1024, /* a watcher that is further behind gets a gap event */
    HISTORY_VIEWS_MAX = 256,
    EVIDENCE_MAX = 256,
    EVIDENCE_REFUSALS_MAX = 32, /* of the evidence: a flood of joiners must not displace the rest */
    CAUSE_TEXT_MAX = 160,
    JOURNAL_TAGS_MAX = 64, /* changes of tags that are kept with the tags */
    JOURNAL_NAMES_MAX = ACCUSERS_MAX,
    JOURNAL_TYPES = NOTICE_OLD_RECORD + 1, /* kinds of notices */
};

struct journal_entry {
    uint64_t cursor; /* 1 for the first */
    int64_t wall_ms; /* Unix time, for people only */
    uint64_t now_ms; /* monotonic */

    /* The view in which it happened, 0 without one. The effects of a view (joined, gone, its merge)
     * have that view; what led to it (suspect, claim) has the one before. */
    uint64_t epoch;
    uint64_t version;
    uint32_t member_count;

    /* The journal fills in the subject of NOTICE_VIEW, that view's coordinator, and of
     * NOTICE_PHASE and NOTICE_ADDRESS, this node. NOTICE_TAGS: the tags are the journal's; NULL,
     * both, when JOURNAL_TAGS_MAX others have changed since. */
    struct notice notice;

    /* The names for ages and ids in the notice, resolved while they were known; empty where they
     * were not. NOTICE_GONE: its accusers. NOTICE_MERGE: the coordinators of both parents. */
    char names[JOURNAL_NAMES_MAX][NAME_BYTES_MAX + 1];

    /* NOTICE_CLAIM, won: every other member was suspected, so nobody was there to grant it. */
    bool alone;

    /* NOTICE_CLAIM: how often this step of this claimant has come since this node has its view.
     * Only the 1st, 2nd, 4th, 8th and so on have an entry: in a part that may have no coordinator
     * one comes every second or so, for ever. */
    uint32_t times;

    /* NOTICE_JOIN_REFUSED, because of the joiner's terms: what of them differs; else empty. */
    char difference[TERMS_DIFFERENCE_MAX];

    /* NOTICE_ACTING: for how long this node's right to act certainly lasted when it was told,
     * rounded down, and whether that is advisory under its guard. */
    uint64_t acting_ms;
    bool advisory;

    /* NOTICE_VIEW: the changes against the view before, as in the view's record; else empty. */
    char change[CAUSE_TEXT_MAX];
};

/* One installed view. */
struct view_record {
    uint64_t lineage;
    uint64_t epoch;
    uint64_t version;
    enum view_cause cause;
    int64_t wall_ms; /* when it was installed here */
    uint64_t now_ms;
    uint64_t lasted_ms; /* until the next one; 0 for the current view */
    uint32_t member_count;
    uint32_t joined_count;
    uint32_t gone_count;
    char coordinator[NAME_BYTES_MAX + 1];
    char change[CAUSE_TEXT_MAX]; /* "+delphi -athens(dead) ~cyrene(tags) ~byzantium(voter)"; cut
                                    with "..." */

    /* The views that it was made from, each with its coordinator's name, empty where it is not
     * known. */
    struct view_id parent; /* all zero for the first */
    struct view_id merged; /* CAUSE_MERGE: the other part's view; all zero else */
    char parent_coordinator[NAME_BYTES_MAX + 1];
    char merged_coordinator[NAME_BYTES_MAX + 1];
    uint64_t apart_ms; /* CAUSE_MERGE: how long the two had been apart; 0 where it is not known */
    bool taken_up;     /* CAUSE_MERGE: this node was on the side of `merged` */

    /* If this view shows that half of the members or more were lost at once: how many of how many.
     */
    uint32_t split_lost; /* 0: it was no split */
    uint32_t split_of;
};

struct journal;

/* NULL: no memory. */
struct journal *journal_new(void);
void journal_free(struct journal *journal);

/* Appends the notice and updates history and evidence; `core` is the state after the step. Returns
 * the entry, or NULL for a claim that repeats itself and is only counted. */
const struct journal_entry *journal_append(struct journal *journal, const struct notice *notice,
                                           const struct core *core, uint64_t now_ms,
                                           int64_t wall_ms);

/* Cursor of the newest entry; 0 before the first. */
uint64_t journal_cursor(const struct journal *journal);

/* How many entries of that kind there were, ever. */
uint64_t journal_count(const struct journal *journal, enum notice_type type);

/* The entry with this cursor, or NULL when it was overwritten or does not exist yet. */
const struct journal_entry *journal_get(const struct journal *journal, uint64_t cursor);

/* Views, oldest first: index 0 to count - 1. */
size_t journal_history_count(const struct journal *journal);
const struct view_record *journal_history(const struct journal *journal, size_t index);

/* The last entries that explain what was decided about members and coordinators: suspicions,
 * clearings, removals, claims, coordinators, joins, refusals. Oldest first. They outlive the ring
 * of events. A refusal that repeats itself is kept once, the last time. */
size_t journal_evidence_count(const struct journal *journal);
const struct journal_entry *journal_evidence(const struct journal *journal, size_t index);

/* Is a notice of that kind evidence? */
bool journal_is_evidence(enum notice_type type);

/* Why this node was turned away last, since it entered its phase; NULL: it was not. */
const struct journal_entry *journal_refusal(const struct journal *journal);

#endif
