#include "words/notice_fields.h"

#include <assert.h>
#include <stdio.h>

#include "base/text.h"
#include "words/acting.h"
#include "words/voter_text.h"

/* --- The table ------------------------------------------------------------------------------- */

/* What stands at the offset of a row, and so how it is told. */
enum fact {
    FACT_NONE, /* nothing: always null */
    FACT_NAME, /* empty: null */
    FACT_TEXT,
    FACT_ID,
    FACT_ADDRESS, /* none: null */
    FACT_U32,
    FACT_U64,
    FACT_SPAN_MS, /* 64 bits; 0: null */
    FACT_WIDE,
    FACT_VIEW_WIDE, /* null without a view */
    FACT_FLAG,
    FACT_ACTING_KIND,
    FACT_PHASE,
    FACT_PHASE_REASON,
    FACT_CAUSE,
    FACT_VERDICT,
    FACT_GONE_STATE,
    FACT_GONE_REASON,
    FACT_CLAIM_STEP,
    FACT_JOIN_REFUSAL,
    FACT_MERGE_REFUSAL,
    FACT_GUARD,
    FACT_GUARD_SIZE, /* null but under majority */
    FACT_VOTERS,     /* null but under strict */
    FACT_PROFILE,
    FACT_WATCHERS,
    FACT_ACCUSERS,
    FACT_PARENT,
    FACT_MERGED,
    FACT_TAGS, /* by a pointer; NULL: null */
    FACT_VERSIONS,
};

/* A list of rows ends with one without a key. */
struct row {
    const char *key;
    enum fact fact;
    enum told told;
    size_t offset; /* in struct journal_entry */
};

#define AT(field) offsetof(struct journal_entry, field)
#define END                                                                                        \
    {                                                                                              \
        NULL, FACT_NONE, TOLD_NOT, 0                                                               \
    }

static const struct row no_rows[] = {END};

/* Every notice has these, but few lines tell them. */
static const struct row common_rows[] = {
    {"epoch", FACT_VIEW_WIDE, TOLD_NOT, AT(epoch)},
    {"version", FACT_VIEW_WIDE, TOLD_NOT, AT(version)},
    {"member_count", FACT_U32, TOLD_NOT, AT(member_count)},
    END,
};
static const struct row view_common_rows[] = {
    {"epoch", FACT_VIEW_WIDE, TOLD_ALWAYS, AT(epoch)},
    {"version", FACT_VIEW_WIDE, TOLD_ALWAYS, AT(version)},
    {"member_count", FACT_U32, TOLD_ALWAYS, AT(member_count)},
    END,
};

static const struct row phase_rows[] = {
    {"phase", FACT_PHASE, TOLD_ALWAYS, AT(notice.phase)},
    {"reason", FACT_PHASE_REASON, TOLD_ALWAYS, AT(notice.reason)},
    END,
};

static const struct row view_rows[] = {
    {"coordinator", FACT_NAME, TOLD_ALWAYS, AT(notice.subject.name)},
    {"cause", FACT_CAUSE, TOLD_ALWAYS, AT(notice.cause)},
    {"change", FACT_TEXT, TOLD_IF_KNOWN, AT(change)},
    END,
};

static const struct row joined_rows[] = {
    {"name", FACT_NAME, TOLD_ALWAYS, AT(notice.subject.name)},
    {"id", FACT_ID, TOLD_NOT, AT(notice.subject.id)},
    {"address", FACT_ADDRESS, TOLD_ALWAYS, AT(notice.subject.address)},
    {"age", FACT_U64, TOLD_ALWAYS, AT(notice.subject.age)},
    END,
};

