/* Messages of owners: their bytes, and what of them a node takes (wire.md, section 12). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/role.h"
#include "proto/own_frame.h"
#include "proto/partition_frame.h"
#include "wire_bench.h"

TestSuite(own_frame, .init = wire_bench_begin, .fini = wire_bench_end);

static enum wire_error decode(const uint8_t *bytes, size_t length, struct own_message *message)
{
    uint8_t *copy = malloc(length + (length == 0)); /* A sanitizer sees a read behind its end. */

    cr_assert_not_null(copy);
    memcpy(copy, bytes, length);
    const enum wire_error error = own_frame_decode(wire, copy, length, message);
    free(copy);
    return error;
}

static struct own_message question(void)
{
    return (struct own_message){.from = wire_bench_life(0x42),
                                .to = wire_bench_life(0x43),
                                .kind = OWN_ASK,
                                .epoch = 3,
                                .lease = role_token(3, 1),
                                .version = 7,
                                .number = 2,
                                .count = 1,
                                .hash = own_hash(9, role_token(3, 2)),
                                .set = {.words = {0x201}}};
}

static struct own_message longest(void)
{
    struct own_message message = question();

    message.epoch = UINT64_MAX;
    message.lease = ROLE_TOKEN_MAX;
    message.version = UINT64_MAX;
    message.number = UINT64_MAX;
    message.token = ROLE_TOKEN_MAX;
    message.count = PARTITIONS_MAX;
    message.hash = UINT64_MAX;
    message.agrees = true;
    for (uint32_t p = 0; p < PARTITIONS_MAX; p += 3) {
        set_add(&message.set, p);
    }
    return message;
}

Test(own_frame, the_bytes_are_those_of_the_golden_files)
{
    const struct {
        const char *name;
        const char *about;
        struct own_message message;
        enum wire_error expect;
        size_t at;
        size_t cut;
        const char *bytes;
        size_t length;
    } files[] = {
        {"owners/ask", "wants 0 and 9, and owns 9", question(), WIRE_OK, 0, 0, "", 0},
        {"owners/longest", "every field at its most", longest(), WIRE_OK, 0, 0, "", 0},
        {"owners/to-nobody", "no receiver", question(), WIRE_SHAPE, 3, 1, "\xc0", 1},
        {"owners/kind-zero", "kind 0", question(), WIRE_BOUND, 4, 1, "\x00", 1},
        {"owners/kind", "a kind beyond the last", question(), WIRE_BOUND, 4, 1, "\x07", 1},
        {"owners/lease", "a lease of 64 bits", question(), WIRE_BOUND, 6, 1,
         "\xcf\x80\x00\x00\x00\x00\x00\x00\x00", 9},
        {"owners/token", "a token of 64 bits", question(), WIRE_BOUND, 9, 1,
         "\xcf\x80\x00\x00\x00\x00\x00\x00\x00", 9},
        {"owners/count", "4097 partitions owned", question(), WIRE_BOUND, 10, 1, "\xcd\x10\x01", 3},
        {"owners/agrees", "a number for a truth", question(), WIRE_SHAPE, 12, 1, "\x01", 1},
        {"owners/set-padded", "a zero byte at the end of the set", question(), WIRE_SHAPE, 13, 1,
         "\xc4\x02\x01\x00", 4},
        {"owners/fields", "one field too few", question(), WIRE_SHAPE, 0, 1, "\x9c", 1},
        {"owners/trailing", "a byte behind it", question(), WIRE_TRAILING, 14, 0, "\x00", 1},
    };
    struct own_message got;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        vector->length = own_frame_encode(wire, &files[i].message, vector->bytes);
        strcpy(vector->name, files[i].name);
        vector->expect = files[i].expect;
        vector_edit(vector, EDIT_TOKENS, files[i].at, files[i].cut, (const uint8_t *)files[i].bytes,
                    files[i].length);
        wire_bench_golden(files[i].about);
        cr_assert(own_frame_is(vector->bytes, vector->length), "%s", files[i].name);
        cr_assert_eq(decode(vector->bytes, vector->length, &got), vector->expect, "%s",
                     files[i].name);
    }
}

Test(own_frame, every_kind_arrives_as_it_was_sent)
{
    struct own_message got;

    for (int kind = 0; kind < OWN_MESSAGE_KINDS; kind++) {
        struct own_message message = longest();
        message.kind = (enum own_kind)kind;
        vector->length = own_frame_encode(wire, &message, vector->bytes);
        cr_assert_leq(vector->length, OWN_FRAME_BYTES_MAX);
        cr_assert_eq(decode(vector->bytes, vector->length, &got), WIRE_OK);
        cr_assert(id_equal(&got.from, &message.from) && id_equal(&got.to, &message.to));
        cr_assert(got.kind == message.kind && got.epoch == message.epoch);
        cr_assert(got.lease == message.lease && got.token == message.token);
        cr_assert(got.version == message.version && got.number == message.number);
        cr_assert(got.count == message.count && got.hash == message.hash && got.agrees);
        cr_assert(set_equal(&got.set, &message.set));
    }
}

Test(own_frame, one_that_is_cut_short_is_refused)
{
    const struct own_message message = longest();
    struct own_message got;

    vector->length = own_frame_encode(wire, &message, vector->bytes);
    for (size_t length = 0; length < vector->length; length++) {
        cr_assert_eq(decode(vector->bytes, length, &got), WIRE_SHORT);
    }
}

/* Nodes that do not know of owners count a type that they do not have. */
Test(own_frame, the_other_codecs_take_none)
{
    const struct own_message message = question();
    struct message of_the_core;

    vector->length = own_frame_encode(wire, &message, vector->bytes);
    cr_assert_eq(wire_decode(wire, vector->bytes, vector->length, &of_the_core), WIRE_TYPE);
    cr_assert_not(partition_frame_is(vector->bytes, vector->length));
}
