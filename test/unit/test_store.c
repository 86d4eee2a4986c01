/* The state directory: what is written comes back, and nothing that happens to the file or to the
 * process in between leaves it half. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "base/hash.h"
#include "folder.h"
#include "runtime/disk/store.h"
#include "words/address_text.h"

enum { LOG_READ_MAX = 4096, STATE_MAX = 16384, RETRY_MS = 20 };

/* A directory, a loop, and a log that is read back. */
struct desk {
    char dir[64];
    char state[80];
    uv_loop_t loop;
    struct log log;
    int log_read;
};

static void desk_open(struct desk *desk)
{
    int ends[2];

    *desk = (struct desk){.dir = "/tmp/doyen-store-XXXXXX"};
    cr_assert_not_null(mkdtemp(desk->dir));
    snprintf(desk->state, sizeof desk->state, "%s/state", desk->dir);
    cr_assert_eq(uv_loop_init(&desk->loop), 0);
    cr_assert_eq(pipe(ends), 0);
    desk->log_read = ends[0];
    log_init(&desk->log, ends[1], LOG_INFO, LOG_TEXT, "athens");
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

static struct store *desk_store(struct desk *desk, struct stored *found)
{
    desk->log.second_ms = 0; /* Each in a second of its own, however many lines there are. */
    struct store *store = NULL;

    cr_assert(store_open(&desk->loop, desk->dir, RETRY_MS, &desk->log, found, &store));
    cr_assert_not_null(store);
    return store;
}

static bool is_refused(struct desk *desk, const char *dir)
{
    struct stored found;
    struct store *store = NULL;
    const bool refused = !store_open(&desk->loop, dir, RETRY_MS, &desk->log, &found, &store);

    cr_expect_null(store);
    return refused;
}

static void on_closed(void *context)
{
    bool *closed = context;

    *closed = true;
}

static void desk_close_store(struct desk *desk, struct store *store)
{
    bool closed = false;

    store_close(store, on_closed, &closed);
    cr_expect_not(closed, "closed before the loop ran");
    (void)uv_run(&desk->loop, UV_RUN_DEFAULT);
    cr_expect(closed);
}

static struct address address_of(const char *text)
{
    struct address address;

    cr_assert(address_parse(text, &address));
    return address;
}

static size_t file_read(const char *path, char out[STATE_MAX])
{
    FILE *file = fopen(path, "r");

    cr_assert_not_null(file, "%s", path);
    const size_t length = fread(out, 1, STATE_MAX - 1, file);
    fclose(file);
    out[length] = '\0';
    return length;
}

static void file_write(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

/* Leaves a state of one life, epoch 7 and two peers in the directory. */
static void desk_leave_state(struct desk *desk)
{
    struct stored found;
    struct store *store = desk_store(desk, &found);
    const struct stored stored = {.epoch_seen = 7,
                                  .peer_count = 2,
                                  .peers = {address_of("10.0.0.1:7420"), address_of("[::1]:1")}};

    store_write(store, &stored);
    desk_close_store(desk, store);
}

Test(store, what_was_written_is_found_again)
{
    struct desk desk;
    struct stored found;

    desk_open(&desk);
    desk_leave_state(&desk);

    struct store *store = desk_store(&desk, &found);
    cr_expect_eq(found.incarnation, 1);
    cr_expect_eq(found.epoch_seen, 7);
    cr_assert_eq(found.peer_count, 2);
    const struct address second = address_of("[::1]:1");
    cr_expect(address_equal(&found.peers[1], &second));
    desk_close_store(&desk, store);
    desk_close(&desk);
}

/* Killed without a word, a life still counts: its number is on disk before it begins. */
Test(store, each_life_counts_from_its_beginning)
{
    struct desk desk;

    desk_open(&desk);
    for (uint64_t life = 0; life < 3; life++) {
        struct stored found;
        char text[STATE_MAX];
        char expected[40];
        struct store *store = desk_store(&desk, &found);

        cr_expect_eq(found.incarnation, life);
        snprintf(expected, sizeof expected, "incarnation=%d\n", (int)life + 1);
        file_read(desk.state, text);
        cr_expect_not_null(strstr(text, expected));
        desk_close_store(&desk, store);
    }
    desk_close(&desk);
}

Test(store, incarnation_and_epoch_never_fall)
{
    struct desk desk;
    struct stored found;

    desk_open(&desk);
    desk_leave_state(&desk);
    struct store *store = desk_store(&desk, &found);
    store_write(store, &(struct stored){.incarnation = 0, .epoch_seen = 3});
    desk_close_store(&desk, store);

    store = desk_store(&desk, &found);
    cr_expect_eq(found.incarnation, 2);
    cr_expect_eq(found.epoch_seen, 7);
    cr_expect_eq(found.peer_count, 0);
    desk_close_store(&desk, store);
    desk_close(&desk);
}

Test(store, of_many_writes_the_latest_is_on_disk_after_closing)
{
    struct desk desk;
    struct stored found;

    desk_open(&desk);
    struct store *store = desk_store(&desk, &found);
    for (uint64_t epoch = 1; epoch <= 100; epoch++) {
        store_write(store, &(struct stored){.epoch_seen = epoch});
    }
    desk_close_store(&desk, store);

    store = desk_store(&desk, &found);
    cr_expect_eq(found.epoch_seen, 100);
    desk_close_store(&desk, store);
    desk_close(&desk);
}

/* Every length of the file but the whole one is damage; none may be taken for a state. */
Test(store, a_torn_file_is_put_aside)
{
    struct desk desk;
    char whole[STATE_MAX];

    desk_open(&desk);
    desk_leave_state(&desk);
    const size_t length = file_read(desk.state, whole);
    for (size_t cut = 0; cut < length; cut++) {
        struct stored found;
        char line[LOG_READ_MAX];

        file_write(desk.state, whole, cut);
        struct store *store = desk_store(&desk, &found);
        cr_expect_eq(found.incarnation, 0, "cut at %zu", cut);
        cr_expect_eq(found.peer_count, 0, "cut at %zu", cut);
        desk_read_log(&desk, line);
        cr_expect_not_null(strstr(line, "warn  store: "), "%s", line);
        cr_expect_not_null(strstr(line, "kept as state.bad"), "%s", line);
        desk_close_store(&desk, store);
    }
    desk_close(&desk);
}

Test(store, a_changed_byte_is_damage)
{
    struct desk desk;
    char whole[STATE_MAX];

    desk_open(&desk);
    desk_leave_state(&desk);
    const size_t length = file_read(desk.state, whole);
    for (size_t at = 0; at < length; at++) {
        struct stored found;
        char line[LOG_READ_MAX];

        whole[at] ^= 1;
        file_write(desk.state, whole, length);
        whole[at] ^= 1;
        struct store *store = desk_store(&desk, &found);
        cr_expect_eq(found.incarnation, 0, "byte %zu", at);
        desk_read_log(&desk, line);
        desk_close_store(&desk, store);
    }
    desk_close(&desk);
}

Test(store, what_was_put_aside_is_what_was_there)
{
    static const char future[] = "doyen-state 2\nanything\n";
    struct desk desk;
    struct stored found;
    char text[STATE_MAX];
    char line[LOG_READ_MAX];
    char bad[90];

    desk_open(&desk);
    file_write(desk.state, future, strlen(future));
    struct store *store = desk_store(&desk, &found);
    desk_read_log(&desk, line);
    cr_expect_not_null(strstr(line, "damaged or of another version"));
    snprintf(bad, sizeof bad, "%s.bad", desk.state);
    file_read(bad, text);
    cr_expect_str_eq(text, future);
    desk_close_store(&desk, store);
    desk_close(&desk);
}

/* Writes a state file with these lines, and their checksum. */
static void leave_lines(const struct desk *desk, const char *lines)
{
    char text[STATE_MAX];
    const unsigned long long sum = hash_bytes(HASH_START, lines, strlen(lines));
    const int length = snprintf(text, sizeof text, "%schecksum=%016llx\n", lines, sum);

    file_write(desk->state, text, (size_t)length);
}

Test(store, what_a_later_version_added_is_passed_over)
{
    static const char *const damaged[] = {
        "doyen-state 1\nincarnation=7\nno value\n", "doyen-state 1\nincarnation=7\n=9\n",
        "doyen-state 1\nincarnation=7\nPeer=9\n", "doyen-state 1\nincarnation=seven\n"};
    struct desk desk;
    struct stored found;
    char line[LOG_READ_MAX];

    desk_open(&desk);
    leave_lines(&desk, "doyen-state 1\nincarnation=7\nfavourite_colour=blue\nepoch_seen=9\n"
                       "peer=10.0.0.1:7420\nlater=\n");
    struct store *store = desk_store(&desk, &found);
    cr_expect_eq(found.incarnation, 7);
    cr_expect_eq(found.epoch_seen, 9);
    cr_expect_eq(found.peer_count, 1);
    desk_close_store(&desk, store);
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        leave_lines(&desk, damaged[i]);
        store = desk_store(&desk, &found);
        cr_expect_eq(found.incarnation, 0, "%s", damaged[i]);
        desk_read_log(&desk, line);
        desk_close_store(&desk, store);
    }
    desk_close(&desk);
}

Test(store, two_daemons_cannot_share_a_directory)
{
    struct desk desk;
    struct stored found;
    char line[LOG_READ_MAX];

    desk_open(&desk);
    struct store *store = desk_store(&desk, &found);
    cr_expect(is_refused(&desk, desk.dir));
    desk_read_log(&desk, line);
    cr_expect_not_null(strstr(line, "belongs to another daemon: stop that one, or choose another"),
                       "%s", line);
    desk_close_store(&desk, store);

    store = desk_store(&desk, &found); /* The lock goes with its holder. */
    desk_close_store(&desk, store);
    desk_close(&desk);
}

/* Holds the lock until it ends, a moment after it said so. */
static void hold_for_a_moment(const char *dir, int ready)
{
    char path[80];

    snprintf(path, sizeof path, "%s/lock", dir);
    const int lock = open(path, O_RDWR | O_CREAT, 0600);
    const bool held = flock(lock, LOCK_EX | LOCK_NB) == 0;
    (void)!write(ready, held ? "y" : "n", 1);
    uv_sleep(50);
    _exit(0);
}

Test(store, one_that_is_ending_is_waited_for)
{
    struct desk desk;
    struct stored found;
    int ends[2];
    char held = 0;

    desk_open(&desk);
    cr_assert_eq(pipe(ends), 0);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        hold_for_a_moment(desk.dir, ends[1]);
    }
    cr_assert_eq(read(ends[0], &held, 1), 1);
    cr_assert_eq(held, 'y');
    struct store *store = desk_store(&desk, &found);
    cr_expect_not_null(store);
    cr_expect_eq(waitpid(child, NULL, 0), child);
    desk_close_store(&desk, store);
    close(ends[0]);
    close(ends[1]);
    desk_close(&desk);
}

