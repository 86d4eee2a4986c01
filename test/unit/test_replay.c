/* A core that is given the same inputs again is in the same state; where it is not, the replay says
 * from where on. The recordings of test/recordings are replayed here: a real one becomes a test by
 * being copied there. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "record/recording.h"
#include "recorded_story.h"
#include "replay/print.h"
#include "replay/replay.h"

static const struct replay_options all = {.until_ms = NEVER_MS};

/* The same recording with the checkpoints of the run. */
struct copy {
    uint8_t bytes[STORY_BYTES_MAX];
    size_t length;
};

static void on_copy(void *context, const uint8_t *bytes, size_t length)
{
    struct copy *copy = context;

    cr_assert_leq(copy->length + length, sizeof copy->bytes);
    memcpy(copy->bytes + copy->length, bytes, length);
    copy->length += length;
}

static struct copy *copy_until(const struct recorded_story *story, uint64_t until_ms)
{
    struct copy *copy = calloc(1, sizeof *copy);
    const struct replay_options options = {
        .until_ms = until_ms, .on_copy = on_copy, .context = copy};

    cr_assert_not_null(copy);
    (void)replay_run(story->bytes, story->length, &options);
    return copy;
}

Test(replay, the_same_inputs_give_the_same_state)
{
    struct recorded_story *story = recorded_story_new();
    const struct replay_outcome outcome = replay_run(story->bytes, story->length, &all);

    cr_assert_geq(story->view_count, 3, "alone, with the other one, alone again");
    cr_assert_eq(outcome.verdict, REPLAY_SAME);
    cr_assert_eq(outcome.event_count, story->event_count);
    cr_assert_eq(outcome.view_count, story->view_count);
    cr_assert_eq(outcome.checked_count, story->event_count);
    cr_assert_eq(outcome.state, story->state);
    cr_assert_eq(outcome.offset_ms, story->duration_ms);
    cr_assert_str_eq(outcome.program, "0.0.0");
    cr_assert_not(outcome.torn);
    free(story);
}

Test(replay, cut_at_any_byte_it_is_replayed_up_to_there)
{
    struct recorded_story *story = recorded_story_new();

    for (size_t length = story->start_length; length < story->length; length++) {
        const struct replay_outcome outcome = replay_run(story->bytes, length, &all);
        cr_expect_eq(outcome.verdict, REPLAY_SAME, "byte %zu", length);
        cr_expect(outcome.torn, "byte %zu", length);
        cr_expect_leq(outcome.event_count, story->event_count);
    }
    const struct replay_outcome none = replay_run(story->bytes, story->start_length - 1, &all);
    cr_assert_eq(none.verdict, REPLAY_UNREADABLE);
    cr_assert_eq(none.error, RECORDING_TORN);
    free(story);
}

static void copy_bytes(struct copy *copy, const uint8_t *bytes, size_t length)
{
    memcpy(copy->bytes + copy->length, bytes, length);
    copy->length += length;
}

/* The story with `flip` applied to the last byte of its start, which is of the seed: as if the core
 * had changed. Its checkpoints are right about the bytes, or left out. */
static struct copy *rewrite(const struct recorded_story *story, uint8_t flip, bool checkpoints)
{
    struct copy *copy = calloc(1, sizeof *copy);
    struct recording_start *start = malloc(sizeof *start);
    struct record *record = malloc(sizeof *record);
    struct recording_reader reader;

    cr_assert(copy != NULL && start != NULL && record != NULL);
    cr_assert_eq(recording_open(&reader, story->bytes, story->length, start), RECORDING_OK);
    copy_bytes(copy, story->bytes, story->start_length);
    copy->bytes[copy->length - 1] ^= flip;
    while (!recording_is_over(&reader)) {
        cr_assert_eq(recording_next(&reader, record), RECORDING_OK);
        if (record->type != RECORD_CHECKPOINT) {
            copy_bytes(copy, story->bytes + record->at, reader.at - record->at);
        } else if (checkpoints) {
            record->checkpoint.bytes = hash_bytes(HASH_START, copy->bytes, copy->length);
            copy->length += recording_write_checkpoint(copy->bytes + copy->length,
                                                       &record->checkpoint);
        }
    }
    free(start);
    free(record);
    return copy;
}

