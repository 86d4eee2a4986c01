/* The file of a voter's record: what was acknowledged is found again, the newest is written once,
 * and what is not this voter's record is left as it is (Z1c, Z3). */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "base/text.h"
#include "folder.h"
#include "refused_call.h"
#include "runtime/disk/voter_recovery.h"
#include "runtime/disk/voter_store.h"
#include "view_builder.h"

enum { LOG_READ_MAX = 4096, RECORD_MAX = 16384, ACKNOWLEDGED_MAX = 16 };

/* A directory, a loop, a log that is read back, and what was acknowledged. */
struct desk {
    char dir[64];
    char file[80];
    uv_loop_t loop;
    struct log log;
    int log_read;
    struct config config;
    struct voter_store *store;

    uint32_t count;
    uint64_t numbers[ACKNOWLEDGED_MAX];
    bool ok[ACKNOWLEDGED_MAX];
};

static void on_synced(void *context, uint64_t number, bool ok)
{
    struct desk *desk = context;

    cr_assert_lt(desk->count, ACKNOWLEDGED_MAX);
    desk->numbers[desk->count] = number;
    desk->ok[desk->count++] = ok;
}

static void desk_open(struct desk *desk)
{
    int ends[2];

    *desk = (struct desk){.dir = "/tmp/doyen-voter-XXXXXX",
                          .config = {.name = "athens",
                                     .cluster = "doyen",
                                     .capacity = 16,
                                     .guard = {.policy = GUARD_STRICT, .count = 3},
                                     .voters = {.count = 3, .names = {"athens", "b", "c"}}}};
    cr_assert_not_null(mkdtemp(desk->dir));
    snprintf(desk->file, sizeof desk->file, "%s/voter", desk->dir);
    cr_assert(text_set(desk->config.state_dir, sizeof desk->config.state_dir, desk->dir,
                       strlen(desk->dir)));
    cr_assert_eq(uv_loop_init(&desk->loop), 0);
    cr_assert_eq(pipe(ends), 0);
    desk->log_read = ends[0];
    log_init(&desk->log, ends[1], LOG_INFO, LOG_TEXT, "athens");
}

static bool desk_start(struct desk *desk)
{
    const struct voter_place place = voter_place_of(&desk->config);
    desk->store = voter_store_open(&desk->loop, &place, &desk->log, on_synced, desk);
    return desk->store != NULL;
}

static void desk_stop(struct desk *desk)
{
    voter_store_close(desk->store, NULL, NULL);
    (void)uv_run(&desk->loop, UV_RUN_DEFAULT);
}

static void desk_close(struct desk *desk)
{
    folder_remove(desk->dir);
    cr_expect_eq(uv_loop_close(&desk->loop), 0, "the store left something on the loop");
    close(desk->log_read);
    close(desk->log.fd);
}

/* All that was logged so far; the pipe must hold something. */
static void desk_read_log(struct desk *desk, char out[LOG_READ_MAX])
{
    const ssize_t got = read(desk->log_read, out, LOG_READ_MAX - 1);

    cr_assert_geq(got, 0);
    out[got] = '\0';
}

static struct vote_record record_bound_to(uint64_t epoch)
{
    return (struct vote_record){.id = member_of('r').id,
                                .lineage = 7,
                                .state = VOTE_RECORD_FOUNDED,
                                .promise = {.epoch = epoch, .life = member_of('B').id},
                                .lease_ms = 700};
}

/* Leaves a record with that promise in the directory. */
static void desk_leave_record(struct desk *desk, uint64_t epoch)
{
    const struct vote_record record = record_bound_to(epoch);

    cr_assert(desk_start(desk));
    voter_store_write(desk->store, 1, &record);
    (void)uv_run(&desk->loop, UV_RUN_DEFAULT);
    desk_stop(desk);
    desk->count = 0;
}