/* R5: the reason of a removal with its evidence. */
static const struct row gone_rows[] = {
    {"name", FACT_NAME, TOLD_ALWAYS, AT(notice.gone.name)},
    {"id", FACT_ID, TOLD_NOT, AT(notice.gone.id)},
    {"address", FACT_ADDRESS, TOLD_NOT, AT(notice.gone.address)},
    {"age", FACT_U64, TOLD_ALWAYS, AT(notice.gone.age)},
    {"state", FACT_GONE_STATE, TOLD_NOT, AT(notice.gone.reason)},
    {"reason", FACT_GONE_REASON, TOLD_ALWAYS, AT(notice.gone.reason)},
    END,
};
static const struct row evidence_rows[] = {
    {"verdict", FACT_VERDICT, TOLD_ALWAYS, AT(notice.gone.verdict)},
    {"silent_ms", FACT_U32, TOLD_ALWAYS, AT(notice.gone.silent_ms)},
    {"accusers", FACT_ACCUSERS, TOLD_IF_KNOWN, 0},
    END,
};
static const struct row no_evidence_rows[] = {
    {"verdict", FACT_VERDICT, TOLD_NOT, AT(notice.gone.verdict)},
    {"silent_ms", FACT_U32, TOLD_NOT, AT(notice.gone.silent_ms)},
    {"accusers", FACT_ACCUSERS, TOLD_IF_KNOWN, 0},
    END,
};

static const struct row subject_rows[] = {
    {"name", FACT_NAME, TOLD_ALWAYS, AT(notice.subject.name)},
    {"id", FACT_ID, TOLD_NOT, AT(notice.subject.id)},
    {"address", FACT_ADDRESS, TOLD_NOT, AT(notice.subject.address)},
    {"age", FACT_U64, TOLD_NOT, AT(notice.subject.age)},
    END,
};
static const struct row wish_rows[] = {
    {"comes", FACT_NAME, TOLD_ALWAYS, AT(notice.subject.name)},
    {"goes", FACT_NAME, TOLD_ALWAYS, AT(notice.goes)},
    {"by", FACT_NAME, TOLD_ALWAYS, AT(notice.by)},
    END,
};
static const struct row tags_rows[] = {
    {"tags", FACT_TAGS, TOLD_IF_KNOWN, AT(notice.tags_now)},
    {"tags_before", FACT_TAGS, TOLD_IF_KNOWN, AT(notice.tags_before)},
    END,
};
static const struct row nobody_rows[] = {
    {"name", FACT_NONE, TOLD_ALWAYS, 0},
    {"address", FACT_NONE, TOLD_NOT, 0},
    END,
};

static const struct row suspect_rows[] = {
    {"verdict", FACT_VERDICT, TOLD_ALWAYS, AT(notice.verdict)},
    {"silent_ms", FACT_U64, TOLD_ALWAYS, AT(notice.silent_ms)},
    END,
};

static const struct row cleared_rows[] = {
    {"silent_ms", FACT_U64, TOLD_ALWAYS, AT(notice.silent_ms)},
    END,
};

static const struct row guard_rows[] = {
    {"met", FACT_FLAG, TOLD_ALWAYS, AT(notice.on)},
    {"fresh", FACT_U32, TOLD_ALWAYS, AT(notice.count)},
    {"needed", FACT_U32, TOLD_ALWAYS, AT(notice.needed)},
    END,
};

static const struct row drained_rows[] = {
    {"drained", FACT_FLAG, TOLD_ALWAYS, AT(notice.on)},
    END,
};

static const struct row acting_rows[] = {
    {"acting", FACT_FLAG, TOLD_ALWAYS, AT(notice.on)},
    {"acting_ms", FACT_U64, TOLD_NOT, AT(acting_ms)},
    {"acting_is", FACT_ACTING_KIND, TOLD_NOT, AT(advisory)},
    END,
};
static const struct row lease_rows[] = {
    {"lease_ms", FACT_U64, TOLD_NOT, AT(acting_ms)},
    END,
};

static const struct row late_rows[] = {
    {"late_ms", FACT_U64, TOLD_ALWAYS, AT(notice.silent_ms)},
    END,
};

