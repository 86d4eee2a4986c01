/* A flood of frames at a node or several, from one address that is not proved:
 *
 *     doyen_flood KIND HOST PORT[:BYTE][,...] RATE SECONDS [KEYFILE]
 *
 * forged: sealed in form for the life whose id begins with BYTE (two hexadecimal digits), but the
 * tag does not hold; join, pull: sealed with the key, to whoever lives there; without KEYFILE all
 * of these are plain. member-join, member-pull: the same from an address that is proved, each frame
 * sealed anew; KEYFILE is needed, and what comes back is not counted. RATE is frames a second in
 * all. At the end one line of JSON tells how many were sent and how many bytes went out and came
 * back. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "forge/forge.h"

enum {
    FRAMES = 256, /* made beforehand for each port, and sent in turn */
    AT_ONCE = 32, /* frames of one length that the kernel takes apart again */
    PORTS_MAX = 16,
    SLICE_US = 500,
    PROVED_MS = 10000,
    PAYLOAD_MAX = 1500,
    BUFFER_BYTES = 4 << 20,
    USAGE = 64,
};

struct flood {
    int socket;
    struct sockaddr_in to[PORTS_MAX];
    uint8_t marks[PORTS_MAX]; /* the first byte of the id of who lives there */
    size_t ports;
    size_t next;          /* port */
    size_t at[PORTS_MAX]; /* frame */
    struct forged_frame frames[PORTS_MAX][FRAMES];
    struct forger *member; /* seals each frame anew; NULL: `frames` are sent */
    bool joins;            /* it sends JOINs, else PULLs */
    uint64_t sent;
    uint64_t bytes_out;
    uint64_t bytes_in;
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "doyen_flood: %s\n", what);
    exit(EXIT_FAILURE);
}

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void open_flood(struct flood *flood, const char *host, char *ports)
{
    struct sockaddr_in own = {.sin_family = AF_INET};
    const int bytes = BUFFER_BYTES;
    char *rest = NULL;

    flood->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (flood->socket < 0 || inet_pton(AF_INET, host, &own.sin_addr) != 1 ||
        bind(flood->socket, (const struct sockaddr *)&own, sizeof own) != 0) {
        fail("no socket at that address");
    }
    (void)setsockopt(flood->socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    (void)setsockopt(flood->socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    for (char *port = strtok_r(ports, ",", &rest); port != NULL && flood->ports < PORTS_MAX;
         port = strtok_r(NULL, ",", &rest)) {
        char *end;
        flood->to[flood->ports] = own;
        flood->to[flood->ports].sin_port = htons((uint16_t)strtoul(port, &end, 10));
        flood->marks[flood->ports++] = *end == ':' ? (uint8_t)strtoul(end + 1, NULL, 16) : 0;
    }
    if (flood->ports == 0) {
        fail("no port");
    }
}

static void make_frame(struct flood *flood, struct forger *forger, const char *kind, size_t port,
                       size_t at)
{
    struct forged_frame *frame = &flood->frames[port][at];

    forger_keep(forger, frame);
    if (strcmp(kind, "join") == 0) {
        forger_join(forger, 1, 1);
    } else {
        forger_pull(forger, 1);
    }
    if (strcmp(kind, "forged") == 0) {
        forger_spoil(frame, flood->marks[port]);
    }
}

static void make_frames(struct flood *flood, const char *host, const char *kind, const char *key)
{
    struct forger *forger = forger_new(host);

    if (forger == NULL || !forger_use_key(forger, key)) {
        fail("no forger, or no key in that file");
    }
    for (size_t port = 0; port < flood->ports; port++) {
        for (size_t at = 0; at < FRAMES; at++) {
            make_frame(flood, forger, kind, port, at);
        }
    }
    forger_free(forger);
}

static void take_answers(struct flood *flood)
{
    uint8_t bytes[PAYLOAD_MAX];
    ssize_t length;

    while ((length = recv(flood->socket, bytes, sizeof bytes, MSG_DONTWAIT)) >= 0) {
        flood->bytes_in += (uint64_t)length;
    }
}

/* How many frames from the next one on, of so many at most, have its length. */
static unsigned run_of(const struct flood *flood, unsigned most)
{
    const struct forged_frame *frames = flood->frames[flood->next];
    const size_t first = flood->at[flood->next];
    const size_t length = frames[first].length;
    unsigned count = 1;

    while (count < most && count < AT_ONCE && first + count < FRAMES &&
           frames[first + count].length == length) {
        count++;
    }
    return count;
}

/* Sends some frames to the next port, of so many at most: in one call, of which the kernel makes
 * datagrams. */
static void send_some(struct flood *flood, unsigned most)
{
    const size_t port = flood->next;
    struct forged_frame *frames = &flood->frames[port][flood->at[port]];
    const unsigned count = run_of(flood, most);
    const uint16_t length = (uint16_t)frames->length;
    struct iovec pieces[AT_ONCE];
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof length)];
    } control = {.header = {.cmsg_level = IPPROTO_UDP,
                            .cmsg_type = UDP_SEGMENT,
                            .cmsg_len = CMSG_LEN(sizeof length)}};
    const struct msghdr message = {.msg_iov = pieces,
                                   .msg_iovlen = count,
                                   .msg_name = &flood->to[port],
                                   .msg_namelen = sizeof flood->to[port],
                                   .msg_control = &control,
                                   .msg_controllen = sizeof control};

    memcpy(CMSG_DATA(&control.header), &length, sizeof length);
    for (unsigned i = 0; i < count; i++) {
        pieces[i] = (struct iovec){.iov_base = frames[i].bytes, .iov_len = length};
    }
    const ssize_t bytes = sendmsg(flood->socket, &message, 0);
    flood->bytes_out += bytes > 0 ? (uint64_t)bytes : 0;
    flood->sent += bytes > 0 ? (uint64_t)bytes / length : 0;
    flood->at[port] = (flood->at[port] + count) % FRAMES;
    flood->next = (port + 1) % flood->ports;
}

