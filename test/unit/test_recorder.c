/* The recorder: what the node gives it is in the file at once, and no file's fate is the node's. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"
#include "recorded_core.h"
#include "replay/replay.h"
#include "runtime/disk/recorder.h"
#include "view_builder.h"

enum { LOG_READ_MAX = 4096 };

/* A core that founds a cluster alone, its recorder, and a log that is read back. */
struct desk {
    char dir[64];
    char path[80];
    char aside[80];
    struct log log;
    int log_read;
    struct core *core;
    struct recorder *recorder;
    uint64_t now_ms;
};

static bool start_with(struct desk *desk, const struct core_options *chosen, uint64_t bytes_max)
{
    desk->recorder = recorder_open(desk->path, "doyen", chosen, desk->now_ms, bytes_max,
                                   &desk->log);
    if (desk->recorder != NULL) {
        desk->core = recorded_core_new(chosen, desk->now_ms);
    }
    return desk->recorder != NULL;
}

static bool start(struct desk *desk, uint64_t bytes_max)
{
    return start_with(desk, &recorded_options, bytes_max);
}

static void stop(struct desk *desk)
{
    recorder_close(desk->recorder, desk->core);
    free(desk->core);
    desk->core = NULL;
}

static void desk_open(struct desk *desk)
{
    int ends[2];

    *desk = (struct desk){.dir = "/tmp/doyen-record-XXXXXX", .now_ms = 1000};
    cr_assert_not_null(mkdtemp(desk->dir));
    snprintf(desk->path, sizeof desk->path, "%s/a.rec", desk->dir);
    snprintf(desk->aside, sizeof desk->aside, "%s/a.rec.1", desk->dir);
    cr_assert_eq(pipe(ends), 0);
    desk->log_read = ends[0];
    log_init(&desk->log, ends[1], LOG_INFO, LOG_TEXT, "athens");
}

static void desk_close(struct desk *desk)
{
    (void)unlink(desk->path);
    (void)unlink(desk->aside);
    cr_expect_eq(rmdir(desk->dir), 0);
    close(desk->log_read);
    close(desk->log.fd);
}

static void step(struct desk *desk, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        desk->now_ms += 10;
        const struct event event = {.type = EVENT_TICK, .now_ms = desk->now_ms};
        recorder_input(desk->recorder, &event, NULL, 0, desk->core);
        (void)core_step(desk->core, &event);
        recorder_output(desk->recorder, desk->core);
    }
}

static struct replay_outcome replay(const char *path)
{
    uint8_t bytes[1 << 16];
    FILE *file = fopen(path, "rb");

    cr_assert_not_null(file, "%s", path);
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return replay_run(bytes, length, &(struct replay_options){.until_ms = NEVER_MS});
}

static void assert_logged(struct desk *desk, const char *part)
{
    char text[LOG_READ_MAX];
    const ssize_t got = read(desk->log_read, text, sizeof text - 1);

    cr_assert_geq(got, 0);
    text[got] = '\0';
    cr_assert_not_null(strstr(text, part), "%s", text);
}

