#include "control/events/sentence.h"

#include <inttypes.h>

#include "words/address_text.h"
#include "words/notice_text.h"
#include "words/tags_text.h"
#include "words/terms_text.h"
#include "words/voter_text.h"

const char *verdict_words(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_NONE:
        return "no verdict";
    case VERDICT_DEAD:
        return "dead (connection closed, new one refused)";
    case VERDICT_LOST:
        return "lost (neither the process nor its host's kernel answers)";
    case VERDICT_STALLED:
        return "stalled (its host's kernel answers, the process is not heard)";
    }
    return "unknown";
}

static const char *phase_reason_words(enum phase_reason reason)
{
    switch (reason) {
    case REASON_START:
        return "it has just started";
    case REASON_FOUNDED:
        return "it founded the cluster";
    case REASON_ADMITTED:
        return "it was let in";
    case REASON_REMOVED:
        return "its coordinator's view does not hold it any more";
    case REASON_LEFT_ALONE:
        return "the others follow another view";
    case REASON_BEHIND:
        return "long messages do not get through between it and the others, who hold another view";
    case REASON_SUCCEEDED:
        return "a voter was recovered when its operator gave up the others, and the history that "
               "begins there takes the place of the one that this node was in";
    case REASON_NAME_TAKEN:
        return "the part that would absorb it has another node of its name or address";
    case REASON_LEAVE_ASKED:
        return "it was asked to leave";
    case REASON_LEAVE_DONE:
        return "it left in good order";
    case REASON_LEAVE_TIMEOUT:
        return "it left without an answer, having waited long enough";
    }
    return "unknown";
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void accusers_words(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct gone *gone = &entry->notice.gone;

    for (unsigned i = 0; i < gone->accuser_count && i < ACCUSERS_MAX; i++) {
        text_builder_add(sentence, i == 0                         ? ", accused by "
                                   : i + 1 == gone->accuser_count ? " and "
                                                                  : ", ");
        if (entry->names[i][0] != '\0') {
            text_builder_add(sentence, entry->names[i]);
        } else {
            text_builder_format(sentence, "the member of age %" PRIu64, gone->accusers[i]);
        }
    }
}

void gone_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct gone *gone = &entry->notice.gone;

    switch (gone->reason) {
    case GONE_FAILED:
        text_builder_format(sentence, "%s was removed: %s, silent %" PRIu32 " ms", gone->name,
                            verdict_words(gone->verdict), gone->silent_ms);
        accusers_words(entry, sentence);
        return;
    case GONE_LEFT:
        text_builder_format(sentence, "%s left in good order", gone->name);
        return;
    case GONE_MOVED:
        text_builder_format(sentence, "%s was removed: it follows another coordinator", gone->name);
        return;
    case GONE_BEHIND:
        text_builder_format(
            sentence,
            "%s was removed: it did not take up the view that the others hold, as if "
            "long messages did not reach it",
            gone->name);
        return;
    case GONE_REPLACED:
        text_builder_format(sentence, "%s was replaced by a new life with its name or address",
                            gone->name);
        return;
    }
    text_builder_format(sentence, "%s is gone", gone->name);
}

static void refusal_words(const struct join_refused *refused, struct text_builder *sentence)
{
    char text[ADDRESS_TEXT_MAX];
    char terms[TERMS_WORDS_MAX];
    char ours[VERSIONS_TEXT_MAX];
    char theirs[VERSIONS_TEXT_MAX];

    switch (refused->reason) {
    case JOIN_REFUSED_TERMS:
        terms_words(&refused->terms, terms);
        text_builder_format(sentence, "the terms differ; the cluster has %s", terms);
        return;
    case JOIN_REFUSED_NAME:
        text_builder_format(sentence, "the name is in use at %s",
                            address_text(&refused->address, text));
        return;
    case JOIN_REFUSED_FULL:
        text_builder_format(sentence, "there is no room for more than %" PRIu32 " members",
                            refused->limit);
        return;
    case JOIN_REFUSED_VERSIONS:
        text_builder_format(sentence,
                            "no version of the protocol is spoken by both: by the cluster %s, by "
                            "the joiner %s",
                            versions_text(&refused->versions, ours),
                            versions_text(&refused->joiner, theirs));
        return;
    }
    text_builder_add(sentence, "for an unknown reason");
}

