#include "control_client.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_MAX = 1 << 18 };

uint64_t client_now_ms(void)
{
    return uv_hrtime() / 1000000;
}

void client_send(int fd, const char *text)
{
    cr_assert_eq(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

char *client_read(struct control_bench *bench, int fd, const char *word)
{
    char *text = calloc(1, ANSWER_MAX);
    size_t length = 0;
    const uint64_t until_ms = client_now_ms() + CONTROL_PATIENCE_MS;

    while (client_now_ms() < until_ms) {
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
        uv_run(&bench->loop, UV_RUN_NOWAIT);
    }
    cr_assert_fail("no %s in: %s", word == NULL ? "end" : word, text);
    return text;
}

void assert_answer(struct control_bench *bench, int fd, const char *request, const char *status,
                   const char *word)
{
    client_send(fd, request);
    char *answer = client_read(bench, fd, word);
    char line[64];

    snprintf(line, sizeof line, "HTTP/1.1 %s", status);
    cr_assert_eq(strncmp(answer, line, strlen(line)), 0, "%s", answer);
    free(answer);
}

void assert_answers(const struct asked *cases, size_t count)
{
    struct control_bench bench;
    control_bench_open(&bench);
    const int fd = client_open(&bench);

    for (size_t i = 0; i < count; i++) {
        char request[160];
        snprintf(request, sizeof request, "%s HTTP/1.1\r\nHost: d\r\n\r\n", cases[i].request);
        assert_answer(&bench, fd, request, cases[i].status, cases[i].words);
    }
    cr_assert_not(bench.ended);
    close(fd);
    control_bench_close(&bench);
}
