/* Lines that outlive the process: what is appended comes back in order, the file stays bounded, and
 * neither a torn line nor a damaged file keeps the next life from going on. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <uv.h>

#include "folder.h"
#include "runtime/disk/journal_file.h"

enum { LOG_READ_MAX = 4096, TEXT_MAX = 256 * 1024 };

/* A directory, a loop, a log that is read back, and the lines that were found, each with its end.
 */
struct desk {
    char dir[64];
    uv_loop_t loop;
    struct log log;
    int log_read;
    struct journal_file *file;
    size_t found_lines;
    char found[TEXT_MAX];
};

static void on_found(void *context, const char *line, size_t length)
{
    struct desk *desk = context;
    const size_t used = strlen(desk->found);

    cr_assert_lt(used + length + 1, sizeof desk->found);
    memcpy(desk->found + used, line, length);
    memcpy(desk->found + used + length, "\n", 2);
    desk->found_lines++;
}

static struct desk *desk_new(void)
{
    struct desk *desk = calloc(1, sizeof *desk);
    int ends[2];

    cr_assert_not_null(desk);
    strcpy(desk->dir, "/tmp/doyen-events-XXXXXX");
    cr_assert_not_null(mkdtemp(desk->dir));
    cr_assert_eq(uv_loop_init(&desk->loop), 0);
    cr_assert_eq(pipe2(ends, O_NONBLOCK), 0);
    desk->log_read = ends[0];
    log_init(&desk->log, ends[1], LOG_INFO, LOG_TEXT, "athens");
    return desk;
}

static void desk_free(struct desk *desk)
{
    folder_remove(desk->dir);
    cr_expect_eq(uv_loop_close(&desk->loop), 0, "something was left on the loop");
    close(desk->log_read);
    close(desk->log.fd);
    free(desk);
}

static const char *path_of(const struct desk *desk, const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", desk->dir, name);
    return path;
}

static void begin_life(struct desk *desk)
{
    desk->found[0] = '\0';
    desk->found_lines = 0;
    desk->file = journal_file_open(&desk->loop, desk->dir, &desk->log, on_found, desk);
}

static void on_closed(void *context)
{
    *(bool *)context = true;
}

static void end_life(struct desk *desk)
{
    bool closed = false;

    journal_file_close(desk->file, on_closed, &closed);
    uv_run(&desk->loop, UV_RUN_DEFAULT);
    cr_expect(closed);
}

static void append(struct desk *desk, const char *line)
{
    journal_file_append(desk->file, line, strlen(line));
}

/* All that was logged so far; empty for nothing. */
static const char *log_of(struct desk *desk)
{
    static char text[LOG_READ_MAX];
    const ssize_t got = read(desk->log_read, text, sizeof text - 1);

    text[got > 0 ? got : 0] = '\0';
    return text;
}

static size_t line_count(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++) {
        count += *text == '\n';
    }
    return count;
}

static void write_lines(struct desk *desk, const char *lines[], size_t count)
{
    begin_life(desk);
    cr_assert_not_null(desk->file);
    for (size_t i = 0; i < count; i++) {
        append(desk, lines[i]);
    }
    end_life(desk);
}

static void change_byte(const struct desk *desk, const char *name, off_t at, int whence, char byte)
{
    const int fd = open(path_of(desk, name), O_RDWR);

    cr_assert_geq(fd, 0);
    cr_assert_geq(lseek(fd, at, whence), 0);
    cr_assert_eq(write(fd, &byte, 1), 1);
    close(fd);
}

Test(journal_file, what_was_appended_comes_back_in_every_later_life)
{
    struct desk *desk = desk_new();

    write_lines(desk, (const char *[]){"one", "two"}, 2);
    cr_expect_eq(desk->found_lines, 0);
    write_lines(desk, (const char *[]){"three"}, 1);
    cr_expect_str_eq(desk->found, "one\ntwo\n");
    begin_life(desk);
    cr_expect_str_eq(desk->found, "one\ntwo\nthree\n");
    end_life(desk);
    cr_expect_str_eq(log_of(desk), "");
    desk_free(desk);
}

