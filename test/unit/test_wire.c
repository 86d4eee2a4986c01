/* The codec: what it writes it reads, and what wire.md does not have it refuses, at no cost. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/random.h"
#include "proto/wire.h"
#include "wire_same.h"
#include "wire_vectors.h"

/* --- The fixture: Criterion gives each test a process, and so a fixture, of its own --- */

static struct wire *wire;
static struct samples *samples;
static struct vector *vector; /* too large for the stack */

static void setup(void)
{
    wire = wire_new(SAMPLE_CLUSTER, SAMPLE_CAPACITY);
    samples = samples_new();
    vector = calloc(1, sizeof *vector);
    cr_assert(wire != NULL && vector != NULL);
}

static void teardown(void)
{
    wire_free(wire);
    samples_free(samples);
    free(vector);
}

TestSuite(wire, .init = setup, .fini = teardown);

/* Decodes a copy of exactly this length, so that a sanitizer sees a read behind its end. */
static enum wire_error decode_in(struct wire *codec, const uint8_t *bytes, size_t length,
                                 struct message *message)
{
    uint8_t *copy = malloc(length == 0 ? 1 : length);
    cr_assert_not_null(copy);
    memcpy(copy, bytes, length);
    enum wire_error error = wire_decode(codec, copy, length, message);
    free(copy);
    return error;
}

static enum wire_error decode(const uint8_t *bytes, size_t length)
{
    struct message message;

    memset(&message, 0, sizeof message);
    return decode_in(wire, bytes, length, &message);
}

/* One message is one string of bytes: whatever was accepted encodes to what came in, but for fields
 * that were skipped. */
static void assert_stable(struct wire *codec, const uint8_t *bytes, size_t length,
                          const struct message *message)
{
    size_t length_again;
    const unsigned flags = (message->fellow ? WIRE_FELLOW : 0U) |
                           (message->relay ? WIRE_RELAY : 0U) |
                           (message->handed_on ? WIRE_HANDED_ON : 0U);
    const uint8_t *again = wire_encode(codec, message,
                                       &(struct wire_copy){.to = &message->to,
                                                           .flags = flags,
                                                           .version = (uint8_t)(bytes[3] >> 4),
                                                           .echo = message->echo},
                                       &length_again);

    cr_assert_eq(length_again, length);
    cr_assert_eq(memcmp(again, bytes, length), 0);
}

/* --- Messages in order --- */

Test(wire, every_message_arrives_as_it_was_sent)
{
    const struct address source = {.bytes = {127, 0, 0, 1}, .port = 9, .family = 4};
    struct message got;

    for (uint32_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        vector_of_sample(vector, wire, sample);
        memset(&got, 0xff, sizeof got);
        got.source = source;

        cr_assert_eq(decode_in(wire, vector->bytes, vector->length, &got), WIRE_OK, "%s",
                     sample->name);
        cr_assert_eq(got.type, sample->message.type);
        cr_assert(id_equal(&got.from, &sample->message.from));
        cr_assert(id_equal(&got.to, &sample->to));
        cr_assert_eq(got.number, sample->message.number);
        cr_assert_eq(got.fellow, (sample->flags & WIRE_FELLOW) != 0);
        cr_assert_eq(got.relay, (sample->flags & WIRE_RELAY) != 0);
        cr_assert_eq(got.handed_on, (sample->flags & WIRE_HANDED_ON) != 0);
        cr_assert_eq(got.echo, sample->message.echo);
        cr_assert(address_equal(&got.source, &source), "the source is not the codec's");
        cr_assert(wire_same_body(&got, &sample->message), "%s", sample->name);
    }
}

Test(wire, a_message_that_was_copied_says_the_same)
{
    struct message copy;

    for (uint32_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        memset(&copy, 0xff, sizeof copy);
        message_copy(&copy, &sample->message);
        cr_assert_eq(copy.type, sample->message.type);
        cr_assert(id_equal(&copy.from, &sample->message.from));
        cr_assert_eq(copy.number, sample->message.number);
        cr_assert_eq(copy.echo, sample->message.echo);
        cr_assert(wire_same_body(&copy, &sample->message), "%s", sample->name);

        const uint8_t *bytes = (const uint8_t *)&copy;
        for (size_t at = message_bytes(&sample->message); at < sizeof copy; at++) {
            cr_assert_eq(bytes[at], 0xff, "%s: byte %zu", sample->name, at);
        }
    }
}

