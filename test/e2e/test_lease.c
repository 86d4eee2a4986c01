/* The lease page as a client finds it: memory of the daemon that the client may read, by the header
 * that is installed for it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doyen/lease.h"
#include "fixture.h"

enum { DONE = 0, NO_COORDINATOR = 3 };

/* A client with the page of one daemon. */
struct reader {
    int connection;
    struct doyen_lease lease;
};

static struct reader reader_open(struct cluster *cluster, const char *name)
{
    struct reader reader;
    int page = -1;

    reader.connection = doyen_lease_connect(cluster_daemon(cluster, name)->control, LIMIT_MS,
                                            &page);
    cr_assert_geq(reader.connection, 0, "%s", strerror(-reader.connection));
    cr_assert_eq(doyen_lease_map(&reader.lease, page), 0);
    close(page);
    return reader;
}

static void reader_close(struct reader *reader)
{
    close(reader->connection);
    doyen_lease_unmap(&reader->lease);
}

static bool acts(const struct reader *reader)
{
    uint64_t epoch;
    uint64_t left_ns;

    return doyen_lease_acting(&reader->lease, &epoch, &left_ns);
}

static uint64_t deadline_of(const struct reader *reader)
{
    struct doyen_lease_content content = {.epoch = 0};

    cr_assert_eq(doyen_lease_read(&reader->lease, &content), 0);
    return content.deadline_ns;
}

/* Waits for the deadline that the page names now, and returns it. Nobody moves it meanwhile. */
static uint64_t await_deadline(const struct reader *reader)
{
    const uint64_t deadline_ns = deadline_of(reader);

    while (doyen_lease_now_ns() < deadline_ns) {
        clock_nap_ms(LOOK_AGAIN_MS);
    }
    return deadline_ns;
}

/* The word that the daemon says next; 0: it went away. */
static char word_of(const struct reader *reader)
{
    struct pollfd connection = {.fd = reader->connection, .events = POLLIN};
    char word = 0;

    cr_assert_eq(poll(&connection, 1, LIMIT_MS), 1, "the daemon says nothing");
    return recv(reader->connection, &word, 1, MSG_DONTWAIT) == 1 ? word : '\0';
}

static void say_stopped(const struct reader *reader)
{
    const char word = DOYEN_LEASE_STOPPED;
    cr_assert_eq(send(reader->connection, &word, 1, MSG_NOSIGNAL), 1);
}

static struct cluster *acting_pair(const char *const *arguments)
{
    struct cluster *cluster = cluster_new(arguments);

    cluster_form(cluster, "athens byzantium");
    assert_soon(json_is_true(json_object_get(cluster_members(cluster, "athens"), "acting")));
    return cluster;
}

/* --- The end comes by itself --- */

Story(lease, it_ends_by_itself_when_the_daemon_is_killed)
{
    struct cluster *cluster = acting_pair(NO_ARGS);
    struct reader reader = reader_open(cluster, "athens");

    cr_assert(acts(&reader));
    cluster_kill(cluster, "athens");
    const uint64_t deadline_ns = await_deadline(&reader);
    cr_assert_not(acts(&reader));
    cr_assert_eq(deadline_of(&reader), deadline_ns, "nobody is there to move it");
    reader_close(&reader);
}

Story(lease, it_ends_by_itself_while_the_daemon_is_stopped_and_may_come_back)
{
    struct cluster *cluster = acting_pair(NO_ARGS);
    struct reader reader = reader_open(cluster, "athens");

    cluster_pause(cluster, "athens");
    await_deadline(&reader);
    cr_assert_not(acts(&reader));
    cluster_resume(cluster, "athens");
    assert_soon(acts(&reader));
    reader_close(&reader);
}

Story(lease, it_is_renewed_for_as_long_as_the_node_acts)
{
    struct cluster *cluster = acting_pair(NO_ARGS);
    struct reader reader = reader_open(cluster, "athens");
    uint64_t deadline_ns = deadline_of(&reader);

    for (unsigned i = 0; i < 4; i++) {
        assert_soon(deadline_of(&reader) > deadline_ns);
        deadline_ns = deadline_of(&reader);
        cr_assert(acts(&reader));
    }
    reader_close(&reader);
}