Test(journal_file, the_newest_are_kept_and_the_files_stay_bounded)
{
    struct desk *desk = desk_new();
    char line[32];
    struct stat status;

    begin_life(desk);
    for (int i = 0; i < 5 * JOURNAL_FILE_LINES; i++) {
        snprintf(line, sizeof line, "line %d", i);
        append(desk, line);
        if (i % 64 == 0) {
            uv_run(&desk->loop, UV_RUN_DEFAULT); /* until it is written */
        }
    }
    end_life(desk);
    begin_life(desk);
    end_life(desk);

    cr_expect_geq(desk->found_lines, JOURNAL_FILE_LINES);
    cr_expect_leq(desk->found_lines, 2 * (JOURNAL_FILE_LINES + 64));
    snprintf(line, sizeof line, "line %d\n", 5 * JOURNAL_FILE_LINES - 1);
    cr_expect_not_null(strstr(desk->found, line));
    cr_expect_eq(stat(path_of(desk, "events.1"), &status), 0);
    cr_expect_lt(status.st_size, (off_t)(JOURNAL_FILE_LINES + 64) * 64);
    desk_free(desk);
}

/* Somebody took the file away, or a try to begin a new one came half-way. */
Test(journal_file, where_the_file_is_gone_a_new_one_is_begun)
{
    struct desk *desk = desk_new();

    begin_life(desk);
    for (int i = 0; i < JOURNAL_FILE_LINES; i++) {
        append(desk, "before");
        if (i % 64 == 0) {
            uv_run(&desk->loop, UV_RUN_DEFAULT);
        }
    }
    uv_run(&desk->loop, UV_RUN_DEFAULT);
    cr_assert_eq(unlink(path_of(desk, "events")), 0);
    append(desk, "one");
    uv_run(&desk->loop, UV_RUN_DEFAULT);
    append(desk, "two");
    end_life(desk);
    cr_expect_str_eq(log_of(desk), "");
    begin_life(desk);
    end_life(desk);
    cr_expect_str_eq(desk->found, "one\ntwo\n");
    desk_free(desk);
}

/* A host that lost power, or a full disk, may leave half a line, or zeros for one. */
Test(journal_file, a_torn_line_is_left_out_with_one_warning)
{
    struct desk *desk = desk_new();
    struct stat status;

    write_lines(desk, (const char *[]){"one", "two"}, 2);
    cr_assert_eq(stat(path_of(desk, "events"), &status), 0);
    cr_assert_eq(truncate(path_of(desk, "events"), status.st_size - 2), 0);

    write_lines(desk, (const char *[]){"three"}, 1);
    cr_expect_str_eq(desk->found, "one\n");
    const char *log = log_of(desk);
    cr_expect_eq(line_count(log), 1, "%s", log);
    cr_expect_not_null(strstr(log, "ends in the middle of a line"), "%s", log);
    cr_assert_eq(stat(path_of(desk, "events"), &status), 0);
    cr_assert_eq(truncate(path_of(desk, "events"), status.st_size + 100), 0);

    begin_life(desk);
    cr_expect_str_eq(desk->found, "one\nthree\n");
    end_life(desk);
    desk_free(desk);
}

Test(journal_file, a_damaged_file_is_put_aside_with_one_warning)
{
    struct desk *desk = desk_new();

    write_lines(desk, (const char *[]){"one", "two", "three"}, 3);
    change_byte(desk, "events", 18, SEEK_SET, 'x');

    write_lines(desk, (const char *[]){"four"}, 1);
    cr_expect_str_eq(desk->found, "");
    const char *log = log_of(desk);
    cr_expect_eq(line_count(log), 1, "%s", log);
    cr_expect_not_null(strstr(log, "is damaged: kept as events.bad"), "%s", log);
    cr_expect_eq(access(path_of(desk, "events.bad"), F_OK), 0);

    begin_life(desk);
    cr_expect_str_eq(desk->found, "four\n");
    end_life(desk);
    desk_free(desk);
}

