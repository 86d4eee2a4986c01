/* The lease page as a client of the control socket finds it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/resources/server.h"
#include "doyen/lease.h"
#include "house.h"

/* Asks for the page and turns the loop until it is there. Returns the answer's error; on 0 the
 * connection and the page are open. */
static int lease_open(struct house *house, int *connection, int *page)
{
    const uint64_t until_ms = house_now_ms() + HOUSE_PATIENCE_MS;
    int error = -EAGAIN;

    *connection = doyen_lease_request(house->config.control);
    cr_assert_geq(*connection, 0);
    while (error == -EAGAIN && house_now_ms() < until_ms) {
        uv_run(&house->loop, UV_RUN_NOWAIT);
        error = doyen_lease_receive(*connection, page);
    }
    if (error != 0) {
        close(*connection);
    }
    return error;
}

static void lease_await_clients(struct house *house, uint32_t count)
{
    const uint64_t until_ms = house_now_ms() + HOUSE_PATIENCE_MS;

    while (house->control->lease_clients.count != count && house_now_ms() < until_ms) {
        uv_run(&house->loop, UV_RUN_NOWAIT);
    }
    cr_assert_eq(house->control->lease_clients.count, count);
}

Test(control_socket, the_lease_page_is_lent_over_the_unix_socket)
{
    struct house house;
    struct doyen_lease lease;
    uint64_t epoch = 0;
    uint64_t left_ns = 0;
    int connection = -1;
    int page = -1;
    house_open(&house);

    cr_assert_eq(lease_open(&house, &connection, &page), 0);
    cr_assert_eq(doyen_lease_map(&lease, page), 0);
    close(page);
    cr_assert(doyen_lease_acting(&lease, &epoch, &left_ns));
    cr_assert_eq(epoch, 1);
    lease_await_clients(&house, 1);
    close(connection);
    lease_await_clients(&house, 0);
    const int fd = client_open(&house);
    assert_answer(&house, fd, "GET /v1/lease HTTP/1.1\r\nHost: d\r\n\r\n", "200",
                  "\"withdrawn\":false}\n");
    assert_answer(&house, fd,
                  "HEAD /v1/lease HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\n"
                  "Upgrade: doyen-lease\r\n\r\n",
                  "200", "\r\n\r\n");
    close(fd);
    house_close(&house);
    cr_assert_not(doyen_lease_acting(&lease, &epoch, &left_ns), "it closed the page as it went");
    doyen_lease_unmap(&lease);
}

Test(control_socket, readers_of_the_lease_page_beyond_the_cap_are_told)
{
    struct house house;
    int connections[LEASE_CLIENTS_MAX + 1];
    int pages[LEASE_CLIENTS_MAX + 1];
    house_open(&house);

    for (int i = 0; i < LEASE_CLIENTS_MAX; i++) {
        cr_assert_eq(lease_open(&house, &connections[i], &pages[i]), 0, "client %d", i);
    }
    cr_assert_eq(lease_open(&house, &connections[LEASE_CLIENTS_MAX], pages), -EBUSY);
    close(connections[0]);
    lease_await_clients(&house, LEASE_CLIENTS_MAX - 1);
    close(pages[0]);
    cr_assert_eq(lease_open(&house, &connections[0], &pages[0]), 0, "there is room again");
    for (int i = 0; i < LEASE_CLIENTS_MAX; i++) {
        close(connections[i]);
        close(pages[i]);
    }
    house_close(&house);
}

Test(control_socket, memory_is_not_lent_over_tcp)
{
    struct house house;
    house_open(&house);
    const int fd = client_open_tcp(&house);

    assert_answer(&house, fd,
                  "GET /v1/lease HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                  "Upgrade: doyen-lease\r\n\r\n",
                  "403", "without Upgrade");
    assert_answer(&house, fd, "GET /v1/lease HTTP/1.1\r\nHost: localhost\r\n\r\n", "200",
                  "deadline_ns");
    close(fd);
    house_close(&house);
}

/* Whoever reads the page hears of it when the node gives its right up, and the page says so. */
Test(control_socket, who_reads_the_page_is_told_to_stop_when_the_node_leaves)
{
    struct house house;
    struct doyen_lease lease;
    uint64_t epoch = 0;
    uint64_t left_ns = 0;
    int connection = -1;
    int page = -1;
    char words[2] = {0};
    house_open(&house);

    cr_assert_eq(lease_open(&house, &connection, &page), 0);
    cr_assert_eq(doyen_lease_map(&lease, page), 0);
    close(page);
    node_leave(house.node);
    cr_assert_not(doyen_lease_acting(&lease, &epoch, &left_ns), "at once");
    const uint64_t until_ms = house_now_ms() + HOUSE_PATIENCE_MS;
    while (recv(connection, words, 1, MSG_DONTWAIT) != 1 && house_now_ms() < until_ms) {
        uv_run(&house.loop, UV_RUN_NOWAIT);
    }
    cr_assert_str_eq(words, "w");
    words[0] = DOYEN_LEASE_STOPPED;
    cr_assert_eq(send(connection, words, 1, MSG_NOSIGNAL), 1);
    while (!house.ended && house_now_ms() < until_ms) {
        uv_run(&house.loop, UV_RUN_NOWAIT);
    }
    cr_assert(house.ended);
    close(connection);
    doyen_lease_unmap(&lease);
    house_close(&house);
}