Test(recorder, what_it_wrote_is_replayed_to_the_same_state)
{
    struct desk desk;

    desk_open(&desk);
    cr_assert(start(&desk, RECORDER_BYTES_MAX));
    step(&desk, 200);
    const uint64_t state = core_state_hash(desk.core);
    stop(&desk);

    const struct replay_outcome outcome = replay(desk.path);
    cr_assert_eq(outcome.verdict, REPLAY_SAME);
    cr_assert_eq(outcome.event_count, 200);
    cr_assert_eq(outcome.checked_count, 200);
    cr_assert_eq(outcome.state, state);
    cr_assert_not(outcome.torn);
    struct stat status;
    cr_assert_eq(stat(desk.path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600, "the seed is in it");
    desk_close(&desk);
}

/* Z3a: what a voter was started with is part of how it began, and replayed with the rest. */
Test(recorder, a_voter_is_replayed_with_the_record_that_it_found)
{
    static const struct voters voters = {.count = 2, .names = {"athens", "byzantium"}};
    struct built_view accepted = view_of("A B");
    const struct vote_record record = {.id = member_of('r').id,
                                       .lineage = 7,
                                       .state = VOTE_RECORD_FOUNDED,
                                       .promise = {.epoch = 3, .life = member_of('B').id},
                                       .lease_ms = 90,
                                       .accepted = &accepted.view};
    struct core_options strict = recorded_options;
    struct desk desk;

    strict.guard = (struct guard){.policy = GUARD_STRICT, .count = 2};
    strict.voters = &voters;
    strict.timing.lease_ms = 80;
    strict.timing.replace_ms = 30000;
    strict.record = &record;
    desk_open(&desk);
    cr_assert(start_with(&desk, &strict, RECORDER_BYTES_MAX));
    cr_assert_eq(core_voter(desk.core, desk.now_ms).until_ms, 90);
    step(&desk, 20);
    const uint64_t state = core_state_hash(desk.core);
    stop(&desk);

    const struct replay_outcome outcome = replay(desk.path);
    cr_assert_eq(outcome.verdict, REPLAY_SAME);
    cr_assert_eq(outcome.checked_count, 20);
    cr_assert_eq(outcome.state, state);
    desk_close(&desk);

    desk_open(&desk);
    strict.record = NULL;
    cr_assert(start_with(&desk, &strict, RECORDER_BYTES_MAX));
    step(&desk, 20);
    cr_assert_neq(core_state_hash(desk.core), state, "the state has the record in it");
    stop(&desk);
    cr_assert_eq(replay(desk.path).verdict, REPLAY_SAME);
    view_built_free(&accepted);
    desk_close(&desk);
}

/* As after an assertion in the core: nobody closed anything. */
Test(recorder, an_input_is_in_the_file_before_the_core_has_seen_it)
{
    struct desk desk;

    desk_open(&desk);
    cr_assert(start(&desk, RECORDER_BYTES_MAX));
    step(&desk, 70);
    const struct event event = {.type = EVENT_LEAVE, .now_ms = desk.now_ms};
    recorder_input(desk.recorder, &event, NULL, 0, desk.core);

    const struct replay_outcome outcome = replay(desk.path);
    cr_assert_eq(outcome.verdict, REPLAY_SAME);
    cr_assert(outcome.torn);
    cr_assert_eq(outcome.event_count, 71);
    stop(&desk);
    desk_close(&desk);
}

enum { SHORT_FILE = 1024 };

static uint64_t size_of(const char *path)
{
    struct stat status;

    cr_assert_eq(stat(path, &status), 0, "%s", path);
    return (uint64_t)status.st_size;
}

Test(recorder, at_its_limit_a_file_is_put_aside_whole_and_another_begins)
{
    struct desk desk;

    desk_open(&desk);
    cr_assert(start(&desk, SHORT_FILE));
    step(&desk, 1);
    while (size_of(desk.path) > SHORT_FILE / 2 || access(desk.aside, F_OK) != 0) {
        step(&desk, 1);
    }
    stop(&desk);

    cr_assert_leq(size_of(desk.aside), SHORT_FILE);
    const struct replay_outcome first = replay(desk.aside);
    cr_assert_eq(first.verdict, REPLAY_SAME);
    cr_assert(first.full && !first.torn && !first.gap);
    cr_assert_eq(first.checked_count, first.event_count);
    const struct replay_outcome second = replay(desk.path);
    cr_assert_eq(second.verdict, REPLAY_SAME);
    cr_assert(second.gap && !second.full && !second.torn);
    cr_assert_gt(second.event_count, 0);
    cr_assert_eq(second.offset_ms, first.offset_ms + 10 * second.event_count);
    assert_logged(&desk, "is as long as it may be: it is kept as ");
    desk_close(&desk);
}

/* What fills the files, be it a flood of strangers, does not end the recording. */
Test(recorder, of_many_files_the_last_two_are_kept)
{
    struct desk desk;

    desk_open(&desk);
    cr_assert(start(&desk, SHORT_FILE));
    step(&desk, 5000);
    stop(&desk);

    cr_assert_leq(size_of(desk.path), SHORT_FILE);
    cr_assert_leq(size_of(desk.aside), SHORT_FILE);
    const struct replay_outcome former = replay(desk.aside);
    const struct replay_outcome latest = replay(desk.path);
    cr_assert(former.gap && former.full && latest.gap);
    cr_assert_eq(latest.offset_ms, 50000);
    cr_assert_eq(latest.offset_ms, former.offset_ms + 10 * latest.event_count);
    desk_close(&desk);
}

Test(recorder, the_recording_of_the_life_before_is_put_aside)
{
    struct desk desk;

    desk_open(&desk);
    for (unsigned life = 1; life <= 3; life++) {
        cr_assert(start(&desk, RECORDER_BYTES_MAX));
        step(&desk, 10 * life);
        stop(&desk);
    }
    cr_assert_eq(replay(desk.path).event_count, 30);
    cr_assert_eq(replay(desk.aside).event_count, 20);
    desk_close(&desk);
}

/* Two daemons with the same file: the second would put the first one's aside. */
Test(recorder, what_is_being_recorded_is_left_alone)
{
    struct desk desk;

    desk_open(&desk);
    cr_assert(start(&desk, RECORDER_BYTES_MAX));
    struct recorder *second = recorder_open(desk.path, "doyen", &recorded_options, desk.now_ms,
                                            RECORDER_BYTES_MAX, &desk.log);
    cr_assert_null(second);
    assert_logged(&desk, "is being written by another process: choose another --record");

    step(&desk, 10);
    stop(&desk);
    cr_assert_eq(replay(desk.path).event_count, 10);
    cr_assert(start(&desk, RECORDER_BYTES_MAX), "the lock goes with the recording");
    stop(&desk);
    desk_close(&desk);
}

Test(recorder, what_is_not_a_recording_is_left_alone)
{
    struct desk desk;
    char text[16] = "";

    desk_open(&desk);
    FILE *file = fopen(desk.path, "w");
    cr_assert_not_null(file);
    fputs("a letter\n", file);
    fclose(file);

    cr_assert_not(start(&desk, RECORDER_BYTES_MAX));
    assert_logged(&desk, "is there and is not a recording: choose another --record");
    file = fopen(desk.path, "r");
    cr_assert(file != NULL && fgets(text, sizeof text, file) != NULL);
    fclose(file);
    cr_assert_str_eq(text, "a letter\n");

    snprintf(desk.path, sizeof desk.path, "%s/none/a.rec", desk.dir);
    cr_assert_not(start(&desk, RECORDER_BYTES_MAX));
    assert_logged(&desk, "No such file or directory: choose another --record");
    snprintf(desk.path, sizeof desk.path, "/dev/null/a.rec");
    cr_assert_not(start(&desk, RECORDER_BYTES_MAX));
    assert_logged(&desk, "cannot look at /dev/null/a.rec: Not a directory");
    snprintf(desk.path, sizeof desk.path, "%s/a.rec", desk.dir);
    desk_close(&desk);
}

/* A full disk, as a limit on the size of files. */
Test(recorder, a_file_that_cannot_grow_ends_the_recording_alone)
{
    struct desk desk;
    struct rlimit limit;

    desk_open(&desk);
    cr_assert(start(&desk, RECORDER_BYTES_MAX));
    (void)signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = 500;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    step(&desk, 1000);
    stop(&desk);

    assert_logged(&desk, "the recording ends here, the node goes on");
    const struct replay_outcome outcome = replay(desk.path);
    cr_assert_eq(outcome.verdict, REPLAY_SAME);
    cr_assert(outcome.torn);
    cr_assert_gt(outcome.event_count, 10);
    desk_close(&desk);
}

Test(recorder, without_one_nothing_is_recorded)
{
    const struct event event = {.type = EVENT_TICK, .now_ms = 1};

    recorder_input(NULL, &event, NULL, 0, NULL);
    recorder_output(NULL, NULL);
    recorder_close(NULL, NULL);
}
