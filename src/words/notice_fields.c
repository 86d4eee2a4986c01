/* The fields of each kind of notice, in the order in which people read them. */
#include <assert.h>
#include <stdio.h>

#include "words/address_text.h"
#include "words/notice_text.h"
#include "words/terms_text.h"

static void add(struct notice_fields *fields, struct notice_field field)
{
    assert(fields->count < NOTICE_FIELDS_MAX);
    fields->items[fields->count++] = field;
}

static void add_text(struct notice_fields *fields, const char *key, const char *text)
{
    add(fields, (struct notice_field){.key = key, .kind = FIELD_TEXT, .text = text});
}

static void add_number(struct notice_fields *fields, const char *key, uint64_t number)
{
    add(fields, (struct notice_field){.key = key, .kind = FIELD_NUMBER, .number = number});
}

static void add_wide(struct notice_fields *fields, const char *key, uint64_t number)
{
    add(fields, (struct notice_field){.key = key, .kind = FIELD_WIDE, .number = number});
}

static void add_flag(struct notice_fields *fields, const char *key, bool on)
{
    add(fields, (struct notice_field){.key = key, .kind = FIELD_FLAG, .number = on ? 1 : 0});
}

static void add_address(struct notice_fields *fields, const char *key,
                        const struct address *address)
{
    add_text(fields, key, address_text(address, fields->address));
}

static void view_fields(struct notice_fields *fields, const struct journal_entry *entry)
{
    const char *coordinator = entry->notice.subject.name;

    add_wide(fields, "epoch", entry->epoch);
    add_wide(fields, "version", entry->version);
    add_number(fields, "members", entry->member_count);
    add_text(fields, "coordinator", coordinator[0] == '\0' ? "none" : coordinator);
    add_text(fields, "cause", view_cause_text(entry->notice.cause));
    if (entry->change[0] != '\0') {
        add_text(fields, "change", entry->change);
    }
}

/* R5: the reason of a removal with its evidence. */
static void gone_fields(struct notice_fields *fields, const struct journal_entry *entry)
{
    const struct gone *gone = &entry->notice.gone;

    add_text(fields, "subject", gone->name);
    add_wide(fields, "age", gone->age);
    add_text(fields, "reason", gone_reason_text(gone->reason));
    if (gone->verdict == VERDICT_NONE) {
        return;
    }
    add_text(fields, "verdict", verdict_text(gone->verdict));
    add_number(fields, "silent_ms", gone->silent_ms);

    size_t used = 0;
    for (size_t i = 0; i < gone->accuser_count && i < ACCUSERS_MAX; i++) {
        used += (size_t)snprintf(fields->accusers + used, sizeof fields->accusers - used, "%s%s",
                                 i == 0 ? "" : ",",
                                 entry->names[i][0] == '\0' ? "?" : entry->names[i]);
    }
    if (used > 0) {
        add_text(fields, "accusers", fields->accusers);
    }
}

static void refusal_fields(struct notice_fields *fields, const struct join_refused *refused)
{
    add_text(fields, "reason", join_refusal_text(refused->reason));
    switch (refused->reason) {
    case JOIN_REFUSED_TERMS:
        guard_text(&refused->terms.guard, fields->guard);
        add_text(fields, "cluster_guard", fields->guard);
        if (refused->terms.guard.policy == GUARD_MAJORITY) {
            add_number(fields, "cluster_size", refused->terms.guard.count);
        }
        add_text(fields, "cluster_profile", profile_text(refused->terms.profile));
        add_number(fields, "cluster_heartbeat_ms", refused->terms.heartbeat_ms);
        add_number(fields, "cluster_fail_after_ms", refused->terms.lost_ms);
        add_number(fields, "cluster_capacity", refused->terms.capacity);
        break;
    case JOIN_REFUSED_NAME:
        add_address(fields, "holder", &refused->address);
        break;
    case JOIN_REFUSED_FULL:
        add_number(fields, "capacity", refused->limit);
        break;
    }
}

/* M8: both parts by their views, and which of them was this node's. */
static void merge_fields(struct notice_fields *fields, const struct journal_entry *entry)
{
    const struct notice *notice = &entry->notice;

    for (size_t i = 0; i < 2; i++) {
        view_name_print(&notice->parents[i], entry->names[i], fields->parents[i]);
    }
    add_text(fields, notice->lost ? "taken_up_by" : "this", fields->parents[0]);
    add_text(fields, notice->lost ? "this" : "took_up", fields->parents[1]);
    if (notice->apart_ms > 0) {
        add_number(fields, "apart_ms", notice->apart_ms);
    }
}