Test(store, a_missing_directory_is_made_for_its_owner_alone)
{
    struct desk desk;
    struct stored found;
    struct stat status;

    desk_open(&desk);
    cr_assert_eq(rmdir(desk.dir), 0);
    struct store *store = desk_store(&desk, &found);
    cr_assert_eq(stat(desk.dir, &status), 0);
    cr_expect_eq(status.st_mode & 0777, 0700);
    desk_close_store(&desk, store);
    desk_close(&desk);
}

Test(store, a_directory_that_cannot_be_made_is_refused_with_its_remedy)
{
    struct desk desk;
    char line[LOG_READ_MAX];
    char dir[100];

    desk_open(&desk);
    snprintf(dir, sizeof dir, "%s/no/such", desk.dir);
    cr_expect(is_refused(&desk, dir));
    desk_read_log(&desk, line);
    cr_expect_not_null(strstr(line, "make it, or choose another --state-dir"), "%s", line);

    file_write(desk.state, "", 0);
    cr_expect(is_refused(&desk, desk.state));
    desk_read_log(&desk, line);
    cr_expect_not_null(strstr(line, "choose another --state-dir"), "%s", line);
    desk_close(&desk);
}

/* A directory in the new file's place lets every write fail, whoever runs the test. */
Test(store, a_failing_write_is_logged_once_and_tried_again)
{
    struct desk desk;
    struct stored found;
    char line[LOG_READ_MAX];
    char in_the_way[90];

    desk_open(&desk);
    struct store *store = desk_store(&desk, &found);
    snprintf(in_the_way, sizeof in_the_way, "%s.new", desk.state);
    cr_assert_eq(mkdir(in_the_way, 0700), 0);
    for (uint64_t epoch = 1; epoch <= 3; epoch++) {
        store_write(store, &(struct stored){.epoch_seen = epoch});
        (void)uv_run(&desk.loop, UV_RUN_DEFAULT);
    }
    desk_read_log(&desk, line);
    cr_expect_not_null(strstr(line, "trying again every"), "%s", line);
    cr_expect_eq(strchr(line, '\n') + 1, line + strlen(line), "more than one line: %s", line);

    cr_assert_eq(rmdir(in_the_way), 0);
    store_write(store, &(struct stored){.epoch_seen = 4});
    desk_close_store(&desk, store);
    desk_read_log(&desk, line);
    cr_expect_not_null(strstr(line, "is written again"), "%s", line);

    store = desk_store(&desk, &found);
    cr_expect_eq(found.epoch_seen, 4);
    desk_close_store(&desk, store);
    desk_close(&desk);
}

