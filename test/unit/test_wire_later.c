/* Fields that a later version of the wire has put behind those of this one, and those that may be
 * missing (wire.md). */
#include <criterion/criterion.h>
#include <string.h>

#include "wire_bench.h"

TestSuite(wire_later, .init = wire_bench_begin, .fini = wire_bench_end);

/* Behind the fields of the vector's message so many more, which are these bytes. */
static void add_fields(unsigned count, const char *bytes, size_t length)
{
    uint8_t *head = &vector->bytes[WIRE_HEADER_BYTES];
    const unsigned fields = (*head & 0x0fU) + count;

    cr_assert_eq(*head & 0xf0, 0x90);
    cr_assert(vector->length + length + 2 <= sizeof vector->bytes);
    if (fields < 16) {
        *head = (uint8_t)(0x90 | fields);
    } else {
        memmove(head + 3, head + 1, vector->length - WIRE_HEADER_BYTES - 1);
        vector->length += 2;
        head[0] = 0xdc;
        head[1] = 0;
        head[2] = (uint8_t)fields;
    }
    memcpy(vector->bytes + vector->length, bytes, length);
    vector->length += length;
}

/* A number, nothing, a text, bytes, and a list with a list in it. */
#define FIVE_MORE "\x07\xc0\xa2hi\xc4\x01\x00\x92\x01\x91\xc3"

/* Those in which fields are missing that may be are a test of their own. */
static bool has_all_its_fields(const struct message *message)
{
    return (message->type != MESSAGE_HEARTBEAT || message->heartbeat.handed_over ||
            message->heartbeat.asks) &&
           (message->type != MESSAGE_PREPARE || message->carrier.lease_ms != 0) &&
           (message->type != MESSAGE_OFFER || message->offer.lineage != 0) &&
           (message->type != MESSAGE_VOTE || message->carrier.vote.writes != 0) &&
           (message->type != MESSAGE_PING || message->ping.asked.epoch != 0) &&
           (message->type != MESSAGE_PONG || message->ping.said.promised != 0) &&
           (message->type != MESSAGE_ROLES_ENTER || message->role.entry.terms.need[0] != '\0');
}

Test(wire_later, fields_of_a_later_version_are_skipped_and_counted)
{
    struct message message;

    memset(&message, 0, sizeof message);
    for (uint32_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (!has_all_its_fields(&sample->message)) {
            continue;
        }
        vector_of_sample(vector, wire, sample);
        const size_t length = vector->length;
        const uint64_t skipped = wire_skipped(wire);
        add_fields(5, FIVE_MORE, sizeof FIVE_MORE - 1);
        const enum wire_error error = wire_decode_copy(wire, vector->bytes, vector->length,
                                                       &message);
        cr_assert_eq(error, WIRE_OK, "%s: %s", sample->name, wire_error_text(error));
        cr_assert_eq(wire_skipped(wire), skipped + 1, "%s", sample->name);
        vector_of_sample(vector, wire, sample);
        wire_encodes_back(wire, vector->bytes, length, &message); /* Nothing else has changed. */
    }
}

Test(wire_later, what_is_skipped_must_be_whole_and_in_order)
{
    static const struct {
        const char *bytes;
        size_t length;
        unsigned count;
        enum wire_error expect;
    } cases[] = {
        {"\x07", 1, 2, WIRE_SHORT},                 /* one of two */
        {"\x07\x08", 2, 1, WIRE_TRAILING},          /* two for one */
        {"\x92\x01", 2, 1, WIRE_SHORT},             /* a list that is cut */
        {"\xdd\xff\xff\xff\xff", 5, 1, WIRE_SHORT}, /* one that claims 4 billion */
        {"\x91\x91\x91\x91", 4, 1, WIRE_SHORT},     /* lists in lists, and nothing in them */
        {"\x81\x01\x02", 3, 1, WIRE_SHAPE},         /* a map */
        {"\xcc\x05", 2, 1, WIRE_SHAPE},             /* longer than it need be */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        vector_of_sample(vector, wire, samples_find(samples, "pull"));
        add_fields(cases[i].count, cases[i].bytes, cases[i].length);
        cr_assert_eq(wire_reads(vector->bytes, vector->length), cases[i].expect, "%zu", i);
        cr_assert_eq(wire_skipped(wire), 0);
    }
}

