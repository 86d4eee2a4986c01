/* What sending and reading beats costs without Doyen: nothing but the datagrams that a member sends
 * at rest, at the same pace and of the same length. scripts/bench scale puts one beside each
 * daemon.
 *
 *     bare_beats [--lazy] EVERY_MS WHOLE_BYTES ADDRESS:PORT NEIGHBOUR:PORT...
 *
 * sends a datagram each half of EVERY_MS, give or take 2 %, to one half of the neighbours and to
 * the other in turn (D8e), one in fifty with WHOLE_BYTES, the others with 22. It reads what comes
 * as it comes, with --lazy only before it sends. It ends when it is killed. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    NEIGHBOURS_MAX = 4096,
    BEAT_BYTES = 22,
    DATAGRAM_MAX = 1472,
    WHOLE_IN = 50,
    AT_ONCE = 16, /* datagrams read by one call */
    US_PER_MS = 1000,
    NS_PER_US = 1000,
};

struct bare {
    int socket;
    bool lazy;
    uint64_t every_us;
    uint64_t next_us;
    uint64_t random;
    size_t whole_bytes;
    uint32_t rounds;
    uint32_t half; /* of the next round */
    uint32_t count;
    struct sockaddr_in neighbours[NEIGHBOURS_MAX];
};

_Noreturn static void fail(const char *what)
{
    fprintf(stderr, "bare_beats: %s: %s\n", what, strerror(errno));
    exit(EXIT_FAILURE);
}

static uint64_t now_us(void)
{
    struct timespec now = {.tv_sec = 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * US_PER_MS * US_PER_MS + (uint64_t)now.tv_nsec / NS_PER_US;
}

/* xorshift: it is to spread the rounds, nothing else. */
static uint64_t draw(struct bare *bare, uint64_t below)
{
    bare->random ^= bare->random << 13;
    bare->random ^= bare->random >> 7;
    bare->random ^= bare->random << 17;
    return bare->random % below;
}

static struct sockaddr_in address_of(const char *text)
{
    char host[INET_ADDRSTRLEN];
    const char *colon = strchr(text, ':');
    struct sockaddr_in address = {.sin_family = AF_INET};

    errno = EINVAL;
    if (colon == NULL || (size_t)(colon - text) >= sizeof host) {
        fail(text);
    }
    memcpy(host, text, (size_t)(colon - text));
    host[colon - text] = '\0';
    address.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1) {
        fail(text);
    }
    return address;
}

static void send_to(const struct bare *bare, uint32_t i)
{
    static const uint8_t bytes[DATAGRAM_MAX];

    const bool whole = (bare->rounds / 2 + i) % WHOLE_IN == 0;

    (void)sendto(bare->socket, bytes, whole ? bare->whole_bytes : BEAT_BYTES, 0,
                 (const struct sockaddr *)&bare->neighbours[i], sizeof bare->neighbours[i]);
}

static void send_round(struct bare *bare)
{
    const uint64_t round_us = bare->every_us / 2;
    const uint64_t spread_us = round_us * 2 / 100;

    for (uint32_t i = bare->half; i < bare->count; i += 2) {
        send_to(bare, i);
    }
    bare->rounds++;
    bare->half = 1 - bare->half;
    bare->next_us = now_us() + round_us - spread_us + draw(bare, 2 * spread_us);
}

static void read_all(const struct bare *bare)
{
    uint8_t bytes[AT_ONCE][DATAGRAM_MAX];
    struct iovec places[AT_ONCE];
    struct mmsghdr datagrams[AT_ONCE];
    int count;

    do {
        for (int i = 0; i < AT_ONCE; i++) {
            places[i] = (struct iovec){bytes[i], DATAGRAM_MAX};
            datagrams[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &places[i], .msg_iovlen = 1}};
        }
        count = recvmmsg(bare->socket, datagrams, AT_ONCE, MSG_DONTWAIT, NULL);
    } while (count == AT_ONCE);
}

static void turn(struct bare *bare)
{
    const uint64_t before_us = now_us();
    const uint64_t left_us = bare->next_us > before_us ? bare->next_us - before_us : 0;
    struct pollfd readable = {.fd = bare->socket, .events = POLLIN};
    const int ready = poll(&readable, bare->lazy ? 0 : 1,
                           (int)((left_us + US_PER_MS - 1) / US_PER_MS));

    if (ready < 0 && errno != EINTR) {
        fail("poll");
    }
    const bool due = now_us() >= bare->next_us;
    if (ready > 0 || (bare->lazy && due)) {
        read_all(bare);
    }
    if (due) {
        send_round(bare);
    }
}

/* Returns the first argument that is no option. */
static char **take_options(struct bare *bare, char **at)
{
    for (; *at != NULL && strncmp(*at, "--", 2) == 0; at++) {
        bare->lazy |= strcmp(*at, "--lazy") == 0;
    }
    return at;
}

int main(int argc, char **argv)
{
    static struct bare bare;
    char **at = take_options(&bare, argv + 1);

    if (argv + argc - at < 4 || argv + argc - at > 3 + NEIGHBOURS_MAX) {
        fputs("usage: bare_beats [--lazy] EVERY_MS WHOLE_BYTES ADDRESS:PORT NEIGHBOUR:PORT...\n",
              stderr);
        return 64;
    }
    bare.every_us = strtoull(at[0], NULL, 10) * US_PER_MS;
    bare.whole_bytes = strtoul(at[1], NULL, 10);
    bare.random = ((uint64_t)getpid() << 32 ^ now_us()) | 1;
    if (bare.every_us < US_PER_MS || bare.whole_bytes > DATAGRAM_MAX) {
        errno = ERANGE;
        fail("EVERY_MS or WHOLE_BYTES");
    }
    const struct sockaddr_in own = address_of(at[2]);
    for (at += 3; *at != NULL; at++) {
        bare.neighbours[bare.count++] = address_of(*at);
    }
    bare.socket = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (bare.socket < 0 || bind(bare.socket, (const struct sockaddr *)&own, sizeof own) != 0) {
        fail("bind");
    }
    bare.next_us = now_us() + draw(&bare, bare.every_us);
    while (true) {
        turn(&bare);
    }
}
