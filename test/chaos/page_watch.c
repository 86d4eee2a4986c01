/* Watches the lease pages of several daemons on one host, and tells when two of them act at once.
 *
 *     page_watch [--role ROLE] SOCKET[@CLOCK]...
 *
 * With --role it stands for that role at each of them, and watches who holds it instead: for epochs
 * there are tokens then.
 *
 * A daemon's clock may be fast by CLOCK parts in a million (wrong_clock.c). Its page is held
 * against that, but all of them at the same time, so what this program sees is what truly was. Each
 * line of its output begins with the clock of this host, in nanoseconds:
 *
 *     NS begin NODE EPOCH       the node at this socket (counted from 0) has the right to act
 *     NS end NODE EPOCH         and has it no more
 *     NS overlap NODE NODE      two had it at the same instant
 *     NS fell NODE EPOCH        it acts under an epoch that is not above those of the nodes before
 *
 * It ends when its standard input does. */
#include <time.h>

static int clock_of_node(clockid_t clock, struct timespec *time);

#define clock_gettime clock_of_node /* What the reader of pages asks. */
#include "doyen/lease.h"
#undef clock_gettime

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MILLION = 1000000,
    MAX_NODES = 16,
    LOOK_EVERY_NS = 200 * 1000,
    ASK_AGAIN_LOOKS = 100, /* that many looks between two attempts to reach a daemon */
    LINE_BYTES_MAX = 2048, /* of what is told of a role */
};

struct watched {
    const char *socket;
    int64_t fast;   /* by how many parts in a million its clock is */
    int connection; /* -1: none */
    bool page_came; /* on this connection */
    bool mapped;
    struct doyen_lease lease;
    bool acting;
    uint64_t epoch;            /* while acting, and of the last time */
    char line[LINE_BYTES_MAX]; /* of a role: as far as it has come */
    size_t line_length;
};

static const char *role_name; /* NULL: none, but the right to act */
static int64_t looks_at_fast; /* the clock of the node whose page is read */

static int clock_of_node(clockid_t clock, struct timespec *time)
{
    const int64_t second = 1000 * 1000 * 1000;
    const int status = clock_gettime(clock, time);
    int64_t ns = (int64_t)time->tv_sec * second + time->tv_nsec;

    ns += ns / MILLION * looks_at_fast + ns % MILLION * looks_at_fast / MILLION;
    *time = (struct timespec){.tv_sec = ns / second, .tv_nsec = ns % second};
    return status;
}

static uint64_t now_ns(void)
{
    looks_at_fast = 0;
    return doyen_lease_now_ns();
}

static void say(uint64_t at_ns, const char *what, int node, uint64_t number)
{
    printf("%" PRIu64 " %s %d %" PRIu64 "\n", at_ns, what, node, number);
    (void)fflush(stdout);
}

/* --- The connection through which a page comes --- */

static void forget_connection(struct watched *node)
{
    (void)close(node->connection);
    node->connection = -1;
}

/* As doyen_lease_request, for the page of a role. */
static int request_page(const char *control_socket)
{
    char body[128];
    char request[512];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = role_name == NULL ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (role_name == NULL) {
        return doyen_lease_request(control_socket);
    }
    snprintf(address.sun_path, sizeof address.sun_path, "%s", control_socket);
    snprintf(body, sizeof body, "{\"role\":\"%.60s\"}", role_name);
    const int length = snprintf(request, sizeof request,
                                "POST /v1/campaign HTTP/1.1\r\nHost: doyen\r\n"
                                "Connection: Upgrade\r\nUpgrade: doyen-campaign\r\n"
                                "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                                strlen(body), body);
    if (fd >= 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0 &&
        connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
        send(fd, request, (size_t)length, MSG_NOSIGNAL) == length) {
        return fd;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return -1;
}

/* The page of a daemon that is gone says no for ever, or until its deadline: it stays mapped until
 * its successor's page takes its place. */
static void take_page(struct watched *node)
{
    int page;
    const int error = doyen_lease_receive(node->connection, &page);

    if (error == -EAGAIN) {
        return;
    }
    if (error != 0) {
        forget_connection(node);
        return;
    }
    node->page_came = true;
    doyen_lease_unmap(&node->lease);
    node->mapped = doyen_lease_map(&node->lease, page) == 0;
    (void)close(page);
}

/* Agrees at once to each hand-over: nothing acts in this program's name. */
static void answer_notices(struct watched *node)
{
    static const char stopped = DOYEN_LEASE_STOPPED;
    char notices[64];
    const ssize_t length = recv(node->connection, notices, sizeof notices, MSG_DONTWAIT);

    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR)) {
        forget_connection(node);
        return;
    }
    for (ssize_t i = 0; i < length; i++) {
        if (notices[i] == DOYEN_LEASE_STOP) {
            (void)send(node->connection, &stopped, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        }
    }
}

/* A role that is lost is let go of at once; a campaign that has ended is begun anew. */
static void answer_line(struct watched *node)
{
    static const char stopped = DOYEN_LEASE_STOPPED;

    node->line[node->line_length] = '\0';
    node->line_length = 0;
    if (strstr(node->line, "\"event\":\"lost\"") != NULL) {
        (void)send(node->connection, &stopped, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    } else if (strstr(node->line, "\"event\":\"ended\"") != NULL) {
        forget_connection(node);
    }
}

static void answer_lines(struct watched *node)
{
    char text[1024];
    const ssize_t length = recv(node->connection, text, sizeof text, MSG_DONTWAIT);

    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR)) {
        forget_connection(node);
        return;
    }
    for (ssize_t i = 0; i < length && node->connection >= 0; i++) {
        if (text[i] == '\n') {
            answer_line(node);
        } else if (node->line_length < sizeof node->line - 1) {
            node->line[node->line_length++] = text[i];
        }
    }
}

