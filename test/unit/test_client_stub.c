/* libdoyen against a daemon that answers as no good one would: late, with more descriptors than
 * were asked for, or while this process has none left. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "doyen/client.h"
#include "doyen/lease.h"
#include "stub_daemon.h"

#define OK(body) "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" body
#define SWITCHED "HTTP/1.1 101 Switching Protocols\r\n\r\n"

static const char status[] = OK("{\"self\":\"athens\",\"id\":\"00aa\"}");
static const char members[] = OK(
    "{\"schema\":1,\"cluster\":\"doyen\",\"self\":\"athens\",\"phase\":\"member\",\"cursor\":\"5f-15\","
    "\"epoch\":\"2\",\"view\":{\"epoch\":\"2\",\"version\":\"4\",\"acked\":1},"
    "\"coordinator\":\"athens\",\"acting\":true,\"acting_ms\":9,\"acting_is\":\"exclusive\","
    "\"guard\":{\"policy\":\"none\",\"size\":null,\"needed\":0,\"fresh\":1,\"met\":true},\"members\":["
    "{\"name\":\"athens\",\"id\":\"aa\",\"incarnation\":\"7\",\"address\":\"127.0.0.1:7420\","
    "\"age\":1,\"state\":\"alive\",\"silent\":false,\"coordinator\":true,\"drained\":false,"
    "\"heard_ms\":0,\"tags\":{}}],\"gone\":[]}");

enum {
    LATE_MS = 100,
    WAITED_OUT_MS = 5000, /* what comes first must have come within that, on a busy machine too */
};

static struct doyen *client_of(const struct stub *stub)
{
    const struct doyen_options options = {.size = sizeof options, .control = stub->path};
    struct doyen *d = NULL;

    cr_assert_eq(doyen_open(&d, &options), 0);
    return d;
}

static size_t open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    size_t count = 0;

    cr_assert_not_null(dir);
    while (readdir(dir) != NULL) {
        count++;
    }
    closedir(dir);
    return count;
}

/* --- More descriptors than one --- */

Test(client_stub, descriptors_that_come_besides_the_page_of_a_campaign_are_closed)
{
    const struct stub_answer answer = {.text = SWITCHED, .behind = "{}\n", .descriptors = 2};
    const struct doyen_campaign campaign = {.role = "backup"};
    struct stub stub;
    int page = -1;

    stub_open(&stub, &answer, 1);
    struct doyen *d = client_of(&stub);
    const size_t before = open_descriptors();
    const int connection = doyen_campaign(d, &campaign, 60000, &page);
    cr_assert_geq(connection, 0, "%s", doyen_error(d));
    cr_assert_geq(page, 0);
    close(connection);
    close(page);
    stub_close(&stub);
    cr_expect_eq(open_descriptors(), before - 1, "but for that of the stub's");
    doyen_close(d);
}

Test(client_stub, descriptors_that_come_besides_the_lease_page_are_closed)
{
    const struct stub_answer answer = {.text = SWITCHED, .behind = "x", .descriptors = 4};
    struct stub stub;
    int page = -1;

    stub_open(&stub, &answer, 1);
    const size_t before = open_descriptors();
    const int connection = doyen_lease_connect(stub.path, 60000, &page);
    cr_assert_geq(connection, 0, "%s", strerror(-connection));
    cr_assert_geq(page, 0);
    close(connection);
    close(page);
    stub_close(&stub);
    cr_expect_eq(open_descriptors(), before - 1, "but for that of the stub's");
}

static void leave_room_for_none(void)
{
    struct rlimit limit;

    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 1; /* with 0, poll would refuse even the one that the client waits for */
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void leave_room(void)
{
    struct rlimit limit;

    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* --- Has it gone? --- */

/* Who cannot ask does not know, and a daemon that was asked to leave may be there for long. */
Test(client_stub, one_that_cannot_be_asked_has_not_left)
{
    const struct stub_answer answers[] = {{.text = status},
                                          {.text = OK("{}"), .before = leave_room_for_none}};
    struct stub stub;

    stub_open(&stub, answers, 2);
    struct doyen *d = client_of(&stub);
    const int left = doyen_leave(d, WAITED_OUT_MS);
    leave_room();
    cr_assert_eq(left, DOYEN_E_UNREACHABLE, "%d: %s", left, doyen_error(d));
    cr_expect_not_null(strstr(doyen_error(d), "no file descriptor left"), "%s", doyen_error(d));
    stub_close(&stub);
    doyen_close(d);
}

/* --- For ever --- */

/* poll takes -1 for that, and so do programs of all that waits. */
Test(client_stub, a_negative_time_to_wait_is_for_ever)
{
    const struct stub_answer answers[] = {
        {.text = OK("{}"), .pause_ms = LATE_MS},
        {.text = members, .pause_ms = LATE_MS},
        {.text = SWITCHED, .behind = "{}\n", .pause_ms = LATE_MS},
        {.text = SWITCHED, .behind = "x", .descriptors = 1, .pause_ms = LATE_MS},
    };
    const struct doyen_campaign campaign = {.role = "backup"};
    const struct doyen_condition condition = {.size = sizeof condition, .acting = true};
    struct stub stub;
    int page = -1;

    stub_open(&stub, answers, 4);
    struct doyen *d = client_of(&stub);
    cr_assert_eq(doyen_request(d, "GET", "/v1/version", NULL, -1, NULL), 0, "%s", doyen_error(d));
    cr_assert_eq(doyen_wait(d, &condition, -1, NULL), 0, "%s", doyen_error(d));
    const int candidate = doyen_campaign(d, &campaign, -1, &page);
    cr_assert_geq(candidate, 0, "%s", doyen_error(d));
    close(candidate);
    const int reader = doyen_lease_connect(stub.path, -1, &page);
    cr_assert_geq(reader, 0, "%s", strerror(-reader));
    close(reader);
    close(page);
    stub_close(&stub);
    doyen_close(d);
}