static void prepare_member(struct flood *flood, const char *host, const char *kind, const char *key)
{
    flood->member = forger_new(host);
    flood->joins = strcmp(kind, "member-join") == 0;
    if (flood->member == NULL || key == NULL || !forger_use_key(flood->member, key)) {
        fail("no forger, or no key in that file");
    }
    for (size_t i = 0; i < flood->ports; i++) {
        if (!forger_prove(flood->member, ntohs(flood->to[i].sin_port), PROVED_MS)) {
            fail("nobody there asks for proof of the address");
        }
    }
}

static void send_as_member(struct flood *flood)
{
    const uint16_t port = ntohs(flood->to[flood->next].sin_port);

    if (flood->joins) {
        forger_join(flood->member, port, 1);
    } else {
        forger_pull(flood->member, port);
    }
    flood->sent++;
    flood->next = (flood->next + 1) % flood->ports;
}

/* Keeps to the rate, as far as the machine goes; what it cannot send is not made up for. */
static void run(struct flood *flood, uint64_t rate, uint64_t seconds)
{
    const uint64_t since_us = now_us();
    const uint64_t until_us = since_us + seconds * 1000000;
    uint64_t skipped = 0;

    for (uint64_t now = since_us; now < until_us; now = now_us()) {
        const uint64_t due = rate * (now - since_us) / 1000000;
        const uint64_t slice = rate / 100 + 1; /* 10 ms of it, at most */
        if (due > flood->sent + skipped + slice) {
            skipped = due - flood->sent - slice;
        }
        while (flood->sent + skipped < due) {
            const uint64_t left = due - flood->sent - skipped;
            const uint64_t before = flood->sent;
            if (flood->member != NULL) {
                send_as_member(flood);
            } else {
                send_some(flood, left < AT_ONCE ? (unsigned)left : AT_ONCE);
            }
            if (flood->sent == before) {
                break;
            }
        }
        take_answers(flood);
        const struct timespec pause = {.tv_nsec = SLICE_US * 1000L};
        (void)nanosleep(&pause, NULL);
    }
    const struct timespec moment = {.tv_nsec = 200 * 1000000L};
    (void)nanosleep(&moment, NULL);
    take_answers(flood);
}

static bool is_kind(const char *word)
{
    static const char *const kinds[] = {"forged", "join", "pull", "member-join", "member-pull"};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(word, kinds[i]) == 0) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    static struct flood flood;

    if (argc < 6 || argc > 7 || !is_kind(argv[1])) {
        fprintf(stderr, "usage: doyen_flood forged|[member-]join|[member-]pull HOST "
                        "PORT[:BYTE][,...] RATE SECONDS [KEYFILE]\n");
        return USAGE;
    }
    open_flood(&flood, argv[2], argv[3]);
    if (strncmp(argv[1], "member-", strlen("member-")) == 0) {
        prepare_member(&flood, argv[2], argv[1], argv[6]);
    } else {
        make_frames(&flood, argv[2], argv[1], argv[6]);
    }
    run(&flood, strtoull(argv[4], NULL, 10), strtoull(argv[5], NULL, 10));
    forger_free(flood.member);
    printf("{\"kind\": \"%s\", \"sent\": %llu, \"bytes_out\": %llu, \"bytes_in\": %llu}\n", argv[1],
           (unsigned long long)flood.sent, (unsigned long long)flood.bytes_out,
           (unsigned long long)flood.bytes_in);
    return EXIT_SUCCESS;
}