Test(replay, a_core_that_decides_otherwise_is_found_at_the_next_checkpoint)
{
    struct recorded_story *story = recorded_story_new();
    struct copy *copy = rewrite(story, 1, true);
    const struct replay_outcome outcome = replay_run(copy->bytes, copy->length, &all);

    cr_assert_eq(outcome.verdict, REPLAY_DIFFERS);
    cr_assert_eq(outcome.at_count, STORY_CHECKPOINT_EVERY);
    cr_assert_eq(outcome.checked_count, 0);
    cr_assert_eq(outcome.event_count, story->event_count, "it goes on to the end all the same");
    free(copy);
    free(story);
}

Test(replay, resealed_it_is_the_same_recording_again)
{
    struct recorded_story *story = recorded_story_new();
    struct copy *copy = copy_until(story, NEVER_MS);

    cr_assert_eq(copy->length, story->length);
    cr_assert_eq(memcmp(copy->bytes, story->bytes, story->length), 0);
    free(copy);
    free(story);
}

Test(replay, resealed_in_part_it_is_a_whole_recording)
{
    struct recorded_story *story = recorded_story_new();

    for (uint64_t until_ms = 0; until_ms <= story->duration_ms; until_ms += 50) {
        struct copy *copy = copy_until(story, until_ms);
        const struct replay_outcome outcome = replay_run(copy->bytes, copy->length, &all);
        cr_expect_eq(outcome.verdict, REPLAY_SAME);
        cr_expect_not(outcome.torn);
        cr_expect_leq(outcome.offset_ms, until_ms);
        cr_expect_eq(outcome.checked_count, outcome.event_count);
        free(copy);
    }
    free(story);
}

static void change_bytes(struct random *random, uint8_t *bytes, size_t length)
{
    const uint64_t count = random_between(random, 1, 4);

    for (uint64_t i = 0; i < count; i++) {
        bytes[random_below(random, length)] = (uint8_t)random_u64(random);
    }
}

/* Without checkpoints, so that what is changed is not found before the core has it. */
Test(replay, hostile_bytes_reach_no_assertion)
{
    struct recorded_story *story = recorded_story_new();
    struct copy *copy = rewrite(story, 0, false);
    uint8_t *bytes = malloc(copy->length);
    uint64_t event_count = 0;
    struct random random;

    cr_assert_not_null(bytes);
    random_seed(&random, 7);
    for (unsigned i = 0; i < 3000; i++) {
        memcpy(bytes, copy->bytes, copy->length);
        change_bytes(&random, bytes, copy->length);
        event_count += replay_run(bytes, copy->length, &all).event_count;
    }
    cr_assert_gt(event_count, 3000, "most of them reach the core");
    free(bytes);
    free(copy);
    free(story);
}

/* --- What it prints -------------------------------------------------------------------------- */

static void on_step(void *context, const struct replay_step *step)
{
    print_step(context, step);
}

/* The caller's to free. */
static char *printed(const struct recorded_story *story, bool json)
{
    char *text = NULL;
    size_t length = 0;
    struct printer printer = {
        .out = open_memstream(&text, &length), .json = json, .journal = journal_new()};
    const struct replay_options options = {
        .until_ms = NEVER_MS, .on_step = on_step, .context = &printer};

    cr_assert(printer.out != NULL && printer.journal != NULL);
    const struct replay_outcome outcome = replay_run(story->bytes, story->length, &options);
    print_summary(&printer, &outcome);
    fclose(printer.out);
    journal_free(printer.journal);
    return text;
}

#define assert_says(text, part) cr_assert_not_null(strstr((text), (part)), "%s", (text))

Test(replay, each_decision_is_a_line_with_what_led_to_it)
{
    struct recorded_story *story = recorded_story_new();
    char *text = printed(story, false);

    assert_says(text,
                "athens of cluster doyen, recorded by doyend 0.0.0 since 2026-01-31T12:00:00Z");
    assert_says(text, "cause=change +byzantium  <- ack from byzantium\n");
    assert_says(text, "name=byzantium verdict=dead silent_ms=91  <- link to byzantium refused\n");
    assert_says(text, "phase=leaving reason=leave_asked  <- leave\n");
    assert_says(text, "same state\n");
    free(text);
    free(story);
}

Test(replay, as_json_each_decision_is_an_object)
{
    struct recorded_story *story = recorded_story_new();
    char *text = printed(story, true);

    assert_says(text, "\"node\":\"athens\",\"cluster\":\"doyen\",\"version\":\"0.0.0\"}}\n");
    assert_says(text, "\"input\":{\"type\":\"link\",\"what\":\"refused\",\"from\":\"byzantium\"},"
                      "\"event\":\"suspect\",\"epoch\":\"1\",\"version\":\"2\",\"member_count\":2,"
                      "\"name\":\"byzantium\",");
    assert_says(text, "\"same\":true");
    free(text);
    free(story);
}

