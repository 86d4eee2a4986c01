/* Accepting where no descriptor is left: it waits, and does not turn in a circle. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/acceptor.h"

struct seen {
    int accepted;
    int starved;
    bool closed;
};

static void on_connection(void *context, int fd)
{
    struct seen *seen = context;

    seen->accepted++;
    close(fd);
}

static void on_starved(void *context, int error)
{
    struct seen *seen = context;

    cr_assert_eq(error, UV_EMFILE);
    seen->starved++;
}

static void on_closed(void *context)
{
    struct seen *seen = context;

    seen->closed = true;
}

static int listening(struct sockaddr_in *address)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    socklen_t length = sizeof *address;

    *address = (struct sockaddr_in){.sin_family = AF_INET,
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    cr_assert_eq(bind(fd, (const struct sockaddr *)address, sizeof *address), 0);
    cr_assert_eq(listen(fd, 8), 0);
    cr_assert_eq(getsockname(fd, (struct sockaddr *)address, &length), 0);
    return fd;
}

Test(acceptor, without_a_descriptor_it_pauses_and_goes_on)
{
    enum { TURNS = 1000 };
    struct sockaddr_in address;
    struct acceptor acceptor;
    struct seen seen = {.accepted = 0};
    struct rlimit limit;
    uv_loop_t loop;

    cr_assert_eq(uv_loop_init(&loop), 0);
    const int server = listening(&address);
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(acceptor_open(&acceptor, &loop, server, on_connection, on_starved, &seen), 0);
    acceptor_start(&acceptor);
    cr_assert_eq(connect(client, (const struct sockaddr *)&address, sizeof address), 0);

    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlim_t former = limit.rlim_cur;
    limit.rlim_cur = 3; /* All that are open are above it. */
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    while (seen.starved == 0) {
        uv_run(&loop, UV_RUN_ONCE);
    }
    for (int i = 0; i < TURNS; i++) {
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    cr_assert_lt(seen.starved, TURNS / 2, "it waits in between");
    cr_assert_eq(seen.accepted, 0);
    limit.rlim_cur = former;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    while (seen.accepted == 0) {
        uv_run(&loop, UV_RUN_ONCE);
    }

    acceptor_close(&acceptor, on_closed);
    close(server);
    close(client);
    uv_run(&loop, UV_RUN_DEFAULT);
    cr_assert(seen.closed);
    cr_assert_eq(uv_loop_close(&loop), 0);
}
