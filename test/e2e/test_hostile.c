/* Whatever arrives on its ports changes counters only: rule S15. Each story ends with proof that
 * the cluster still works: its coordinator is killed, and the next oldest takes over. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fixture.h"
#include "garbage.h"

enum {
    DATAGRAMS = 20000,
    DATAGRAMS_AT_ONCE = 50, /* then a pause, so that the socket's buffer does not overflow */
    STREAMS = 300,
    GREETED = 120, /* more than a node with room for four members keeps */
    CONNECTIONS = 200,
    RSS_KB_MAX = 64 * 1024,
    SANITIZED_KB = 1 << 30, /* more address space than this is a sanitizer's shadow */
    SEED = 20260801,
};

static const char *const five[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};

static struct cluster *cluster_of_five(const char *const *arguments)
{
    struct cluster *cluster = cluster_new(arguments);

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus");
    return cluster;
}

/* What the status counts under `counter`, all reasons together. */
static uint64_t counted(struct cluster *cluster, const char *name, const char *counter)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");
    json_t *value = json_object_get(json_object_get(status, "counters"), counter);
    uint64_t sum = json_is_object(value) ? 0 : (uint64_t)json_integer_value(value);
    const char *reason = NULL;
    json_t *count = NULL;

    json_object_foreach(value, reason, count)
    {
        sum += (uint64_t)json_integer_value(count);
    }
    return sum;
}

/* Nobody's view has changed, nobody has grown, and the cluster works. */
static void assert_unharmed(struct cluster *cluster, const char *view)
{
    for (size_t i = 0; i < 5; i++) {
        struct process *process = &cluster_daemon(cluster, five[i])->process;
        cr_assert(process_is_running(process), "%s has ended", five[i]);
        cr_assert_str_eq(cluster_view(cluster, five[i]), view);
        const uint64_t kb = process_kb(process, "VmRSS");
        cr_assert(kb < RSS_KB_MAX || process_kb(process, "VmSize") > SANITIZED_KB,
                  "%s has %llu kB in memory", five[i], (unsigned long long)kb);
    }
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus");
    cr_assert_eq(cluster_terminate(cluster, "byzantium"), 0); /* A leak would be told here. */
    assert_agreement(cluster, "cyrene delphi ephesus");
}

/* --- Datagrams ------------------------------------------------------------------------------- */

Story(hostile, twenty_thousand_datagrams_change_nothing_but_counters)
{
    struct cluster *cluster = cluster_of_five(NO_ARGS);
    const char *view = cluster_view(cluster, "athens");
    struct garbage *garbage = garbage_new(SEED);
    struct frame frame;
    int fds[5];

    for (size_t i = 0; i < 5; i++) {
        fds[i] = dial_udp(cluster->host, cluster_daemon(cluster, five[i])->port);
        cr_assert_geq(fds[i], 0);
    }
    for (int i = 0; i < DATAGRAMS; i++) {
        garbage_frame(garbage, &frame);
        (void)send(fds[i % 5], frame.bytes, frame.length, MSG_DONTWAIT);
        if (i % DATAGRAMS_AT_ONCE == 0) {
            clock_nap_ms(1);
        }
    }
    free(garbage);

    for (size_t i = 0; i < 5; i++) {
        assert_soon(counted(cluster, five[i], "malformed") > DATAGRAMS / 5 / 4);
        assert_soon(counted(cluster, five[i], "refused") > 0);
        close(fds[i]);
    }
    assert_unharmed(cluster, view);
}

/* --- Streams --------------------------------------------------------------------------------- */

static bool send_frame(int fd, const struct frame *frame)
{
    const uint8_t length[4] = {0, 0, (uint8_t)(frame->length >> 8), (uint8_t)frame->length};

    return send_all(fd, length, sizeof length, LIMIT_MS) &&
           send_all(fd, frame->bytes, frame->length, LIMIT_MS);
}

/* One way to get a stream wrong. What is sent may find the other end closed already. */
static void break_stream(struct garbage *garbage, int fd, uint64_t way)
{
    static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff};
    static const uint8_t begun[] = {0, 0, 0, 100, 'D', 'Y', 1};
    struct frame frame;

    switch (way) {
    case 0: /* Noise. */
        garbage_noise(garbage, frame.bytes, sizeof frame.bytes);
        (void)send_all(fd, frame.bytes, sizeof frame.bytes, LIMIT_MS);
        break;
    case 1: /* A length beyond any frame. */
        (void)send_all(fd, huge, sizeof huge, LIMIT_MS);
        break;
    case 2: /* Half a length, half a frame. */
        (void)send_all(fd, begun, 1 + garbage_below(garbage, sizeof begun), LIMIT_MS);
        break;
    case 3: /* Something before HELLO. */
        (void)send_frame(fd, garbage_vector("view.txt", &frame));
        break;
    case 4: /* HELLO, then garbage. */
        (void)send_frame(fd, garbage_vector("hello-anyone.txt", &frame));
        garbage_frame(garbage, &frame);
        (void)send_frame(fd, &frame);
        break;
    case 5: /* HELLO twice. */
        (void)send_frame(fd, garbage_vector("hello-anyone.txt", &frame));
        (void)send_frame(fd, garbage_vector("hello-anyone.txt", &frame));
        break;
    case 6: /* Nothing: connected and closed, or left hanging. */
        break;
    default: /* HELLO, then whatever a member might say. */
        (void)send_frame(fd, garbage_vector("hello-anyone.txt", &frame));
        (void)send_frame(fd, &garbage->frames[garbage_below(garbage, garbage->frame_count)]);
        break;
    }
}