static const struct row address_rows[] = {
    {"name", FACT_NAME, TOLD_NOT, AT(notice.subject.name)},
    {"id", FACT_ID, TOLD_NOT, AT(notice.subject.id)},
    {"address", FACT_ADDRESS, TOLD_ALWAYS, AT(notice.subject.address)},
    {"age", FACT_U64, TOLD_NOT, AT(notice.subject.age)},
    {"here", FACT_FLAG, TOLD_ALWAYS, AT(notice.here)},
    {"another", FACT_ADDRESS, TOLD_IF_KNOWN, AT(notice.another)},
    END,
};

static const struct row claim_rows[] = {
    {"step", FACT_CLAIM_STEP, TOLD_ALWAYS, AT(notice.claim)},
    {"claim_epoch", FACT_WIDE, TOLD_ALWAYS, AT(notice.epoch)},
    END,
};
static const struct row won_rows[] = {
    {"alone", FACT_FLAG, TOLD_ALWAYS, AT(alone)},
    END,
};

/* Whoever answers or probes is known by its address alone. */
static const struct row stranger_rows[] = {
    {"name", FACT_NAME, TOLD_NOT, AT(notice.subject.name)},
    {"address", FACT_ADDRESS, TOLD_ALWAYS, AT(notice.subject.address)},
    END,
};

static const struct row refusal_rows[] = {
    {"refusal", FACT_JOIN_REFUSAL, TOLD_ALWAYS, AT(notice.refused.reason)},
    END,
};
static const struct row terms_rows[] = {
    {"guard", FACT_GUARD, TOLD_ALWAYS, AT(notice.refused.terms.guard)},
    {"size", FACT_GUARD_SIZE, TOLD_IF_KNOWN, AT(notice.refused.terms.guard)},
    {"voters", FACT_VOTERS, TOLD_IF_KNOWN, AT(notice.refused.terms.voters)},
    {"profile", FACT_PROFILE, TOLD_ALWAYS, AT(notice.refused.terms.profile)},
    {"watchers", FACT_WATCHERS, TOLD_IF_KNOWN, AT(notice.refused.terms.watchers)},
    {"heartbeat_ms", FACT_U64, TOLD_ALWAYS, AT(notice.refused.terms.heartbeat_ms)},
    {"fail_after_ms", FACT_U64, TOLD_ALWAYS, AT(notice.refused.terms.lost_ms)},
    {"capacity", FACT_U32, TOLD_ALWAYS, AT(notice.refused.terms.capacity)},
    END,
};
static const struct row name_in_use_rows[] = {
    {"in_use_at", FACT_ADDRESS, TOLD_ALWAYS, AT(notice.refused.address)},
    END,
};
static const struct row full_rows[] = {
    {"limit", FACT_U32, TOLD_ALWAYS, AT(notice.refused.limit)},
    END,
};

static const struct row versions_rows[] = {
    {"cluster_speaks", FACT_VERSIONS, TOLD_ALWAYS, AT(notice.refused.versions)},
    {"joiner_speaks", FACT_VERSIONS, TOLD_ALWAYS, AT(notice.refused.joiner)},
    END,
};

static const struct row split_rows[] = {
    {"lost", FACT_U32, TOLD_ALWAYS, AT(notice.count)},
    {"of", FACT_U32, TOLD_ALWAYS, AT(notice.needed)},
    END,
};

/* M8: both parts by their views, and which of them was this node's. */
static const struct row merge_rows[] = {
    {"parent", FACT_PARENT, TOLD_ALWAYS, AT(notice.parents[0])},
    {"merged", FACT_MERGED, TOLD_ALWAYS, AT(notice.parents[1])},
    {"taken_up", FACT_FLAG, TOLD_ALWAYS, AT(notice.lost)},
    {"apart_ms", FACT_SPAN_MS, TOLD_IF_KNOWN, AT(notice.apart_ms)},
    END,
};

