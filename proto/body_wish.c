#include "proto/body_wish.h"

#include "proto/body_view.h"

enum {
    MOVE_FIELDS = 2,
    RULES_FIELDS = 4,
    WISHED_FIELDS = 2,
    WISHED_VOTER_FIELDS = 3,
};

static void read_wished_voters(struct reader *reader, struct voters_wish *wish)
{
    reader_fields(reader, WISHED_FIELDS);
    wish->number = reader_number(reader, 1, UINT64_MAX);
    wish->count = (uint8_t)reader_list(reader, 1, VOTERS_MAX);
    for (uint8_t i = 0; i < wish->count && reader->error == WIRE_OK; i++) {
        reader_fields(reader, WISHED_VOTER_FIELDS);
        reader_name(reader, wish->voters[i].name);
        wish->voters[i].anew = reader_bool(reader);
        wish->voters[i].witness = (struct address){.family = 0};
        if (!reader_accept_nil(reader)) {
            wish->voters[i].witness = reader_address(reader);
        }
    }
}

static void write_wished_voters(struct writer *writer, const struct voters_wish *wish)
{
    writer_array(writer, WISHED_FIELDS);
    writer_number(writer, wish->number);
    writer_array(writer, wish->count);
    for (uint8_t i = 0; i < wish->count; i++) {
        writer_array(writer, WISHED_VOTER_FIELDS);
        writer_name(writer, wish->voters[i].name);
        writer_bool(writer, wish->voters[i].anew);
        if (address_is_none(&wish->voters[i].witness)) {
            writer_nil(writer);
        } else {
            writer_address(writer, &wish->voters[i].witness);
        }
    }
}

static void read_terms_wish(struct reader *reader, struct rules_wish *wish)
{
    reader_fields(reader, RULES_FIELDS);
    wish->number = reader_number(reader, 0, UINT64_MAX);
    const bool has_rules = !reader_accept_nil(reader);
    if (has_rules) {
        body_read_rules(reader, &wish->rules);
    }
    wish->forget_failed = reader_bool(reader);
    const bool has_voters = !reader_accept_nil(reader);
    if (has_voters) {
        read_wished_voters(reader, &wish->voters);
    }
    if (has_rules == has_voters) {
        reader_fail(reader, WIRE_SHAPE); /* The first fault is the one that is kept. */
    }
}

/* What is wanted of the rules, or of the voters; the other is nil. */
static void write_terms_wish(struct writer *writer, const struct rules_wish *wish)
{
    writer_array(writer, RULES_FIELDS);
    writer_number(writer, wish->number);
    if (wish->voters.count > 0) {
        writer_nil(writer);
        writer_bool(writer, wish->forget_failed);
        write_wished_voters(writer, &wish->voters);
    } else {
        body_write_rules(writer, &wish->rules);
        writer_bool(writer, wish->forget_failed);
        writer_nil(writer);
    }
}

void body_read_wish(struct reader *reader, struct wish *wish)
{
    wish->kind = (enum wish_kind)reader_number(reader, WISH_LEAVE, WISH_TERMS);
    switch (wish->kind) {
    case WISH_LEAVE:
        reader_fields(reader, 0);
        break;
    case WISH_MOVE:
        reader_fields(reader, MOVE_FIELDS);
        wish->move.kind = (enum move_kind)reader_number(reader, MOVE_TRANSFER, MOVE_FORGET);
        wish->move.subject = reader_id(reader);
        break;
    case WISH_TAGS:
        reader_tags(reader, &wish->tags);
        break;
    case WISH_TERMS:
        read_terms_wish(reader, &wish->terms);
        break;
    }
}

void body_write_wish(struct writer *writer, const struct wish *wish)
{
    writer_number(writer, (uint64_t)wish->kind);
    switch (wish->kind) {
    case WISH_LEAVE:
        writer_array(writer, 0);
        break;
    case WISH_MOVE:
        writer_array(writer, MOVE_FIELDS);
        writer_number(writer, (uint64_t)wish->move.kind);
        writer_id(writer, &wish->move.subject);
        break;
    case WISH_TAGS:
        writer_tags(writer, &wish->tags);
        break;
    case WISH_TERMS:
        write_terms_wish(writer, &wish->terms);
        break;
    }
}
