/* The bytes of a recording: what is written comes back, and what nobody wrote is refused. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "record/recording.h"
#include "recorded_story.h"

static struct recording_start sample_start(void)
{
    struct recording_start start = {
        .options = {.name = "athens",
                    .address = {.bytes = {[0] = 0xfd, [15] = 1}, .port = 7420, .family = 6},
                    .guard = {.policy = GUARD_MAJORITY, .count = 5},
                    .profile = PROFILE_WAN,
                    .watchers = WATCHERS_DEFAULT,
                    .fanout = FANOUT_DEFAULT,
                    .timing = timing_of(PROFILE_WAN),
                    .capacity = MEMBER_MAX,
                    .has_seeds = true,
                    .expect = EXPECT_MAX,
                    .incarnation = 3,
                    .epoch_seen = 17,
                    .random_seed = {UINT64_MAX, 0, 1, UINT64_C(1) << 63}},
        .now_ms = 123456789,
        .wall_ms = -1,
        .cluster = "doyen",
        .program = "1.2.3"};
    return start;
}

Test(recording, a_start_comes_back_as_it_was)
{
    struct recording_start start = sample_start();
    static const struct tags tags = {.length = 6, .text = "a=b\0c="};
    uint8_t bytes[RECORDING_START_BYTES_MAX];
    struct recording_reader reader;
    struct recording_start read;

    start.options.tags = &tags;
    start.options.timing.lease_ms = 0; /* Not recorded: nobody leases under this guard. */
    start.options.timing.replace_ms = 0;
    const size_t length = recording_write_start(bytes, &start);

    cr_assert_eq(recording_open(&reader, bytes, length, &read), RECORDING_OK);
    cr_assert(recording_is_over(&reader));
    cr_assert_str_eq(read.options.name, "athens");
    cr_assert_str_eq(read.cluster, "doyen");
    cr_assert_str_eq(read.program, "1.2.3");
    cr_assert(address_equal(&read.options.address, &start.options.address));
    cr_assert(guard_equal(&read.options.guard, &start.options.guard));
    cr_assert_eq(read.options.profile, PROFILE_WAN);
    cr_assert_eq(memcmp(&read.options.timing, &start.options.timing, sizeof(struct timing)), 0);
    cr_assert_eq(read.options.capacity, MEMBER_MAX);
    cr_assert(read.options.has_seeds);
    cr_assert_eq(read.options.expect, EXPECT_MAX);
    cr_assert_eq(read.options.incarnation, 3);
    cr_assert_eq(read.options.epoch_seen, 17);
    cr_assert_eq(memcmp(read.options.random_seed, start.options.random_seed, 32), 0);
    cr_assert_eq(read.options.tags->length, 6);
    cr_assert_eq(memcmp(read.options.tags->text, tags.text, 6), 0);
    cr_assert_eq(read.now_ms, start.now_ms);
    cr_assert_eq(read.wall_ms, -1);
}

Test(recording, how_members_watch_and_changes_spread_comes_back)
{
    struct recording_start start = sample_start();
    uint8_t bytes[RECORDING_START_BYTES_MAX];
    struct recording_reader reader;
    struct recording_start read;

    for (int which = 0; which < 4; which++) {
        start.options.watchers = which % 2 == 0 ? WATCHERS_LEAST : WATCHERS_MOST;
        start.options.fanout = which < 2 ? FANOUT_LEAST : FANOUT_MOST;
        const size_t length = recording_write_start(bytes, &start);
        cr_assert_eq(recording_open(&reader, bytes, length, &read), RECORDING_OK);
        cr_assert_eq(read.options.profile, PROFILE_WAN);
        cr_assert_eq(read.options.watchers, start.options.watchers);
        cr_assert_eq(read.options.fanout, start.options.fanout);
    }
}

/* Nothing is added to the start of a node that speaks version 1 alone. */
Test(recording, the_versions_that_a_node_speaks_come_back)
{
    struct recording_start start = sample_start();
    uint8_t bytes[RECORDING_START_BYTES_MAX];
    struct recording_reader reader;
    struct recording_start read;

    const size_t plain = recording_write_start(bytes, &start);
    cr_assert_eq(recording_open(&reader, bytes, plain, &read), RECORDING_OK);
    cr_assert_eq(read.options.versions.high, 0);
    start.options.versions = (struct versions){.low = 1, .high = 15};
    const size_t length = recording_write_start(bytes, &start);
    cr_assert_eq(length, plain + 2);
    cr_assert_eq(recording_open(&reader, bytes, length, &read), RECORDING_OK);
    cr_assert(recording_is_over(&reader));
    cr_assert_eq(read.options.versions.low, 1);
    cr_assert_eq(read.options.versions.high, 15);
    bytes[length - 1] = 0; /* below the lowest */
    cr_assert_eq(recording_open(&reader, bytes, length, &read), RECORDING_DAMAGED);
}

