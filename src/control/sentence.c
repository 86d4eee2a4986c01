#include "control/sentence.h"

#include <inttypes.h>

#include "control/words.h"
#include "words/address_text.h"
#include "words/notice_text.h"
#include "words/terms_text.h"

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

static void refusal_words(const struct join_refused *refused, struct sheet *sentence)
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

static void phase_sentence(const struct notice *notice, struct sheet *sentence)
{
    sheet_format(sentence, "this node is in phase %s: %s", phase_text(notice->phase),
                 phase_reason_words(notice->reason));
}

static void view_sentence(const struct journal_entry *entry, struct sheet *sentence)
{
    sheet_format(sentence,
                 "view %" PRIu64 ".%" PRIu64 " with %" PRIu32 " member%s holds (cause: %s)",
                 entry->epoch, entry->version, entry->member_count, plural(entry->member_count),
                 view_cause_text(entry->notice.cause));
}

static void joined_sentence(const struct subject *subject, struct sheet *sentence)
{
    char text[ADDRESS_TEXT_MAX];

    sheet_format(sentence, "%s joined with age %" PRIu64 " from %s", subject->name, subject->age,
                 address_text(&subject->address, text));
}

static void suspect_sentence(const struct notice *notice, struct sheet *sentence)
{
    sheet_format(sentence, "this node suspects %s: %s, silent %" PRIu64 " ms", notice->subject.name,
                 verdict_words(notice->verdict), notice->silent_ms);
}

static void cleared_sentence(const struct notice *notice, struct sheet *sentence)
{
    sheet_format(sentence, "%s is not suspected any more: heard again after %" PRIu64 " ms",
                 notice->subject.name, notice->silent_ms);
}

static void guard_sentence(const struct notice *notice, struct sheet *sentence)
{
    sheet_format(sentence, "the guard is %smet: %" PRIu32 " fresh member%s, %" PRIu32 " needed",
                 notice->on ? "" : "not ", notice->count, plural(notice->count), notice->needed);
}

static void acting_sentence(const struct notice *notice, struct sheet *sentence)
{
    sheet_text(sentence, notice->on ? "this node acts as coordinator now"
                                    : "this node does not act as coordinator any more");
}

static void late_sentence(const struct notice *notice, struct sheet *sentence)
{
    sheet_format(sentence,
                 "this node itself was late by %" PRIu64 " ms and accuses nobody for a while",
                 notice->silent_ms);
}

static void vouched_sentence(const struct notice *notice, struct sheet *sentence)
{
    sheet_format(sentence,
                 "%s stays: others hear it, though this node does not; look at the link between "
                 "the two",
                 notice->subject.name);
}

static void join_refused_sentence(const struct notice *notice, struct sheet *sentence)
{
    char text[ADDRESS_TEXT_MAX];

    sheet_format(sentence, "the member at %s turned this node away: ",
                 address_text(&notice->subject.address, text));
    refusal_words(&notice->refused, sentence);
    sheet_format(sentence, "; %s", join_refusal_advice(notice->refused.reason));
}

static void turned_away_sentence(const struct notice *notice, struct sheet *sentence)
{
    char text[ADDRESS_TEXT_MAX];

    sheet_format(sentence, "%s at %s was turned away: ", notice->subject.name,
                 address_text(&notice->subject.address, text));
    refusal_words(&notice->refused, sentence);
}

static void mismatch_sentence(const struct journal_entry *entry, struct sheet *sentence)
{
    sheet_format(sentence,
                 "view %" PRIu64 ".%" PRIu64 " exists with two contents; the coordinator repairs "
                 "it",
                 entry->epoch, entry->version);
}

static void split_sentence(const struct notice *notice, struct sheet *sentence)
{
    sheet_format(sentence,
                 "the cluster may have split: %" PRIu32 " of %" PRIu32 " members were lost at once",
                 notice->count, notice->needed);
}

void entry_sentence(const struct journal_entry *entry, struct sheet *sentence)
{
    const struct notice *notice = &entry->notice;

    switch (notice->type) {
    case NOTICE_PHASE:
        phase_sentence(notice, sentence);
        return;
    case NOTICE_VIEW:
        view_sentence(entry, sentence);
        return;
    case NOTICE_JOINED:
        joined_sentence(&notice->subject, sentence);
        return;
    case NOTICE_GONE:
        gone_sentence(entry, sentence);
        return;
    case NOTICE_COORDINATOR:
        coordinator_sentence(&notice->subject, sentence);
        return;
    case NOTICE_SUSPECT:
        suspect_sentence(notice, sentence);
        return;
    case NOTICE_CLEARED:
        cleared_sentence(notice, sentence);
        return;
    case NOTICE_GUARD:
        guard_sentence(notice, sentence);
        return;
    case NOTICE_ACTING:
        acting_sentence(notice, sentence);
        return;
    case NOTICE_LATE:
        late_sentence(notice, sentence);
        return;
    case NOTICE_CLAIM:
        claim_sentence(entry, sentence);
        return;
    case NOTICE_VOUCHED:
        vouched_sentence(notice, sentence);
        return;
    case NOTICE_JOIN_REFUSED:
        join_refused_sentence(notice, sentence);
        return;
    case NOTICE_TURNED_AWAY:
        turned_away_sentence(notice, sentence);
        return;
    case NOTICE_MISMATCH:
        mismatch_sentence(entry, sentence);
        return;
    case NOTICE_SPLIT:
        split_sentence(notice, sentence);
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
