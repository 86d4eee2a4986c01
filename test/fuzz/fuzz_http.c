/* Throws bytes at the control socket of a node that runs: as one client that sends all of it, and
 * then reads to the end. Half of the inputs, by their first byte, come over TCP. Nothing may break,
 * and afterwards the node still answers. */
#include <assert.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit/control_bench.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TURNS_MAX = 4000, TURNS_TO_ANSWER = 20, BYTES_MAX = 8192 };

/* Sends all, says that no more comes, and turns the loop while there are answers: a watcher's never
 * end. Returns whether there was one that begins so. */
static bool talk(struct control_bench *bench, int fd, const void *bytes, size_t size,
                 const char *begin)
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
        uv_run(&bench->loop, UV_RUN_NOWAIT);
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
        uv_run(&bench->loop, UV_RUN_NOWAIT);
    }
    return length >= strlen(begin) && memcmp(answer, begin, strlen(begin)) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char question[] = "GET /v1/members HTTP/1.0\r\n\r\n";
    struct control_bench bench;

    if (size == 0) {
        return 0;
    }
    control_bench_open(&bench);
    const int fd = data[0] % 2 == 0 ? client_open(&bench) : client_open_tcp(&bench);
    (void)talk(&bench, fd, data + 1, size - 1, "");
    const bool answers = talk(&bench, client_open(&bench), question, sizeof question - 1,
                              "HTTP/1.1 200");
    assert(answers);
    control_bench_close(&bench);
    return 0;
}