static void claim_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;
    const char *name = notice->subject.name;

    switch (notice->claim) {
    case CLAIM_STARTED:
        text_builder_format(sentence,
                            "%s asks to take over, because it suspects every older member", name);
        break;
    case CLAIM_WON:
        text_builder_format(sentence,
                            entry->alone ? "%s took over alone: it suspects every other member"
                                         : "%s took over: the others granted its claim",
                            name);
        break;
    case CLAIM_LOST:
        text_builder_format(sentence, "%s did not take over: too few granted its claim", name);
        break;
    case CLAIM_GRANTED:
        text_builder_format(sentence, "this node granted the claim of %s", name);
        break;
    case CLAIM_DECLINED:
        text_builder_format(sentence, "this node refused the claim of %s", name);
        break;
    }
    if (entry->times > 1) {
        text_builder_format(sentence, ", %" PRIu32 " times since the last view", entry->times);
    }
    text_builder_format(sentence, " (epoch %" PRIu64 ")", notice->epoch);
}

static void coordinator_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct subject *subject = &entry->notice.subject;

    if (id_is_none(&subject->id)) {
        text_builder_add(sentence, "there is no coordinator now");
        return;
    }
    text_builder_format(sentence, "%s coordinates: it is the oldest member, of age %" PRIu64,
                        subject->name, subject->age);
}

/* Appends a duration as people say it: "600 ms", "30.2 s", "2 h 5 min". */
static void duration_words(uint64_t ms, struct text_builder *sentence)
{
    const uint64_t minutes = ms / 60000;

    if (ms < 1000) {
        text_builder_format(sentence, "%" PRIu64 " ms", ms);
    } else if (minutes == 0) {
        text_builder_format(sentence, "%" PRIu64 ".%" PRIu64 " s", ms / 1000, ms % 1000 / 100);
    } else if (minutes < 60) {
        text_builder_format(sentence, "%" PRIu64 " min %" PRIu64 " s", minutes, ms % 60000 / 1000);
    } else {
        text_builder_format(sentence, "%" PRIu64 " h %" PRIu64 " min", minutes / 60, minutes % 60);
    }
}

static void view_words(const struct view_id *id, struct text_builder *sentence)
{
    text_builder_format(sentence, "view %" PRIu64 ".%" PRIu64, id->epoch, id->version);
}

/* M8: names both parts by their coordinators and views, and says which was this node's. */
static void merge_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;
    const unsigned ours = notice->lost ? 1 : 0;
    const unsigned other = 1 - ours;

    text_builder_format(sentence, "this node's part (%s, ",
                        entry->names[ours][0] == '\0' ? "?" : entry->names[ours]);
    view_words(&notice->parents[ours], sentence);
    text_builder_format(sentence, "%s%s, ",
                        notice->lost ? ") was absorbed by another (" : ") absorbed another (",
                        entry->names[other][0] == '\0' ? "?" : entry->names[other]);
    view_words(&notice->parents[other], sentence);
    text_builder_add(sentence, ")");
    if (notice->apart_ms > 0) {
        text_builder_add(sentence, ", apart for ");
        duration_words(notice->apart_ms, sentence);
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
        return "the other part is the one to be absorbed";
    case MERGE_REFUSED_FULL:
        return "there is no room for both";
    case MERGE_REFUSED_ABORTED:
        return "the other coordinator gave it up";
    case MERGE_REFUSED_NAME:
        return "this node's name is in use there";
    case MERGE_REFUSED_LEAPS:
        return "its numbers and those there are further apart than time allows";
    case MERGE_REFUSED_VERSIONS:
        return "no version of the protocol is spoken by all members of both";
    }
    return "an unknown reason";
}

static void merging_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;
    char text[ADDRESS_TEXT_MAX];

    if (notice->on) {
        text_builder_format(
            sentence,
            "this node's part asks the coordinator at %s to absorb it, and does not act "
            "meanwhile",
            address_text(&notice->subject.address, text));
        return;
    }
    text_builder_format(sentence,
                        "the merge came to nothing, for %s: this node's part goes on as it was",
                        merge_failure(notice->refusal));
}

static void other_terms_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;
    char text[ADDRESS_TEXT_MAX];
    char terms[TERMS_WORDS_MAX];

    terms_words(&notice->refused.terms, terms);
    text_builder_format(
        sentence,
        "the part of the cluster at %s stays apart, for its nodes were started with other "
        "terms: %s",
        address_text(&notice->subject.address, text), terms);
}

static void phase_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;

    text_builder_format(sentence, "this node is in phase %s: %s", phase_text(notice->phase),
                        phase_reason_words(notice->reason));
}