static const struct row partitions_rows[] = {
    {"moved", FACT_U32, TOLD_ALWAYS, AT(notice.partitions.moved)},
    {"least", FACT_U32, TOLD_ALWAYS, AT(notice.partitions.least)},
    {"owners_changed", FACT_U32, TOLD_ALWAYS, AT(notice.partitions.led)},
    {"gained", FACT_U32, TOLD_ALWAYS, AT(notice.partitions.gained)},
    {"lost", FACT_U32, TOLD_ALWAYS, AT(notice.partitions.lost)},
    {"owned", FACT_U32, TOLD_ALWAYS, AT(notice.partitions.owned)},
    END,
};

static const struct row owners_rows[] = {
    {"incoming", FACT_U32, TOLD_ALWAYS, AT(notice.owners.incoming)},
    {"began", FACT_U32, TOLD_ALWAYS, AT(notice.owners.began)},
    {"stopping", FACT_U32, TOLD_ALWAYS, AT(notice.owners.stopping)},
    {"ended", FACT_U32, TOLD_ALWAYS, AT(notice.owners.ended)},
    {"held", FACT_U32, TOLD_ALWAYS, AT(notice.owners.held)},
    END,
};

static const struct row merging_rows[] = {
    {"merging", FACT_FLAG, TOLD_ALWAYS, AT(notice.on)},
    {"with", FACT_ADDRESS, TOLD_ALWAYS, AT(notice.subject.address)},
    {"refusal", FACT_NONE, TOLD_NOT, 0},
    END,
};
static const struct row not_merging_rows[] = {
    {"merging", FACT_FLAG, TOLD_ALWAYS, AT(notice.on)},
    {"with", FACT_NONE, TOLD_NOT, 0},
    {"refusal", FACT_MERGE_REFUSAL, TOLD_ALWAYS, AT(notice.refusal)},
    END,
};

/* --- From the table to the fields ------------------------------------------------------------ */

/* The longest texts of one notice fit: NOTICE_WORDS_MAX. */
static char *room(struct notice_fields *fields, size_t size)
{
    char *words = fields->words + fields->words_used;

    fields->words_used += size;
    assert(fields->words_used <= NOTICE_WORDS_MAX);
    return words;
}

static const char *accusers_text(const struct journal_entry *entry, struct notice_fields *fields)
{
    const struct gone *gone = &entry->notice.gone;
    const size_t size = (size_t)ACCUSERS_MAX * (NAME_BYTES_MAX + 1);
    char *text = room(fields, size);
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < gone->accuser_count && i < ACCUSERS_MAX; i++) {
        const char *name = entry->names[i][0] == '\0' ? "?" : entry->names[i];
        used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : ",", name);
    }
    return text;
}

static const char *parent_text(const struct journal_entry *entry, unsigned parent,
                               struct notice_fields *fields)
{
    char *text = room(fields, VIEW_NAME_MAX);

    view_name_print(&entry->notice.parents[parent], entry->names[parent], text);
    return text;
}

static const char *guard_words_of(const struct guard *guard, struct notice_fields *fields)
{
    char *text = room(fields, GUARD_TEXT_MAX);

    guard_text(guard, text);
    return text;
}

static struct notice_field text_field(const char *text)
{
    return (struct notice_field){.kind = FIELD_TEXT, .text = text};
}

static struct notice_field number_field(enum field_kind kind, uint64_t number)
{
    return (struct notice_field){.kind = kind, .number = number};
}

static struct notice_field null_field(void)
{
    return (struct notice_field){.kind = FIELD_NULL};
}

static struct notice_field voters_field(const struct voters *voters, struct notice_fields *fields)
{
    if (voters->count == 0) {
        return null_field();
    }
    char *text = room(fields, VOTERS_TEXT_MAX);
    voters_text(voters, text);
    return text_field(text);
}