/* Every third connection is left open, the broken ones to be ended by the other side. */
Story(hostile, hundreds_of_broken_streams_change_nothing_but_counters)
{
    struct cluster *cluster = cluster_of_five(NO_ARGS);
    const char *view = cluster_view(cluster, "athens");
    struct garbage *garbage = garbage_new(SEED);
    int hanging[STREAMS];
    bool must_end[STREAMS];
    size_t hanging_count = 0;

    for (int i = 0; i < STREAMS; i++) {
        const int fd = dial_tcp(cluster->host, cluster_daemon(cluster, five[i % 5])->port);
        const uint64_t way = garbage_below(garbage, 8);
        cr_assert_geq(fd, 0);
        break_stream(garbage, fd, way);
        if (i % 3 != 0) {
            close(fd);
            continue;
        }
        hanging[hanging_count] = fd;
        must_end[hanging_count++] = way < 4 || way == 5 || way == 6;
    }
    free(garbage);
    for (size_t i = 0; i < hanging_count; i++) {
        cr_assert(!must_end[i] || is_closed(hanging[i], LIMIT_MS), "the stream is still open");
    }

    for (size_t i = 0; i < 5; i++) {
        assert_soon(counted(cluster, five[i], "streams_refused") > 5);
    }
    assert_unharmed(cluster, view);
    for (size_t i = 0; i < hanging_count; i++) {
        close(hanging[i]);
    }
}

/* Each of these was kept for good, and when there were enough of them, members were turned away. */
Story(hostile, who_says_hello_and_no_more_keeps_no_member_out)
{
    struct cluster *cluster = cluster_new(ARGS("--capacity", "4"));
    int greeted[GREETED];
    struct frame frame;

    cluster_form(cluster, "athens byzantium");
    for (int i = 0; i < GREETED; i++) {
        greeted[i] = dial_tcp(cluster->host, cluster_daemon(cluster, "athens")->port);
        cr_assert_geq(greeted[i], 0);
        cr_assert(send_frame(greeted[i], garbage_vector("hello-anyone.txt", &frame)));
        struct pollfd answer = {.fd = greeted[i], .events = POLLIN};
        cr_assert_eq(poll(&answer, 1, LIMIT_MS), 1);
    }
    cr_assert(is_closed(greeted[0], LIMIT_MS), "the oldest has gone");
    cluster_start(cluster, "corinth", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium corinth");
    for (int i = 0; i < GREETED; i++) {
        close(greeted[i]);
    }
}

/* --- Clients --------------------------------------------------------------------------------- */

/* One way to get a request wrong, or to be slow with it. */
static void break_request(struct garbage *garbage, int fd, uint64_t way)
{
    uint8_t noise[4096];
    char header[4096];

    switch (way) {
    case 0:
        garbage_noise(garbage, noise, sizeof noise);
        (void)send_all(fd, noise, sizeof noise, LIMIT_MS);
        break;
    case 1: /* A head that never ends. */
        memset(header, 'a', sizeof header);
        (void)send_text(fd, "GET /v1/members HTTP/1.1\r\nX-Long: ");
        for (int i = 0; i < 32; i++) {
            if (!send_all(fd, header, sizeof header, LIMIT_MS)) {
                break;
            }
        }
        break;
    case 2: /* A request that does not go on. */
        (void)send_text(fd, "GET /v1/mem");
        break;
    case 3: /* A body that does not come. */
        (void)send_text(
            fd, "POST /v1/fault HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{");
        break;
    case 4: /* Answers that nobody reads. */
        for (int i = 0; i < 50; i++) {
            (void)send_text(fd, "GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n");
        }
        break;
    case 5: /* Events that nobody reads. */
        (void)send_text(fd, "GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        break;
    default: /* Nothing at all. */
        break;
    }
}

/* As many connections as a careless client opens; one that behaves is served all the while. */
static void assert_clients_harm_nobody(struct cluster *cluster, const char *view, uint16_t http)
{
    struct garbage *garbage = garbage_new(SEED);
    int fds[CONNECTIONS];

    for (int i = 0; i < CONNECTIONS; i++) {
        fds[i] = http == 0 ? dial_unix(cluster_daemon(cluster, "athens")->control)
                           : dial_tcp(cluster->host, http);
        cr_assert_geq(fds[i], 0);
        break_request(garbage, fds[i], garbage_below(garbage, 8));
        if (i % 20 == 0) {
            cr_assert_str_eq(cluster_view(cluster, "athens"), view);
        }
    }
    free(garbage);
    cr_assert_str_eq(cluster_view(cluster, "athens"), view);
    assert_unharmed(cluster, view);
    for (int i = 0; i < CONNECTIONS; i++) {
        close(fds[i]);
    }
}

Story(hostile, careless_clients_of_the_control_socket_harm_nobody)
{
    struct cluster *cluster = cluster_of_five(NO_ARGS);

    assert_clients_harm_nobody(cluster, cluster_view(cluster, "athens"), 0);
}

Story(hostile, careless_clients_over_tcp_harm_nobody)
{
    static const char *const names[] = {"athens byzantium", "athens byzantium cyrene",
                                        "athens byzantium cyrene delphi",
                                        "athens byzantium cyrene delphi ephesus"};
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t http = cluster_port(cluster);

    cluster_start(cluster, "athens", "athens",
                  ARGS("--http", text_kept("%s:%u", cluster->host, http)));
    for (size_t i = 1; i < 5; i++) {
        cluster_start(cluster, five[i], "athens", NO_ARGS);
        assert_agreement(cluster, names[i - 1]);
    }

    assert_clients_harm_nobody(cluster, cluster_view(cluster, "athens"), http);
}