/* Where a later version has put fields behind those that may be missing, none of these is. */
static void read_more(struct message *message, const char *name, unsigned count, const char *bytes)
{
    vector_of_sample(vector, wire, samples_find(samples, name));
    add_fields(count, bytes, count); /* Each of them has one byte. */
    cr_assert_eq(wire_decode_copy(wire, vector->bytes, vector->length, message), WIRE_OK, "%s",
                 name);
}

Test(wire_later, in_front_of_skipped_fields_none_is_missing)
{
    struct message message;

    memset(&message, 0, sizeof message);
    read_more(&message, "heartbeat", 2, "\x00\x2a");
    cr_assert_not(message.heartbeat.handed_over);
    read_more(&message, "heartbeat", 2, "\x01\x2a");
    cr_assert(message.heartbeat.handed_over && !message.heartbeat.asks);
    read_more(&message, "heartbeat", 2, "\x02\x2a");
    cr_assert(!message.heartbeat.handed_over && message.heartbeat.asks);

    read_more(&message, "ping", 7, "\x00\x00\x00\x00\xc0\x00\x2a");
    cr_assert_eq(message.ping.asked.epoch, 0);
    read_more(&message, "ping", 7, "\x07\x08\x09\x0a\xc0\x0b\x2a");
    cr_assert_eq(message.ping.asked.lineage, 7);
    cr_assert_eq(message.ping.asked.epoch, 8);
    cr_assert_eq(message.ping.asked.lease_ms, 9);
    cr_assert_eq(message.ping.asked.hold_ms, 10);
    cr_assert_eq(message.ping.asked.writes, 11);

    read_more(&message, "pong", 5, "\x00\xc2\xc0\x00\x2a");
    cr_assert_eq(message.ping.said.promised, 0);
    cr_assert_not(message.ping.said.leased);
    read_more(&message, "pong", 5, "\x09\xc3\xc0\x0b\x2a");
    cr_assert_eq(message.ping.said.promised, 9);
    cr_assert(message.ping.said.leased);
    cr_assert_eq(message.ping.said.writes, 11);

    read_more(&message, "vote-refused", 2, "\x00\x2a");
    cr_assert_eq(message.carrier.vote.writes, 0);
    read_more(&message, "vote-refused", 2, "\x07\x2a");
    cr_assert_eq(message.carrier.vote.writes, 7);

    read_more(&message, "prepare", 3, "\x00\x00\x2a");
    cr_assert_eq(message.carrier.lease_ms, 0);
    read_more(&message, "prepare", 3, "\x09\x0a\x2a");
    cr_assert_eq(message.carrier.lease_ms, 9);
    cr_assert_eq(message.carrier.hold_ms, 10);
    cr_assert_eq(wire_skipped(wire), 11);
}

/* What is of this version alone says something, and is there as a whole. */
Test(wire_later, fields_that_may_be_missing_are_not_there_in_vain_or_in_part)
{
    static const struct {
        const char *name;
        unsigned count;
        const char *bytes;
        enum wire_error expect;
    } cases[] = {
        {"heartbeat", 1, "\x00", WIRE_BOUND},
        {"vote-refused", 1, "\x00", WIRE_BOUND},
        {"ping", 6, "\x00\x00\x00\x00\xc0\x00", WIRE_BOUND},
        {"ping", 1, "\x07", WIRE_SHAPE},
        {"ping", 2, "\x07\x08", WIRE_SHAPE},
        {"ping", 3, "\x07\x08\x09", WIRE_SHAPE},
        {"pong", 4, "\x00\xc2\xc0\x00", WIRE_BOUND},
        {"ping", 4, "\x07\x08\x09\x0a", WIRE_SHAPE},
        {"pong", 3, "\x09\xc3\xc0", WIRE_SHAPE},
        {"pong", 1, "\x09", WIRE_SHAPE},
        {"pong", 2, "\x09\xc3", WIRE_SHAPE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        vector_of_sample(vector, wire, samples_find(samples, cases[i].name));
        add_fields(cases[i].count, cases[i].bytes, cases[i].count);
        cr_assert_eq(wire_reads(vector->bytes, vector->length), cases[i].expect, "%zu", i);
    }
    cr_assert_eq(wire_skipped(wire), 0);
}
