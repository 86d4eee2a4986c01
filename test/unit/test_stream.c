/* What waits on a stream whose peer does not read yet (U3a), which stream is taken (R2b), and how
 * long its segments are (U3d). */
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rig.h"
#include "runtime/sockets/link.h"
#include "runtime/sockets/listener.h"
#include "runtime/sockets/segments.h"
#include "runtime/sockets/stream.h"
#include "words/address_text.h"

static void on_connected(void *owner)
{
    (void)owner;
}

static void on_frame(void *owner, const uint8_t *bytes, size_t length)
{
    (void)owner;
    (void)bytes;
    (void)length;
}

static void on_end(void *owner, int error)
{
    (void)owner;
    (void)error;
}

static void on_free(void *context)
{
    *(bool *)context = true;
}

static const struct stream_handler handler = {on_connected, on_frame, on_end};
static uv_loop_t loop;
static bool freed;
static struct latch latch = {.on_free = on_free, .context = &freed};
static struct node_traffic traffic;
static struct gate gate;
static struct streams *streams;
static uint8_t inbox[STREAM_INBOX_BYTES];

static void begin(void)
{
    streams = calloc(1, sizeof *streams);
    cr_assert_eq(uv_loop_init(&loop), 0);
    streams->loop = &loop;
    streams->latch = &latch;
    streams->wire = wire_new("stream", 8);
    streams->traffic = &traffic;
    streams->inbox = inbox;
    streams->gate = &gate;
    streams->descriptors_max = UINT64_MAX;
}

static void end(void)
{
    uv_run(&loop, UV_RUN_DEFAULT);
    cr_assert(freed);
    cr_assert_eq(uv_loop_close(&loop), 0);
    wire_free(streams->wire);
    free(streams);
}

static const struct address nowhere = {.family = 4, .bytes = {127, 0, 0, 1}, .port = 1};

static bool sends(struct stream *stream, const struct node_id *receiver, enum message_type type)
{
    const uint8_t bytes[2000] = {0};

    return stream_send(stream, &(struct outgoing){.peer = receiver,
                                                  .to = &nowhere,
                                                  .type = type,
                                                  .bytes = bytes,
                                                  .length = sizeof bytes});
}

/* H41: a slow peer must not pile up views; of each kind the newest is all that it needs. */
Test(stream, a_newer_view_replaces_one_that_still_waits, .init = begin, .fini = end)
{
    int error = 0;

    struct stream *stream = stream_connect(streams, &nowhere, &handler, NULL, &error);
    cr_assert_not_null(stream);
    for (int i = 0; i < 2 * STREAM_QUEUE_FRAMES_MAX; i++) {
        cr_assert(sends(stream, NULL, MESSAGE_VIEW), "view %d", i);
        cr_assert(sends(stream, NULL, MESSAGE_PREPARE), "proposal %d", i);
    }
    for (int i = 0; i < STREAM_QUEUE_FRAMES_MAX - 2; i++) { /* Each of these is wanted. */
        cr_assert(sends(stream, NULL, MESSAGE_JOIN), "join %d", i);
    }
    cr_assert_not(sends(stream, NULL, MESSAGE_JOIN), "there is a bound");
    cr_assert_eq(traffic.send_failed, 1);
    stream_close(stream);
}

/* H51, R2b: what a relay is to hand on to several is for each of them, and none of it takes the
 * place of what is for the relay itself. */
Test(stream, what_is_for_others_replaces_nothing, .init = begin, .fini = end)
{
    const struct node_id ids[] = {{.bytes = {1}}, {.bytes = {2}}, {.bytes = {3}}};
    int error = 0;

    struct stream *stream = stream_connect(streams, &nowhere, &handler, NULL, &error);
    cr_assert_not_null(stream);
    for (int i = 0; i < 2 * STREAM_QUEUE_FRAMES_MAX; i++) {
        for (int k = 0; k < 3; k++) {
            cr_assert(sends(stream, &ids[k], MESSAGE_PREPARE));
        }
    }
    for (int i = 0; i < STREAM_QUEUE_FRAMES_MAX - 3; i++) {
        cr_assert(sends(stream, NULL, MESSAGE_JOIN), "join %d", i);
    }
    cr_assert_not(sends(stream, NULL, MESSAGE_JOIN), "three proposals wait");
    stream_close(stream);
}

/* --- Segments (H77) --- */

static const struct address loopback4 = {.family = 4, .bytes = {127, 0, 0, 1}};
static const struct address loopback6 = {.family = 6, .bytes = {[15] = 1}};

/* Where the system has bound the socket. */
static struct address bound(int fd)
{
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    struct address address;

    cr_assert_eq(getsockname(fd, (struct sockaddr *)&name, &size), 0);
    cr_assert(address_from_sockaddr((const struct sockaddr *)&name, &address));
    return address;
}