/* --- Several readers --- */

Story(lease, all_readers_of_a_node_see_the_same_and_hear_of_a_change)
{
    struct cluster *cluster = acting_pair(NO_ARGS);
    struct reader first = reader_open(cluster, "byzantium");
    struct reader second = reader_open(cluster, "byzantium");
    uint64_t epochs[2] = {0};
    uint64_t left_ns;

    cr_assert_not(acts(&first));
    cr_assert_not(acts(&second));
    cluster_kill(cluster, "athens");
    while (!acts(&first)) {
        cr_assert_eq(word_of(&first), DOYEN_LEASE_CHANGED);
    }
    while (!acts(&second)) {
        cr_assert_eq(word_of(&second), DOYEN_LEASE_CHANGED);
    }
    cr_assert(doyen_lease_acting(&first.lease, &epochs[0], &left_ns));
    cr_assert(doyen_lease_acting(&second.lease, &epochs[1], &left_ns));
    cr_assert_eq(epochs[0], epochs[1]);
    cr_assert_gt(epochs[0], 1, "it took over");
    reader_close(&first);
    reader_close(&second);
}

/* --- A hand-over waits --- */

/* With so much patience a right would last long, if nobody gave it up. */
#define PATIENT ARGS("--profile", "wan", "--fail-after", "60s")

Story(lease, a_leave_gives_the_right_up_and_waits_until_its_readers_have_stopped)
{
    struct cluster *cluster = acting_pair(PATIENT);
    struct reader reader = reader_open(cluster, "athens");

    cr_assert(acts(&reader));
    kill(cluster_daemon(cluster, "athens")->process.pid, SIGTERM);
    while (word_of(&reader) != DOYEN_LEASE_STOP) {
    }
    cr_assert_not(acts(&reader));
    const json_t *members = cluster_members(cluster, "athens");
    cr_assert(json_is_false(json_object_get(members, "acting")), "whoever asks hears the same");
    cr_assert_str_eq(text_of(members, "phase"), "member", "it has not left yet");
    cr_assert_str_eq(text_of(cluster_members(cluster, "byzantium"), "coordinator"), "athens");

    say_stopped(&reader);
    cr_assert_eq(cluster_await_end(cluster, "athens"), 0);
    assert_agreement(cluster, "byzantium");
    reader_close(&reader);
}

Story(lease, a_leave_does_not_wait_for_who_has_closed_its_connection)
{
    struct cluster *cluster = acting_pair(PATIENT);
    struct reader first = reader_open(cluster, "athens");
    struct reader second = reader_open(cluster, "athens");

    close(first.connection);
    kill(cluster_daemon(cluster, "athens")->process.pid, SIGTERM);
    while (word_of(&second) != DOYEN_LEASE_STOP) {
    }
    close(second.connection);
    cr_assert_eq(cluster_await_end(cluster, "athens"), 0);
    cr_assert_not(acts(&first));
    doyen_lease_unmap(&first.lease);
    doyen_lease_unmap(&second.lease);
}

/* A reader that hangs delays the leave until the right would have ended anyway, and no longer. */
Story(lease, a_leave_waits_no_longer_than_the_right_would_have_lasted)
{
    struct cluster *cluster = acting_pair(NO_ARGS);
    struct reader reader = reader_open(cluster, "athens");

    cr_assert_eq(cluster_terminate(cluster, "athens"), 0);
    assert_agreement(cluster, "byzantium");
    reader_close(&reader);
}

/* --- The command --- */

