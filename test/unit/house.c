#include "house.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_MAX = 1 << 18 };

uint64_t house_now_ms(void)
{
    return uv_hrtime() / 1000000;
}

enum { PEER_PORT = 7420, HTTP_PORT = 8420 };

/* An address of this process's own, so that tests side by side do not meet: 127.1.0.0 and up. */
static struct address own_address(uint16_t port)
{
    const uint32_t number = (uint32_t)getpid();

    return (struct address){.bytes = {127, (uint8_t)(1 + (number >> 16 & 0x7f)),
                                      (uint8_t)(number >> 8), (uint8_t)number},
                            .family = 4,
                            .port = port};
}

static void on_end(void *context, enum node_end end)
{
    struct house *house = context;

    cr_assert_eq(end, NODE_LEFT);
    house->ended = true;
}

void house_open(struct house *house)
{
    struct config *config = &house->config;

    memset(house, 0, sizeof *house);
    strcpy(house->directory, "/tmp/doyen-test-XXXXXX");
    cr_assert_not_null(mkdtemp(house->directory));
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
    snprintf(config->control, sizeof config->control, "%s/a.sock", house->directory);

    log_init(&house->log, STDERR_FILENO, LOG_ERROR, LOG_TEXT, "athens");
    cr_assert_eq(uv_loop_init(&house->loop), 0);
    house->node = node_open(&house->loop, config, &(struct keyring){.count = 0}, &house->log,
                            on_end, house);
    cr_assert_not_null(house->node);
    house->control = control_open(&house->loop, house->node, &house->log);
    cr_assert_not_null(house->control);
    while (core_phase(node_core(house->node)) != PHASE_MEMBER) {
        uv_run(&house->loop, UV_RUN_ONCE);
    }
}

static void on_closed(void *context)
{
    struct house *house = context;
    house->closed = true;
}

void house_close_control(struct house *house)
{
    control_close(house->control, on_closed, house);
    house->control = NULL;
    while (!house->closed) {
        uv_run(&house->loop, UV_RUN_ONCE);
    }
    cr_assert_neq(access(house->config.control, F_OK), 0, "the file is gone");
}

void house_close(struct house *house)
{
    if (house->control != NULL) {
        house_close_control(house);
    }
    node_close(house->node, NULL, NULL);
    while (uv_run(&house->loop, UV_RUN_DEFAULT) != 0) {
    }
    cr_assert_eq(uv_loop_close(&house->loop), 0);
    rmdir(house->directory);
}

int client_open(const struct house *house)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

    strcpy(address.sun_path, house->config.control);
    cr_assert_eq(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

int client_open_tcp(const struct house *house)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(house->config.http.port)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);

    memcpy(&address.sin_addr, house->config.http.bytes, sizeof address.sin_addr);
    cr_assert_eq(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

void client_send(int fd, const char *text)
{
    cr_assert_eq(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

char *client_read(struct house *house, int fd, const char *word)
{
    char *text = calloc(1, ANSWER_MAX);
    size_t length = 0;
    const uint64_t until_ms = house_now_ms() + HOUSE_PATIENCE_MS;

    while (house_now_ms() < until_ms) {
        const ssize_t count = recv(fd, text + length, ANSWER_MAX - 1 - length, MSG_DONTWAIT);
        if (count > 0) {
            length += (size_t)count;
        } else if (count == 0 || errno != EAGAIN) {
            cr_assert_null(word, "ended without %s: %s", word == NULL ? "" : word, text);
            return text;
        }
        if (word != NULL && strstr(text, word) != NULL) {
            return text;
        }
        uv_run(&house->loop, UV_RUN_NOWAIT);
    }
    cr_assert_fail("no %s in: %s", word == NULL ? "end" : word, text);
    return text;
}

void assert_answer(struct house *house, int fd, const char *request, const char *status,
                   const char *word)
{
    client_send(fd, request);
    char *answer = client_read(house, fd, word);
    char line[64];

    snprintf(line, sizeof line, "HTTP/1.1 %s", status);
    cr_assert_eq(strncmp(answer, line, strlen(line)), 0, "%s", answer);
    free(answer);
}

void assert_answers(const struct asked *cases, size_t count)
{
    struct house house;
    house_open(&house);
    const int fd = client_open(&house);

    for (size_t i = 0; i < count; i++) {
        char request[160];
        snprintf(request, sizeof request, "%s HTTP/1.1\r\nHost: d\r\n\r\n", cases[i].request);
        assert_answer(&house, fd, request, cases[i].status, cases[i].words);
    }
    cr_assert_not(house.ended);
    close(fd);
    house_close(&house);
}