/* Under guard strict a start has the voters, too. */
Test(recording, a_start_of_a_voter_comes_back_as_it_was)
{
    struct recording_start start = sample_start();
    static const struct voters voters = {.count = 2, .names = {"athens", "byzantium"}};
    static const uint8_t record[] = {9, 8, 7};
    uint8_t bytes[RECORDING_START_BYTES_MAX + sizeof record];
    struct recording_reader reader;
    struct recording_start read;

    start.options.guard = (struct guard){.policy = GUARD_STRICT, .count = 2};
    start.options.voters = &voters;
    start.options.record_damaged = true;
    start.record = record;
    start.record_length = sizeof record;
    const size_t length = recording_write_start(bytes, &start);

    cr_assert_eq(recording_open(&reader, bytes, length, &read), RECORDING_OK);
    cr_assert(recording_is_over(&reader));
    cr_assert(guard_equal(&read.options.guard, &start.options.guard));
    cr_assert(voters_equal(read.options.voters, &voters));
    cr_assert_eq(memcmp(&read.options.timing, &start.options.timing, sizeof(struct timing)), 0);
    cr_assert(read.options.record_damaged);
    cr_assert_eq(read.record_length, sizeof record);
    cr_assert_arr_eq(read.record, record, sizeof record);
    cr_assert_null(read.options.record, "it is left to be decoded");
}

/* Reads one record that stands behind a start. */
static enum recording_error read_back(const uint8_t *bytes, size_t length, struct record *record)
{
    struct recording_start start = sample_start();
    struct recording_start read;
    struct recording_reader reader;
    uint8_t all[RECORDING_START_BYTES_MAX + 256];
    const size_t start_length = recording_write_start(all, &start);

    cr_assert_leq(length, 256);
    memcpy(all + start_length, bytes, length);
    cr_assert_eq(recording_open(&reader, all, start_length + length, &read), RECORDING_OK);
    const enum recording_error error = recording_next(&reader, record);
    cr_assert_eq(recording_is_over(&reader), error == RECORDING_OK);
    return error;
}

Test(recording, each_input_comes_back_as_it_was)
{
    const struct address address = {.bytes = {10, 0, 0, 9}, .port = 65535, .family = 4};
    const struct message message = {.source = address};
    const uint8_t frame[] = {1, 2, 3};
    const uint64_t before_ms = sample_start().now_ms;
    struct record *record = malloc(sizeof *record);
    uint8_t bytes[256];

    cr_assert_not_null(record);
    struct event event = {.type = EVENT_MESSAGE, .now_ms = before_ms + 300, .message = &message};
    cr_assert_eq(
        read_back(bytes, recording_write_input(bytes, &event, before_ms, frame, 3), record),
        RECORDING_OK);
    cr_assert_eq(record->type, RECORD_MESSAGE);
    cr_assert_eq(record->event.now_ms, before_ms + 300);
    cr_assert_eq(record->frame_length, 3);
    cr_assert(address_equal(&record->source, &address));

    event = (struct event){.type = EVENT_LINK,
                           .now_ms = before_ms,
                           .link = {.peer = {{9, 8, 7}}, .news = LINK_KERNEL}};
    cr_assert_eq(read_back(bytes, recording_write_input(bytes, &event, before_ms, NULL, 0), record),
                 RECORDING_OK);
    cr_assert_eq(record->event.type, EVENT_LINK);
    cr_assert(id_equal(&record->event.link.peer, &event.link.peer));
    cr_assert_eq(record->event.link.news, LINK_KERNEL);

    event = (struct event){
        .type = EVENT_ADDRESSES,
        .now_ms = before_ms + 1,
        .addresses = {.source = ADDRESSES_REMEMBERED, .addresses = &address, .count = 1}};
    cr_assert_eq(read_back(bytes, recording_write_input(bytes, &event, before_ms, NULL, 0), record),
                 RECORDING_OK);
    cr_assert_eq(record->event.addresses.source, ADDRESSES_REMEMBERED);
    cr_assert_eq(record->event.addresses.count, 1);
    cr_assert(address_equal(&record->event.addresses.addresses[0], &address));

    event = (struct event){.type = EVENT_LEAVE, .now_ms = before_ms + 1};
    cr_assert_eq(read_back(bytes, recording_write_input(bytes, &event, before_ms, NULL, 0), record),
                 RECORDING_OK);
    cr_assert_eq(record->event.type, EVENT_LEAVE);
    event = (struct event){
        .type = EVENT_SYNCED, .now_ms = before_ms + 1, .synced = {.number = 300, .ok = true}};
    cr_assert_eq(read_back(bytes, recording_write_input(bytes, &event, before_ms, NULL, 0), record),
                 RECORDING_OK);
    cr_assert_eq(record->event.type, EVENT_SYNCED);
    cr_assert_eq(record->event.synced.number, 300);
    cr_assert(record->event.synced.ok);
    const struct role_command campaign = {.wish = ROLE_CAMPAIGN,
                                          .request = {.bytes = {1}},
                                          .role = "job",
                                          .terms = {.policy = ROLE_FIRST,
                                                    .holders = 1,
                                                    .preempt = true,
                                                    .preempt_after_ms = 300,
                                                    .need = "zone=eu"}};
    event = (struct event){.type = EVENT_ROLE, .now_ms = before_ms + 1, .role = &campaign};
    cr_assert_eq(read_back(bytes, recording_write_input(bytes, &event, before_ms, NULL, 0), record),
                 RECORDING_OK);
    cr_assert(role_terms_equal(&record->event.role->terms, &campaign.terms));
    event.type = EVENT_TICK;
    cr_assert_eq(recording_write_input(bytes, &event, before_ms, NULL, 0), 2, "is kept short");
    free(record);
}