static size_t file_read(const char *path, char out[RECORD_MAX])
{
    FILE *file = fopen(path, "r");

    cr_assert_not_null(file, "%s", path);
    const size_t length = fread(out, 1, RECORD_MAX, file);
    fclose(file);
    return length;
}

static void file_write(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

Test(voter_store, without_a_file_there_is_no_record_and_the_log_says_so)
{
    struct desk desk;
    char log[LOG_READ_MAX];

    desk_open(&desk);
    cr_assert(desk_start(&desk));
    cr_assert_null(voter_store_found(desk.store));
    cr_assert_not(voter_store_is_damaged(desk.store));
    desk_read_log(&desk, log);
    cr_assert_not_null(strstr(log, "no record in"), "%s", log);
    desk_stop(&desk);
    desk_close(&desk);
}

/* Z8i */
Test(voter_store, of_a_voter_that_has_lost_its_record_the_log_says_so)
{
    struct desk desk;
    struct built_view accepted = view_of("A B");
    struct vote_record record = record_bound_to(9);
    char log[LOG_READ_MAX];

    desk_open(&desk);
    record.state = VOTE_RECORD_RETIRED;
    record.accepted = &accepted.view;
    view_name_voters(&accepted.view, "A B");
    view_seal(&accepted.view);
    snprintf(desk.config.name, sizeof desk.config.name, "%s", accepted.view.voters.voters[0].name);
    cr_assert(desk_start(&desk));
    voter_store_write(desk.store, 1, &record);
    (void)uv_run(&desk.loop, UV_RUN_DEFAULT);
    desk_stop(&desk);
    cr_assert(desk_start(&desk));
    desk_read_log(&desk, log);
    cr_assert_not_null(strstr(log, "is retired: this node votes only"), "%s", log);
    desk_stop(&desk);
    view_built_free(&accepted);
    desk_close(&desk);
}

Test(voter_store, what_was_acknowledged_is_found_again)
{
    struct desk desk;
    struct built_view accepted = view_of("A B");
    struct vote_record record = record_bound_to(9);
    char text[64];

    desk_open(&desk);
    record.accepted = &accepted.view;
    cr_assert(desk_start(&desk));
    voter_store_write(desk.store, 4, &record);
    view_clear(&accepted.view); /* It was copied. */
    cr_assert_eq(desk.count, 0, "not before the loop runs");
    (void)uv_run(&desk.loop, UV_RUN_DEFAULT);
    cr_assert_eq(desk.count, 1);
    cr_assert_eq(desk.numbers[0], 4);
    cr_assert(desk.ok[0]);
    cr_assert_gt(voter_store_times(desk.store).last_us, 0);
    desk_stop(&desk);

    cr_assert(desk_start(&desk));
    const struct vote_record *found = voter_store_found(desk.store);
    cr_assert_not_null(found);
    cr_assert(id_equal(&found->id, &record.id));
    cr_assert_eq(found->lineage, 7);
    cr_assert_eq(found->state, VOTE_RECORD_FOUNDED);
    cr_assert(ballot_equal(&found->promise, &record.promise));
    cr_assert_eq(found->lease_ms, 700);
    cr_assert_str_eq(view_text(found->accepted, text, sizeof text), "A B");
    desk_stop(&desk);
    view_built_free(&accepted);
    desk_close(&desk);
}

/* Of what comes while the disk is busy, the newest is written, and answers for all. */
Test(voter_store, the_newest_of_many_is_written_once)
{
    struct desk desk;

    desk_open(&desk);
    cr_assert(desk_start(&desk));
    for (uint64_t number = 1; number <= 9; number++) {
        const struct vote_record record = record_bound_to(number);
        voter_store_write(desk.store, number, &record);
    }
    (void)uv_run(&desk.loop, UV_RUN_DEFAULT);
    cr_assert_eq(desk.count, 2, "the first, and the last for all after it");
    cr_assert_eq(desk.numbers[0], 1);
    cr_assert_eq(desk.numbers[1], 9);
    desk_stop(&desk);
    cr_assert(desk_start(&desk));
    cr_assert_eq(voter_store_found(desk.store)->promise.epoch, 9);
    desk_stop(&desk);
    desk_close(&desk);
}

/* Whoever ends is told nothing any more: no answer goes out after it. */
Test(voter_store, closing_tells_nobody)
{
    struct desk desk;
    const struct vote_record record = record_bound_to(1);

    desk_open(&desk);
    cr_assert(desk_start(&desk));
    voter_store_write(desk.store, 1, &record);
    voter_store_write(desk.store, 2, &record);
    desk_stop(&desk);
    cr_assert_eq(desk.count, 0);
    desk_close(&desk);
}

/* Z3c */
Test(voter_store, a_write_that_fails_is_said_and_not_acknowledged)
{
    struct desk desk;
    const struct vote_record record = record_bound_to(1);
    char log[LOG_READ_MAX];
    char blocked[96];

    desk_open(&desk);
    cr_assert(desk_start(&desk));
    desk_read_log(&desk, log);
    snprintf(blocked, sizeof blocked, "%s/voter.new", desk.dir);
    cr_assert_eq(mkdir(blocked, 0700), 0); /* So that not even root can write there. */
    voter_store_write(desk.store, 1, &record);
    (void)uv_run(&desk.loop, UV_RUN_DEFAULT);
    cr_assert_eq(desk.count, 1);
    cr_assert_not(desk.ok[0]);
    desk_read_log(&desk, log);
    cr_assert_not_null(strstr(log, "this node does not vote until it can"), "%s", log);

    voter_store_write(desk.store, 2, &record); /* One more is no news, and no success. */
    (void)uv_run(&desk.loop, UV_RUN_DEFAULT);
    cr_assert_eq(rmdir(blocked), 0);
    voter_store_write(desk.store, 3, &record);
    (void)uv_run(&desk.loop, UV_RUN_DEFAULT);
    cr_assert_eq(desk.count, 3);
    cr_assert(!desk.ok[1] && desk.ok[2]);
    desk_read_log(&desk, log);
    const char *again = strstr(log, "is written again: this node votes");
    cr_assert_not_null(again, "%s", log);
    cr_assert_null(strstr(again + 1, "is written again"), "%s", log);
    desk_stop(&desk);
    desk_close(&desk);
}

/* Z3b: it is no record, it is said, and it stays. */
static void check_left_alone(struct desk *desk, const char *said)
{
    char before[RECORD_MAX];
    char after[RECORD_MAX];
    char log[LOG_READ_MAX];
    const size_t length = file_read(desk->file, before);

    cr_assert(desk_start(desk));
    cr_assert_null(voter_store_found(desk->store));
    cr_assert(voter_store_is_damaged(desk->store));
    desk_read_log(desk, log);
    cr_assert_not_null(strstr(log, said), "%s", log);
    cr_assert_not_null(strstr(log, "does not vote"), "%s", log);
    desk_stop(desk);
    cr_assert_eq(file_read(desk->file, after), length);
    cr_assert_eq(memcmp(before, after, length), 0);
}

Test(voter_store, a_damaged_file_is_left_alone)
{
    struct desk desk;
    char bytes[RECORD_MAX];

    desk_open(&desk);
    desk_leave_record(&desk, 3);
    const size_t length = file_read(desk.file, bytes);
    bytes[length / 2] ^= 1;
    file_write(desk.file, bytes, length);
    check_left_alone(&desk, "is damaged");
    file_write(desk.file, "", 0);
    check_left_alone(&desk, "is damaged");
    file_write(desk.file, "hello", 5);
    check_left_alone(&desk, "no record of a voter");
    desk_close(&desk);
}

Test(voter_store, the_record_of_another_is_left_alone)
{
    struct desk desk;

    desk_open(&desk);
    desk_leave_record(&desk, 3);
    const struct config ours = desk.config;

    (void)text_set(desk.config.cluster, sizeof desk.config.cluster, "other", 5);
    check_left_alone(&desk, "is the record of athens, cluster doyen:");
    desk.config = ours;
    (void)text_set(desk.config.name, sizeof desk.config.name, "b", 1);
    check_left_alone(&desk, "is the record of athens");
    desk.config = ours;
    cr_assert(desk_start(&desk));
    cr_assert_not_null(voter_store_found(desk.store), "and it is there for its own");
    desk_stop(&desk);
    desk_close(&desk);
}

/* Z13a: whom a view names votes, whatever the cluster was to be founded with. */
Test(voter_store, a_record_is_its_voters_whatever_voters_the_options_name)
{
    struct desk desk;

    desk_open(&desk);
    desk_leave_record(&desk, 3);
    desk.config.voters = (struct voters){.count = 2, .names = {"x", "y"}};
    cr_assert(desk_start(&desk));
    cr_assert_not_null(voter_store_found(desk.store));
    cr_assert_not(voter_store_is_damaged(desk.store));
    desk_stop(&desk);
    desk_close(&desk);
}

static void check_refused(struct desk *desk, const char *said)
{
    struct complaint complaint = {.exit_code = 0};
    char log[LOG_READ_MAX];

    cr_assert_not(voter_store_allows(&desk->config, &complaint));
    cr_assert_eq(complaint.exit_code, EXIT_CONFIGURATION);
    snprintf(log, sizeof log, "%s/voter is %s", desk->dir, said);
    cr_assert_str_eq(complaint.text, log);
}

/* Z3d: others act by its word, which no other guard asks for. */
Test(voter_store, under_another_guard_a_record_is_refused)
{
    static const enum guard_policy others[] = {GUARD_NONE, GUARD_MAJORITY, GUARD_COUNT};
    struct complaint complaint;
    struct desk desk;

    desk_open(&desk);
    desk.config.guard.policy = GUARD_NONE;
    cr_assert(voter_store_allows(&desk.config, &complaint), "there is none yet");
    desk.config.guard.policy = GUARD_STRICT;
    desk_leave_record(&desk, 3);
    cr_assert(voter_store_allows(&desk.config, &complaint));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        desk.config.guard.policy = others[i];
        check_refused(&desk, "the record of a voter, by whose word others may act: start with "
                             "--guard strict, or, to leave that for good, stop all nodes and "
                             "remove this file at each voter");
    }
    file_write(desk.file, "hello", 5);
    cr_assert_not(voter_store_allows(&desk.config, &complaint), "nor one that is damaged");
    desk.config.state_dir[0] = '\0';
    cr_assert(voter_store_allows(&desk.config, &complaint), "it has no directory");
    desk_close(&desk);
}

