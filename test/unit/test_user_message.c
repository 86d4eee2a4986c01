/* Messages between programs: their bytes, and what of them is handed on (wire.md, section 9). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "proto/user_message.h"
#include "rig.h"
#include "runtime/services/user_post.h"
#include "wire_bench.h"

/* --- The fixture: athens' post in a view of three --- */

static struct rig *rig;
static struct user_post post;
static struct user_message sample;
static uint8_t longest[USER_BYTES_MAX];
static uint64_t now_ms = 5000;

static struct {
    uint32_t count;
    bool full;
    char from[NAME_BYTES_MAX + 1];
    size_t length;
    uint8_t data[USER_BYTES_MAX];
} handed;

static bool hand_on(void *context, const struct member *from, const uint8_t *data, size_t length)
{
    cr_assert_eq(context, &handed);
    if (handed.full) {
        return false;
    }
    handed.count++;
    strcpy(handed.from, from->name);
    handed.length = length;
    memcpy(handed.data, data, length);
    return true;
}

static void setup(void)
{
    wire_bench_begin();
    rig = rig_in("A B C", 'A');
    user_post_open(&post, rig->core, RIG_CAPACITY);
    sample = (struct user_message){.from = rig_id(rig, 'B'),
                                   .to = core_self(rig->core)->id,
                                   .number = 7,
                                   .data = (const uint8_t *)"hello",
                                   .length = 5};
}

static void teardown(void)
{
    user_post_close(&post);
    rig_free(rig);
    wire_bench_end();
}

TestSuite(user_message, .init = setup, .fini = teardown);

/* --- Bytes --- */

static enum wire_error decode(const uint8_t *bytes, size_t length, struct user_message *message)
{
    uint8_t *copy = malloc(length + (length == 0)); /* A sanitizer sees a read behind its end. */

    cr_assert_not_null(copy);
    memcpy(copy, bytes, length);
    const enum wire_error error = user_message_decode(wire, copy, length, message);
    free(copy);
    return error;
}

static void encode(const struct user_message *message)
{
    vector->length = user_message_encode(wire, message, vector->bytes);
}

/* One that does not depend on the lives of a rig. */
static struct user_message fixed(const uint8_t *data, uint16_t length)
{
    struct user_message message = {.number = 1026, .data = data, .length = length};

    for (uint8_t i = 0; i < sizeof message.from.bytes; i++) {
        message.from.bytes[i] = 0x42 + i;
        message.to.bytes[i] = 0x43 + i;
    }
    return message;
}