/* A plain socket that is bound, or connected, to the address. */
static int plain_socket(const struct address *address, bool listens)
{
    struct sockaddr_storage name;
    const socklen_t size = address_to_sockaddr(address, address_family(address), &name);
    const int fd = socket(address_family(address), SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (listens) {
        cr_assert_eq(bind(fd, (const struct sockaddr *)&name, size), 0);
        cr_assert_eq(listen(fd, 1), 0);
    } else {
        cr_assert_eq(connect(fd, (const struct sockaddr *)&name, size), 0);
    }
    return fd;
}

/* Of what the other end has asked for the system takes off its own options. */
static void assert_small(int fd)
{
    int bytes = 0;
    socklen_t size = sizeof bytes;

    cr_assert_eq(getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &bytes, &size), 0);
    cr_assert_leq(bytes, SEGMENT_BYTES_MAX);
    cr_assert_geq(bytes, SEGMENT_BYTES_MAX - 40);
}

/* Who connects to it sends short segments, whoever that is. */
static void assert_listens_for_short_segments(const struct address *address)
{
    struct listener *listener = calloc(1, sizeof *listener);
    uv_os_fd_t server = -1;

    cr_assert_eq(listener_open(listener, streams, address, 8), 0);
    cr_assert_eq(listener_start(listener, NULL), 0);
    cr_assert_eq(uv_fileno((const uv_handle_t *)&listener->server, &server), 0);
    const struct address at = bound(server);
    const int client = plain_socket(&at, false);
    assert_small(client);
    close(client);
    listener_close(listener);
    uv_run(&loop, UV_RUN_DEFAULT);
    free(listener);
}

/* A host may have no IPv6 at all. */
static bool has_ipv6(void)
{
    struct sockaddr_storage name;
    const socklen_t size = address_to_sockaddr(&loopback6, AF_INET6, &name);
    const int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool bound_there = fd >= 0 && bind(fd, (const struct sockaddr *)&name, size) == 0;

    if (fd >= 0) {
        close(fd);
    }
    return bound_there;
}

Test(stream, who_connects_to_us_sends_short_segments, .init = begin, .fini = end)
{
    assert_listens_for_short_segments(&loopback4);
    if (has_ipv6()) {
        freed = false;
        assert_listens_for_short_segments(&loopback6);
    }
}

/* So does whom we connect to. */
static void assert_asks_for_short_segments(const struct address *address)
{
    const int server = plain_socket(address, true);
    const struct address at = bound(server);
    int error = 0;

    struct stream *stream = stream_connect(streams, &at, &handler, NULL, &error);
    cr_assert_not_null(stream);
    const int accepted = accept(server, NULL, NULL);
    cr_assert_geq(accepted, 0);
    assert_small(accepted);
    stream_close(stream);
    close(accepted);
    close(server);
}

Test(stream, whom_we_connect_to_sends_short_segments, .init = begin, .fini = end)
{
    assert_asks_for_short_segments(&loopback4);
    if (has_ipv6()) {
        assert_asks_for_short_segments(&loopback6);
    }
}

/* --- Which stream --- */

static bool take_frame(void *context, struct bytes frame, const struct address *from)
{
    (void)context;
    (void)frame;
    (void)from;
    return true;
}

static bool opened;

static void note_opened(void *context, const struct node_id *peer, enum link_news news)
{
    (void)context;
    (void)peer;
    opened = opened || news == LINK_OPENED;
}

static bool is_never_cut(void *context, const struct node_id *peer, const struct address *address)
{
    (void)context;
    (void)peer;
    (void)address;
    return false;
}

static const struct node_id somebody = {.bytes = {7}};

static bool goes_by_lifeline(struct links *links, const struct node_id *receiver,
                             const struct node_id *hop)
{
    const uint8_t bytes[2000] = {0};

    return links_send(links, &(struct outgoing){.peer = receiver,
                                                .hop = hop,
                                                .to = &nowhere,
                                                .type = MESSAGE_PREPARE,
                                                .bytes = bytes,
                                                .length = sizeof bytes});
}

/* H51, R2b: the lifeline over a bad link seems open for a while. The node holds one to itself
 * here. */
Test(stream, what_goes_around_takes_no_lifeline_to_whom_it_is_for, .init = begin, .fini = end)
{
    struct rig *rig = rig_in("AB", 'A');
    struct listener *listener = calloc(1, sizeof *listener);
    struct links *links = calloc(1, sizeof *links);
    uv_os_fd_t fd;

    streams->core = rig->core;
    const struct node_id *self = &core_self(rig->core)->id;
    cr_assert_eq(listener_open(listener, streams, &loopback4, 8), 0);
    cr_assert_eq(listener_start(listener, take_frame), 0);
    cr_assert_eq(uv_fileno((const uv_handle_t *)&listener->server, &fd), 0);
    const struct address at = bound(fd);
    cr_assert(links_open(links, streams, 8, note_opened, is_never_cut, NULL));
    links_hold(links, self, &at);
    while (!opened) {
        uv_run(&loop, UV_RUN_ONCE);
    }
    cr_assert_not(goes_by_lifeline(links, self, &somebody), "it is to go around");
    cr_assert(goes_by_lifeline(links, &somebody, self), "it goes to a relay");
    links_close(links);
    listener_close(listener);
    uv_run(&loop, UV_RUN_DEFAULT);
    links_free(links);
    free(links);
    free(listener);
    rig_free(rig);
}