/* --- Recordings of real runs ----------------------------------------------------------------- */

static uint8_t *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");

    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    *length = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*length + 1);
    cr_assert(bytes != NULL && fread(bytes, 1, *length, file) == *length, "%s", path);
    fclose(file);
    return bytes;
}

/* What the printer makes of a recording that is kept. Freed with free(). */
static char *printed_recording(const char *name, struct printer *printer)
{
    const struct replay_options options = {
        .until_ms = NEVER_MS, .on_step = on_step, .context = printer};
    char path[512];
    char *text = NULL;
    size_t length;
    size_t text_length;

    snprintf(path, sizeof path, "%s/%s", RECORDINGS_DIR, name);
    uint8_t *bytes = read_file(path, &length);
    printer->out = open_memstream(&text, &text_length);
    printer->journal = journal_new();
    cr_assert(printer->out != NULL && printer->journal != NULL);
    (void)replay_run(bytes, length, &options);
    fclose(printer->out);
    journal_free(printer->journal);
    free(bytes);
    return text;
}

Test(replay, a_refusal_is_a_line_with_its_rule_and_its_message)
{
    struct printer printer = {.json = false};
    char *text = printed_recording("split-and-merge.rec", &printer);

    assert_says(text, "refused      rule=U2d reason=commit_not_higher type=commit from=athens "
                      "number=132: the view that it commits is not higher than this node's own  "
                      "<- commit from athens\n");
    free(text);
}

/* What came, what was done or why not, and what the node is bound to then. */
Test(replay, a_message_is_followed_to_all_that_came_of_it)
{
    struct printer printer = {.messages = true};
    char *text = printed_recording("split-and-merge.rec", &printer);

    assert_says(text, "message      commit from=athens number=132 view=3.8@athens\n"
                      "            refused      rule=U2d reason=commit_not_higher type=commit "
                      "from=athens number=132: the view that it commits is not higher than this "
                      "node's own\n");
    assert_says(text, "            promise      epoch=2 to=delphi\n");
    assert_says(text, "            proposal     3.8@athens\n");
    cr_assert_null(strstr(text, "message      heartbeat from=cyrene"), "it changed nothing");
    free(text);
}

Test(replay, one_message_can_be_asked_for)
{
    struct printer printer = {.messages = true, .from = "athens", .message_number = 132};
    char *text = printed_recording("split-and-merge.rec", &printer);

    cr_assert(printer.found);
    assert_says(text, "message      commit from=athens number=132 ");
    cr_assert_null(strstr(text, "probe"), "%s", text);
    free(text);

    printer = (struct printer){.messages = true, .from = "athens", .message_number = 9999};
    free(printed_recording("split-and-merge.rec", &printer));
    cr_assert_not(printer.found);
}

Test(replay, as_json_a_refusal_has_rule_and_reason)
{
    struct printer printer = {.json = true};
    char *text = printed_recording("split-and-merge.rec", &printer);

    assert_says(text, "\"message_number\":\"132\"},\"event\":\"refused\",\"rule\":\"U2d\","
                      "\"reason\":\"commit_not_higher\",\"type\":\"commit\",\"from\":\"athens\",");
    free(text);
}

static void check_recording(const char *name)
{
    char path[512];
    size_t length;

    snprintf(path, sizeof path, "%s/%s", RECORDINGS_DIR, name);
    uint8_t *bytes = read_file(path, &length);
    const struct replay_outcome outcome = replay_run(bytes, length, &all);
    cr_expect_eq(outcome.verdict, REPLAY_SAME,
                 "%s: another state at byte %zu, after input %llu. Where the protocol was changed "
                 "on purpose, look at what doyen-replay prints now, then --reseal it",
                 name, outcome.at, (unsigned long long)outcome.at_count);
    cr_expect_gt(outcome.checked_count, 0, "%s", name);
    free(bytes);
}

Test(replay, every_recording_kept_ends_in_the_state_it_ended_in)
{
    DIR *dir = opendir(RECORDINGS_DIR);
    unsigned count = 0;

    cr_assert_not_null(dir, "%s", RECORDINGS_DIR);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strcmp(dot, ".rec") == 0) {
            check_recording(entry->d_name);
            count++;
        }
    }
    closedir(dir);
    cr_assert_gt(count, 0);
}