static void on_idle(uv_idle_t *idle)
{
    (void)idle;
}

/* Puts a small disk of its own in the place of the directory. */
static void mount_disk(const struct desk *desk, const char *options)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", desk->dir, "tmpfs", 0, options) != 0) {
        cr_skip_test("no mounts here: %s", strerror(errno));
    }
}

/* And fills it. */
static void fill_disk(const struct desk *desk)
{
    char path[90];
    char block[4096] = "";

    mount_disk(desk, "size=64k,mode=0700");
    snprintf(path, sizeof path, "%s/filler", desk->dir);
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    cr_assert_geq(fd, 0);
    while (write(fd, block, sizeof block) > 0) {
        /* Until there is no room. */
    }
    cr_assert_eq(errno, ENOSPC);
    close(fd);
}

/* There is no room from the start; the life is counted when there is. */
Test(store, a_full_disk_is_no_obstacle, .timeout = 60)
{
    struct desk desk;
    struct stored found;
    char line[LOG_READ_MAX];
    char text[STATE_MAX] = "";
    char filler[90];

    desk_open(&desk);
    fill_disk(&desk);
    struct store *store = desk_store(&desk, &found);
    cr_assert_not_null(store);
    cr_expect_eq(found.incarnation, 0);
    desk_read_log(&desk, line);
    cr_expect_not_null(strstr(line, "No space left on device: going on without"), "%s", line);

    snprintf(filler, sizeof filler, "%s/filler", desk.dir);
    cr_assert_eq(unlink(filler), 0);
    uv_idle_t others;
    (void)uv_idle_init(&desk.loop, &others);
    (void)uv_idle_start(&others, on_idle);
    while (strstr(text, "incarnation=1\n") == NULL) {
        (void)uv_run(&desk.loop, UV_RUN_ONCE);
        if (access(desk.state, R_OK) == 0) {
            file_read(desk.state, text);
        }
    }
    uv_close((uv_handle_t *)&others, NULL);
    desk_close_store(&desk, store);
    desk_read_log(&desk, line);
    cr_expect_not_null(strstr(line, "is written again"), "%s", line);
    (void)umount(desk.dir);
    desk_close(&desk);
}

