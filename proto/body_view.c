#include "proto/body_view.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum {
    VIEW_ID_FIELDS = 4,
    MEMBER_FIELDS = 6, /* and of one that is drained one more, which says so */
    DRAINED_FIELDS = 1,
    VERSIONS_FIELDS = 2, /* behind that one, of one that speaks more than version 1 */
    GONE_FIELDS = 8,

    MEMBER_BYTES = 1 + BODY_ID_BYTES + BODY_ADDRESS_BYTES + 2 * BODY_NUMBER_BYTES +
                   BODY_NAME_BYTES + BODY_TAGS_BYTES + DRAINED_FIELDS + VERSIONS_FIELDS,
    GONE_BYTES = 1 + BODY_ID_BYTES + BODY_ADDRESS_BYTES + BODY_NUMBER_BYTES + BODY_NAME_BYTES + 1 +
                 1 + 5 + 1 + ACCUSERS_MAX * BODY_NUMBER_BYTES,
    RULES_FIELDS = 6,
    AGREED_FIELDS = 2, /* and one more while what was before holds besides */
    RULES_BYTES = 1 + 1 + 5 + 1 + 5 + 5 + 3,
    AGREED_BYTES = 1 + 2 * BODY_NUMBER_BYTES + 3 + 2 * RULES_BYTES,
    VOTERS_FIELDS = 2,
    VOTER_FIELDS = 4,
    VOTER_BYTES = 1 + BODY_NAME_BYTES + BODY_ID_BYTES + BODY_ADDRESS_BYTES + 1,
    VOTERS_BYTES = 1 + BODY_NUMBER_BYTES + 3 + VOTERS_LISTED_MAX * VOTER_BYTES,
    VIEW_HEAD_BYTES = 1 + 5 * BODY_NUMBER_BYTES + 1 + 2 * BODY_VIEW_ID_BYTES + 3 + 3 +
                      AGREED_BYTES + VOTERS_BYTES, /* all but the items of its lists */
};

/* In which lists a voter is. On the wire: append only. */
enum { LISTED_NOW = 1, LISTED_BEFORE = 2, LISTED_WITNESS = 4, LISTED_ALL = 7 };

void body_read_view_id(struct reader *reader, struct view_id *id)
{
    reader_fields(reader, VIEW_ID_FIELDS);
    id->lineage = reader_number(reader, 0, UINT64_MAX);
    id->epoch = reader_number(reader, 0, UINT64_MAX);
    id->version = reader_number(reader, 0, UINT64_MAX);
    id->coordinator = reader_id_or_nil(reader); /* Nil: the sender has no view. */
}

void body_write_view_id(struct writer *writer, const struct view_id *id)
{
    writer_array(writer, VIEW_ID_FIELDS);
    writer_number(writer, id->lineage);
    writer_number(writer, id->epoch);
    writer_number(writer, id->version);
    writer_id(writer, &id->coordinator);
}

struct versions body_read_versions(struct reader *reader)
{
    struct versions versions = {.low = 0};

    versions.low = (uint8_t)(reader_number(reader, 1, VERSIONS_MAX) - 1);
    versions.high = (uint8_t)(reader_number(reader, versions.low + 1U, VERSIONS_MAX) - 1);
    return reader->error == WIRE_OK ? versions : (struct versions){.low = 0};
}

void body_write_versions(struct writer *writer, struct versions versions)
{
    writer_number(writer, versions.low + 1U);
    writer_number(writer, versions.high + 1U);
}

