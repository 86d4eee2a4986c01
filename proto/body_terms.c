#include "proto/body_terms.h"

#include <assert.h>

enum {
    TERMS_FIELDS = 7,
    STRICT_FIELDS = 1,  /* and under guard strict the voters, */
    TARGET_FIELDS = 1,  /* and how many are to vote, where that was said */
    CHANGED_FIELDS = 3, /* or these, where they were changed */
    QUOTED_VERSIONS = 2,
    HOPS_MAX = 1,
};

static void read_voters(struct reader *reader, struct terms *terms, uint32_t count)
{
    terms->voters.count = (uint8_t)reader_list(reader, count, count);
    for (uint8_t i = 0; i < terms->voters.count; i++) {
        reader_name(reader, terms->voters.names[i]);
    }
}

/* Only guard strict has voters; what was changed comes last. */
static void read_terms(struct reader *reader, struct terms *terms)
{
    const uint32_t fields = reader_list(reader, 0, UINT32_MAX);
    const bool changed = fields >= TERMS_FIELDS + CHANGED_FIELDS; /* More than those of strict. */
    const uint32_t unchanged = fields - (changed ? CHANGED_FIELDS : 0U);
    const bool targeted = unchanged == TERMS_FIELDS + STRICT_FIELDS + TARGET_FIELDS;
    const bool strict = targeted || unchanged == TERMS_FIELDS + STRICT_FIELDS;

    if (unchanged != TERMS_FIELDS && !strict) {
        reader_fail(reader, WIRE_SHAPE);
    }
    terms->guard.policy = (enum guard_policy)reader_number(
        reader, strict ? GUARD_STRICT : GUARD_NONE, strict ? GUARD_STRICT : GUARD_MAJORITY);
    const bool counts = terms->guard.policy != GUARD_NONE;
    const uint32_t most = counts ? UINT32_MAX : 0;
    const uint32_t count = (uint32_t)reader_number(reader, counts, strict ? VOTERS_MAX : most);
    terms->guard.count = strict ? 0 : count;
    terms->profile = (enum profile)reader_number(reader, PROFILE_LOCAL, PROFILE_WAN);
    terms->watchers = (uint8_t)reader_number(reader, WATCHERS_LEAST, WATCHERS_MOST);
    terms->heartbeat_ms = reader_number(reader, 0, WIRE_MS_MAX);
    terms->lost_ms = reader_number(reader, 0, WIRE_MS_MAX);
    terms->capacity = (uint32_t)reader_number(reader, 1, MEMBER_MAX);
    if (strict) {
        read_voters(reader, terms, count);
    }
    if (targeted) {
        terms->guard.count = (uint32_t)reader_number(reader, 1, VOTERS_MAX);
    }
    if (changed) {
        terms->number = reader_number(reader, 1, UINT64_MAX);
        terms->origin = reader_number(reader, 0, UINT64_MAX);
        terms->room = (uint32_t)reader_number(reader, 1, MEMBER_MAX);
    }
}

static void write_terms(struct writer *writer, const struct terms *terms)
{
    const bool strict = terms->guard.policy == GUARD_STRICT;

    assert(terms->voters.count <= VOTERS_MAX);
    const bool targeted = strict && terms->guard.count != 0;
    const bool changed = terms->number != 0;

    writer_array(writer, TERMS_FIELDS + (strict ? (uint32_t)STRICT_FIELDS : 0U) +
                             (targeted ? (uint32_t)TARGET_FIELDS : 0U) +
                             (changed ? CHANGED_FIELDS : 0U));
    writer_number(writer, (uint64_t)terms->guard.policy);
    writer_number(writer, strict ? terms->voters.count : terms->guard.count);
    writer_number(writer, (uint64_t)terms->profile);
    writer_number(writer, terms->watchers);
    writer_number(writer, terms->heartbeat_ms);
    writer_number(writer, terms->lost_ms);
    writer_number(writer, terms->capacity);
    if (strict) {
        writer_array(writer, terms->voters.count);
        for (uint8_t i = 0; i < terms->voters.count; i++) {
            writer_name(writer, terms->voters.names[i]);
        }
    }
    if (targeted) {
        writer_number(writer, terms->guard.count);
    }
    if (changed) {
        writer_number(writer, terms->number);
        writer_number(writer, terms->origin);
        writer_number(writer, terms->room);
    }
}

