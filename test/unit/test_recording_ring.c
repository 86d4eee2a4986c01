/* The recording in memory: it is a recording that replays, and when it has lost its beginning it
 * says so and can still be listed. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "proto/wire.h"
#include "recorded_core.h"
#include "replay/listing.h"
#include "replay/print.h"
#include "replay/replay.h"
#include "runtime/disk/recording_ring.h"

enum { STEP_MS = 20 };

/* A core that founds a cluster alone, and the ring that it is recorded in. */
struct desk {
    struct recording_ring *ring;
    struct core *core;
    uint64_t now_ms;
};

static void desk_open(struct desk *desk)
{
    *desk = (struct desk){.now_ms = 1000};
    desk->ring = recording_ring_new("doyen", &recorded_options, desk->now_ms);
    cr_assert_not_null(desk->ring);
    desk->core = recorded_core_new(&recorded_options, desk->now_ms);
}

static void desk_close(struct desk *desk)
{
    recording_ring_free(desk->ring);
    free(desk->core);
}

static void tick(struct desk *desk)
{
    const struct event event = {.type = EVENT_TICK, .now_ms = desk->now_ms += STEP_MS};

    recording_ring_input(desk->ring, &event, NULL, 0);
    (void)core_step(desk->core, &event);
}

static struct replay_outcome replay(struct desk *desk)
{
    const struct replay_options all = {.until_ms = NEVER_MS};
    size_t length = 0;
    uint8_t *bytes = recording_ring_copy(desk->ring, desk->core, &length);

    cr_assert_not_null(bytes);
    cr_assert_leq(length, RING_BYTES + RECORDING_START_BYTES_MAX);
    const struct replay_outcome outcome = replay_run(bytes, length, &all);
    free(bytes);
    return outcome;
}

Test(recording_ring, what_fits_replays_to_the_same_state)
{
    struct desk desk;

    desk_open(&desk);
    for (int i = 0; i < 500; i++) {
        tick(&desk);
    }
    const struct replay_outcome outcome = replay(&desk);
    cr_assert_eq(outcome.verdict, REPLAY_SAME);
    cr_assert(!outcome.gap && !outcome.torn);
    cr_assert_eq(outcome.event_count, 500);
    cr_assert_eq(outcome.checked_count, 500, "the state of now is at its end");
    cr_assert_eq(outcome.state, core_state_hash(desk.core));
    desk_close(&desk);
}

/* The segments end in turn, so about seven eighths of the room are in use at the least. */
Test(recording_ring, the_oldest_inputs_give_way_and_the_times_stay_right)
{
    const int rounds = RING_BYTES / 2 + RING_SEGMENT_BYTES; /* A tick has two bytes. */
    struct desk desk;

    desk_open(&desk);
    for (int i = 0; i < rounds; i++) {
        const struct event event = {.type = EVENT_TICK, .now_ms = desk.now_ms += STEP_MS};
        recording_ring_input(desk.ring, &event, NULL, 0);
    }
    const struct replay_outcome outcome = replay(&desk);
    cr_assert_eq(outcome.verdict, REPLAY_SAME);
    cr_assert(outcome.gap);
    cr_assert_lt(outcome.event_count, (uint64_t)rounds);
    cr_assert_geq(outcome.event_count, (uint64_t)(RING_BYTES - 2 * RING_SEGMENT_BYTES) / 2);
    cr_assert_eq(outcome.offset_ms, (uint64_t)rounds * STEP_MS, "of the last one, since the start");
    desk_close(&desk);
}

Test(recording_ring, an_input_that_is_too_large_begins_a_gap)
{
    static uint8_t frame[RING_SEGMENT_BYTES];
    struct message message = {.type = MESSAGE_VIEW};
    struct desk desk;

    desk_open(&desk);
    tick(&desk);
    const struct event event = {
        .type = EVENT_MESSAGE, .now_ms = desk.now_ms += STEP_MS, .message = &message};
    recording_ring_input(desk.ring, &event, frame, sizeof frame);
    tick(&desk);
    tick(&desk);
    const struct replay_outcome outcome = replay(&desk);
    cr_assert_eq(outcome.verdict, REPLAY_SAME);
    cr_assert(outcome.gap);
    cr_assert_eq(outcome.event_count, 2);
    cr_assert_eq(outcome.offset_ms, 4 * STEP_MS);
    desk_close(&desk);
}