void body_read_member(struct reader *reader, struct member *member, struct tags *tags,
                      uint64_t age_low, uint64_t age_high)
{
    memset(member, 0, sizeof *member);
    const uint32_t fields = reader_list(reader, 0, UINT32_MAX);
    const bool has_versions = fields == MEMBER_FIELDS + DRAINED_FIELDS + VERSIONS_FIELDS;
    const bool may_be_drained = age_low > 0; /* A joiner never is. */
    member->drained = fields == MEMBER_FIELDS + DRAINED_FIELDS && may_be_drained;
    if (fields != MEMBER_FIELDS && !member->drained && !has_versions) {
        reader_fail(reader, WIRE_SHAPE);
    }
    member->id = reader_id(reader);
    member->address = reader_address(reader);
    member->age = reader_number(reader, age_low, age_high);
    member->incarnation = reader_number(reader, 0, UINT64_MAX);
    reader_name(reader, member->name);
    reader_tags(reader, tags);
    if (member->drained && !reader_bool(reader)) {
        reader_fail(reader, WIRE_BOUND);
    }
    if (has_versions) {
        member->drained = reader_bool(reader);
        member->versions = body_read_versions(reader);
        if (member->versions.high == 0 || (member->drained && !may_be_drained)) {
            reader_fail(reader, WIRE_BOUND);
        }
    }
}

void body_read_member_of(struct reader *reader, struct view *view, uint32_t position)
{
    struct tags tags;

    body_read_member(reader, &view->members[position], &tags, 1, UINT64_MAX);
    view_set_tags(view, position, &tags);
}

void body_write_member(struct writer *writer, const struct member *member, const struct tags *tags)
{
    const bool has_versions = member->versions.high > 0;

    writer_array(writer, MEMBER_FIELDS + (member->drained || has_versions ? DRAINED_FIELDS : 0U) +
                             (has_versions ? VERSIONS_FIELDS : 0U));
    writer_id(writer, &member->id);
    writer_address(writer, &member->address);
    writer_number(writer, member->age);
    writer_number(writer, member->incarnation);
    writer_name(writer, member->name);
    writer_tags(writer, tags);
    if (member->drained || has_versions) {
        writer_bool(writer, member->drained);
    }
    if (has_versions) {
        body_write_versions(writer, member->versions);
    }
}

void body_read_gone(struct reader *reader, struct gone *gone)
{
    memset(gone, 0, sizeof *gone);
    reader_fields(reader, GONE_FIELDS);
    gone->id = reader_id(reader);
    gone->address = reader_address(reader);
    gone->age = reader_number(reader, 1, UINT64_MAX);
    reader_name(reader, gone->name);
    gone->reason = (enum gone_reason)reader_number(reader, GONE_FAILED, GONE_BEHIND);
    gone->verdict = (enum verdict)reader_number(reader, VERDICT_NONE, VERDICT_STALLED);
    gone->silent_ms = (uint32_t)reader_number(reader, 0, UINT32_MAX);
    gone->accuser_count = (uint8_t)reader_list(reader, 0, ACCUSERS_MAX);
    for (uint8_t i = 0; i < gone->accuser_count; i++) {
        gone->accusers[i] = reader_number(reader, 1, UINT64_MAX);
    }
}

void body_write_gone(struct writer *writer, const struct gone *gone)
{
    assert(gone->accuser_count <= ACCUSERS_MAX);

    writer_array(writer, GONE_FIELDS);
    writer_id(writer, &gone->id);
    writer_address(writer, &gone->address);
    writer_number(writer, gone->age);
    writer_name(writer, gone->name);
    writer_number(writer, (uint64_t)gone->reason);
    writer_number(writer, (uint64_t)gone->verdict);
    writer_number(writer, gone->silent_ms);
    writer_array(writer, gone->accuser_count);
    for (uint8_t i = 0; i < gone->accuser_count; i++) {
        writer_number(writer, gone->accusers[i]);
    }
}

void body_read_rules(struct reader *reader, struct rules *rules)
{
    reader_fields(reader, RULES_FIELDS);
    rules->guard.policy = (enum guard_policy)reader_number(reader, GUARD_NONE, GUARD_STRICT);
    rules->guard.count = (uint32_t)reader_number(
        reader, rules->guard.policy == GUARD_COUNT || rules->guard.policy == GUARD_MAJORITY,
        rules->guard.policy == GUARD_NONE ? 0 : UINT32_MAX);
    rules->profile = (enum profile)reader_number(reader, PROFILE_LOCAL, PROFILE_WAN);
    rules->heartbeat_ms = reader_number(reader, 0, WIRE_MS_MAX);
    rules->lost_ms = reader_number(reader, 0, WIRE_MS_MAX);
    rules->capacity = (uint32_t)reader_number(reader, 1, MEMBER_MAX);
}