static void phase_fields(struct notice_fields *fields, const struct notice *notice)
{
    add_text(fields, "phase", phase_text(notice->phase));
    add_text(fields, "reason", phase_reason_text(notice->reason));
}

static void joined_fields(struct notice_fields *fields, const struct subject *subject)
{
    add_text(fields, "subject", subject->name);
    add_wide(fields, "age", subject->age);
    add_address(fields, "address", &subject->address);
}

static void suspect_fields(struct notice_fields *fields, const struct notice *notice)
{
    add_text(fields, "subject", notice->subject.name);
    add_text(fields, "verdict", verdict_text(notice->verdict));
    add_number(fields, "silent_ms", notice->silent_ms);
}

static void cleared_fields(struct notice_fields *fields, const struct notice *notice)
{
    add_text(fields, "subject", notice->subject.name);
    add_number(fields, "silent_ms", notice->silent_ms);
}

static void guard_fields(struct notice_fields *fields, const struct notice *notice)
{
    add_flag(fields, "met", notice->on);
    add_number(fields, "fresh", notice->count);
    add_number(fields, "needed", notice->needed);
}

static void claim_fields(struct notice_fields *fields, const struct notice *notice)
{
    add_text(fields, "step", claim_step_text(notice->claim));
    add_text(fields, "subject", notice->subject.name);
    add_wide(fields, "epoch", notice->epoch);
}

/* By whom: the reason's own address takes the one buffer, and says more. */
static void join_refused_fields(struct notice_fields *fields, const struct notice *notice)
{
    if (notice->refused.reason != JOIN_REFUSED_NAME) {
        add_address(fields, "by", &notice->subject.address);
    }
    refusal_fields(fields, &notice->refused);
}

static void turned_away_fields(struct notice_fields *fields, const struct notice *notice)
{
    add_text(fields, "subject", notice->subject.name);
    refusal_fields(fields, &notice->refused);
}

static void mismatch_fields(struct notice_fields *fields, const struct journal_entry *entry)
{
    add_wide(fields, "epoch", entry->epoch);
    add_wide(fields, "version", entry->version);
}

static void split_fields(struct notice_fields *fields, const struct notice *notice)
{
    add_number(fields, "lost", notice->count);
    add_number(fields, "of", notice->needed);
}

static void merging_fields(struct notice_fields *fields, const struct notice *notice)
{
    add_flag(fields, "merging", notice->on);
    if (notice->on) {
        add_address(fields, "with", &notice->subject.address);
    } else {
        add_text(fields, "refusal", merge_refusal_text(notice->refusal));
    }
}

static void other_terms_fields(struct notice_fields *fields, const struct notice *notice)
{
    add_address(fields, "of", &notice->subject.address);
    refusal_fields(fields, &notice->refused);
}

void notice_fields(const struct journal_entry *entry, struct notice_fields *fields)
{
    const struct notice *notice = &entry->notice;
    const struct subject *subject = &notice->subject;

    *fields = (struct notice_fields){.count = 0};
    switch (notice->type) {
    case NOTICE_PHASE:
        phase_fields(fields, notice);
        return;
    case NOTICE_VIEW:
        view_fields(fields, entry);
        return;
    case NOTICE_JOINED:
        joined_fields(fields, subject);
        return;
    case NOTICE_GONE:
        gone_fields(fields, entry);
        return;
    case NOTICE_COORDINATOR:
        add_text(fields, "coordinator", id_is_none(&subject->id) ? "none" : subject->name);
        return;
    case NOTICE_SUSPECT:
        suspect_fields(fields, notice);
        return;
    case NOTICE_CLEARED:
        cleared_fields(fields, notice);
        return;
    case NOTICE_GUARD:
        guard_fields(fields, notice);
        return;
    case NOTICE_ACTING:
        add_flag(fields, "acting", notice->on);
        return;
    case NOTICE_LATE:
        add_number(fields, "late_ms", notice->silent_ms);
        return;
    case NOTICE_CLAIM:
        claim_fields(fields, notice);
        return;
    case NOTICE_VOUCHED:
        add_text(fields, "subject", subject->name);
        return;
    case NOTICE_JOIN_REFUSED:
        join_refused_fields(fields, notice);
        return;
    case NOTICE_TURNED_AWAY:
        turned_away_fields(fields, notice);
        return;
    case NOTICE_MISMATCH:
        mismatch_fields(fields, entry);
        return;
    case NOTICE_SPLIT:
        split_fields(fields, notice);
        return;
    case NOTICE_MERGE:
        merge_fields(fields, entry);
        return;
    case NOTICE_MERGING:
        merging_fields(fields, notice);
        return;
    case NOTICE_OTHER_TERMS:
        other_terms_fields(fields, notice);
        return;
    }
}