/* --- What is behind a gap --- */

static void put_pull(struct desk *desk, struct wire *wire)
{
    struct message message;
    size_t length = 0;

    message_clear(&message, MESSAGE_PULL);
    message.from.bytes[0] = 7;
    message.number = 417;
    message.source = (struct address){.bytes = {10, 0, 0, 5}, .port = 7420, .family = 4};
    const struct wire_copy copy = {.to = NULL};
    const uint8_t *frame = wire_encode(wire, &message, &copy, &length);
    const struct event event = {
        .type = EVENT_MESSAGE, .now_ms = desk->now_ms += STEP_MS, .message = &message};
    recording_ring_input(desk->ring, &event, frame, length);
}

struct lines {
    FILE *out;
    bool json;
};

static void on_listed(void *context, const struct replay_listed *listed)
{
    const struct lines *lines = context;

    listing_print(lines->out, lines->json, listed);
}

static void expect_listed(struct desk *desk, bool json, const char *expected)
{
    char text[1024] = "";
    struct lines lines = {.out = fmemopen(text, sizeof text, "w"), .json = json};
    const struct printer printer = {.out = lines.out, .json = json};
    const struct replay_options all = {
        .until_ms = NEVER_MS, .on_listed = on_listed, .context = &lines};
    size_t length = 0;
    uint8_t *bytes = recording_ring_copy(desk->ring, desk->core, &length);

    cr_assert(lines.out != NULL && bytes != NULL);
    const struct replay_outcome outcome = replay_run(bytes, length, &all);
    print_summary(&printer, &outcome);
    fclose(lines.out);
    cr_expect_str_eq(text, expected);
    free(bytes);
}

Test(recording_ring, what_is_behind_a_gap_is_listed)
{
    static uint8_t frame[RING_SEGMENT_BYTES];
    struct message large = {.type = MESSAGE_VIEW};
    struct wire *wire = wire_new("doyen", RECORDED_CAPACITY);
    struct desk desk;

    desk_open(&desk);
    const struct event too_large = {
        .type = EVENT_MESSAGE, .now_ms = desk.now_ms += STEP_MS, .message = &large};
    recording_ring_input(desk.ring, &too_large, frame, sizeof frame);
    tick(&desk);
    put_pull(&desk, wire);
    const struct event link = {
        .type = EVENT_LINK, .now_ms = desk.now_ms += STEP_MS, .link = {.news = LINK_REFUSED}};
    recording_ring_input(desk.ring, &link, NULL, 0);

    expect_listed(&desk, false,
                  "     0.060  message      pull from=10.0.0.5:7420 number=417\n"
                  "     0.080  link         refused\n"
                  "3 events listed; those before them are not in this recording, so it cannot be "
                  "run\n");
    expect_listed(
        &desk, true,
        "{\"offset_ms\":60,\"input\":\"message\",\"what\":\"pull\",\"from\":\"10.0.0.5:7420\","
        "\"number\":\"417\"}\n"
        "{\"offset_ms\":80,\"input\":\"link\",\"what\":\"refused\"}\n"
        "{\"summary\":{\"events\":3,\"gap\":true}}\n");
    wire_free(wire);
    desk_close(&desk);
}

/* Without memory for it a node runs as well. */
Test(recording_ring, no_ring_records_nothing)
{
    const struct event event = {.type = EVENT_TICK, .now_ms = 1};
    size_t length = 0;

    recording_ring_input(NULL, &event, NULL, 0);
    cr_assert_null(recording_ring_copy(NULL, NULL, &length));
    recording_ring_free(NULL);
}