Story(lease, the_command_answers_by_exit_code)
{
    struct cluster *cluster = acting_pair(NO_ARGS);

    const struct outcome yes = doyen(cluster, "athens", ARGS("lease"));
    cr_assert_eq(yes.code, DONE, "%s", yes.err);
    assert_text_has(yes.out, "athens acts under epoch 1, ");
    assert_text_has(yes.out, "(advisory)");
    const struct outcome no = doyen(cluster, "byzantium", ARGS("lease"));
    cr_assert_eq(no.code, NO_COORDINATOR);
    cr_assert_str_eq(no.out, "byzantium does not act\n");

    const struct outcome json = doyen(cluster, "athens", ARGS("lease", "--json"));
    cr_assert_eq(json.code, DONE);
    const json_t *document = document_kept(json.out);
    cr_assert_str_eq(text_of(document, "self"), "athens");
    cr_assert_str_eq(text_of(document, "epoch"), "1");
    cr_assert_gt(number_of(document, "acting_ms"), 0);
    cr_assert_gt(number_of(document, "deadline_ns"), 0);
    cr_assert_gt(number_of(document, "span_ms"), number_of(document, "renewal_ms"));
}

/* No daemon is asked where the page was not left, or is none. */
Story(lease, a_page_that_is_none_is_refused)
{
    struct cluster *cluster = acting_pair(NO_ARGS);

    setenv("DOYEN_LEASE_FD", "0", 1);
    const struct outcome none = doyen(cluster, NULL, ARGS("lease"));
    const struct outcome asked = doyen(cluster, "athens", ARGS("lease"));
    unsetenv("DOYEN_LEASE_FD");
    cr_assert_eq(none.code, 1);
    assert_text_has(none.err, "DOYEN_LEASE_FD is 0");
    cr_assert_eq(line_count(none.err), 1);
    cr_assert_eq(asked.code, DONE, "--control says whom to ask");
}

/* --- Another clock --------------------------------------------------------------------------- */

/* The daemon lives in a time namespace of its own, as in some containers and after a restoration:
 * its clock is ten days ahead. It acts, but no reader outside can tell when that ends. */
Story(lease, a_page_of_another_time_namespace_is_refused)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *program = cluster_path(cluster, "doyend");
    FILE *script = fopen(program, "w");
    struct process trial = {.pid = 0};
    int page = -1;

    cr_assert(process_start(&trial, ARGS("/usr/bin/unshare", "-T", "--boottime", "9", "/bin/true"),
                            cluster_path(cluster, "trial"), cluster_path(cluster, "trial")));
    cr_assert(process_wait(&trial, LIMIT_MS));
    if (process_exit_code(&trial) != 0) {
        (void)fclose(script);
        cr_skip_test("no time namespaces here, or not for this user");
    }
    fprintf(script, "#!/bin/sh\nexec unshare -T --boottime 864000 --monotonic 864000 %s \"$@\"\n",
            DOYEND_PATH);
    (void)fclose(script);
    cr_assert_eq(chmod(program, S_IRWXU), 0);
    cluster_form(cluster, "athens");
    assert_soon(json_is_true(json_object_get(cluster_members(cluster, "athens"), "acting")));
    cluster_kill(cluster, "athens");
    cluster_replace(cluster, "athens", program);
    cluster_restart(cluster, "athens");
    assert_soon(json_is_true(json_object_get(cluster_members(cluster, "athens"), "acting")));

    const struct outcome run = doyen(cluster, "athens", ARGS("run", "--once", "--", "/bin/true"));
    cr_assert_eq(run.code, 1, "%s", run.err);
    assert_text_has(run.err, "is of another clock");
    cr_assert_eq(line_count(run.err), 1, "%s", run.err);
    const int connection = doyen_lease_connect(cluster_daemon(cluster, "athens")->control, LIMIT_MS,
                                               &page);
    struct doyen_lease lease;
    cr_assert_geq(connection, 0);
    cr_assert_eq(doyen_lease_map(&lease, page), -EXDEV);
    close(page);
    close(connection);
    const struct outcome campaign = doyen(cluster, "athens",
                                          ARGS("campaign", "backup", "--once", "--timeout", "9s"));
    cr_assert_eq(campaign.code, 1, "%s", campaign.err);
    assert_text_has(campaign.err, "is of another clock");
    cr_assert_eq(doyen(cluster, "athens", ARGS("lease")).code, DONE, "it answers by a length");
}