void body_write_rules(struct writer *writer, const struct rules *rules)
{
    writer_array(writer, RULES_FIELDS);
    writer_number(writer, (uint64_t)rules->guard.policy);
    writer_number(writer, rules->guard.count);
    writer_number(writer, (uint64_t)rules->profile);
    writer_number(writer, rules->heartbeat_ms);
    writer_number(writer, rules->lost_ms);
    writer_number(writer, rules->capacity);
}

static void read_agreed(struct reader *reader, struct agreed *agreed)
{
    agreed->number = reader_number(reader, 1, UINT64_MAX);
    agreed->origin = reader_number(reader, 0, UINT64_MAX);
    const uint32_t fields = reader_list(reader, AGREED_FIELDS, AGREED_FIELDS + 1);
    agreed->room = (uint32_t)reader_number(reader, 1, MEMBER_MAX);
    body_read_rules(reader, &agreed->now);
    agreed->joint = fields > AGREED_FIELDS;
    if (agreed->joint) {
        body_read_rules(reader, &agreed->before);
    }
}

static void write_agreed(struct writer *writer, const struct agreed *agreed)
{
    writer_number(writer, agreed->number);
    writer_number(writer, agreed->origin);
    writer_array(writer, AGREED_FIELDS + (agreed->joint ? 1U : 0U));
    writer_number(writer, agreed->room);
    body_write_rules(writer, &agreed->now);
    if (agreed->joint) {
        body_write_rules(writer, &agreed->before);
    }
}

static void read_voter(struct reader *reader, struct listed_voter *voter)
{
    memset(voter, 0, sizeof *voter);
    reader_fields(reader, VOTER_FIELDS);
    reader_name(reader, voter->name);
    voter->record = reader_id(reader);
    if (!reader_accept_nil(reader)) {
        voter->address = reader_address(reader);
    }
    const uint64_t listed = reader_number(reader, LISTED_NOW, LISTED_ALL);
    voter->now = (listed & LISTED_NOW) != 0;
    voter->before = (listed & LISTED_BEFORE) != 0;
    voter->witness = (listed & LISTED_WITNESS) != 0;
}

static void read_voters(struct reader *reader, struct voter_lists *lists)
{
    reader_fields(reader, VOTERS_FIELDS);
    lists->number = reader_number(reader, 1, UINT64_MAX);
    lists->count = (uint8_t)reader_list(reader, 1, VOTERS_LISTED_MAX);
    for (uint8_t i = 0; i < lists->count && reader->error == WIRE_OK; i++) {
        read_voter(reader, &lists->voters[i]);
    }
}

static void write_voters(struct writer *writer, const struct voter_lists *lists)
{
    writer_array(writer, VOTERS_FIELDS);
    writer_number(writer, lists->number);
    writer_array(writer, lists->count);
    for (uint8_t i = 0; i < lists->count; i++) {
        const struct listed_voter *voter = &lists->voters[i];
        writer_array(writer, VOTER_FIELDS);
        writer_name(writer, voter->name);
        writer_id(writer, &voter->record);
        if (address_is_none(&voter->address)) {
            writer_nil(writer);
        } else {
            writer_address(writer, &voter->address);
        }
        writer_number(writer, (voter->now ? LISTED_NOW : 0U) |
                                  (voter->before ? LISTED_BEFORE : 0U) |
                                  (voter->witness ? LISTED_WITNESS : 0U));
    }
}

struct body_view_tail body_view_tail_of(struct reader *reader, uint32_t fields, uint32_t plain)
{
    const uint32_t further = fields >= plain ? fields - plain : UINT32_MAX;