static void view_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    text_builder_format(sentence,
                        "view %" PRIu64 ".%" PRIu64 " with %" PRIu32 " member%s holds (cause: %s)",
                        entry->epoch, entry->version, entry->member_count,
                        plural(entry->member_count), view_cause_text(entry->notice.cause));
}

static void joined_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct subject *subject = &entry->notice.subject;
    char text[ADDRESS_TEXT_MAX];

    text_builder_format(sentence, "%s joined with age %" PRIu64 " from %s", subject->name,
                        subject->age, address_text(&subject->address, text));
}

static void suspect_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;

    text_builder_format(sentence, "this node suspects %s: %s, silent %" PRIu64 " ms",
                        notice->subject.name, verdict_words(notice->verdict), notice->silent_ms);
}

static void cleared_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;

    text_builder_format(sentence, "%s is not suspected any more: heard again after %" PRIu64 " ms",
                        notice->subject.name, notice->silent_ms);
}

/* Under guard strict another member's word is missing, where those who are heard are enough (G1f).
 */
static void guard_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;

    if (!notice->on && notice->count >= notice->needed) {
        text_builder_format(sentence,
                            "the guard is not met: %" PRIu32 " are heard, %" PRIu32
                            " needed, and none of them has said that it acts",
                            notice->count, notice->needed);
        return;
    }
    text_builder_format(
        sentence, "the guard is %smet: %" PRIu32 " fresh member%s, %" PRIu32 " needed",
        notice->on ? "" : "not ", notice->count, plural(notice->count), notice->needed);
}

static void acting_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;

    text_builder_add(sentence, notice->on ? "this node acts as coordinator now"
                                          : "this node does not act as coordinator any more");
}

static void late_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;

    text_builder_format(
        sentence, "this node itself was late by %" PRIu64 " ms and accuses nobody for a while",
        notice->silent_ms);
}

static void address_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;
    const struct address *address = &notice->subject.address;
    char text[ADDRESS_GONE_TEXT_MAX];

    if (notice->here) {
        text_builder_format(sentence, "%s is on this node's host again",
                            address_host_text(address, text));
    } else {
        text_builder_format(sentence, "%s: " ADDRESS_GONE_NEXT,
                            address_gone_text(address, &notice->another, text));
    }
}

/* Z17 */
static void wish_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;
    const char *comes = notice->subject.name;
    const char *goes = notice->goes;

    if (comes[0] == '\0') {
        text_builder_add(sentence, "fewer vote than are to, and nobody is there to vote instead");
    } else if (goes[0] == '\0') {
        text_builder_format(sentence, "%s is to vote, too, by the target of voters", comes);
    } else if (strcmp(comes, goes) == 0) {
        text_builder_format(sentence, "%s is to get another record, for it has not voted for long",
                            comes);
    } else {
        text_builder_format(sentence, "%s is to vote instead of %s, which has not voted for long",
                            comes, goes);
    }
}

static void bad_link_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;

    text_builder_format(
        sentence,
        "%s stays: others hear it, though this node does not; look at the link between "
        "the two",
        notice->subject.name);
}

static void join_refused_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;
    char text[ADDRESS_TEXT_MAX];

    text_builder_format(sentence, "the member at %s turned this node away: ",
                        address_text(&notice->subject.address, text));
    refusal_words(&notice->refused, sentence);
    text_builder_format(sentence, "; %s%s",
                        entry->difference[0] != '\0' ? "start with the cluster's "
                                                     : join_refusal_advice(notice->refused.reason),
                        entry->difference);
}

static void turned_away_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;
    char text[ADDRESS_TEXT_MAX];

    text_builder_format(sentence, "%s at %s was turned away: ", notice->subject.name,
                        address_text(&notice->subject.address, text));
    refusal_words(&notice->refused, sentence);
}

static void mismatch_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    text_builder_format(sentence,
                        "view %" PRIu64 ".%" PRIu64
                        " exists with two contents; the coordinator repairs "
                        "it",
                        entry->epoch, entry->version);
}

static void split_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;

    text_builder_format(
        sentence, "%" PRIu32 " of %" PRIu32 " members were lost at once, as when a cluster splits",
        notice->count, notice->needed);
}

static void leader_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct subject *subject = &entry->notice.subject;

    if (id_is_none(&subject->id)) {
        text_builder_add(sentence, "there is no elected leader now");
    } else {
        text_builder_format(sentence, "%s is elected to lead (advisory)", subject->name);
    }
}