/* A first start: there is no room for the directory, or for the lock in it. */
Test(store, no_room_for_a_directory_is_no_obstacle, .timeout = 60)
{
    static const char *const disks[] = {"nr_inodes=1,mode=0700", "nr_inodes=2,mode=0700"};

    for (size_t i = 0; i < sizeof disks / sizeof disks[0]; i++) {
        struct desk desk;
        struct stored found = {.incarnation = 0};
        struct complaint complaint;
        struct store *store = NULL;
        char line[LOG_READ_MAX];
        char dir[100];

        desk_open(&desk);
        mount_disk(&desk, disks[i]);
        snprintf(dir, sizeof dir, "%s/state", desk.dir);
        cr_expect(store_check(dir, false, &complaint), "%s: %s", disks[i], complaint.text);
        cr_expect(store_open(&desk.loop, dir, RETRY_MS, &desk.log, &found, &store));
        cr_expect_null(store);
        desk_read_log(&desk, line);
        cr_expect_not_null(strstr(line, "No space left on device: going on without"), "%s", line);
        cr_expect_not(store_check(dir, true, &complaint), "%s: a voter needs it", disks[i]);
        (void)umount(desk.dir);
        desk_close(&desk);
    }
}

/* The disk had room again, and nothing else happened. */
Test(store, a_failed_write_is_done_when_it_can_be_without_another_change, .timeout = 60)
{
    uv_idle_t others;
    struct desk desk;
    struct stored found;
    char line[LOG_READ_MAX];
    char text[STATE_MAX] = "";
    char in_the_way[90];

    desk_open(&desk);
    struct store *store = desk_store(&desk, &found);
    snprintf(in_the_way, sizeof in_the_way, "%s.new", desk.state);
    cr_assert_eq(mkdir(in_the_way, 0700), 0);
    store_write(store, &(struct stored){.epoch_seen = 5});
    (void)uv_run(&desk.loop, UV_RUN_DEFAULT);
    desk_read_log(&desk, line);
    cr_expect_not_null(strstr(line, "cannot write"), "%s", line);

    cr_assert_eq(rmdir(in_the_way), 0);
    (void)uv_idle_init(&desk.loop, &others); /* A daemon has more on its loop than this store. */
    (void)uv_idle_start(&others, on_idle);
    while (strstr(text, "epoch_seen=5\n") == NULL) {
        (void)uv_run(&desk.loop, UV_RUN_ONCE);
        file_read(desk.state, text);
    }
    uv_close((uv_handle_t *)&others, NULL);
    desk_close_store(&desk, store);
    desk_read_log(&desk, line);
    cr_expect_not_null(strstr(line, "is written again"), "%s", line);
    desk_close(&desk);
}