    switch (further) {
    case 0:
        return (struct body_view_tail){.agreed = false};
    case BODY_VOTERS_FIELDS:
        return (struct body_view_tail){.voters = true};
    case BODY_AGREED_FIELDS:
        return (struct body_view_tail){.agreed = true};
    case BODY_AGREED_FIELDS + BODY_VOTERS_FIELDS:
        return (struct body_view_tail){.agreed = true, .voters = true};
    default:
        reader_fail(reader, WIRE_SHAPE);
        return (struct body_view_tail){.agreed = false};
    }
}

uint32_t body_view_tail_fields(struct body_view_tail tail)
{
    return (tail.agreed ? BODY_AGREED_FIELDS : 0U) + (tail.voters ? BODY_VOTERS_FIELDS : 0U);
}

void body_read_view_tail(struct reader *reader, struct view *view, struct body_view_tail tail)
{
    if (tail.agreed) {
        read_agreed(reader, &view->agreed);
    }
    if (tail.voters) {
        read_voters(reader, &view->voters);
    }
}

void body_write_view_tail(struct writer *writer, const struct view *view,
                          struct body_view_tail tail)
{
    if (tail.agreed) {
        write_agreed(writer, &view->agreed);
    }
    if (tail.voters) {
        write_voters(writer, &view->voters);
    }
}

void body_read_view(struct reader *reader, struct view *view)
{
    const uint32_t fields = reader_list(reader, 0, UINT32_MAX);

    body_read_view_fields(reader, view, body_view_tail_of(reader, fields, BODY_VIEW_FIELDS));
}

void body_read_view_fields(struct reader *reader, struct view *view, struct body_view_tail tail)
{
    view_clear(view);
    view->lineage = reader_number(reader, 0, UINT64_MAX);
    view->epoch = reader_number(reader, 0, UINT64_MAX);
    view->version = reader_number(reader, 0, UINT64_MAX);
    view->next_age = reader_number(reader, 0, UINT64_MAX);
    view->hash = reader_number(reader, 0, UINT64_MAX);
    view->cause = (enum view_cause)reader_number(reader, CAUSE_FOUND, CAUSE_MERGE);
    body_read_view_id(reader, &view->parent);
    body_read_view_id(reader, &view->merged);

    view->member_count = reader_list(reader, tail.voters ? 0 : 1, view->capacity);
    for (uint32_t i = 0; i < view->member_count && reader->error == WIRE_OK; i++) {
        body_read_member_of(reader, view, i);
    }
    view->gone_count = reader_list(reader, 0, GONE_MAX);
    for (uint32_t i = 0; i < view->gone_count && reader->error == WIRE_OK; i++) {
        body_read_gone(reader, &view->gone[i]);
    }
    body_read_view_tail(reader, view, tail);
}

void body_write_view(struct writer *writer, const struct view *view)
{
    assert(view->member_count >= 1 || view_is_of_founders(view));
    assert(view->gone_count <= GONE_MAX);

    const struct body_view_tail tail = {.agreed = view->agreed.number != 0,
                                        .voters = view->voters.count > 0};

    writer_array(writer, BODY_VIEW_FIELDS + body_view_tail_fields(tail));
    writer_number(writer, view->lineage);
    writer_number(writer, view->epoch);
    writer_number(writer, view->version);
    writer_number(writer, view->next_age);
    writer_number(writer, view->hash);
    writer_number(writer, (uint64_t)view->cause);
    body_write_view_id(writer, &view->parent);
    body_write_view_id(writer, &view->merged);

    writer_array(writer, view->member_count);
    for (uint32_t i = 0; i < view->member_count; i++) {
        body_write_member(writer, &view->members[i], member_tags(&view->members[i]));
    }
    writer_array(writer, view->gone_count);
    for (uint32_t i = 0; i < view->gone_count; i++) {
        body_write_gone(writer, &view->gone[i]);
    }
    body_write_view_tail(writer, view, tail);
}

size_t body_view_bytes_max(uint32_t capacity)
{
    return VIEW_HEAD_BYTES + (size_t)capacity * MEMBER_BYTES + (size_t)GONE_MAX * GONE_BYTES;
}