static void keep_connection(struct watched *node, unsigned look)
{
    if (node->connection >= 0) {
        (!node->page_came ? take_page : role_name == NULL ? answer_notices : answer_lines)(node);
    } else if (look % ASK_AGAIN_LOOKS == 0) {
        node->connection = request_page(node->socket);
        node->page_came = false;
        node->line_length = 0;
    }
}

/* --- What the pages say --- */

/* Returns whether the page says now that its node may act. */
static bool look_at(struct watched *node)
{
    uint64_t epoch;
    uint64_t left_ns;

    looks_at_fast = node->fast;
    if (!node->mapped || !doyen_lease_acting(&node->lease, &epoch, &left_ns)) {
        return false;
    }
    node->epoch = epoch;
    return true;
}

static void note_change(struct watched *nodes, int count, int i, bool acting)
{
    struct watched *node = &nodes[i];

    node->acting = acting;
    say(now_ns(), acting ? "begin" : "end", i, node->epoch);
    for (int j = 0; acting && j < count; j++) {
        if (j != i && nodes[j].epoch >= node->epoch) {
            say(now_ns(), "fell", i, node->epoch);
        }
    }
}

/* Two nodes acted at once if the one did before and after a moment at which the other did. */
static void find_overlap(struct watched *nodes, int i, int j)
{
    const uint64_t epoch = nodes[i].epoch;

    if (look_at(&nodes[j]) && look_at(&nodes[i]) && nodes[i].epoch == epoch) {
        printf("%" PRIu64 " overlap %d %d\n", now_ns(), i, j);
        (void)fflush(stdout);
    }
}

static void look_at_all(struct watched *nodes, int count)
{
    int acting = -1;

    for (int i = 0; i < count; i++) {
        const bool now = look_at(&nodes[i]);
        if (now != nodes[i].acting) {
            note_change(nodes, count, i, now);
        }
        if (now && acting >= 0) {
            find_overlap(nodes, acting, i);
        }
        acting = now ? i : acting;
    }
}

int main(int argc, char **argv)
{
    static struct watched nodes[MAX_NODES];
    const int words = argc > 2 && strcmp(argv[1], "--role") == 0 ? 2 : 0;
    const int count = argc - 1 - words;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    const struct timespec pause = {.tv_nsec = LOOK_EVERY_NS};

    if (count < 1 || count > MAX_NODES) {
        fprintf(stderr, "page_watch: name 1 to %d control sockets\n", MAX_NODES);
        return 64;
    }
    role_name = words == 0 ? NULL : argv[2];
    for (int i = 0; i < count; i++) {
        char *clock = strchr(argv[i + 1 + words], '@');
        if (clock != NULL) {
            *clock = '\0';
            nodes[i].fast = strtol(clock + 1, NULL, 10);
        }
        nodes[i].socket = argv[i + 1 + words];
        nodes[i].connection = -1;
    }
    for (unsigned look = 0; poll(&input, 1, 0) == 0; look++) {
        for (int i = 0; i < count; i++) {
            keep_connection(&nodes[i], look);
        }
        look_at_all(nodes, count);
        (void)nanosleep(&pause, NULL);
    }
    return 0;
}
