/* The codec: what it writes it reads, and what wire.md does not have it refuses, at no cost. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/resource.h>

#include "base/random.h"
#include "wire_bench.h"
#include "wire_same.h"

TestSuite(wire, .init = wire_bench_begin, .fini = wire_bench_end);

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

        cr_assert_eq(wire_decode_copy(wire, vector->bytes, vector->length, &got), WIRE_OK, "%s",
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

Test(wire, every_sample_and_refusal_has_its_golden_bytes)
{
    for (uint32_t i = 0; i < samples->count; i++) {
        vector_of_sample(vector, wire, &samples->items[i]);
        wire_bench_golden(samples->items[i].about);
    }
    for (size_t i = 0; i < wire_refusal_count; i++) {
        vector_of_refusal(vector, wire, samples, &wire_refusals[i]);
        wire_bench_golden(wire_refusals[i].about);
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
        enum wire_error error = wire_decode_copy(wire, vector->bytes, vector->length, &message);
        cr_assert_eq(error, vector->expect, "%s: %s", names[i], wire_error_text(error));
        refusals[error]++;
        if (error == WIRE_OK) {
            messages[message.type]++;
            wire_encodes_back(wire, vector->bytes, vector->length, &message);
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
            cr_assert_eq(wire_reads(vector->bytes, length), WIRE_SHORT, "%s, %zu bytes",
                         vector->name, length);
        }
    }
    for (size_t i = 0; i < wire_refusal_count; i++) {
        vector_of_refusal(vector, wire, samples, &wire_refusals[i]);
        for (size_t length = 0; length < vector->length; length++) {
            enum wire_error error = wire_reads(vector->bytes, length);
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
            if (wire_decode_copy(wire, vector->bytes, vector->length, &message) == WIRE_OK &&
                wire_skipped(wire) == skipped) {
                wire_encodes_back(wire, vector->bytes, vector->length, &message);
            }
            vector->bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
    }
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
        cr_assert(wire_decode_copy(wire, vector->bytes, length, &message) != WIRE_OK);
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
            (void)wire_reads(frame, length);           /* In the middle. */
            (void)wire_reads(frame, at + sizeof bomb); /* At the end. */
        }
    }
    /* Gigabytes are what it is about; a sanitizer has its own needs. */
    cr_assert(peak_kib() - before < 64 * 1024, "%ld KiB more", peak_kib() - before);
}

Test(wire, arrays_nested_without_end_are_refused)
{
    vector_of_sample(vector, wire, samples_find(samples, "pull"));
    memset(vector->bytes + WIRE_HEADER_BYTES, 0x91, 30000);
    cr_assert_eq(wire_reads(vector->bytes, WIRE_HEADER_BYTES + 30000), WIRE_SHAPE);
}

/* --- Several clusters --- */

Test(wire, another_cluster_is_told_by_its_name_alone)
{
    struct wire *other = wire_new(SAMPLE_CLUSTER "x", SAMPLE_CAPACITY);
    struct message message;

    memset(&message, 0, sizeof message);
    vector_of_sample(vector, other, samples_find(samples, "pull"));
    cr_assert_eq(wire_reads(vector->bytes, vector->length), WIRE_OTHER_CLUSTER);
    cr_assert_eq(wire_decode_copy(other, vector->bytes, vector->length, &message), WIRE_OK);
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
        const enum wire_error here = wire_decode_copy(wire, vector->bytes, vector->length,
                                                      &message);
        const enum wire_error there = wire_decode_copy(other, vector->bytes, vector->length,
                                                       &message);
        cr_assert_eq(here, i == 0 ? WIRE_OTHER_CLUSTER : WIRE_OK);
        cr_assert_eq(there, i == 0 ? WIRE_OK : WIRE_OTHER_CLUSTER);
    }
    wire_free(other);
}