/* --- What others may have put there --- */

/* Expects that the directory as it is now is refused with these words, by the check as well. */
static void desk_expect_refused(struct desk *desk, const char *words)
{
    struct complaint complaint;
    char line[LOG_READ_MAX];

    cr_expect(is_refused(desk, desk->dir));
    desk_read_log(desk, line);
    cr_expect_not_null(strstr(line, words), "%s", line);
    cr_expect_not_null(strstr(line, "choose another --state-dir"), "%s", line);
    cr_expect_not(store_check(desk->dir, false, &complaint));
    cr_expect_not_null(strstr(complaint.text, words), "%s", complaint.text);
}

/* One of these files would be read, cut off or written in place of ours. */
Test(store, a_file_that_somebody_else_chose_is_refused)
{
    static const char *const names[] = {"state", "lock"};
    struct desk desk;
    char path[90];
    char target[90];
    char text[STATE_MAX];

    desk_open(&desk);
    snprintf(target, sizeof target, "%s/target", desk.dir);
    file_write(target, "precious", 8);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", desk.dir, names[i]);
        (void)unlink(path); /* The lock was made. */
        cr_assert_eq(symlink(target, path), 0);
        desk_expect_refused(&desk, "it is a symbolic link");
        cr_assert_eq(unlink(path), 0);
        cr_assert_eq(link(target, path), 0);
        desk_expect_refused(&desk, "more than one name");
        cr_assert_eq(unlink(path), 0);
        cr_assert_eq(mkfifo(path, 0600), 0);
        desk_expect_refused(&desk, "no regular file");
        cr_assert_eq(unlink(path), 0);
        if (geteuid() == 0) {
            file_write(path, "", 0);
            cr_assert_eq(chown(path, 65534, 65534), 0);
            desk_expect_refused(&desk, "belongs to the account 65534");
            cr_assert_eq(unlink(path), 0);
        }
    }
    file_read(target, text);
    cr_expect_str_eq(text, "precious");
    desk_close(&desk);
}

/* The finding: root wrote through the link, and then had the link for its state. */
Test(store, a_link_in_the_new_files_place_is_replaced_and_not_followed)
{
    struct desk desk;
    struct stored found;
    struct stat status;
    char path[90];
    char target[90];
    char text[STATE_MAX];

    desk_open(&desk);
    snprintf(target, sizeof target, "%s/target", desk.dir);
    file_write(target, "precious", 8);
    snprintf(path, sizeof path, "%s.new", desk.state);
    cr_assert_eq(symlink(target, path), 0);
    struct store *store = desk_store(&desk, &found);
    desk_close_store(&desk, store);
    file_read(target, text);
    cr_expect_str_eq(text, "precious");
    cr_assert_eq(lstat(desk.state, &status), 0);
    cr_expect(S_ISREG(status.st_mode));
    cr_expect_eq(status.st_mode & 0777, 0600);
    desk_close(&desk);
}

Test(store, a_directory_that_others_may_change_is_refused)
{
    struct desk desk;

    desk_open(&desk);
    cr_assert_eq(chmod(desk.dir, 0770), 0);
    desk_expect_refused(&desk, "other accounts may write to it");
    cr_assert_eq(chmod(desk.dir, 01777), 0);
    desk_expect_refused(&desk, "other accounts may write to it");
    cr_assert_eq(chmod(desk.dir, 0755), 0);
    if (geteuid() == 0) {
        cr_assert_eq(chown(desk.dir, 65534, 65534), 0);
        desk_expect_refused(&desk, "it belongs to the account 65534");
        cr_assert_eq(chown(desk.dir, 0, 0), 0);
    }
    desk_close(&desk);
}
