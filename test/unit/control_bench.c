#include "control_bench.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PEER_PORT = 7420, HTTP_PORT = 8420 };

/* An address of this process's own, so that no two side by side meet: 127.1.0.0 and up. */
static struct address own_address(uint16_t port)
{
    const uint32_t number = (uint32_t)getpid();

    return (struct address){.bytes = {127, (uint8_t)(1 + (number >> 16 & 0x7f)),
                                      (uint8_t)(number >> 8), (uint8_t)number},
                            .family = 4,
                            .port = port};
}

/* Could another daemon begin there? */
static bool is_free(const struct address *address, int type)
{
    const int fd = socket(AF_INET, type, 0);
    const struct sockaddr_in name = {
        .sin_family = AF_INET,
        .sin_port = htons(address->port),
        .sin_addr.s_addr = htonl(0x7f000000U | (uint32_t)address->bytes[1] << 16 |
                                 (uint32_t)address->bytes[2] << 8 | address->bytes[3])};
    const int on = 1;

    assert(fd >= 0);
    assert(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
    const bool free = bind(fd, (const struct sockaddr *)&name, sizeof name) == 0;
    close(fd);
    return free;
}

static void on_end(void *context, enum node_end end)
{
    struct control_bench *bench = context;

    assert(end == NODE_LEFT);
    bench->ended = true;
    bench->left_its_address = is_free(&bench->config.listen, SOCK_STREAM) &&
                              is_free(&bench->config.listen, SOCK_DGRAM);
}

void control_bench_open(struct control_bench *bench)
{
    struct config *config = &bench->config;

    memset(bench, 0, sizeof *bench);
    strcpy(bench->directory, "/tmp/doyen-test-XXXXXX");
    assert(mkdtemp(bench->directory) != NULL);
    strcpy(config->name, "athens");
    strcpy(config->cluster, "doyen");
    config->listen = own_address(PEER_PORT);
    config->advertise = config->listen;
    config->guard.policy = GUARD_NONE;
    config->profile = PROFILE_LOCAL;
    config->timing = timing_of(PROFILE_LOCAL);
    config->capacity = 16;
    config->faults = true;
    config->control_mode = 0600;
    config->http_on = true;
    config->http = own_address(HTTP_PORT);
    snprintf(config->control, sizeof config->control, "%s/a.sock", bench->directory);

    log_init(&bench->log, STDERR_FILENO, LOG_ERROR, LOG_TEXT, "athens");
    assert(uv_loop_init(&bench->loop) == 0);
    bench->node = node_open(&bench->loop, config, &(struct keyring){.count = 0}, &bench->log,
                            on_end, bench);
    assert(bench->node != NULL);
    bench->control = control_open(&bench->loop, bench->node, &bench->log);
    assert(bench->control != NULL);
    while (core_phase(node_core(bench->node)) != PHASE_MEMBER) {
        uv_run(&bench->loop, UV_RUN_ONCE);
    }
}

static void on_closed(void *context)
{
    struct control_bench *bench = context;
    bench->closed = true;
}

void control_bench_close_control(struct control_bench *bench)
{
    control_close(bench->control, on_closed, bench);
    bench->control = NULL;
    while (!bench->closed) {
        uv_run(&bench->loop, UV_RUN_ONCE);
    }
    assert(access(bench->config.control, F_OK) != 0); /* The file is gone. */
}

void control_bench_close(struct control_bench *bench)
{
    if (bench->control != NULL) {
        control_bench_close_control(bench);
    }
    node_close(bench->node, NULL, NULL);
    while (uv_run(&bench->loop, UV_RUN_DEFAULT) != 0) {
    }
    assert(uv_loop_close(&bench->loop) == 0);
    assert(rmdir(bench->directory) == 0);
}

int client_open(const struct control_bench *bench)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

    strcpy(address.sun_path, bench->config.control);
    assert(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    return fd;
}

int client_open_tcp(const struct control_bench *bench)
{
    return client_open_tcp_from(bench, 1);
}

int client_open_tcp_from(const struct control_bench *bench, uint8_t host)
{
    const struct sockaddr_in from = {.sin_family = AF_INET,
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host)};
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(bench->config.http.port)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert(bind(fd, (const struct sockaddr *)&from, sizeof from) == 0);
    memcpy(&address.sin_addr, bench->config.http.bytes, sizeof address.sin_addr);
    assert(connect(fd, (const struct sockaddr *)&address, sizeof address) == 0);
    return fd;
}