static void partitions_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;

    text_builder_format(sentence,
                        "partitions: %" PRIu32 " copies moved, the least is %" PRIu32
                        "; this node gained %" PRIu32 ", lost %" PRIu32 " and owns %" PRIu32,
                        notice->partitions.moved, notice->partitions.least,
                        notice->partitions.gained, notice->partitions.lost,
                        notice->partitions.owned);
}

/* One of the four has changed. */
static void owners_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;
    const uint32_t held = notice->owners.held;

    if (notice->owners.incoming > 0) {
        text_builder_format(
            sentence, "this node is to own %" PRIu32 " partitions more, and is not ready for them",
            notice->owners.incoming);
    } else if (notice->owners.stopping > 0) {
        text_builder_format(sentence,
                            "this node is to let go of %" PRIu32
                            " partitions, when its programs have done with them",
                            notice->owners.stopping);
    } else if (notice->owners.began > 0) {
        text_builder_format(sentence, "this node owns %" PRIu32 " partitions more, %" PRIu32 " now",
                            notice->owners.began, held);
    } else {
        text_builder_format(sentence, "this node owns %" PRIu32 " partitions less, %" PRIu32 " now",
                            notice->owners.ended, held);
    }
}

static const char *tags_words(const struct tags *tags, char out[TAGS_TEXT_MAX])
{
    tags_text(tags, out);
    return tags->length == 0 ? "none" : out;
}

static void tags_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;
    char now[TAGS_TEXT_MAX];
    char before[TAGS_TEXT_MAX];

    text_builder_format(sentence, "%s has other tags", notice->subject.name);
    if (notice->tags_now != NULL && notice->tags_before != NULL) {
        text_builder_format(sentence, ": %s, before: %s", tags_words(notice->tags_now, now),
                            tags_words(notice->tags_before, before));
    }
}

static void drained_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    const struct notice *notice = &entry->notice;

    text_builder_format(sentence,
                        notice->on ? "%s is drained: it coordinates only if nobody else can"
                                   : "%s is not drained any more: it may coordinate",
                        notice->subject.name);
}

static void old_record_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    char older[VOTER_OLDER_SENTENCE_MAX];

    text_builder_add(sentence, voter_older_sentence(&entry->notice, older));
}

static void forgotten_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    text_builder_format(sentence, "%s, which was gone, is forgotten: an operator wanted it",
                        entry->notice.subject.name);
}

typedef void sentence_writer(const struct journal_entry *entry, struct text_builder *sentence);

static sentence_writer *const writers[JOURNAL_TYPES] = {
    [NOTICE_PHASE] = phase_sentence,
    [NOTICE_VIEW] = view_sentence,
    [NOTICE_JOINED] = joined_sentence,
    [NOTICE_GONE] = gone_sentence,
    [NOTICE_COORDINATOR] = coordinator_sentence,
    [NOTICE_SUSPECT] = suspect_sentence,
    [NOTICE_CLEARED] = cleared_sentence,
    [NOTICE_GUARD] = guard_sentence,
    [NOTICE_ACTING] = acting_sentence,
    [NOTICE_LATE] = late_sentence,
    [NOTICE_CLAIM] = claim_sentence,
    [NOTICE_BAD_LINK] = bad_link_sentence,
    [NOTICE_JOIN_REFUSED] = join_refused_sentence,
    [NOTICE_TURNED_AWAY] = turned_away_sentence,
    [NOTICE_MISMATCH] = mismatch_sentence,
    [NOTICE_SPLIT] = split_sentence,
    [NOTICE_MERGE] = merge_sentence,
    [NOTICE_MERGING] = merging_sentence,
    [NOTICE_OTHER_TERMS] = other_terms_sentence,
    [NOTICE_AUTOPILOT] = wish_sentence,
    [NOTICE_OLD_RECORD] = old_record_sentence,
    [NOTICE_LEADER] = leader_sentence,
    [NOTICE_PARTITIONS] = partitions_sentence,
    [NOTICE_ADDRESS] = address_sentence,
    [NOTICE_OWNERS] = owners_sentence,
    [NOTICE_TAGS] = tags_sentence,
    [NOTICE_FORGOTTEN] = forgotten_sentence,
    [NOTICE_DRAINED] = drained_sentence,
};

void entry_sentence(const struct journal_entry *entry, struct text_builder *sentence)
{
    writers[entry->notice.type](entry, sentence);
}