Test(user_message, the_bytes_are_those_of_the_golden_files)
{
    memset(longest, 0x2a, sizeof longest);
    const struct {
        const char *name;
        const char *about;
        struct user_message message;
        enum wire_error expect;
        enum edit_unit unit;
        size_t at;
        size_t cut;
        const char *bytes;
        size_t length;
    } files[] = {
        {"user/some", "five bytes", fixed((const uint8_t *)"hello", 5), WIRE_OK, EDIT_BYTES, 0, 0,
         "", 0},
        {"user/none", "no byte, which is a message, too", fixed(NULL, 0), WIRE_OK, EDIT_BYTES, 0, 0,
         "", 0},
        {"user/longest", "as many bytes as there may be", fixed(longest, sizeof longest), WIRE_OK,
         EDIT_BYTES, 0, 0, "", 0},
        {"user/flag", "a flag", fixed(NULL, 0), WIRE_FLAGS, EDIT_BYTES, 3, 1, "\x01", 1},
        {"user/echo", "an echo", fixed(NULL, 0), WIRE_FLAGS, EDIT_BYTES, 7, 1, "\x01", 1},
        {"user/other-cluster", "the hash of another name", fixed(NULL, 0), WIRE_OTHER_CLUSTER,
         EDIT_BYTES, 15, 1, "\x00", 1},
        {"user/no-number", "number 0", fixed(NULL, 0), WIRE_BOUND, EDIT_TOKENS, 4, 1, "\x00", 1},
        {"user/to-nobody", "no receiver", fixed(NULL, 0), WIRE_SHAPE, EDIT_TOKENS, 3, 1, "\xc0", 1},
        {"user/fields", "one field too few", fixed(NULL, 0), WIRE_SHAPE, EDIT_TOKENS, 0, 1, "\x94",
         1},
        {"user/text", "a text for bytes", fixed(NULL, 0), WIRE_SHAPE, EDIT_TOKENS, 5, 1, "\xa0", 1},
        {"user/short", "fewer bytes than it says", fixed(NULL, 0), WIRE_SHORT, EDIT_TOKENS, 5, 1,
         "\xc4\x02\x61", 3},
        {"user/trailing", "a byte behind it", fixed(NULL, 0), WIRE_TRAILING, EDIT_TOKENS, 6, 0,
         "\x00", 1},
    };
    struct user_message got;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        encode(&files[i].message);
        strcpy(vector->name, files[i].name);
        vector->expect = files[i].expect;
        vector_edit(vector, files[i].unit, files[i].at, files[i].cut,
                    (const uint8_t *)files[i].bytes, files[i].length);
        wire_bench_golden(files[i].about);
        cr_assert(user_message_is(vector->bytes, vector->length), "%s", files[i].name);
        cr_assert_eq(decode(vector->bytes, vector->length, &got), vector->expect, "%s",
                     files[i].name);
    }
}

Test(user_message, a_message_arrives_as_it_was_sent)
{
    struct user_message got;

    sample.number = UINT64_MAX;
    memset(longest, 0xff, sizeof longest);
    for (uint16_t length = 0; length <= USER_BYTES_MAX; length++) {
        sample.data = longest;
        sample.length = length;
        encode(&sample);
        cr_assert_leq(vector->length, (size_t)length + USER_FRAME_EXTRA);
        cr_assert(user_message_is(vector->bytes, vector->length));
        cr_assert_eq(user_message_decode(wire, vector->bytes, vector->length, &got), WIRE_OK);
        cr_assert(id_equal(&got.from, &sample.from) && id_equal(&got.to, &sample.to));
        cr_assert(got.number == UINT64_MAX && got.length == length);
        cr_assert_eq(memcmp(got.data, longest, length), 0);
    }
}

Test(user_message, one_that_is_too_long_or_cut_short_is_refused)
{
    static const uint8_t head[] = {0xc5, 0x04, 0x01};
    struct user_message got;

    encode(&sample);
    for (size_t length = 0; length < vector->length; length++) {
        cr_assert_eq(decode(vector->bytes, length, &got), WIRE_SHORT);
    }
    vector_edit(vector, EDIT_TOKENS, 5, CUT_REST, head, sizeof head);
    vector->length += USER_BYTES_MAX + 1;
    cr_assert_eq(decode(vector->bytes, vector->length, &got), WIRE_BOUND);
}

Test(user_message, the_codec_of_the_core_takes_none)
{
    struct message message = {.type = MESSAGE_PULL, .from = sample.from};
    size_t length;

    encode(&sample);
    cr_assert_eq(wire_decode(wire, vector->bytes, vector->length, &message), WIRE_TYPE);
    message = (struct message){.type = MESSAGE_PULL, .from = sample.from};
    const uint8_t *frame = wire_encode(wire, &message, &(struct wire_copy){.to = NULL}, &length);
    cr_assert_not(user_message_is(frame, length));
}

/* --- What is handed on --- */

static void listen(bool counts_numbers)
{
    cr_assert(user_post_listen(&post, counts_numbers, hand_on, &handed));
}

static void assert_refused(enum user_refusal refusal)
{
    const uint32_t before = handed.count;

    cr_assert_eq(user_post_receive(&post, &sample, now_ms), refusal, "%s",
                 user_refusal_text(refusal));
    cr_assert_eq(handed.count, before);
}

