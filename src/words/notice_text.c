#include "words/notice_text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

const char *phase_text(enum phase phase)
{
    switch (phase) {
    case PHASE_JOINING:
        return "joining";
    case PHASE_MEMBER:
        return "member";
    case PHASE_LEAVING:
        return "leaving";
    case PHASE_STOPPED:
        return "stopped";
    }
    return "unknown";
}

const char *phase_reason_text(enum phase_reason reason)
{
    switch (reason) {
    case REASON_START:
        return "start";
    case REASON_FOUNDED:
        return "founded";
    case REASON_ADMITTED:
        return "admitted";
    case REASON_REMOVED:
        return "removed";
    case REASON_LEFT_ALONE:
        return "left_alone";
    case REASON_NAME_TAKEN:
        return "name_taken";
    case REASON_LEAVE_ASKED:
        return "leave_asked";
    case REASON_LEAVE_DONE:
        return "leave_done";
    case REASON_LEAVE_TIMEOUT:
        return "leave_timeout";
    }
    return "unknown";
}

const char *verdict_text(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_NONE:
        return "none";
    case VERDICT_DEAD:
        return "dead";
    case VERDICT_LOST:
        return "lost";
    case VERDICT_STALLED:
        return "stalled";
    }
    return "unknown";
}

const char *gone_reason_text(enum gone_reason reason)
{
    switch (reason) {
    case GONE_FAILED:
        return "failed";
    case GONE_LEFT:
        return "left";
    case GONE_MOVED:
        return "moved";
    case GONE_REPLACED:
        return "replaced";
    }
    return "unknown";
}

const char *view_cause_text(enum view_cause cause)
{
    switch (cause) {
    case CAUSE_FOUND:
        return "found";
    case CAUSE_CHANGE:
        return "change";
    case CAUSE_CLAIM:
        return "claim";
    case CAUSE_HANDOVER:
        return "handover";
    case CAUSE_MERGE:
        return "merge";
    }
    return "unknown";
}

const char *claim_step_text(enum claim_step step)
{
    switch (step) {
    case CLAIM_STARTED:
        return "started";
    case CLAIM_WON:
        return "won";
    case CLAIM_LOST:
        return "lost";
    case CLAIM_GRANTED:
        return "granted";
    case CLAIM_DECLINED:
        return "declined";
    }
    return "unknown";
}

const char *join_refusal_text(enum join_refusal reason)
{
    switch (reason) {
    case JOIN_REFUSED_TERMS:
        return "terms";
    case JOIN_REFUSED_NAME:
        return "name_in_use";
    case JOIN_REFUSED_FULL:
        return "full";
    }
    return "unknown";
}

const char *merge_refusal_text(enum merge_refusal refusal)
{
    switch (refusal) {
    case MERGE_NOT_REFUSED:
        return "no_answer";
    case MERGE_REFUSED_BUSY:
        return "busy";
    case MERGE_REFUSED_LOSING:
        return "losing";
    case MERGE_REFUSED_FULL:
        return "full";
    case MERGE_REFUSED_ABORTED:
        return "aborted";
    case MERGE_REFUSED_NAME:
        return "name_in_use";
    }
    return "unknown";
}

const char *join_refusal_advice(enum join_refusal reason)
{
    switch (reason) {
    case JOIN_REFUSED_TERMS:
        return "start with the cluster's --guard, --size, --profile, --heartbeat, "
               "--fail-after and --capacity";
    case JOIN_REFUSED_NAME:
        return "choose another --name, or end the member that has it";
    case JOIN_REFUSED_FULL:
        return "raise --capacity on all members, or --size under --guard majority";
    }
    return "see the protocol's rules for joining";
}

const char *notice_event(enum notice_type type)
{
    switch (type) {
    case NOTICE_PHASE:
        return "phase";
    case NOTICE_VIEW:
        return "view";
    case NOTICE_JOINED:
        return "joined";
    case NOTICE_GONE:
        return "gone";
    case NOTICE_COORDINATOR:
        return "coordinator";
    case NOTICE_SUSPECT:
        return "suspect";
    case NOTICE_CLEARED:
        return "cleared";
    case NOTICE_GUARD:
        return "guard";
    case NOTICE_ACTING:
        return "acting";
    case NOTICE_LATE:
        return "late";
    case NOTICE_CLAIM:
        return "claim";
    case NOTICE_VOUCHED:
        return "vouched";
    case NOTICE_JOIN_REFUSED:
        return "join_refused";
    case NOTICE_TURNED_AWAY:
        return "turned_away";
    case NOTICE_MISMATCH:
        return "mismatch";
    case NOTICE_SPLIT:
        return "split";
    case NOTICE_MERGE:
        return "merge";
    case NOTICE_MERGING:
        return "merging";
    case NOTICE_OTHER_TERMS:
        return "other_terms";
    }
    return "unknown";
}