Test(wire, nobody_and_no_receiver_are_written_alike)
{
    const struct node_id none = {.bytes = {0}};
    const struct message *message = &samples_find(samples, "ping")->message;
    size_t length;
    size_t length_none;

    const uint8_t *frame = wire_encode(
        wire, message, &(struct wire_copy){.to = NULL, .flags = WIRE_FELLOW}, &length);
    memcpy(vector->bytes, frame, length);
    frame = wire_encode(wire, message, &(struct wire_copy){.to = &none, .flags = WIRE_FELLOW},
                        &length_none);
    cr_assert_eq(length, length_none);
    cr_assert_eq(memcmp(frame, vector->bytes, length), 0);
}

Test(wire, a_copy_has_the_bytes_that_encoding_it_anew_would_have)
{
    const struct node_id other = {.bytes = {[3] = 9, [15] = 1}};
    const struct node_id *receivers[] = {&other, NULL, &samples->items[0].message.from, &other};
    size_t length;
    size_t length_copy;

    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        wire_encode(wire, &sample->message,
                    &(struct wire_copy){.to = &sample->to, .flags = sample->flags}, &length);
        for (size_t k = 0; k < 4; k++) {
            const struct wire_copy as = {.to = receivers[k],
                                         .flags = k % 2 == 0 ? WIRE_FELLOW : WIRE_RELAY,
                                         .echo = (uint32_t)k << 8 * k};
            const uint8_t *copy = wire_encode_copy(wire, &sample->message, &as, &length_copy);
            memcpy(vector->bytes, copy, length_copy);
            const uint8_t *anew = wire_encode(wire, &sample->message, &as, &length);
            cr_assert_eq(length_copy, length, "%s", sample->name);
            cr_assert_eq(memcmp(vector->bytes, anew, length), 0, "%s", sample->name);
        }
    }
}

/* As when a stream that opens says HELLO between two copies. */
Test(wire, a_copy_after_another_message_is_none_of_that)
{
    const struct sample *sample = samples_find(samples, "prepare");
    const struct message *hello = &samples_find(samples, "hello")->message;
    const struct node_id other = {.bytes = {[3] = 9, [15] = 1}};
    size_t length;
    size_t length_copy;

    wire_encode(wire, &sample->message, &(struct wire_copy){.to = &sample->to, .flags = 0},
                &length);
    wire_encode(wire, hello, &(struct wire_copy){.to = &other, .flags = 0}, &length);
    const uint8_t *copy = wire_encode_copy(
        wire, &sample->message, &(struct wire_copy){.to = &other, .flags = 0}, &length_copy);
    memcpy(vector->bytes, copy, length_copy);
    const uint8_t *anew = wire_encode(wire, &sample->message,
                                      &(struct wire_copy){.to = &other, .flags = 0}, &length);
    cr_assert_eq(length_copy, length);
    cr_assert_eq(memcmp(vector->bytes, anew, length), 0);
}

/* Bytes on the wire are a feature: most of a cluster's traffic is this one message. */
Test(wire, a_heartbeat_is_one_small_datagram)
{
    struct message message = samples_find(samples, "heartbeat")->message;
    const struct node_id to = message.from;
    size_t length;

    message.number = UINT32_MAX;
    message.heartbeat.view.lineage = UINT64_MAX;
    message.heartbeat.view.epoch = UINT16_MAX;
    message.heartbeat.view.version = UINT32_MAX;
    wire_encode(wire, &message, &(struct wire_copy){.to = &to, .flags = WIRE_FELLOW}, &length);
    cr_assert(length <= 110, "%zu bytes", length);

    message.number = UINT64_MAX;
    message.heartbeat.view.epoch = UINT64_MAX;
    message.heartbeat.view.version = UINT64_MAX;
    message.heartbeat.suspect_count = SUSPECTS_MAX;
    for (uint8_t i = 0; i < SUSPECTS_MAX; i++) {
        message.heartbeat.suspects[i] = (struct suspicion){.age = UINT64_MAX,
                                                           .verdict = VERDICT_LOST};
    }
    wire_encode(wire, &message, &(struct wire_copy){.to = &to, .flags = WIRE_FELLOW}, &length);
    cr_assert(length <= DATAGRAM_FRAME_BYTES_MAX, "%zu bytes", length);
}