static void assert_taken(void)
{
    const uint32_t before = handed.count;

    cr_assert_eq(user_post_receive(&post, &sample, now_ms), USER_TAKEN);
    cr_assert_eq(handed.count, before + 1);
}

Test(user_message, a_members_message_is_handed_on_with_its_name)
{
    assert_refused(USER_UNWANTED);
    listen(true);
    assert_taken();
    cr_assert_str_eq(handed.from, core_view(rig->core)->members[1].name);
    cr_assert_eq(handed.length, 5);
    cr_assert_eq(memcmp(handed.data, "hello", 5), 0);
    handed.full = true;
    sample.number++;
    assert_refused(USER_FULL);
}

Test(user_message, only_members_of_the_view_are_listened_to)
{
    listen(true);
    sample.from = (struct node_id){.bytes = {9}};
    assert_refused(USER_STRANGER);
    sample.from = core_self(rig->core)->id;
    assert_refused(USER_STRANGER);
    sample.from = rig_id(rig, 'C');
    assert_taken();
}

Test(user_message, another_life_of_this_node_is_not_this_one)
{
    listen(true);
    sample.to.bytes[0] ^= 1;
    assert_refused(USER_OTHER_LIFE);
}

Test(user_message, a_node_that_is_no_member_takes_none)
{
    struct rig *joining = rig_joining('A');

    user_post_open(&post, joining->core, RIG_CAPACITY);
    listen(true);
    sample.to = core_self(joining->core)->id;
    assert_refused(USER_NOT_MEMBER);
    rig_free(joining);
}

/* Frames that are sealed count once already, whatever a holder of the key makes of the numbers. */
Test(user_message, what_is_not_sealed_counts_once)
{
    listen(true);
    assert_taken();
    assert_refused(USER_REPEATED);
    sample.number = 9;
    assert_taken();
    sample.number = 8;
    assert_taken();
    assert_refused(USER_REPEATED);
    sample.number = 6;
    assert_refused(USER_REPEATED);
    user_post_close(&post);
    listen(false);
    assert_taken();
    assert_taken();
}

Test(user_message, a_sender_has_a_budget_and_takes_nothing_of_anothers)
{
    listen(false);
    for (uint32_t i = 0; i < USER_TAKEN_PER_S; i++) {
        assert_taken();
    }
    assert_refused(USER_FLOOD);
    sample.from = rig_id(rig, 'C');
    assert_taken();
    now_ms += 1000;
    sample.from = rig_id(rig, 'B');
    assert_taken();
}

Test(user_message, those_who_went_make_room)
{
    listen(true);
    for (uint32_t i = 0; i < RIG_CAPACITY; i++) {
        post.senders[i].life = (struct node_id){.bytes = {1, (uint8_t)i}};
    }
    assert_taken();
    assert_refused(USER_REPEATED);
    sample.from = rig_id(rig, 'C');
    assert_taken();
    assert_refused(USER_REPEATED);
    sample.from = rig_id(rig, 'B');
    assert_refused(USER_REPEATED);
}

Test(user_message, numbers_rise_up_to_the_budget_of_a_second)
{
    for (uint64_t i = 1; i <= USER_SENT_PER_S; i++) {
        cr_assert_eq(user_post_take_number(&post, now_ms), i);
    }
    cr_assert_eq(user_post_take_number(&post, now_ms), 0);
    cr_assert_eq(user_post_take_number(&post, now_ms + 1000), USER_SENT_PER_S + 1);
}

Test(user_message, each_refusal_has_a_text_of_its_own)
{
    for (unsigned i = 0; i < USER_REFUSALS; i++) {
        for (unsigned k = 0; k < i; k++) {
            cr_assert_neq(strcmp(user_refusal_text((enum user_refusal)i),
                                 user_refusal_text((enum user_refusal)k)),
                          0);
        }
    }
    cr_assert_str_eq(user_refusal_text(USER_REFUSALS), "unknown");
}