static struct notice_field tags_field(const struct tags *tags, struct notice_fields *fields)
{
    if (tags == NULL) {
        return null_field();
    }
    char *text = room(fields, TAGS_TEXT_MAX);
    tags_text(tags, text);
    return (struct notice_field){.kind = FIELD_TAGS, .text = text, .tags = tags};
}

/* What the row finds in the entry. */
static struct notice_field fact_of(const struct row *row, const struct journal_entry *entry,
                                   struct notice_fields *fields)
{
    const void *at = (const char *)entry + row->offset;

    switch (row->fact) {
    case FACT_NONE:
        break;
    case FACT_NAME:
        return *(const char *)at == '\0' ? null_field() : text_field(at);
    case FACT_TEXT:
        return text_field(at);
    case FACT_ID:
        return text_field(id_text(at, room(fields, ID_TEXT_MAX)));
    case FACT_ADDRESS:
        return address_is_none(at) ? null_field()
                                   : text_field(address_text(at, room(fields, ADDRESS_TEXT_MAX)));
    case FACT_U32:
        return number_field(FIELD_NUMBER, *(const uint32_t *)at);
    case FACT_U64:
        return number_field(FIELD_NUMBER, *(const uint64_t *)at);
    case FACT_SPAN_MS:
        return *(const uint64_t *)at == 0 ? null_field()
                                          : number_field(FIELD_NUMBER, *(const uint64_t *)at);
    case FACT_WIDE:
        return number_field(FIELD_WIDE, *(const uint64_t *)at);
    case FACT_VIEW_WIDE:
        return entry->member_count == 0 ? null_field()
                                        : number_field(FIELD_WIDE, *(const uint64_t *)at);
    case FACT_FLAG:
        return number_field(FIELD_FLAG, *(const bool *)at ? 1 : 0);
    case FACT_ACTING_KIND:
        return text_field(acting_kind_text(*(const bool *)at));
    case FACT_PHASE:
        return text_field(phase_text(*(const enum phase *)at));
    case FACT_PHASE_REASON:
        return text_field(phase_reason_text(*(const enum phase_reason *)at));
    case FACT_CAUSE:
        return text_field(view_cause_text(*(const enum view_cause *)at));
    case FACT_VERDICT:
        return text_field(verdict_text(*(const enum verdict *)at));
    case FACT_GONE_STATE:
        return text_field(gone_state_text(*(const enum gone_reason *)at));
    case FACT_GONE_REASON:
        return text_field(gone_reason_text(*(const enum gone_reason *)at));
    case FACT_CLAIM_STEP:
        return text_field(claim_step_text(*(const enum claim_step *)at));
    case FACT_JOIN_REFUSAL:
        return text_field(join_refusal_text(*(const enum join_refusal *)at));
    case FACT_MERGE_REFUSAL:
        return text_field(merge_refusal_text(*(const enum merge_refusal *)at));
    case FACT_GUARD:
        return text_field(guard_words_of(at, fields));
    case FACT_GUARD_SIZE:
        return ((const struct guard *)at)->policy == GUARD_MAJORITY
                   ? number_field(FIELD_NUMBER, ((const struct guard *)at)->count)
                   : null_field();
    case FACT_VOTERS:
        return voters_field(at, fields);
    case FACT_PROFILE:
        return text_field(profile_text(*(const enum profile *)at));
    case FACT_WATCHERS:
        return number_field(FIELD_NUMBER, *(const uint8_t *)at);
    case FACT_ACCUSERS:
        return (struct notice_field){.kind = FIELD_NAMES, .text = accusers_text(entry, fields)};
    case FACT_PARENT:
        return (struct notice_field){
            .kind = FIELD_VIEW, .number = 0, .text = parent_text(entry, 0, fields)};
    case FACT_MERGED:
        return (struct notice_field){
            .kind = FIELD_VIEW, .number = 1, .text = parent_text(entry, 1, fields)};
    case FACT_TAGS:
        return tags_field(*(const struct tags *const *)at, fields);
    case FACT_VERSIONS:
        return text_field(versions_text(at, room(fields, VERSIONS_TEXT_MAX)));
    }
    return null_field();
}

