/* Throws bytes at the control socket of a node that runs: as one client that sends all of it, and
 * then reads to the end. Half of the inputs, by their first byte, come over TCP. Nothing may break,
 * and afterwards the node still answers. */
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "control/control.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    PEER_PORT = 7420,
    HTTP_PORT = 8420,
    TURNS_MAX = 4000,
    TURNS_TO_ANSWER = 20,
    BYTES_MAX = 8192
};

struct house {
    uv_loop_t loop;
    struct config config;
    struct log log;
    struct node *node;
    struct control *control;
    char directory[32];
    bool closed;
};

/* An address of this process's own, so that fuzzers side by side do not meet. */
static struct address own_address(uint16_t port)
{
    const uint32_t number = (uint32_t)getpid();

    return (struct address){.bytes = {127, (uint8_t)(128 + (number >> 16 & 0x7f)),
                                      (uint8_t)(number >> 8), (uint8_t)number},
                            .family = 4,
                            .port = port};
}

/* A leave that an input asked for ends the node, which answers all the same. */
static void on_end(void *context, enum node_end end)
{
    (void)context;
    (void)end;
}

static void house_open(struct house *house)
{
    struct config *config = &house->config;

    memset(house, 0, sizeof *house);
    strcpy(house->directory, "/tmp/doyen-fuzz-XXXXXX");
    assert(mkdtemp(house->directory) != NULL);
    strcpy(config->name, "athens");
    strcpy(config->cluster, "doyen");
    config->listen = own_address(PEER_PORT);
    config->advertise = config->listen;
    config->guard.policy = GUARD_NONE;
    config->profile = PROFILE_LOCAL;
    config->timing = timing_of(PROFILE_LOCAL);
    config->capacity = 4;
    config->faults = true;
    config->control_mode = 0600;
    config->http_on = true;
    config->http = own_address(HTTP_PORT);
    snprintf(config->control, sizeof config->control, "%s/a.sock", house->directory);

    log_init(&house->log, open("/dev/null", O_WRONLY | O_CLOEXEC), LOG_ERROR, LOG_TEXT, "athens");
    assert(uv_loop_init(&house->loop) == 0);
    house->node = node_open(&house->loop, config, &(struct keyring){.count = 0}, &house->log,
                            on_end, house);
    assert(house->node != NULL);
    house->control = control_open(&house->loop, house->node, &house->log);
    assert(house->control != NULL);
    while (core_phase(node_core(house->node)) != PHASE_MEMBER) {
        uv_run(&house->loop, UV_RUN_ONCE);
    }
}

static void on_closed(void *context)
{
    *(bool *)context = true;
}

static void house_close(struct house *house)
{
    control_close(house->control, on_closed, &house->closed);
    while (!house->closed) {
        uv_run(&house->loop, UV_RUN_ONCE);
    }
    node_close(house->node, NULL, NULL);
    while (uv_run(&house->loop, UV_RUN_DEFAULT) != 0) {
    }
    assert(uv_loop_close(&house->loop) == 0);
    close(house->log.fd);
    assert(rmdir(house->directory) == 0);
}

static int connect_unix(const struct house *house)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    memcpy(address.sun_path, house->config.control, strlen(house->config.control));
    assert(connect(fd, (const struct sockaddr *)&address, sizeof address) == 0);
    return fd;
}

static int connect_tcp(const struct house *house)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(HTTP_PORT)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    memcpy(&address.sin_addr, house->config.http.bytes, sizeof address.sin_addr);
    assert(connect(fd, (const struct sockaddr *)&address, sizeof address) == 0);
    return fd;
}

/* Sends all, says that no more comes, and turns the loop while there are answers: a watcher's never
 * end. Returns whether there was one that begins so. */
static bool talk(struct house *house, int fd, const void *bytes, size_t size, const char *begin)
{
    char answer[BYTES_MAX];
    size_t length = 0;
    size_t sent = 0;

    for (int turn = 0; turn < TURNS_MAX; turn++) {
        const ssize_t more = send(fd, (const char *)bytes + sent, size - sent,
                                  MSG_DONTWAIT | MSG_NOSIGNAL);
        sent += more > 0 ? (size_t)more : 0;
        if (sent == size && turn > TURNS_TO_ANSWER) {
            (void)shutdown(fd, SHUT_WR); /* At once, and the library might not answer any more. */
        }
        uv_run(&house->loop, UV_RUN_NOWAIT);
        const size_t room = sizeof answer - length;
        const ssize_t got = recv(fd, answer + (room > 0 ? length : 0), room > 0 ? room : length,
                                 MSG_DONTWAIT);
        if (got == 0) {
            break;
        }
        length += got > 0 && room > 0 ? (size_t)got : 0;
        if (length >= strlen(begin) && turn > 2 * TURNS_TO_ANSWER) {
            break;
        }
    }
    close(fd);
    for (int turn = 0; turn < 4; turn++) {
        uv_run(&house->loop, UV_RUN_NOWAIT);
    }
    return length >= strlen(begin) && memcmp(answer, begin, strlen(begin)) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char question[] = "GET /v1/members HTTP/1.0\r\n\r\n";
    struct house house;

    if (size == 0) {
        return 0;
    }
    house_open(&house);
    const int fd = data[0] % 2 == 0 ? connect_unix(&house) : connect_tcp(&house);
    (void)talk(&house, fd, data + 1, size - 1, "");
    const bool answers = talk(&house, connect_unix(&house), question, sizeof question - 1,
                              "HTTP/1.1 200");
    assert(answers);
    house_close(&house);
    return 0;
}