void body_read_probe(struct reader *reader, struct probe *probe)
{
    body_read_view_id(reader, &probe->view);
    probe->view_hash = reader_number(reader, 0, UINT64_MAX);
    probe->holders = (uint32_t)reader_number(reader, 0, MEMBER_MAX);
    probe->oldest_age = reader_number(reader, 0, UINT64_MAX);
    probe->guard_met = reader_bool(reader);
    probe->answer = reader_bool(reader);
    probe->seed_count = (uint8_t)reader_list(reader, 0, PROBE_SEEDS_MAX);
    for (uint8_t i = 0; i < probe->seed_count; i++) {
        probe->seeds[i] = reader_address(reader);
    }
    probe->coordinator = reader_address_or_nil(reader);
    read_terms(reader, &probe->terms);
}

void body_write_probe(struct writer *writer, const struct probe *probe)
{
    body_write_view_id(writer, &probe->view);
    writer_number(writer, probe->view_hash);
    writer_number(writer, probe->holders);
    writer_number(writer, probe->oldest_age);
    writer_bool(writer, probe->guard_met);
    writer_bool(writer, probe->answer);
    assert(probe->seed_count <= PROBE_SEEDS_MAX);
    writer_array(writer, probe->seed_count);
    for (uint8_t i = 0; i < probe->seed_count; i++) {
        writer_address(writer, &probe->seeds[i]);
    }
    writer_address(writer, &probe->coordinator);
    write_terms(writer, &probe->terms);
}

void body_read_joiner(struct reader *reader, struct joiner *joiner)
{
    body_read_member(reader, &joiner->member, &joiner->tags, 0,
                     0); /* The coordinator gives the age. */
    read_terms(reader, &joiner->terms);
    joiner->may_found = reader_bool(reader);
    joiner->nonce = reader_number(reader, 0, UINT64_MAX);
    joiner->hops = (uint8_t)reader_number(reader, 0, HOPS_MAX);
    joiner->epoch_seen = reader_number(reader, 0, UINT64_MAX);
}

void body_write_joiner(struct writer *writer, const struct joiner *joiner)
{
    body_write_member(writer, &joiner->member, &joiner->tags);
    write_terms(writer, &joiner->terms);
    writer_bool(writer, joiner->may_found);
    writer_number(writer, joiner->nonce);
    writer_number(writer, joiner->hops);
    writer_number(writer, joiner->epoch_seen);
}

void body_read_join_refused(struct reader *reader, struct join_refused *refused)
{
    refused->reason = (enum join_refusal)reader_number(reader, JOIN_REFUSED_TERMS,
                                                       JOIN_REFUSED_VERSIONS);
    switch (refused->reason) {
    case JOIN_REFUSED_TERMS:
        read_terms(reader, &refused->terms);
        break;
    case JOIN_REFUSED_NAME:
        refused->address = reader_address(reader);
        break;
    case JOIN_REFUSED_FULL:
        refused->limit = (uint32_t)reader_number(reader, 0, MEMBER_MAX);
        break;
    case JOIN_REFUSED_VERSIONS:
        reader_fields(reader, QUOTED_VERSIONS);
        refused->versions = body_read_versions(reader);
        break;
    }
}

/* Whoever is refused may read version 1 alone (J2d). */
static void write_quoted_terms(struct writer *writer, const struct terms *terms)
{
    struct terms quoted;

    terms_copy(&quoted, terms);
    quoted.number = 0;
    write_terms(writer, &quoted);
}

void body_write_join_refused(struct writer *writer, const struct join_refused *refused)
{
    writer_number(writer, (uint64_t)refused->reason);
    switch (refused->reason) {
    case JOIN_REFUSED_TERMS:
        write_quoted_terms(writer, &refused->terms);
        break;
    case JOIN_REFUSED_NAME:
        writer_address(writer, &refused->address);
        break;
    case JOIN_REFUSED_FULL:
        writer_number(writer, refused->limit);
        break;
    case JOIN_REFUSED_VERSIONS:
        writer_array(writer, QUOTED_VERSIONS);
        body_write_versions(writer, refused->versions);
        break;
    }
}