static void add_facts(struct notice_fields *fields, const struct journal_entry *entry,
                      const struct row *rows)
{
    for (const struct row *row = rows; row->key != NULL; row++) {
        struct notice_field field = fact_of(row, entry, fields);

        assert(fields->count < NOTICE_FIELDS_MAX);
        field.key = row->key;
        field.told = row->told;
        fields->items[fields->count++] = field;
    }
}

/* --- Which rows a notice has ----------------------------------------------------------------- */

static const struct row *common_rows_of(enum notice_type type)
{
    return type == NOTICE_VIEW || type == NOTICE_MISMATCH ? view_common_rows : common_rows;
}

/* Whom it is about, where that is a member or a stranger and nothing else is told of them. */
static const struct row *whom_rows(enum notice_type type)
{
    if (type == NOTICE_JOIN_REFUSED || type == NOTICE_OTHER_TERMS) {
        return stranger_rows;
    }
    const bool is_of_member = type == NOTICE_SUSPECT || type == NOTICE_CLEARED ||
                              type == NOTICE_CLAIM || type == NOTICE_BAD_LINK ||
                              type == NOTICE_TAGS || type == NOTICE_FORGOTTEN ||
                              type == NOTICE_OLD_RECORD || type == NOTICE_DRAINED ||
                              type == NOTICE_TURNED_AWAY;
    return is_of_member ? subject_rows : no_rows;
}

/* What only this kind of notice has. */
static const struct row *own_rows(const struct notice *notice)
{
    switch (notice->type) {
    case NOTICE_PHASE:
        return phase_rows;
    case NOTICE_VIEW:
        return view_rows;
    case NOTICE_JOINED:
        return joined_rows;
    case NOTICE_GONE:
        return gone_rows;
    case NOTICE_COORDINATOR:
    case NOTICE_LEADER:
        return id_is_none(&notice->subject.id) ? nobody_rows : subject_rows;
    case NOTICE_PARTITIONS:
        return partitions_rows;
    case NOTICE_ADDRESS:
        return address_rows;
    case NOTICE_OWNERS:
        return owners_rows;
    case NOTICE_SUSPECT:
        return suspect_rows;
    case NOTICE_AUTOPILOT:
        return wish_rows;
    case NOTICE_CLEARED:
        return cleared_rows;
    case NOTICE_GUARD:
        return guard_rows;
    case NOTICE_ACTING:
        return acting_rows;
    case NOTICE_LATE:
        return late_rows;
    case NOTICE_CLAIM:
        return claim_rows;
    case NOTICE_TAGS:
        return tags_rows;
    case NOTICE_DRAINED:
        return drained_rows;
    case NOTICE_JOIN_REFUSED:
    case NOTICE_OTHER_TERMS:
    case NOTICE_TURNED_AWAY:
        return refusal_rows;
    case NOTICE_SPLIT:
        return split_rows;
    case NOTICE_MERGE:
        return merge_rows;
    case NOTICE_MERGING:
        return notice->on ? merging_rows : not_merging_rows;
    case NOTICE_BAD_LINK:
    case NOTICE_OLD_RECORD:
    case NOTICE_FORGOTTEN: /* Whom it is about says all. */
    case NOTICE_MISMATCH:  /* The view's own number says it. */
        break;
    }
    return no_rows;
}

/* What a refusal quotes. */
static const struct row *quoted_rows(enum join_refusal reason)
{
    switch (reason) {
    case JOIN_REFUSED_TERMS:
        return terms_rows;
    case JOIN_REFUSED_NAME:
        return name_in_use_rows;
    case JOIN_REFUSED_FULL:
        return full_rows;
    case JOIN_REFUSED_VERSIONS:
        return versions_rows;
    }
    return no_rows;
}

