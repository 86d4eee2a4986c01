/* Two sockets of one port, of which the second gets the beats (decision 34). */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "proto/beat_frame.h"
#include "runtime/host/clock.h"
#include "runtime/sockets/arrival.h"
#include "runtime/sockets/beat_socket.h"

enum { DATAGRAM_MAX = 1500, LIMIT_MS = 5000 };

struct pair {
    int first;
    int second;
    int sender;
    struct sockaddr_storage to;
    socklen_t to_size;
};

static int bound(struct sockaddr_storage *name, socklen_t *size, bool shares)
{
    const int on = 1;
    const int off = 0;
    const int fd = socket(name->ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    cr_assert_geq(fd, 0);
    if (name->ss_family == AF_INET6) {
        cr_assert_eq(setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off), 0);
    }
    if (shares) {
        cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on), 0);
    }
    if (bind(fd, (struct sockaddr *)name, *size) != 0) {
        close(fd);
        return -1;
    }
    cr_assert_eq(getsockname(fd, (struct sockaddr *)name, size), 0);
    return fd;
}

static struct sockaddr_storage ipv4(uint32_t host, uint16_t port)
{
    struct sockaddr_storage name = {.ss_family = AF_UNSPEC};
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(host), .sin_port = htons(port)};

    memcpy(&name, &address, sizeof address);
    return name;
}

static struct sockaddr_storage ipv6(const struct in6_addr *host, uint16_t port)
{
    struct sockaddr_storage name = {.ss_family = AF_UNSPEC};
    const struct sockaddr_in6 address = {
        .sin6_family = AF_INET6, .sin6_addr = *host, .sin6_port = htons(port)};

    memcpy(&name, &address, sizeof address);
    return name;
}

static uint16_t port_of(const struct sockaddr_storage *name)
{
    struct sockaddr_in address;

    memcpy(&address, name, sizeof address); /* The port stands at the same place in both. */
    return ntohs(address.sin_port);
}

/* Where the system has no such sockets there is nothing to test. */
static void open_pair(struct pair *pair, struct sockaddr_storage name, struct sockaddr_storage to)
{
    socklen_t size = name.ss_family == AF_INET ? sizeof(struct sockaddr_in)
                                               : sizeof(struct sockaddr_in6);

    pair->first = bound(&name, &size, false);
    if (pair->first < 0) {
        cr_skip_test("this host has no IPv6: %s", strerror(errno));
    }
    pair->second = beat_socket_open(pair->first);
    if (pair->second < 0) {
        cr_skip_test("the system gives no datagram to a socket by what is in it: %s",
                     strerror(errno));
    }
    pair->sender = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    cr_assert_geq(pair->sender, 0);
    pair->to = to.ss_family == AF_INET ? ipv4(INADDR_LOOPBACK, port_of(&name))
                                       : ipv6(&in6addr_loopback, port_of(&name));
    pair->to_size = to.ss_family == AF_INET ? sizeof(struct sockaddr_in)
                                            : sizeof(struct sockaddr_in6);
}

static void close_pair(const struct pair *pair)
{
    close(pair->first);
    close(pair->second);
    close(pair->sender);
}

static void give(const struct pair *pair, const uint8_t *bytes, size_t length)
{
    cr_assert_eq(
        sendto(pair->sender, bytes, length, 0, (const struct sockaddr *)&pair->to, pair->to_size),
        (ssize_t)length);
}

/* Waits for one datagram at that socket, of which there is none at the other. */
static void assert_only_at(int there, int not_there, size_t length)
{
    struct pollfd readable = {.fd = there, .events = POLLIN};
    uint8_t bytes[DATAGRAM_MAX];

    cr_assert_eq(poll(&readable, 1, LIMIT_MS), 1);
    cr_assert_eq(recv(there, bytes, sizeof bytes, 0), (ssize_t)length);
    cr_assert_eq(recv(not_there, bytes, sizeof bytes, 0), -1);
    cr_assert_eq(errno, EAGAIN);
}

static void assert_to_second(const struct pair *pair, const uint8_t *bytes, size_t length)
{
    give(pair, bytes, length);
    assert_only_at(pair->second, pair->first, length);
}

static void assert_to_first(const struct pair *pair, const uint8_t *bytes, size_t length)
{
    give(pair, bytes, length);
    assert_only_at(pair->first, pair->second, length);
}

static void assert_sorts(const struct pair *pair)
{
    uint8_t beat[DATAGRAM_MAX] = {BEAT_KIND, 0x10};

    for (unsigned i = 0; i < 20; i++) {
        assert_to_second(pair, beat, BEAT_BYTES_MIN);
        assert_to_first(pair, (const uint8_t *)"D.....................", BEAT_BYTES_MIN);
    }
    beat[1] = 0xf0 | 2; /* acting, of another version */
    assert_to_second(pair, beat, BEAT_BYTES_MIN);
    beat[1] = 0x10 | BEAT_LATE;
    assert_to_first(pair, beat, BEAT_BYTES_MIN);
    beat[1] = 0x10 | BEAT_ASKS; /* It is answered at once. */
    assert_to_first(pair, beat, BEAT_BYTES_MIN);
    beat[1] = 0x10;
    for (size_t length = 0; length < 40; length++) {
        if (length != BEAT_BYTES_MIN) {
            assert_to_first(pair, beat, length);
        }
    }
    assert_to_first(pair, beat, 1200);
    assert_to_second(pair, beat, BEAT_BYTES_MIN);
}

Test(beat_socket, gets_beats_and_the_first_all_else)
{
    struct pair pair;

    open_pair(&pair, ipv4(INADDR_LOOPBACK, 0), ipv4(INADDR_LOOPBACK, 0));
    assert_sorts(&pair);
    close_pair(&pair);
}