void view_name_print(const struct view_id *id, const char *coordinator, char out[VIEW_NAME_MAX])
{
    snprintf(out, VIEW_NAME_MAX, "%llu.%llu@%s", (unsigned long long)id->epoch,
             (unsigned long long)id->version, coordinator[0] == '\0' ? "?" : coordinator);
}

/* --- Fields ---------------------------------------------------------------------------------- */

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

void notice_fields(const struct journal_entry *entry, struct notice_fields *fields)
{
    const struct notice *notice = &entry->notice;
    const struct subject *subject = &notice->subject;

    *fields = (struct notice_fields){.count = 0};
    switch (notice->type) {
    case NOTICE_PHASE:
        add_text(fields, "phase", phase_text(notice->phase));
        add_text(fields, "reason", phase_reason_text(notice->reason));
        break;
    case NOTICE_VIEW:
        view_fields(fields, entry);
        break;
    case NOTICE_JOINED:
        add_text(fields, "subject", subject->name);
        add_wide(fields, "age", subject->age);
        add_address(fields, "address", &subject->address);
        break;
    case NOTICE_GONE:
        gone_fields(fields, entry);
        break;
    case NOTICE_COORDINATOR:
        add_text(fields, "coordinator", id_is_none(&subject->id) ? "none" : subject->name);
        break;
    case NOTICE_SUSPECT:
        add_text(fields, "subject", subject->name);
        add_text(fields, "verdict", verdict_text(notice->verdict));
        add_number(fields, "silent_ms", notice->silent_ms);
        break;
    case NOTICE_CLEARED:
        add_text(fields, "subject", subject->name);
        add_number(fields, "silent_ms", notice->silent_ms);
        break;
    case NOTICE_GUARD:
        add_flag(fields, "met", notice->on);
        add_number(fields, "fresh", notice->count);
        add_number(fields, "needed", notice->needed);
        break;
    case NOTICE_ACTING:
        add_flag(fields, "acting", notice->on);
        break;
    case NOTICE_LATE:
        add_number(fields, "late_ms", notice->silent_ms);
        break;
    case NOTICE_CLAIM:
        add_text(fields, "step", claim_step_text(notice->claim));
        add_text(fields, "subject", subject->name);
        add_wide(fields, "epoch", notice->epoch);
        break;
    case NOTICE_VOUCHED:
        add_text(fields, "subject", subject->name);
        break;
    case NOTICE_JOIN_REFUSED:
        /* By whom: the reason's own address takes the one buffer, and says more. */
        if (notice->refused.reason != JOIN_REFUSED_NAME) {
            add_address(fields, "by", &subject->address);
        }
        refusal_fields(fields, &notice->refused);
        break;
    case NOTICE_TURNED_AWAY:
        add_text(fields, "subject", subject->name);
        refusal_fields(fields, &notice->refused);
        break;
    case NOTICE_MISMATCH:
        add_wide(fields, "epoch", entry->epoch);
        add_wide(fields, "version", entry->version);
        break;
    case NOTICE_SPLIT:
        add_number(fields, "lost", notice->count);
        add_number(fields, "of", notice->needed);
        break;
    case NOTICE_MERGE:
        merge_fields(fields, entry);
        break;
    case NOTICE_MERGING:
        add_flag(fields, "merging", notice->on);
        if (notice->on) {
            add_address(fields, "with", &subject->address);
        } else {
            add_text(fields, "refusal", merge_refusal_text(notice->refusal));
        }
        break;
    case NOTICE_OTHER_TERMS:
        add_address(fields, "of", &subject->address);
        refusal_fields(fields, &notice->refused);
        break;
    }
}

/* --- One line -------------------------------------------------------------------------------- */

/* How a line names its subject: by the part it plays. */
static const char *label_of(enum notice_type type, const char *key)
{
    if (!text_equal(key, "subject")) {
        return key;
    }
    if (type == NOTICE_CLEARED) {
        return "suspect";
    }
    return type == NOTICE_CLAIM ? "claimant" : "member";
}

static size_t print_field(enum notice_type type, const struct notice_field *field, char *out,
                          size_t size)
{
    const char *label = label_of(type, field->key);
    int length = 0;

    if (text_equal(field->key, "change")) {
        length = snprintf(out, size, "%s", field->text);
    } else if (field->kind == FIELD_TEXT) {
        length = snprintf(out, size, "%s=%s", label, field->text);
    } else if (field->kind == FIELD_FLAG) {
        length = snprintf(out, size, "%s=%s", label, field->number == 1 ? "yes" : "no");
    } else {
        length = snprintf(out, size, "%s=%llu", label, (unsigned long long)field->number);
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
        if (i > 0) {
            out[used++] = ' ';
            out[used] = '\0';
        }
        used += print_field(notice->type, &fields->items[i], out + used, NOTICE_TEXT_MAX - used);
    }
    if (notice->type == NOTICE_JOIN_REFUSED && used < NOTICE_TEXT_MAX) {
        snprintf(out + used, NOTICE_TEXT_MAX - used, " -> %s",
                 join_refusal_advice(notice->refused.reason));
    }
}