/* What follows from what the notice says. */
static const struct row *further_rows(const struct journal_entry *entry)
{
    const struct notice *notice = &entry->notice;

    if (notice->type == NOTICE_GONE) {
        return notice->gone.verdict == VERDICT_NONE ? no_evidence_rows : evidence_rows;
    }
    if (notice->type == NOTICE_ACTING && !entry->advisory) {
        return lease_rows;
    }
    if (notice->type == NOTICE_CLAIM && notice->claim == CLAIM_WON) {
        return won_rows;
    }
    const bool is_refusal = notice->type == NOTICE_JOIN_REFUSED ||
                            notice->type == NOTICE_OTHER_TERMS ||
                            notice->type == NOTICE_TURNED_AWAY;
    return is_refusal ? quoted_rows(notice->refused.reason) : no_rows;
}

void notice_fields(const struct journal_entry *entry, struct notice_fields *fields)
{
    fields->count = 0;
    fields->words_used = 0;
    add_facts(fields, entry, common_rows_of(entry->notice.type));
    add_facts(fields, entry, whom_rows(entry->notice.type));
    add_facts(fields, entry, own_rows(&entry->notice));
    add_facts(fields, entry, further_rows(entry));
}

/* --- One line -------------------------------------------------------------------------------- */

static bool is_told(const struct notice_field *field)
{
    const bool is_known = field->kind != FIELD_NULL &&
                          (field->text == NULL || field->text[0] != '\0');

    return field->told == TOLD_ALWAYS || (field->told == TOLD_IF_KNOWN && is_known);
}

static size_t print_field(const struct notice_field *field, char *out, size_t size)
{
    int length = 0;

    switch (field->kind) {
    case FIELD_NULL:
        length = snprintf(out, size, "%s=none", field->key);
        break;
    case FIELD_TEXT:
    case FIELD_NAMES:
    case FIELD_VIEW:
    case FIELD_TAGS:
        /* What changed is a list with signs of its own. */
        length = text_equal(field->key, "change")
                     ? snprintf(out, size, "%s", field->text)
                     : snprintf(out, size, "%s=%s", field->key, field->text);
        break;
    case FIELD_NUMBER:
    case FIELD_WIDE:
        length = snprintf(out, size, "%s=%llu", field->key, (unsigned long long)field->number);
        break;
    case FIELD_FLAG:
        length = snprintf(out, size, "%s=%s", field->key, field->number == 1 ? "yes" : "no");
        break;
    }
    return length < 0 ? 0 : (size_t)length;
}

void notice_text(const struct journal_entry *entry, const struct notice_fields *fields,
                 char out[NOTICE_TEXT_MAX])
{
    const struct notice *notice = &entry->notice;
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; i < fields->count && used < NOTICE_TEXT_MAX - 1; i++) {
        if (!is_told(&fields->items[i])) {
            continue;
        }
        if (used > 0) {
            out[used++] = ' ';
            out[used] = '\0';
        }
        used += print_field(&fields->items[i], out + used, NOTICE_TEXT_MAX - used);
    }
    if (notice->type == NOTICE_JOIN_REFUSED && used < NOTICE_TEXT_MAX) {
        const bool differs = entry->difference[0] != '\0';
        snprintf(out + used, NOTICE_TEXT_MAX - used, " -> %s%s",
                 differs ? "start with the cluster's "
                         : join_refusal_advice(notice->refused.reason),
                 entry->difference);
    } else if (notice->type == NOTICE_OLD_RECORD && used < NOTICE_TEXT_MAX) {
        char sentence[VOTER_OLDER_SENTENCE_MAX];
        snprintf(out + used, NOTICE_TEXT_MAX - used, " -> %s",
                 voter_older_sentence(notice, sentence));
    }
}
