/* What sending and reading beats costs without Doyen: nothing but the datagrams that a member sends
 * at rest, at the same pace and of the same length. scripts/bench scale puts one beside each
 * daemon.
 *
 *     bare_beats [--lazy] [--halves] EVERY_MS WHOLE_BYTES ADDRESS:PORT FIRST|- NEIGHBOUR:PORT...
 *
 * sends to each neighbour every EVERY_MS, give or take 5 %, one datagram in twenty with
 * WHOLE_BYTES, the others with 22; with --halves, as where heartbeats are sparse (D8g), to one half
 * of them and to the other in turn, twice as often, give or take 2 %, one in fifty whole.
 * Where FIRST, which is one of them, is named, its datagram is answered with a round at once, as
 * who answers its coordinator does (D8c); with --halves with a datagram for FIRST alone, if the
 * other half is next (D8g). It reads what comes as it comes, with --lazy only before
 * it sends. It ends when it is killed. */
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
    WHOLE_IN = 20,
    SPARSE_WHOLE_IN = 50,
    AT_ONCE = 16, /* datagrams read by one call */
    US_PER_MS = 1000,
    NS_PER_US = 1000,
};

struct bare {
    int socket;
    bool lazy;
    bool halves;
    bool answers;
    uint64_t every_us;
    uint64_t next_us;
    uint64_t random;
    size_t whole_bytes;
    uint32_t rounds;
    uint32_t half; /* of the next round */
    struct sockaddr_in first;
    uint32_t first_at; /* among the neighbours */
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

static bool is_same(const struct sockaddr_in *a, const struct sockaddr_in *b)
{
    return a->sin_addr.s_addr == b->sin_addr.s_addr && a->sin_port == b->sin_port;
}

static void send_to(const struct bare *bare, uint32_t i)
{
    static const uint8_t bytes[DATAGRAM_MAX];

    const uint32_t step = bare->halves ? 2 : 1;
    const uint32_t whole_in = bare->halves ? SPARSE_WHOLE_IN : WHOLE_IN;
    const bool whole = (bare->rounds / step + i) % whole_in == 0;

    (void)sendto(bare->socket, bytes, whole ? bare->whole_bytes : BEAT_BYTES, 0,
                 (const struct sockaddr *)&bare->neighbours[i], sizeof bare->neighbours[i]);
}

/* A round; who answers waits a little longer than the one that it answers (D8). */
static void send_round(struct bare *bare)
{
    const uint32_t step = bare->halves ? 2 : 1;

    for (uint32_t i = bare->halves ? bare->half : 0; i < bare->count; i += step) {
        send_to(bare, i);
    }
    bare->rounds++;
    bare->half = 1 - bare->half;
    const uint64_t round_us = bare->every_us / step;
    const uint64_t patience_us = bare->halves ? round_us * 21 / 20 : round_us * 11 / 10;
    const uint64_t every_us = bare->answers ? patience_us : round_us;
    const uint64_t spread_us = every_us * (bare->halves ? 2 : 5) / 100;
    bare->next_us = now_us() + every_us - spread_us + draw(bare, 2 * spread_us);
}

/* Returns whether the one that is answered was heard. */
static bool read_all(const struct bare *bare)
{
    uint8_t bytes[AT_ONCE][DATAGRAM_MAX];
    struct sockaddr_in from[AT_ONCE];
    struct iovec places[AT_ONCE];
    struct mmsghdr datagrams[AT_ONCE];
    bool heard = false;
    int count;

    do {
        for (int i = 0; i < AT_ONCE; i++) {
            places[i] = (struct iovec){bytes[i], DATAGRAM_MAX};
            datagrams[i] = (struct mmsghdr){.msg_hdr = {.msg_name = &from[i],
                                                        .msg_namelen = sizeof from[i],
                                                        .msg_iov = &places[i],
                                                        .msg_iovlen = 1}};
        }
        count = recvmmsg(bare->socket, datagrams, AT_ONCE, MSG_DONTWAIT, NULL);
        for (int i = 0; i < count; i++) {
            heard |= is_same(&from[i], &bare->first);
        }
    } while (count == AT_ONCE);
    return heard && bare->answers;
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
    bool due = now_us() >= bare->next_us;
    if (ready > 0 || (bare->lazy && due)) {
        if (read_all(bare)) {
            if (!bare->halves || bare->half == bare->first_at % 2) {
                due = true;
            } else if (!due) {
                send_to(bare, bare->first_at);
            }
        }
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
        bare->halves |= strcmp(*at, "--halves") == 0;
    }
    return at;
}

int main(int argc, char **argv)
{
    static struct bare bare;
    char **at = take_options(&bare, argv + 1);

    if (argv + argc - at < 5 || argv + argc - at > 4 + NEIGHBOURS_MAX) {
        fputs("usage: bare_beats [--lazy] [--halves] EVERY_MS WHOLE_BYTES ADDRESS:PORT FIRST|- "
              "NEIGHBOUR:PORT...\n",
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
    bare.answers = strcmp(at[3], "-") != 0;
    if (bare.answers) {
        bare.first = address_of(at[3]);
    }
    for (at += 4; *at != NULL; at++) {
        bare.neighbours[bare.count] = address_of(*at);
        if (is_same(&bare.neighbours[bare.count], &bare.first)) {
            bare.first_at = bare.count;
        }
        bare.count++;
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
