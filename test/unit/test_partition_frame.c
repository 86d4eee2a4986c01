/* Messages of partitions: their bytes, and what of them a node takes (wire.md, section 11). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "proto/election_frame.h"
#include "proto/partition_frame.h"
#include "proto/user_message.h"
#include "wire_bench.h"

TestSuite(partition_frame, .init = wire_bench_begin, .fini = wire_bench_end);

static enum wire_error decode(const uint8_t *bytes, size_t length,
                              struct partition_message *message)
{
    uint8_t *copy = malloc(length + (length == 0)); /* A sanitizer sees a read behind its end. */

    cr_assert_not_null(copy);
    memcpy(copy, bytes, length);
    const enum wire_error error = partition_frame_decode(wire, copy, length, message);
    free(copy);
    return error;
}

static struct partition_message question(void)
{
    return (struct partition_message){
        .from = wire_bench_life(0x42),
        .to = wire_bench_life(0x43),
        .kind = PARTITION_ASK,
        .view = {.lineage = 9, .epoch = 3, .version = 7, .coordinator = wire_bench_life(0x43)},
        .page = 1};
}

static struct partition_message page(void)
{
    struct partition_message message = question();

    message.kind = PARTITION_TABLE;
    message.of = message.view;
    message.digest = 0x123456789a;
    message.change = (struct partition_change){.moved = 3, .least = 2, .led = 1};
    message.count = 4;
    message.values[1] = 1;
    message.values[2] = PARTITION_MEMBERS_MAX - 1;
    message.values[3] = PARTITION_NOBODY;
    return message;
}

static struct partition_message longest(void)
{
    struct partition_message message = page();

    message.view = (struct view_id){UINT64_MAX, UINT64_MAX, UINT64_MAX, wire_bench_life(0x44)};
    message.of = message.view;
    message.digest = UINT64_MAX;
    message.page = PARTITION_PAGES_MAX;
    message.change = (struct partition_change){.moved = 12288, .least = 12288, .led = 4096};
    message.count = PARTITION_PAGE_VALUES;
    return message;
}

Test(partition_frame, the_bytes_are_those_of_the_golden_files)
{
    const struct {
        const char *name;
        const char *about;
        struct partition_message message;
        enum wire_error expect;
        enum edit_unit unit;
        size_t at;
        size_t cut;
        const char *bytes;
        size_t length;
    } files[] = {
        {"partition/ask", "of who has no table", question(), WIRE_OK, EDIT_BYTES, 0, 0, "", 0},
        {"partition/table", "four places, the last of nobody", page(), WIRE_OK, EDIT_BYTES, 0, 0,
         "", 0},
        {"partition/longest", "every field at its most", longest(), WIRE_OK, EDIT_BYTES, 0, 0, "",
         0},
        {"partition/echo", "an echo", question(), WIRE_FLAGS, EDIT_BYTES, 7, 1, "\x01", 1},
        {"partition/to-nobody", "no receiver", question(), WIRE_SHAPE, EDIT_TOKENS, 3, 1, "\xc0",
         1},
        {"partition/kind-zero", "kind 0", question(), WIRE_BOUND, EDIT_TOKENS, 4, 1, "\x00", 1},
        {"partition/kind", "a kind beyond the last", question(), WIRE_BOUND, EDIT_TOKENS, 4, 1,
         "\x05", 1},
        {"partition/view-nil", "no view", question(), WIRE_SHAPE, EDIT_TOKENS, 5, 5, "\xc0", 1},
        {"partition/page", "a page beyond the last", question(), WIRE_BOUND, EDIT_TOKENS, 12, 1,
         "\x21", 1},
        {"partition/moved", "12289 copies moved", question(), WIRE_BOUND, EDIT_TOKENS, 13, 1,
         "\xcd\x30\x01", 3},
        {"partition/led", "4097 owners changed", question(), WIRE_BOUND, EDIT_TOKENS, 15, 1,
         "\xcd\x10\x01", 3},
        {"partition/values-odd", "half a place", question(), WIRE_SHAPE, EDIT_TOKENS, 16, 1,
         "\xc4\x01\x00", 3},
        {"partition/place", "a place that no member can have", question(), WIRE_BOUND, EDIT_TOKENS,
         16, 1, "\xc4\x02\x10\x00", 4},
        {"partition/fields", "one field too few", question(), WIRE_SHAPE, EDIT_TOKENS, 0, 1, "\x9b",
         1},
        {"partition/trailing", "a byte behind it", question(), WIRE_TRAILING, EDIT_TOKENS, 17, 0,
         "\x00", 1},
    };
    struct partition_message got;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        vector->length = partition_frame_encode(wire, &files[i].message, vector->bytes);
        strcpy(vector->name, files[i].name);
        vector->expect = files[i].expect;
        vector_edit(vector, files[i].unit, files[i].at, files[i].cut,
                    (const uint8_t *)files[i].bytes, files[i].length);
        wire_bench_golden(files[i].about);
        cr_assert(partition_frame_is(vector->bytes, vector->length), "%s", files[i].name);
        cr_assert_eq(decode(vector->bytes, vector->length, &got), vector->expect, "%s",
                     files[i].name);
    }
}

Test(partition_frame, every_kind_arrives_as_it_was_sent)
{
    struct partition_message got;

    for (int kind = 0; kind < PARTITION_MESSAGE_KINDS; kind++) {
        struct partition_message message = longest();
        message.kind = (enum partition_message_kind)kind;
        vector->length = partition_frame_encode(wire, &message, vector->bytes);
        cr_assert_leq(vector->length, PARTITION_FRAME_BYTES_MAX);
        cr_assert_eq(decode(vector->bytes, vector->length, &got), WIRE_OK);
        cr_assert(id_equal(&got.from, &message.from) && id_equal(&got.to, &message.to));
        cr_assert(got.kind == message.kind && got.digest == message.digest);
        cr_assert(view_id_equal(&got.view, &message.view) && view_id_equal(&got.of, &message.of));
        cr_assert(got.page == message.page && got.count == message.count);
        cr_assert(got.change.moved == 12288 && got.change.least == 12288 && got.change.led == 4096);
        cr_assert_eq(memcmp(got.values, message.values, sizeof got.values), 0);
    }
}

Test(partition_frame, one_that_is_cut_short_is_refused)
{
    const struct partition_message message = longest();
    struct partition_message got;

    vector->length = partition_frame_encode(wire, &message, vector->bytes);
    for (size_t length = 0; length < vector->length; length++) {
        cr_assert_eq(decode(vector->bytes, length, &got), WIRE_SHORT);
    }
}

/* Nodes that do not know of partitions count a type that they do not have. */
Test(partition_frame, the_other_codecs_take_none)
{
    const struct partition_message message = question();
    struct message of_the_core;

    vector->length = partition_frame_encode(wire, &message, vector->bytes);
    cr_assert_eq(wire_decode(wire, vector->bytes, vector->length, &of_the_core), WIRE_TYPE);
    cr_assert_not(user_message_is(vector->bytes, vector->length));
    cr_assert_not(election_frame_is(vector->bytes, vector->length));
}