Test(wire, each_refusal_has_a_text_of_its_own)
{
    for (unsigned i = 0; i < WIRE_ERROR_COUNT; i++) {
        const char *text = wire_error_text((enum wire_error)i);
        cr_assert(strcmp(text, "unknown") != 0);
        for (unsigned k = 0; k < i; k++) {
            cr_assert(strcmp(text, wire_error_text((enum wire_error)k)) != 0);
        }
    }
}

/* --- Golden bytes --- */

/* With DOYEN_WRITE_VECTORS set this writes the files instead: after a change of bytes, which
 * belongs into wire.md too. */
static void check_or_write(const char *about)
{
    struct vector *file = malloc(sizeof *file);
    cr_assert_not_null(file);

    if (getenv("DOYEN_WRITE_VECTORS") != NULL) {
        vector_write(vector, about);
    }
    vector_read(file, vector->name);
    cr_assert_eq(file->expect, vector->expect, "%s", vector->name);
    cr_assert_eq(file->length, vector->length, "%s", vector->name);
    cr_assert_eq(memcmp(file->bytes, vector->bytes, file->length), 0, "%s", vector->name);
    free(file);
}

Test(wire, every_sample_and_refusal_has_its_golden_bytes)
{
    for (uint32_t i = 0; i < samples->count; i++) {
        vector_of_sample(vector, wire, &samples->items[i]);
        check_or_write(samples->items[i].about);
    }
    for (size_t i = 0; i < wire_refusal_count; i++) {
        vector_of_refusal(vector, wire, samples, &wire_refusals[i]);
        check_or_write(wire_refusals[i].about);
    }
}

Test(wire, golden_bytes_are_read_as_their_files_say)
{
    char names[VECTOR_FILES_MAX][VECTOR_NAME_MAX];
    unsigned messages[MESSAGE_TYPE_COUNT] = {0};
    unsigned refusals[WIRE_ERROR_COUNT] = {0};
    struct message message;

    memset(&message, 0, sizeof message);
    size_t count = vectors_list(names);
    cr_assert(count > 0);
    for (size_t i = 0; i < count; i++) {
        vector_read(vector, names[i]);
        enum wire_error error = decode_in(wire, vector->bytes, vector->length, &message);
        cr_assert_eq(error, vector->expect, "%s: %s", names[i], wire_error_text(error));
        refusals[error]++;
        if (error == WIRE_OK) {
            messages[message.type]++;
            assert_stable(wire, vector->bytes, vector->length, &message);
        }
    }
    for (unsigned i = MESSAGE_HEARTBEAT; i < MESSAGE_TYPE_COUNT; i++) {
        cr_assert(messages[i] > 0, "no golden bytes for message %u", i);
    }
    for (unsigned i = 0; i < WIRE_BASE; i++) { /* Those of changes are in test_wire_change.c. */
        cr_assert(refusals[i] > 0, "no golden bytes for refusal %u", i);
    }
}

/* --- Damage and malice --- */

Test(wire, a_message_cut_short_anywhere_is_refused)
{
    for (uint32_t i = 0; i < samples->count; i++) {
        vector_of_sample(vector, wire, &samples->items[i]);
        for (size_t length = 0; length < vector->length; length++) {
            cr_assert_eq(decode(vector->bytes, length), WIRE_SHORT, "%s, %zu bytes", vector->name,
                         length);
        }
    }
    for (size_t i = 0; i < wire_refusal_count; i++) {
        vector_of_refusal(vector, wire, samples, &wire_refusals[i]);
        for (size_t length = 0; length < vector->length; length++) {
            enum wire_error error = decode(vector->bytes, length);
            cr_assert(error != WIRE_OK || wire_refusals[i].expect == WIRE_TRAILING);
        }
    }
}

