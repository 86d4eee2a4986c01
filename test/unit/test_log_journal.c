/* Lines to the system's journal: it stamps them itself, and sorts them by the priority in front. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/process/log.h"

enum { TEXT_MAX = 4096 };

/* What one warning looks like in a file that is the journal's, or is not. */
static void write_warning(enum log_format format, bool is_journal, char text[TEXT_MAX])
{
    char path[] = "/tmp/doyen-log-XXXXXX";
    const int fd = mkstemp(path);
    struct stat status;
    char stream[64];
    struct log log;

    cr_assert_geq(fd, 0);
    unlink(path);
    cr_assert_eq(fstat(fd, &status), 0);
    snprintf(stream, sizeof stream, "%llu:%llu", (unsigned long long)status.st_dev,
             (unsigned long long)status.st_ino + (is_journal ? 0 : 1));
    setenv("JOURNAL_STREAM", stream, 1);
    log_init(&log, fd, LOG_INFO, format, "athens");
    log_line(&log, LOG_WARN, "link", "it is down");
    memset(text, 0, TEXT_MAX);
    cr_assert_gt(pread(fd, text, TEXT_MAX - 1, 0), 0);
    close(fd);
}

Test(log_journal, text_has_its_priority_in_front_and_no_time)
{
    char text[TEXT_MAX];

    write_warning(LOG_AUTO, true, text);
    cr_assert_str_eq(text, "<4>link: it is down\n");
    write_warning(LOG_TEXT, true, text);
    cr_assert_str_eq(text, "<4>link: it is down\n");
}

Test(log_journal, json_keeps_its_time_behind_the_priority)
{
    char text[TEXT_MAX];

    write_warning(LOG_JSON, true, text);
    cr_assert_eq(strncmp(text, "<4>{\"time\":\"", 12), 0, "%s", text);
    cr_assert_not_null(strstr(text, "Z\",\"level\":\"warn\",\"node\":\"athens\""), "%s", text);
}

Test(log_journal, another_stream_is_not_the_journal)
{
    char text[TEXT_MAX];

    write_warning(LOG_AUTO, false, text);
    cr_assert_eq(strncmp(text, "{\"time\":", 8), 0, "%s", text);
}
