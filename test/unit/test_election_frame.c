/* Messages of elections: their bytes, and what of them a node takes (wire.md, section 10). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "proto/election_frame.h"
#include "proto/user_message.h"
#include "wire_bench.h"

TestSuite(election_frame, .init = wire_bench_begin, .fini = wire_bench_end);

static enum wire_error decode(const uint8_t *bytes, size_t length, struct election_frame *frame)
{
    uint8_t *copy = malloc(length + (length == 0)); /* A sanitizer sees a read behind its end. */

    cr_assert_not_null(copy);
    memcpy(copy, bytes, length);
    const enum wire_error error = election_frame_decode(wire, copy, length, frame);
    free(copy);
    return error;
}

static struct election_frame sample(enum election_message_type kind)
{
    struct election_frame frame = {.from = wire_bench_life(0x42),
                                   .to = wire_bench_life(0x43),
                                   .rule = RULE_BULLY,
                                   .kind = kind,
                                   .round = {.epoch = 3, .version = 7, .attempt = 1}};

    return frame;
}

static struct election_frame candidate(void)
{
    struct election_frame frame = sample(ELECTION_CANDIDATE);

    frame.rule = RULE_RING + RULE_NEWEST;
    frame.subject = wire_bench_life(0x44);
    frame.hops = 2;
    return frame;
}

static struct election_frame token(void)
{
    struct election_frame frame = sample(ELECTION_TOKEN);

    frame.rule = RULE_TOKEN_RING;
    frame.home = wire_bench_life(0x45);
    frame.hops = ELECTION_HOPS_MAX;
    roster_set_add(&frame.ids, 0);
    roster_set_add(&frame.ids, 9);
    return frame;
}

static struct election_frame longest(void)
{
    struct election_frame frame = token();

    frame.subject = wire_bench_life(0x46);
    frame.round = (struct election_round){UINT64_MAX, UINT64_MAX, UINT64_MAX};
    roster_set_add(&frame.ids, ROSTER_MAX - 1);
    return frame;
}

Test(election_frame, the_bytes_are_those_of_the_golden_files)
{
    const struct {
        const char *name;
        const char *about;
        struct election_frame frame;
        enum wire_error expect;
        enum edit_unit unit;
        size_t at;
        size_t cut;
        const char *bytes;
        size_t length;
    } files[] = {
        {"election/heartbeat", "of a member that is undefined", sample(ELECTION_HEARTBEAT), WIRE_OK,
         EDIT_BYTES, 0, 0, "", 0},
        {"election/call", "of Bully", sample(ELECTION_CALL), WIRE_OK, EDIT_BYTES, 0, 0, "", 0},
        {"election/candidate", "of the ring, where the newest is best", candidate(), WIRE_OK,
         EDIT_BYTES, 0, 0, "", 0},
        {"election/token", "with the members at places 0 and 9", token(), WIRE_OK, EDIT_BYTES, 0, 0,
         "", 0},
        {"election/longest", "every field at its most", longest(), WIRE_OK, EDIT_BYTES, 0, 0, "",
         0},
        {"election/echo", "an echo", candidate(), WIRE_FLAGS, EDIT_BYTES, 7, 1, "\x01", 1},
        {"election/rule-zero", "no rule", candidate(), WIRE_BOUND, EDIT_TOKENS, 4, 1, "\x00", 1},
        {"election/rule", "a rule beyond the last", candidate(), WIRE_BOUND, EDIT_TOKENS, 4, 1,
         "\x09", 1},
        {"election/kind-zero", "kind 0", candidate(), WIRE_BOUND, EDIT_TOKENS, 5, 1, "\x00", 1},
        {"election/kind", "a kind beyond the last", candidate(), WIRE_BOUND, EDIT_TOKENS, 5, 1,
         "\x0d", 1},
        {"election/hops", "513 hops", candidate(), WIRE_BOUND, EDIT_TOKENS, 11, 1, "\xcd\x02\x01",
         3},
        {"election/to-nobody", "no receiver", candidate(), WIRE_SHAPE, EDIT_TOKENS, 3, 1, "\xc0",
         1},
        {"election/ids-zero", "ids that end with a byte that is zero", candidate(), WIRE_SHAPE,
         EDIT_TOKENS, 12, 1, "\xc4\x02\x01\x00", 4},
        {"election/fields", "one field too few", candidate(), WIRE_SHAPE, EDIT_TOKENS, 0, 1, "\x9b",
         1},
        {"election/trailing", "a byte behind it", candidate(), WIRE_TRAILING, EDIT_TOKENS, 13, 0,
         "\x00", 1},
    };
    struct election_frame got;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        vector->length = election_frame_encode(wire, &files[i].frame, vector->bytes);
        strcpy(vector->name, files[i].name);
        vector->expect = files[i].expect;
        vector_edit(vector, files[i].unit, files[i].at, files[i].cut,
                    (const uint8_t *)files[i].bytes, files[i].length);
        wire_bench_golden(files[i].about);
        cr_assert(election_frame_is(vector->bytes, vector->length), "%s", files[i].name);
        cr_assert_eq(decode(vector->bytes, vector->length, &got), vector->expect, "%s",
                     files[i].name);
    }
}

Test(election_frame, every_kind_arrives_as_it_was_sent)
{
    struct election_frame got;

    for (int kind = 0; kind < ELECTION_MESSAGE_TYPE_COUNT; kind++) {
        struct election_frame frame = longest();
        frame.kind = (enum election_message_type)kind;
        vector->length = election_frame_encode(wire, &frame, vector->bytes);
        cr_assert_leq(vector->length, ELECTION_FRAME_BYTES_MAX);
        cr_assert_eq(decode(vector->bytes, vector->length, &got), WIRE_OK);
        cr_assert(id_equal(&got.from, &frame.from) && id_equal(&got.to, &frame.to));
        cr_assert(id_equal(&got.subject, &frame.subject) && id_equal(&got.home, &frame.home));
        cr_assert(got.rule == frame.rule && got.kind == frame.kind && got.hops == frame.hops);
        cr_assert_eq(election_round_compare(&got.round, &frame.round), 0);
        cr_assert_eq(memcmp(&got.ids, &frame.ids, sizeof got.ids), 0);
    }
}

Test(election_frame, one_that_is_cut_short_is_refused)
{
    const struct election_frame frame = longest();
    struct election_frame got;

    vector->length = election_frame_encode(wire, &frame, vector->bytes);
    for (size_t length = 0; length < vector->length; length++) {
        cr_assert_eq(decode(vector->bytes, length, &got), WIRE_SHORT);
    }
}

/* Nodes that do not know of elections count a type that they do not have. */
Test(election_frame, the_other_codecs_take_none)
{
    const struct election_frame frame = candidate();
    struct message message;

    vector->length = election_frame_encode(wire, &frame, vector->bytes);
    cr_assert_eq(wire_decode(wire, vector->bytes, vector->length, &message), WIRE_TYPE);
    cr_assert_not(user_message_is(vector->bytes, vector->length));
}