Test(wire, a_flipped_bit_is_refused_or_makes_another_message)
{
    struct message message;

    memset(&message, 0, sizeof message);
    for (uint32_t i = 0; i < samples->count; i++) {
        vector_of_sample(vector, wire, &samples->items[i]);
        for (size_t bit = 0; bit < 8 * vector->length; bit++) {
            vector->bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
            const uint64_t skipped = wire_skipped(wire);
            if (decode_in(wire, vector->bytes, vector->length, &message) == WIRE_OK &&
                wire_skipped(wire) == skipped) {
                assert_stable(wire, vector->bytes, vector->length, &message);
            }
            vector->bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
    }
}

/* --- What later versions add --- */

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

Test(wire, fields_of_a_later_version_are_skipped_and_counted)
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
        const enum wire_error error = decode_in(wire, vector->bytes, vector->length, &message);
        cr_assert_eq(error, WIRE_OK, "%s: %s", sample->name, wire_error_text(error));
        cr_assert_eq(wire_skipped(wire), skipped + 1, "%s", sample->name);
        vector_of_sample(vector, wire, sample);
        assert_stable(wire, vector->bytes, length, &message); /* Nothing else has changed. */
    }
}

Test(wire, what_is_skipped_must_be_whole_and_in_order)
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
        cr_assert_eq(decode(vector->bytes, vector->length), cases[i].expect, "%zu", i);
        cr_assert_eq(wire_skipped(wire), 0);
    }
}

/* Where a later version has put fields behind those that may be missing, none of these is. */
static void read_more(struct message *message, const char *name, unsigned count, const char *bytes)
{
    vector_of_sample(vector, wire, samples_find(samples, name));
    add_fields(count, bytes, count); /* Each of them has one byte. */
    cr_assert_eq(decode_in(wire, vector->bytes, vector->length, message), WIRE_OK, "%s", name);
}

Test(wire, in_front_of_skipped_fields_none_is_missing)
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
Test(wire, fields_that_may_be_missing_are_not_there_in_vain_or_in_part)
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
        cr_assert_eq(decode(vector->bytes, vector->length), cases[i].expect, "%zu", i);
    }
    cr_assert_eq(wire_skipped(wire), 0);
}

Test(wire, noise_behind_a_good_header_is_refused)
{
    struct random random;
    struct message message;

    memset(&message, 0, sizeof message);
    random_seed(&random, 1);
    vector_of_sample(vector, wire, samples_find(samples, "pull"));
    for (int round = 0; round < 20000; round++) {
        size_t length = WIRE_HEADER_BYTES + (size_t)random_below(&random, 256);
        for (size_t i = WIRE_HEADER_BYTES; i < length; i++) {
            vector->bytes[i] = (uint8_t)random_u64(&random);
        }
        cr_assert(decode_in(wire, vector->bytes, length, &message) != WIRE_OK);
    }
}