/* Z15b: for how long it is bound nobody knows. */
Test(voter_store, a_record_of_another_format_is_refused)
{
    struct complaint complaint;
    struct desk desk;
    char bytes[RECORD_MAX];

    desk_open(&desk);
    desk_leave_record(&desk, 3);
    const size_t length = file_read(desk.file, bytes);
    bytes[8] = 1;
    file_write(desk.file, bytes, length);
    check_refused(&desk, "a voter's record of format 1, which does not say all that it is "
                         "bound to; this doyend has format 5: stop all nodes, remove this file at "
                         "each voter, and start them to found the cluster anew");
    bytes[8] = VOTER_FILE_VERSION + 1;
    file_write(desk.file, bytes, length);
    check_refused(&desk, "a voter's record of format 6, of a later doyend; this doyend has format "
                         "5: start the later one, and keep the file");
    (void)text_set(desk.config.name, sizeof desk.config.name, "x", 1);
    cr_assert_not(voter_store_allows(&desk.config, &complaint), "a view may name it");
    desk_close(&desk);
}

Test(voter_store, a_view_beyond_the_capacity_is_refused_with_the_remedy)
{
    struct desk desk;
    struct built_view accepted = view_of("A B C");
    struct vote_record record = record_bound_to(1);
    char log[LOG_READ_MAX];

    desk_open(&desk);
    record.accepted = &accepted.view;
    cr_assert(desk_start(&desk));
    voter_store_write(desk.store, 1, &record);
    (void)uv_run(&desk.loop, UV_RUN_DEFAULT);
    desk_stop(&desk);
    desk_read_log(&desk, log);
    desk.config.capacity = 2;
    cr_assert_not(desk_start(&desk));
    desk_read_log(&desk, log);
    cr_assert_not_null(strstr(log, "a view of 3 members, more than --capacity 2: raise it"), "%s",
                       log);
    view_built_free(&accepted);
    desk_close(&desk);
}