struct bad_recording {
    const char *about;
    uint8_t bytes[16];
    size_t length;
    enum recording_error error;
};

Test(recording, what_no_writer_writes_is_refused)
{
    static const struct bad_recording refusals[] = {
        {"no such record", {16, 0}, 2, RECORDING_DAMAGED},
        {"zeros, as after a loss of power", {0, 0, 0}, 3, RECORDING_TORN},
        {"a time that never comes",
         {RECORD_TICK, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
         11,
         RECORDING_DAMAGED},
        {"a number of 65 bits",
         {RECORD_TICK, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2},
         11,
         RECORDING_DAMAGED},
        {"a number that does not end",
         {RECORD_TICK, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80},
         12,
         RECORDING_DAMAGED},
        {"a number longer than it need be", {RECORD_TICK, 0x80, 0}, 3, RECORDING_DAMAGED},
        {"an address of no family", {RECORD_MESSAGE, 0, 5}, 3, RECORDING_DAMAGED},
        {"a frame of gigabytes",
         {RECORD_MESSAGE, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f},
         8,
         RECORDING_DAMAGED},
        {"more addresses than there can be",
         {RECORD_ADDRESSES, 0, 0, 0x81, 2},
         5,
         RECORDING_DAMAGED},
        {"a need of a role that nobody stands for",
         {RECORD_ROLE_WITH_NEED, 0, ROLE_RESIGN, 1},
         4,
         RECORDING_TORN},
        {"a wish about a role that there is not", {RECORD_ROLE, 0, 5}, 3, RECORDING_DAMAGED},
        {"tags beyond their bound", {RECORD_TAGS, 0, 0x81, 4}, 4, RECORDING_DAMAGED},
        {"an end for no reason", {RECORD_END, 9}, 2, RECORDING_DAMAGED},
        {"something behind the end", {RECORD_END, 1, RECORD_TICK}, 3, RECORDING_DAMAGED},
        {"a checkpoint of other bytes", {RECORD_CHECKPOINT}, 16, RECORDING_TORN},
    };
    struct record *record = malloc(sizeof *record);

    cr_assert_not_null(record);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        cr_expect_eq(read_back(refusals[i].bytes, refusals[i].length, record), refusals[i].error,
                     "%s", refusals[i].about);
    }
    free(record);
}

/* Reads all of it; returns how it ended. */
static enum recording_error read_all(const uint8_t *bytes, size_t length)
{
    struct record *record = malloc(sizeof *record);
    struct recording_start *start = malloc(sizeof *start);
    struct recording_reader reader;

    cr_assert(record != NULL && start != NULL);
    enum recording_error error = recording_open(&reader, bytes, length, start);
    while (error == RECORDING_OK && !recording_is_over(&reader)) {
        error = recording_next(&reader, record);
    }
    free(record);
    free(start);
    return error;
}

/* kill -9 may end it anywhere; whole records before that stay. */
Test(recording, cut_at_any_byte_it_is_torn_or_over_but_never_damaged)
{
    struct recorded_story *story = recorded_story_new();

    for (size_t length = 0; length <= story->length; length++) {
        uint8_t *copy = malloc(length + 1); /* at its length, for the sanitizer to see */
        cr_assert_not_null(copy);
        memcpy(copy, story->bytes, length);
        copy = realloc(copy, length > 0 ? length : 1);
        const enum recording_error error = read_all(copy, length);
        cr_expect(error == RECORDING_OK || error == RECORDING_TORN ||
                      (error == RECORDING_MAGIC && length < RECORDING_MAGIC_BYTES),
                  "byte %zu: %s", length, recording_error_text(error));
        free(copy);
    }
    free(story);
}

Test(recording, another_file_and_another_version_are_told_apart)
{
    struct recorded_story *story = recorded_story_new();

    cr_assert_eq(read_all((const uint8_t *)"#!/bin/sh\n", 10), RECORDING_MAGIC);
    story->bytes[RECORDING_MAGIC_BYTES] = RECORDING_STRICT_VERSION + RECORDING_SPEAKING +
                                          RECORDING_AGREED + 1;
    cr_assert_eq(read_all(story->bytes, story->length), RECORDING_OTHER);
    free(story);
}

/* Every byte in front of a checkpoint is covered by it. */
Test(recording, a_changed_byte_does_not_pass_for_a_recording)
{
    struct recorded_story *story = recorded_story_new();

    for (size_t at = 0; at < story->last_checkpoint; at++) {
        story->bytes[at] ^= 0x01;
        cr_expect_neq(read_all(story->bytes, story->length), RECORDING_OK, "byte %zu", at);
        story->bytes[at] ^= 0x01;
    }
    cr_assert_eq(read_all(story->bytes, story->length), RECORDING_OK);
    free(story);
}
