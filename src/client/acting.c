/* May this node act now? Answered from the lease page of doyen/lease.h. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "client/client_state.h"
#include "client/clock.h"
#include "client/daemon_account.h"
#include "client/local.h"

enum { RETRY_MS = 100 };

int doyen_lease_open(struct doyen *d, int timeout_ms, int *page)
{
    struct problem problem = {.code = 0};

    *page = -1;
    if (local_find(d, &problem) != 0) {
        return client_fail(d, &problem);
    }
    const int connection = doyen_lease_connect(d->target.socket, timeout_ms, page);
    if (connection < 0) {
        (void)local_explain(&d->target, -connection, &problem);
        return client_fail(d, &problem);
    }
    if (daemon_account_check(connection, &d->target, &problem) != 0) {
        close(connection);
        close(*page);
        *page = -1;
        return client_fail(d, &problem);
    }
    return connection;
}

/* --- The client's own page --- */

static void disconnect(struct acting *acting)
{
    if (acting->connection >= 0) {
        close(acting->connection);
        acting->connection = -1;
    }
    acting->stop_asked = false;
}

void acting_clean(struct doyen *d)
{
    disconnect(&d->acting);
    doyen_lease_unmap(&d->acting.lease);
}

/* Maps the page, which is closed. Returns 0 or a negative errno; the former page stays then. */
static int map_page(struct acting *acting, int page)
{
    struct doyen_lease lease;
    const int error = doyen_lease_map(&lease, page);

    close(page);
    if (error == 0) {
        doyen_lease_unmap(&acting->lease);
        acting->lease = lease;
    }
    return error;
}

int doyen_lease_get(struct doyen *d, int timeout_ms)
{
    struct problem problem = {.code = 0};
    int page = -1;
    const int connection = doyen_lease_open(d, timeout_ms, &page);

    if (connection < 0) {
        return connection;
    }
    disconnect(&d->acting);
    d->acting.connection = connection;
    const int error = map_page(&d->acting, page);
    if (error != 0) {
        disconnect(&d->acting);
        (void)local_explain(&d->target, -error, &problem);
        return client_fail(d, &problem);
    }
    return 0;
}

/* Asks for a page without waiting for it, now and then. */
static void request_page(struct doyen *d)
{
    struct acting *acting = &d->acting;
    struct problem problem;

    if (clock_ms() < acting->retry_ms) {
        return;
    }
    acting->retry_ms = clock_ms() + RETRY_MS;
    if (local_find(d, &problem) != 0) {
        return;
    }
    const int connection = doyen_lease_request(d->target.socket);
    if (connection >= 0 && daemon_account_check(connection, &d->target, &problem) != 0) {
        close(connection);
        return;
    }
    acting->connection = connection >= 0 ? connection : -1;
}

static void receive_page(struct acting *acting)
{
    int page = -1;
    int error = doyen_lease_receive(acting->connection, &page);

    if (error == -EAGAIN) {
        /* The head of the answer may have been all that was taken: the page comes behind it. */
        error = doyen_lease_receive(acting->connection, &page);
    }
    if (error == 0) {
        error = map_page(acting, page);
    }
    if (error != 0 && error != -EAGAIN) {
        disconnect(acting);
    }
}

/* Takes what the daemon said on the connection. */
static void hear(struct acting *acting)
{
    char words[64];

    while (acting->connection >= 0) {
        const ssize_t count = recv(acting->connection, words, sizeof words, MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno == EAGAIN) {
            return;
        }
        if (count <= 0) {
            disconnect(acting);
        } else if (memchr(words, DOYEN_LEASE_STOP, (size_t)count) != NULL) {
            acting->stop_asked = true;
        }
    }
}

/* What the page says, if it says that this node acts. */
static bool read_right(const struct acting *acting, struct doyen_right *right)
{
    struct doyen_lease_content content;

    if (acting->lease.page == NULL || doyen_lease_read(&acting->lease, &content) != 0) {
        return false;
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* The clock is read after the page. */
    const uint64_t left_ns = doyen_lease_left_ns(&content, doyen_lease_now_ns());
    if (left_ns == 0) {
        return false;
    }
    *right = (struct doyen_right){.epoch = content.epoch,
                                  .left_ns = left_ns,
                                  .deadline_ns = content.deadline_ns,
                                  .advisory = (content.flags & DOYEN_LEASE_ADVISORY) != 0};
    return true;
}

/* The answer is no: a daemon that waits for that is told so. */
static void say_stopped(struct acting *acting)
{
    const char word = DOYEN_LEASE_STOPPED;

    if (acting->stop_asked && acting->connection >= 0) {
        acting->stop_asked = false;
        (void)send(acting->connection, &word, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
}

bool doyen_acting(struct doyen *d, struct doyen_right *right)
{
    struct acting *acting = &d->acting;
    struct doyen_right own = {.epoch = 0};
    bool acts = false;

    if (acting->lease.page != NULL) {
        hear(acting);
        acts = read_right(acting, &own);
    }
    if (!acts && acting->lease.page != NULL) {
        say_stopped(acting);
        if (acting->connection < 0) {
            doyen_lease_unmap(&acting->lease); /* Its daemon is gone, and it says no for ever. */
        }
    }
    if (acting->lease.page == NULL && acting->connection < 0) {
        request_page(d);
    }
    if (acting->lease.page == NULL && acting->connection >= 0) {
        receive_page(acting);
        acts = read_right(acting, &own);
    }
    if (right != NULL) {
        *right = own;
    }
    return acts;
}