/* One that was killed after it had put the record there, and before the directory was on disk, is
 * started again: who votes by that record must find it after a loss of power, too. */
Test(voter_store, what_is_found_is_on_disk_before_anybody_goes_by_it)
{
    struct desk desk;
    char log[LOG_READ_MAX];

    desk_open(&desk);
    desk_leave_record(&desk, 3);
    refuse_call(SYS_fsync, EIO);
    cr_assert_not(desk_start(&desk));
    desk_read_log(&desk, log);
    cr_assert_not_null(strstr(log, "Input/output error"), "%s", log);
    desk_close(&desk);
}

/* In a process of its own, for the test's reads, too. Returns what it ends with. */
static int recover_unread(const struct config *config)
{
    struct voter_recovery recovery;
    struct complaint complaint = {.exit_code = 0};
    int status;
    const pid_t child = fork();

    if (child == 0) {
        refuse_call(SYS_read, EIO);
        const bool opened = voter_recovery_open(&recovery, config, &complaint);
        voter_recovery_close(&recovery); /* Frees it once. */
        _exit(opened || strstr(complaint.text, "Input/output error") == NULL);
    }
    cr_assert(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

Test(voter_store, what_cannot_be_read_is_no_record_to_recover)
{
    struct desk desk;

    desk_open(&desk);
    desk_leave_record(&desk, 3);
    cr_assert_eq(recover_unread(&desk.config), 0);
    desk_close(&desk);
}

/* A process that was killed in the middle of a write leaves the record that was acknowledged. */
Test(voter_store, what_is_half_written_does_not_count)
{
    struct desk desk;
    char half[96];

    desk_open(&desk);
    desk_leave_record(&desk, 5);
    snprintf(half, sizeof half, "%s/voter.new", desk.dir);
    file_write(half, "doyenvot", 8);
    cr_assert(desk_start(&desk));
    cr_assert_eq(voter_store_found(desk.store)->promise.epoch, 5);
    desk_stop(&desk);
    desk_close(&desk);
}

Test(voter_store, a_check_finds_what_would_keep_it_from_starting)
{
    struct desk desk;
    struct complaint complaint;

    desk_open(&desk);
    struct voter_place place = voter_place_of(&desk.config);
    cr_assert(voter_store_check(&place, &complaint), "without a record");
    desk_leave_record(&desk, 3);
    cr_assert(voter_store_check(&place, &complaint));
    place.name = "b";
    cr_assert_not(voter_store_check(&place, &complaint));
    cr_assert_not_null(strstr(complaint.text, "is the record of athens, cluster doyen"), "%s",
                       complaint.text);
    place.name = "athens";
    file_write(desk.file, "doyenvot", 8);
    cr_assert_not(voter_store_check(&place, &complaint));
    cr_assert_not_null(strstr(complaint.text, "this node does not vote"), "%s", complaint.text);
    place.dir = "/dev/null";
    cr_assert_not(voter_store_check(&place, &complaint));
    cr_assert_not_null(strstr(complaint.text, "cannot read /dev/null/voter: Not a directory"), "%s",
                       complaint.text);
    desk_close(&desk);
}
