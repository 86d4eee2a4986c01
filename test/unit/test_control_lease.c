/* The lease page as a client of the control socket finds it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/resources/server.h"
#include "control_client.h"
#include "doyen/lease.h"

/* Asks for the page and turns the loop until it is there. Returns the answer's error; on 0 the
 * connection and the page are open. */
static int lease_open(struct control_bench *bench, int *connection, int *page)
{
    const uint64_t until_ms = client_now_ms() + CONTROL_PATIENCE_MS;
    int error = -EAGAIN;

    *connection = doyen_lease_request(bench->config.control);
    cr_assert_geq(*connection, 0);
    while (error == -EAGAIN && client_now_ms() < until_ms) {
        uv_run(&bench->loop, UV_RUN_NOWAIT);
        error = doyen_lease_receive(*connection, page);
    }
    if (error != 0) {
        close(*connection);
    }
    return error;
}

static void lease_await_clients(struct control_bench *bench, uint32_t count)
{
    const uint64_t until_ms = client_now_ms() + CONTROL_PATIENCE_MS;

    while (bench->control->lease_clients.count != count && client_now_ms() < until_ms) {
        uv_run(&bench->loop, UV_RUN_NOWAIT);
    }
    cr_assert_eq(bench->control->lease_clients.count, count);
}

Test(control_socket, the_lease_page_is_lent_over_the_unix_socket)
{
    struct control_bench bench;
    struct doyen_lease lease;
    uint64_t epoch = 0;
    uint64_t left_ns = 0;
    int connection = -1;
    int page = -1;
    control_bench_open(&bench);

    cr_assert_eq(lease_open(&bench, &connection, &page), 0);
    cr_assert_eq(doyen_lease_map(&lease, page), 0);
    close(page);
    cr_assert(doyen_lease_acting(&lease, &epoch, &left_ns));
    cr_assert_eq(epoch, 1);
    lease_await_clients(&bench, 1);
    close(connection);
    lease_await_clients(&bench, 0);
    const int fd = client_open(&bench);
    assert_answer(&bench, fd, "GET /v1/lease HTTP/1.1\r\nHost: d\r\n\r\n", "200",
                  "\"withdrawn\":false}\n");
    assert_answer(&bench, fd,
                  "HEAD /v1/lease HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\n"
                  "Upgrade: doyen-lease\r\n\r\n",
                  "200", "\r\n\r\n");
    close(fd);
    control_bench_close(&bench);
    cr_assert_not(doyen_lease_acting(&lease, &epoch, &left_ns), "it closed the page as it went");
    doyen_lease_unmap(&lease);
}

Test(control_socket, readers_of_the_lease_page_beyond_the_cap_are_told)
{
    struct control_bench bench;
    int connections[LEASE_CLIENTS_MAX + 1];
    int pages[LEASE_CLIENTS_MAX + 1];
    control_bench_open(&bench);

    for (int i = 0; i < LEASE_CLIENTS_MAX; i++) {
        cr_assert_eq(lease_open(&bench, &connections[i], &pages[i]), 0, "client %d", i);
    }
    cr_assert_eq(lease_open(&bench, &connections[LEASE_CLIENTS_MAX], pages), -EBUSY);
    close(connections[0]);
    lease_await_clients(&bench, LEASE_CLIENTS_MAX - 1);
    close(pages[0]);
    cr_assert_eq(lease_open(&bench, &connections[0], &pages[0]), 0, "there is room again");
    for (int i = 0; i < LEASE_CLIENTS_MAX; i++) {
        close(connections[i]);
        close(pages[i]);
    }
    control_bench_close(&bench);
}

Test(control_socket, memory_is_not_lent_over_tcp)
{
    struct control_bench bench;
    control_bench_open(&bench);
    const int fd = client_open_tcp(&bench);

    assert_answer(&bench, fd,
                  "GET /v1/lease HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                  "Upgrade: doyen-lease\r\n\r\n",
                  "403", "without Upgrade");
    assert_answer(&bench, fd, "GET /v1/lease HTTP/1.1\r\nHost: localhost\r\n\r\n", "200",
                  "deadline_ns");
    close(fd);
    control_bench_close(&bench);
}

/* Whoever reads the page hears of it when the node gives its right up, and the page says so. */
Test(control_socket, who_reads_the_page_is_told_to_stop_when_the_node_leaves)
{
    struct control_bench bench;
    struct doyen_lease lease;
    uint64_t epoch = 0;
    uint64_t left_ns = 0;
    int connection = -1;
    int page = -1;
    char words[2] = {0};
    control_bench_open(&bench);

    cr_assert_eq(lease_open(&bench, &connection, &page), 0);
    cr_assert_eq(doyen_lease_map(&lease, page), 0);
    close(page);
    node_leave(bench.node);
    cr_assert_not(doyen_lease_acting(&lease, &epoch, &left_ns), "at once");
    const uint64_t until_ms = client_now_ms() + CONTROL_PATIENCE_MS;
    while (recv(connection, words, 1, MSG_DONTWAIT) != 1 && client_now_ms() < until_ms) {
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    }
    cr_assert_str_eq(words, "w");
    words[0] = DOYEN_LEASE_STOPPED;
    cr_assert_eq(send(connection, words, 1, MSG_NOSIGNAL), 1);
    while (!bench.ended && client_now_ms() < until_ms) {
        uv_run(&bench.loop, UV_RUN_NOWAIT);
    }
    cr_assert(bench.ended);
    close(connection);
    doyen_lease_unmap(&lease);
    control_bench_close(&bench);
}
