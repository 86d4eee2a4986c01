/* Lines of the log within a second: a flood of them costs a bounded disk, is told of, and does not
 * keep the errors out. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/process/log.h"

enum { TEXT_MAX = 1 << 17, FLOOD = 1000 };

static char *text_of(int fd)
{
    char *text = calloc(1, TEXT_MAX);

    cr_assert_geq(pread(fd, text, TEXT_MAX - 1, 0), 0);
    return text;
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;

    for (; (text = strstr(text, word)) != NULL; text++) {
        count++;
    }
    return count;
}

Test(log_rate, a_flood_of_lines_is_cut_off_and_counted)
{
    char path[] = "/tmp/doyen-log-XXXXXX";
    const int fd = mkstemp(path);
    struct log log;

    cr_assert_geq(fd, 0);
    unlink(path);
    log_init(&log, fd, LOG_INFO, LOG_TEXT, "athens");
    log.second_ms = UINT64_MAX / 2; /* A second that does not end while this runs. */
    for (int i = 0; i < FLOOD; i++) {
        log_line(&log, LOG_INFO, "flood", "line");
    }
    char *text = text_of(fd);
    cr_expect_eq(count_of(text, "flood: line"), LOG_LINES_PER_SECOND);
    free(text);

    log_line(&log, LOG_ERROR, "end", "the reason why");
    log.second_ms = 0; /* Another second. */
    log_line(&log, LOG_INFO, "after", "goes on");
    text = text_of(fd);
    cr_expect_not_null(strstr(text, "end: the reason why"), "an error has room of its own");
    cr_expect_not_null(strstr(text, "after: goes on"));
    cr_expect_eq(count_of(text, "log: lines_left_out=950 because there were too many"), 1);
    cr_expect_eq(count_of(text, "lines_left_out"), 1);
    cr_expect_eq(log.left_out, 0);
    cr_expect_eq(log.left_out_ever, 950, "the metrics count on");
    cr_expect_eq(log.dropped_ever, 0);
    free(text);
    close(fd);
}

Test(log_rate, lines_that_nobody_reads_are_counted_for_good)
{
    struct log log;
    int ends[2];
    char bytes[4096] = "";

    cr_assert_eq(pipe2(ends, O_NONBLOCK), 0);
    while (write(ends[1], bytes, sizeof bytes) > 0) {
    }
    log_init(&log, ends[1], LOG_INFO, LOG_TEXT, "athens");
    log_line(&log, LOG_INFO, "one", "is lost");
    log_line(&log, LOG_INFO, "two", "is lost");
    cr_expect_eq(log.dropped_ever, 2);
    for (ssize_t count = 1; count > 0;) {
        count = read(ends[0], bytes, sizeof bytes);
    }
    log_line(&log, LOG_INFO, "three", "is written");
    cr_expect_eq(log.dropped, 0);
    cr_expect_eq(log.dropped_ever, 2);
    close(ends[0]);
    close(ends[1]);
}
