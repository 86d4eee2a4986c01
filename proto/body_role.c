#include "proto/body_role.h"

/* A time, where the better one has to have stood for that long first. */
static void read_preempt(struct reader *reader, struct role_terms *terms)
{
    if (reader_is_at_bool(reader)) {
        terms->preempt = reader_bool(reader);
    } else {
        terms->preempt = true;
        terms->preempt_after_ms = (uint32_t)reader_number(reader, 1, ROLE_PREEMPT_AFTER_MS_MAX);
    }
}

static void write_preempt(struct writer *writer, const struct role_terms *terms)
{
    if (terms->preempt_after_ms == 0) {
        writer_bool(writer, terms->preempt);
    } else {
        writer_number(writer, terms->preempt_after_ms);
    }
}

/* One further field is there only where a tag is needed. */
static void read_entry(struct reader *reader, struct role_entry *entry, bool has_need,
                       bool may_be_nil)
{
    reader_name(reader, entry->role);
    entry->terms.policy = (enum role_policy)reader_number(reader, ROLE_FIRST, ROLE_EACH);
    entry->terms.holders = (uint32_t)reader_number(reader, 1, ROLE_HOLDERS_MAX);
    read_preempt(reader, &entry->terms);
    entry->priority = (uint32_t)reader_number(reader, 0, UINT32_MAX);
    if (has_need && !(may_be_nil && reader_accept_nil(reader))) {
        reader_need(reader, entry->terms.need);
    }
}

static void write_entry(struct writer *writer, const struct role_entry *entry)
{
    writer_name(writer, entry->role);
    writer_number(writer, (uint64_t)entry->terms.policy);
    writer_number(writer, entry->terms.holders);
    write_preempt(writer, &entry->terms);
    writer_number(writer, entry->priority);
    if (entry->terms.need[0] != '\0') {
        writer_need(writer, entry->terms.need);
    }
}

/* What is said of one candidate; `has_number`: and in what order it came. */
static void read_grant(struct reader *reader, struct role_entry *entry, bool has_number)
{
    entry->request = reader_id(reader);
    if (has_number) {
        entry->number = reader_number(reader, 0, ROLE_TOKEN_MAX);
    }
    entry->token = reader_number(reader, 0, ROLE_TOKEN_MAX);
}

static void write_grant(struct writer *writer, const struct role_entry *entry, bool has_number)
{
    writer_id(writer, &entry->request);
    if (has_number) {
        writer_number(writer, entry->number);
    }
    writer_number(writer, entry->token);
}

void body_read_role(struct reader *reader, enum message_type type, struct role_word *word,
                    bool has_need, bool may_be_nil)
{
    word->epoch = reader_number(reader, 0, UINT64_MAX);
    if (type == MESSAGE_ROLES_LET_GO) {
        read_grant(reader, &word->entry, false);
        word->flag = reader_bool(reader);
        return;
    }
    word->stamp = reader_number(reader, 0, UINT64_MAX);
    if (type == MESSAGE_ROLES_ASK) {
        word->count = (uint32_t)reader_number(reader, 0, ROLE_OWN_MAX);
        word->hash = reader_number(reader, 0, UINT64_MAX);
    } else if (type == MESSAGE_ROLES_ANSWER) {
        word->flag = reader_bool(reader);
        word->held_ms = reader_number(reader, 0, WIRE_MS_MAX);
    } else {
        read_grant(reader, &word->entry, true);
    }
    if (type == MESSAGE_ROLES_ENTER) {
        read_entry(reader, &word->entry, has_need, may_be_nil);
    } else if (type == MESSAGE_ROLES_PLACE) {
        word->order = (enum role_order)reader_number(reader, ROLE_KEEP, ROLE_FULL);
        word->held_ms = reader_number(reader, 0, WIRE_MS_MAX);
    }
}

void body_write_role(struct writer *writer, enum message_type type, const struct role_word *word)
{
    writer_number(writer, word->epoch);
    if (type == MESSAGE_ROLES_LET_GO) {
        write_grant(writer, &word->entry, false);
        writer_bool(writer, word->flag);
        return;
    }
    writer_number(writer, word->stamp);
    if (type == MESSAGE_ROLES_ASK) {
        writer_number(writer, word->count);
        writer_number(writer, word->hash);
    } else if (type == MESSAGE_ROLES_ANSWER) {
        writer_bool(writer, word->flag);
        writer_number(writer, word->held_ms);
    } else {
        write_grant(writer, &word->entry, true);
    }
    if (type == MESSAGE_ROLES_ENTER) {
        write_entry(writer, &word->entry);
    } else if (type == MESSAGE_ROLES_PLACE) {
        writer_number(writer, (uint64_t)word->order);
        writer_number(writer, word->held_ms);
    }
}