static long peak_kib(void)
{
    struct rusage usage;

    cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* msgpack-c's own unpacker reserves gigabytes on `dd 0f ff ff ff`, before it sees one item. */
Test(wire, bytes_that_claim_gigabytes_cost_nothing)
{
    static const uint8_t heads[] = {0xdd, 0xdf, 0xc6, 0xdb, 0xc9};
    uint8_t bomb[] = {0, 0x0f, 0xff, 0xff, 0xff};

    vector_of_sample(vector, wire, samples_find(samples, "view-founder"));
    const size_t length = vector->length;
    long before = peak_kib();
    for (size_t head = 0; head < sizeof heads; head++) {
        bomb[0] = heads[head];
        for (size_t at = WIRE_HEADER_BYTES; at + sizeof bomb <= length; at++) {
            uint8_t frame[512];
            cr_assert(length <= sizeof frame);
            memcpy(frame, vector->bytes, length);
            memcpy(frame + at, bomb, sizeof bomb);
            (void)decode(frame, length);           /* In the middle. */
            (void)decode(frame, at + sizeof bomb); /* At the end. */
        }
    }
    /* Gigabytes are what it is about; a sanitizer has its own needs. */
    cr_assert(peak_kib() - before < 64 * 1024, "%ld KiB more", peak_kib() - before);
}

Test(wire, arrays_nested_without_end_are_refused)
{
    vector_of_sample(vector, wire, samples_find(samples, "pull"));
    memset(vector->bytes + WIRE_HEADER_BYTES, 0x91, 30000);
    cr_assert_eq(decode(vector->bytes, WIRE_HEADER_BYTES + 30000), WIRE_SHAPE);
}

/* --- Bounds --- */

static struct view_id longest_view_id(void)
{
    struct view_id id = {.lineage = UINT64_MAX, .epoch = UINT64_MAX, .version = UINT64_MAX};

    memset(id.coordinator.bytes, 'c', sizeof id.coordinator.bytes);
    return id;
}

/* A view of `count` members and `gone_count` former ones, each field as long as it may be. */
static void fill_view(struct view *view, uint32_t count, uint32_t gone_count)
{
    struct member member = samples->settled.members[0];
    struct tags tags = {.length = TAGS_BYTES_MAX};
    struct gone gone = samples->settled.gone[1];

    memset(member.name, 'm', NAME_BYTES_MAX);
    memset(tags.text, 't', TAGS_BYTES_MAX);
    memcpy(tags.text, "k=", 2);
    tags.text[TAGS_BYTES_MAX - 1] = '\0';
    member.tags = &tags;
    member.address.family = 6;
    member.incarnation = UINT64_MAX;
    member.versions.high = VERSIONS_MAX - 1;
    memcpy(gone.name, member.name, sizeof gone.name);
    gone.address = member.address;
    gone.age = UINT64_MAX;
    gone.silent_ms = UINT32_MAX;
    gone.accuser_count = ACCUSERS_MAX;
    for (unsigned i = 0; i < ACCUSERS_MAX; i++) {
        gone.accusers[i] = UINT64_MAX;
    }

    view_clear(view);
    view->lineage = view->epoch = view->version = view->next_age = view->hash = UINT64_MAX;
    view->parent = view->merged = longest_view_id();
    view->agreed.number = view->agreed.origin = UINT64_MAX;
    view->agreed.room = MEMBER_MAX;
    view->agreed.joint = true;
    view->agreed.now = (struct rules){
        {GUARD_MAJORITY, UINT32_MAX}, PROFILE_WAN, UINT32_MAX, UINT32_MAX, MEMBER_MAX};
    view->agreed.before = view->agreed.now;
    view->voters.number = UINT64_MAX;
    view->voters.count = VOTERS_LISTED_MAX;
    for (uint8_t i = 0; i < VOTERS_LISTED_MAX; i++) {
        struct listed_voter *voter = &view->voters.voters[i];
        memcpy(voter->name, member.name, sizeof voter->name);
        voter->address = member.address;
        voter->record.bytes[0] = i + 1;
        voter->now = true;
    }
    view->member_count = count;
    view->gone_count = gone_count;
    for (uint32_t i = 0; i < count; i++) {
        member.drained = true;
        member.age = UINT64_MAX - count + i;
        view_put(view, i, &member);
    }
    for (uint32_t i = 0; i < gone_count; i++) {
        view->gone[i] = gone;
    }
}

static struct view *view_of_capacity(uint32_t capacity, struct view *view, void **storage)
{
    *storage = malloc(view_bytes(capacity));
    cr_assert_not_null(*storage);
    view_init(view, capacity, *storage);
    return view;
}

/* The longest message there is, a MERGE, fills the buffer to the last byte. */
static void check_full_view(uint32_t capacity)
{
    struct wire *codec = wire_new(SAMPLE_CLUSTER, capacity);
    struct message message = samples_find(samples, "merge")->message;
    struct probe *part = &message.carrier.part;
    struct message got;
    struct view view;
    void *storage;
    size_t length;

    cr_assert_not_null(codec);
    fill_view(view_of_capacity(capacity, &view, &storage), capacity, GONE_MAX);
    message.carrier.view = &view;
    message.carrier.merge = UINT64_MAX;
    message.number = UINT64_MAX;
    part->view = longest_view_id();
    part->view_hash = part->oldest_age = UINT64_MAX;
    part->holders = MEMBER_MAX;
    part->terms.guard = (struct guard){.policy = GUARD_STRICT, .count = VOTERS_MAX};
    part->terms.voters.count = VOTERS_MAX;
    for (uint8_t i = 0; i < VOTERS_MAX; i++) {
        memset(part->terms.voters.names[i], 'v', NAME_BYTES_MAX);
    }
    part->terms.watchers = WATCHERS_MOST;
    part->terms.number = part->terms.origin = UINT64_MAX;
    part->terms.room = MEMBER_MAX;
    part->terms.heartbeat_ms = part->terms.lost_ms = UINT32_MAX;
    part->terms.capacity = MEMBER_MAX;
    part->coordinator.family = 6;
    part->seed_count = PROBE_SEEDS_MAX;
    for (uint8_t i = 0; i < PROBE_SEEDS_MAX; i++) {
        part->seeds[i] = part->coordinator;
    }
    const uint8_t *frame = wire_encode(
        codec, &message, &(struct wire_copy){.to = &message.from, .flags = WIRE_FELLOW}, &length);

    cr_assert_eq(wire_frame_bytes_max(codec), 40869 + 640 * (size_t)capacity, "as wire.md says");
    /* Lists below 16 and below 65536 items have heads of 1 and 3 bytes. */
    cr_assert_eq(length, wire_frame_bytes_max(codec) - (capacity < 16 ? 2 : 0));
    memset(&got, 0, sizeof got);
    cr_assert_eq(decode_in(codec, frame, length, &got), WIRE_OK);
    cr_assert(wire_same_body(&got, &message));
    wire_free(codec);
    free(storage);
}

Test(wire, a_view_with_everything_at_its_bound_arrives)
{
    check_full_view(1);
    check_full_view(SAMPLE_CAPACITY);
    check_full_view(MEMBER_MAX);
}

Test(wire, a_view_keeps_its_soundness)
{
    struct wire *codec = wire_new(SAMPLE_CLUSTER, MEMBER_MAX);
    struct message message = samples_find(samples, "view")->message;
    struct message got;
    struct view view;
    void *storage;
    size_t length;

    view_of_capacity(MEMBER_MAX, &view, &storage);
    view_clear(&view);
    view.epoch = view.version = 1;
    for (unsigned i = 0; i < MEMBER_MAX; i++) {
        struct member member = samples->settled.members[i % 3];
        memcpy(member.id.bytes, &i, sizeof i);
        snprintf(member.name, sizeof member.name, "node%u", i);
        view_append(&view, &member);
    }
    view_seal(&view);
    message.carrier.view = &view;
    const uint8_t *frame = wire_encode(
        codec, &message, &(struct wire_copy){.to = NULL, .flags = WIRE_FELLOW}, &length);

    memset(&got, 0, sizeof got);
    cr_assert_eq(decode_in(codec, frame, length, &got), WIRE_OK);
    cr_assert(view_is_sound(got.carrier.view));
    cr_assert(wire_same_view(got.carrier.view, &view));
    free(storage);
    wire_free(codec);
}

Test(wire, a_view_of_more_members_than_the_capacity_is_refused)
{
    struct wire *large = wire_new(SAMPLE_CLUSTER, SAMPLE_CAPACITY + 1);
    struct message message = samples_find(samples, "view")->message;
    struct view view;
    void *storage;
    size_t length;

    view_of_capacity(SAMPLE_CAPACITY + 1, &view, &storage);
    fill_view(&view, SAMPLE_CAPACITY + 1, 0);
    message.carrier.view = &view;
    const uint8_t *frame = wire_encode(
        large, &message, &(struct wire_copy){.to = NULL, .flags = WIRE_FELLOW}, &length);
    cr_assert(length < wire_frame_bytes_max(wire));
    cr_assert_eq(decode(frame, length), WIRE_BOUND);

    fill_view(&view, SAMPLE_CAPACITY, 0);
    frame = wire_encode(large, &message, &(struct wire_copy){.to = NULL, .flags = WIRE_FELLOW},
                        &length);
    cr_assert_eq(decode(frame, length), WIRE_OK);
    wire_free(large);
    free(storage);
}

Test(wire, a_frame_longer_than_the_longest_is_refused)
{
    const size_t longest = wire_frame_bytes_max(wire);

    cr_assert(longest < VECTOR_BYTES_MAX);
    vector_of_sample(vector, wire, samples_find(samples, "pull"));
    cr_assert_eq(decode(vector->bytes, longest), WIRE_TRAILING);
    cr_assert_eq(decode(vector->bytes, longest + 1), WIRE_BOUND);
}

Test(wire, one_former_member_too_many_is_refused)
{
    static const uint8_t head[] = {0xdc, 0x01, 0x01}; /* of a list of 257 */
    struct sample sample = *samples_find(samples, "view-founder");
    struct view view;
    void *storage;

    view_of_capacity(SAMPLE_CAPACITY, &view, &storage);
    fill_view(&view, 1, GONE_MAX);
    sample.message.carrier.view = &view;
    vector_of_sample(vector, wire, &sample);
    cr_assert_eq(decode(vector->bytes, vector->length), WIRE_OK);
    vector_edit(vector, EDIT_TOKENS, 33, 1, head, sizeof head);
    cr_assert_eq(decode(vector->bytes, vector->length), WIRE_BOUND);
    free(storage);
}

Test(wire, one_byte_of_tags_too_many_is_refused)
{
    uint8_t tags[3 + TAGS_BYTES_MAX + 1] = {0xc5};

    for (unsigned length = TAGS_BYTES_MAX; length <= TAGS_BYTES_MAX + 1; length++) {
        tags[1] = (uint8_t)(length >> 8);
        tags[2] = (uint8_t)(length & 0xff);
        memset(tags + 3, 'v', length);
        tags[4] = '=';
        tags[3 + length - 1] = '\0';
        vector_of_sample(vector, wire, samples_find(samples, "view-founder"));
        vector_edit(vector, EDIT_TOKENS, 29, 1, tags, 3 + length);
        cr_assert_eq(decode(vector->bytes, vector->length),
                     length <= TAGS_BYTES_MAX ? WIRE_OK : WIRE_BOUND);
    }
}

Test(wire, the_longest_name_is_taken)
{
    uint8_t name[2 + NAME_BYTES_MAX] = {0xd9, NAME_BYTES_MAX};
    struct message got;

    memset(name + 2, 'n', NAME_BYTES_MAX);
    vector_of_sample(vector, wire, samples_find(samples, "view-founder"));
    vector_edit(vector, EDIT_TOKENS, 28, 1, name, sizeof name);
    memset(&got, 0, sizeof got);
    cr_assert_eq(decode_in(wire, vector->bytes, vector->length, &got), WIRE_OK);
    cr_assert_eq(strlen(got.carrier.view->members[0].name), NAME_BYTES_MAX);
}

Test(wire, another_cluster_is_told_by_its_name_alone)
{
    struct wire *other = wire_new(SAMPLE_CLUSTER "x", SAMPLE_CAPACITY);
    struct message message;

    memset(&message, 0, sizeof message);
    vector_of_sample(vector, other, samples_find(samples, "pull"));
    cr_assert_eq(decode(vector->bytes, vector->length), WIRE_OTHER_CLUSTER);
    cr_assert_eq(decode_in(other, vector->bytes, vector->length, &message), WIRE_OK);
    wire_free(other);
}

/* As in a process that votes in several clusters (Z16). */
Test(wire, clusters_may_share_the_memory_of_a_codec)
{
    struct wire *other = wire_new_beside(SAMPLE_CLUSTER "x", wire);
    struct message message;

    cr_assert_not_null(other);
    memset(&message, 0, sizeof message);
    cr_assert_neq(wire_cluster(wire_header(other)), wire_cluster(wire_header(wire)));
    for (int i = 0; i < 2; i++) {
        vector_of_sample(vector, i == 0 ? other : wire, samples_find(samples, "view-founder"));
        const enum wire_error here = decode_in(wire, vector->bytes, vector->length, &message);
        const enum wire_error there = decode_in(other, vector->bytes, vector->length, &message);
        cr_assert_eq(here, i == 0 ? WIRE_OTHER_CLUSTER : WIRE_OK);
        cr_assert_eq(there, i == 0 ? WIRE_OK : WIRE_OTHER_CLUSTER);
    }
    wire_free(other);
}