Test(journal_file, what_is_no_such_file_is_put_aside)
{
    struct desk *desk = desk_new();
    const int fd = open(path_of(desk, "events"), O_WRONLY | O_CREAT, 0600);

    cr_assert_eq(write(fd, "\x01\x02 what is this?", 16), 16);
    close(fd);
    write_lines(desk, (const char *[]){"one"}, 1);
    cr_expect_eq(line_count(log_of(desk)), 1);
    begin_life(desk);
    cr_expect_str_eq(desk->found, "one\n");
    end_life(desk);
    desk_free(desk);
}

/* Nobody may lead this process to a file of its account's that is none of this module's. */
Test(journal_file, a_link_is_not_followed_and_nothing_is_kept)
{
    struct desk *desk = desk_new();

    cr_assert_eq(symlink("/dev/null", path_of(desk, "events")), 0);
    begin_life(desk);
    cr_expect_null(desk->file);
    const char *log = log_of(desk);
    cr_expect_eq(line_count(log), 1, "%s", log);
    cr_expect_not_null(strstr(log, "symbolic link"), "%s", log);
    desk_free(desk);
}

Test(journal_file, a_full_disk_is_told_once_and_leaves_no_half_line)
{
    struct desk *desk = desk_new();
    const int full = open("/dev/full", O_WRONLY);

    cr_assert_geq(full, 0);
    begin_life(desk);
    append(desk, "one");
    uv_run(&desk->loop, UV_RUN_DEFAULT);
    int fd = -1; /* of the file: the one that this process has open there */
    for (int i = 0; i < 64 && fd < 0; i++) {
        char link[32];
        char target[128] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", i);
        fd = readlink(link, target, sizeof target - 1) > 0 &&
                     strcmp(target, path_of(desk, "events")) == 0
                 ? i
                 : -1;
    }
    cr_assert_geq(fd, 0);
    const int good = dup(fd);
    cr_assert_eq(dup2(full, fd), fd);
    append(desk, "two");
    uv_run(&desk->loop, UV_RUN_DEFAULT);
    append(desk, "three");
    uv_run(&desk->loop, UV_RUN_DEFAULT);
    cr_assert_eq(dup2(good, fd), fd);
    append(desk, "four");
    end_life(desk);
    const char *log = log_of(desk);
    cr_expect_eq(line_count(log), 2, "%s", log);
    cr_expect_not_null(strstr(log, "No space left on device"), "%s", log);
    cr_expect_not_null(strstr(log, "is written again"), "%s", log);

    begin_life(desk);
    cr_expect_not_null(strstr(desk->found, "one\n"));
    cr_expect_not_null(strstr(desk->found, "four\n"));
    end_life(desk);
    close(good);
    close(full);
    desk_free(desk);
}

/* The state and the record of a voter are worth more than what happened long ago. */
Test(journal_file, events_give_way_where_the_disk_is_almost_full)
{
    struct desk *desk = desk_new();
    char line[4096];

    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", desk->dir, "tmpfs", 0, "size=1m") != 0) {
        desk_free(desk);
        cr_skip_test("only root can mount a file system");
    }
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    begin_life(desk);
    for (int i = 0; i < 400; i++) {
        append(desk, line);
        uv_run(&desk->loop, UV_RUN_DEFAULT);
    }
    struct statvfs room;
    cr_assert_eq(statvfs(desk->dir, &room), 0);
    cr_expect_geq(room.f_bavail * room.f_frsize, 248 << 10);
    end_life(desk);
    const char *log = log_of(desk);
    cr_expect_eq(line_count(log), 1, "%s", log);
    cr_expect_not_null(strstr(log, "No space left on device"), "%s", log);
    cr_assert_eq(umount(desk->dir), 0);
    desk_free(desk);
}