Test(beat_socket, sorts_on_the_wildcard_of_ipv4)
{
    struct pair pair;

    open_pair(&pair, ipv4(INADDR_ANY, 0), ipv4(INADDR_LOOPBACK, 0));
    assert_sorts(&pair);
    close_pair(&pair);
}

Test(beat_socket, sorts_both_families_on_the_wildcard_of_ipv6)
{
    struct pair pair;

    open_pair(&pair, ipv6(&in6addr_any, 0), ipv6(&in6addr_loopback, 0));
    assert_sorts(&pair);
    close(pair.sender);
    pair.sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    pair.to = ipv4(INADDR_LOOPBACK, port_of(&pair.to));
    pair.to_size = sizeof(struct sockaddr_in);
    assert_sorts(&pair);
    close_pair(&pair);
}

/* As every doyend binds its first socket. */
Test(beat_socket, nobody_gets_the_port_by_accident)
{
    struct pair pair;
    socklen_t size = sizeof(struct sockaddr_in);

    open_pair(&pair, ipv4(INADDR_LOOPBACK, 0), ipv4(INADDR_LOOPBACK, 0));
    cr_assert_eq(bound(&pair.to, &size, false), -1);
    cr_assert_eq(errno, EADDRINUSE);
    close_pair(&pair);
    const int later = bound(&pair.to, &size, false);
    cr_assert_geq(later, 0, "%s", strerror(errno));
    close(later);
}

/* Who asks to share the port, on purpose and as the same user, gets nothing by it. */
Test(beat_socket, who_joins_the_two_gets_nothing)
{
    struct pair pair;
    socklen_t size = sizeof(struct sockaddr_in);
    uint8_t bytes[BEAT_BYTES_MIN];

    open_pair(&pair, ipv4(INADDR_LOOPBACK, 0), ipv4(INADDR_LOOPBACK, 0));
    const int third = bound(&pair.to, &size, true);
    assert_sorts(&pair);
    if (third >= 0) {
        cr_assert_eq(recv(third, bytes, sizeof bytes, 0), -1);
        close(third);
    }
    close_pair(&pair);
}

/* A port that somebody else came to share before is nothing to build on. */
Test(beat_socket, a_first_that_cannot_be_joined_stays_alone)
{
    int ends[2];
    int shares = 1;
    socklen_t size = sizeof shares;

    cr_assert_eq(beat_socket_open(-1), -1);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
    cr_assert_eq(beat_socket_open(ends[0]), -1);
    cr_assert_eq(getsockopt(ends[0], SOL_SOCKET, SO_REUSEPORT, &shares, &size), 0);
    cr_assert_eq(shares, 0);
    close(ends[0]);
    close(ends[1]);
}

/* --- What the kernel says beside them --- */

static struct beat_socket_note take_note(const struct pair *pair)
{
    struct pollfd readable = {.fd = pair->second, .events = POLLIN};
    uint8_t bytes[BEAT_BYTES_MIN];
    _Alignas(struct cmsghdr) uint8_t control[BEAT_SOCKET_CONTROL_BYTES];
    struct iovec part = {.iov_base = bytes, .iov_len = sizeof bytes};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control,
                            .msg_controllen = sizeof control};

    cr_assert_eq(poll(&readable, 1, LIMIT_MS), 1);
    cr_assert_eq(recvmsg(pair->second, &header, 0), BEAT_BYTES_MIN);
    cr_assert_eq(header.msg_flags & MSG_CTRUNC, 0);
    return beat_socket_note(&header);
}

/* Soon: where nobody else asks for the times of packets it begins to take them a moment later, and
 * says until then when they were read. */
enum { STAMP_TRIES = 200 };

Test(beat_socket, the_kernel_says_when_a_beat_came)
{
    static const uint8_t beat[BEAT_BYTES_MIN] = {BEAT_KIND};
    struct pair pair;

    bool said = false;

    open_pair(&pair, ipv4(INADDR_LOOPBACK, 0), ipv4(INADDR_LOOPBACK, 0));
    for (unsigned tries = 0; !said && tries < STAMP_TRIES; tries++) {
        const uint64_t before_ms = clock_ms();
        give(&pair, beat, sizeof beat);
        const uint64_t after_ms = clock_ms();
        (void)poll(NULL, 0, 50);
        const struct beat_socket_note note = take_note(&pair);
        cr_assert(note.has_stamp);
        const struct arrival_clocks clocks = arrival_clocks_read();
        const uint64_t came_ms = arrival_ms(&clocks, note.stamp_ns);
        cr_assert(came_ms + 1 >= before_ms, "before it was sent");
        said = came_ms <= after_ms + 1;
    }
    cr_assert(said, "the time of reading instead");
    close_pair(&pair);
}

Test(beat_socket, the_kernel_says_what_it_dropped)
{
    static const uint8_t beat[BEAT_BYTES_MIN] = {BEAT_KIND};
    const int little = 1;
    struct pair pair;
    struct beat_socket_note note = {.has_dropped = false};

    open_pair(&pair, ipv4(INADDR_LOOPBACK, 0), ipv4(INADDR_LOOPBACK, 0));
    cr_assert_eq(setsockopt(pair.second, SOL_SOCKET, SO_RCVBUF, &little, sizeof little), 0);
    for (unsigned i = 0; i < 100; i++) {
        give(&pair, beat, sizeof beat);
    }
    (void)take_note(&pair);
    give(&pair, beat, sizeof beat); /* It says so beside one that came after those. */
    while (!note.has_dropped) {
        note = take_note(&pair);
    }
    cr_assert_gt(note.dropped, 0);
    close_pair(&pair);
}
