#include "client/exchange.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "client/clock.h"
#include "client/daemon_account.h"
#include "client/refusal.h"
#include "client/unreachable.h"
#include "client/url.h"

enum {
    READ_BYTES = 65536,
    KEEPALIVE_IDLE_S = 10, /* a daemon's host that vanishes is noticed within half a minute */
    KEEPALIVE_INTERVAL_S = 5,
    KEEPALIVE_COUNT = 4,
};

#define STATUS_IS_GOOD(status) ((status) >= 200 && (status) <= 299)

static void fail(struct exchange *exchange)
{
    assert(exchange->problem.code != 0);
    exchange->state = EXCHANGE_FAILED;
    if (exchange->fd >= 0) {
        close(exchange->fd);
        exchange->fd = -1;
    }
}

/* --- Connecting --- */

/* A socket that does not block and is closed by exec. */
static int open_socket(int family)
{
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Only now is anything sent. */
static void on_connected(struct exchange *exchange)
{
    exchange->state = EXCHANGE_SENDING;
    if (exchange->target->socket[0] != '\0' &&
        daemon_account_check(exchange->fd, exchange->target, &exchange->problem) != 0) {
        fail(exchange);
    }
}

static void connect_locally(struct exchange *exchange)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = exchange->target->socket;

    (void)text_set(address.sun_path, sizeof address.sun_path, path, strlen(path)); /* It fits. */
    exchange->fd = open_socket(AF_UNIX);
    if (exchange->fd < 0 ||
        connect(exchange->fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        (void)unreachable(exchange->target, errno, &exchange->problem);
        fail(exchange);
        return;
    }
    on_connected(exchange);
}

static void keep_alive(int fd)
{
    const int on = 1;
    const int idle_s = KEEPALIVE_IDLE_S;
    const int interval_s = KEEPALIVE_INTERVAL_S;
    const int count = KEEPALIVE_COUNT;

    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

/* Tries the next addresses of the host until one takes a connection, or may do so yet. `error` is
 * what the last one said. */
static void connect_next(struct exchange *exchange, int error)
{
    while (exchange->next != NULL) {
        const struct addrinfo *address = exchange->next;
        exchange->next = address->ai_next;
        if (exchange->fd >= 0) {
            close(exchange->fd);
        }
        exchange->fd = open_socket(address->ai_family);
        if (exchange->fd < 0) {
            error = errno;
            continue;
        }
        keep_alive(exchange->fd);
        if (connect(exchange->fd, address->ai_addr, address->ai_addrlen) == 0) {
            on_connected(exchange);
            return;
        }
        error = errno;
        if (error == EINPROGRESS) {
            exchange->state = EXCHANGE_CONNECTING;
            return;
        }
    }
    (void)unreachable(exchange->target, error, &exchange->problem);
    fail(exchange);
}

static void finish_connecting(struct exchange *exchange)
{
    struct pollfd connection = {.fd = exchange->fd, .events = POLLOUT};
    socklen_t bytes = sizeof(int);
    int error = 0;

    if (poll(&connection, 1, 0) <= 0) {
        return;
    }
    if (getsockopt(exchange->fd, SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) {
        error = errno;
    }
    if (error == 0) {
        on_connected(exchange);
    } else {
        connect_next(exchange, error);
    }
}

static void connect_by_url(struct exchange *exchange)
{
    if (url_resolve(exchange->target, &exchange->addresses, &exchange->problem) != 0) {
        fail(exchange);
        return;
    }
    exchange->next = exchange->addresses;
    connect_next(exchange, EHOSTUNREACH);
}

/* --- Asking --- */

static bool append(struct buffer *buffer, const char *text)
{
    return buffer_append(buffer, text, strlen(text));
}

/* The parts of the request line and the headers, one after the other. */
static bool compose(struct buffer *out, const struct target *target,
                    const struct exchange_request *request)
{
    const size_t length = request->body == NULL ? 0 : strlen(request->body);
    char authority[TARGET_URL_MAX + 1];
    char lengths[64];

    url_authority(target, authority);
    snprintf(lengths, sizeof lengths, "Content-Length: %zu\r\n", length);
    return append(out, request->method) && append(out, " ") && append(out, request->path) &&
           append(out, " HTTP/1.1\r\nHost: ") && append(out, authority) &&
           append(out, "\r\nUser-Agent: libdoyen\r\nConnection: close\r\n") &&
           append(out, request->header == NULL ? "" : request->header) &&
           append(out, request->header == NULL ? "" : "\r\n") &&
           append(out, strcmp(request->method, "GET") == 0 ? "" : lengths) &&
           append(out, length == 0 ? "" : "Content-Type: application/json\r\n") &&
           append(out, "\r\n") && append(out, length == 0 ? "" : request->body);
}

void exchange_begin(struct exchange *exchange, const struct target *target,
                    const struct exchange_request *request, const struct allocator *memory)
{
    *exchange = (struct exchange){.memory = memory,
                                  .target = target,
                                  .fd = -1,
                                  .request.memory = memory,
                                  .body.memory = memory,
                                  .stream = request->stream};
    http_init(&exchange->http, memory);
    if (!compose(&exchange->request, target, request)) {
        (void)problem_memory(&exchange->problem);
        fail(exchange);
    } else if (target->socket[0] != '\0') {
        connect_locally(exchange);
    } else {
        connect_by_url(exchange);
    }
    exchange_advance(exchange);
}

void exchange_deinit(struct exchange *exchange)
{
    if (exchange->state == EXCHANGE_NONE) {
        return;
    }
    if (exchange->fd >= 0) {
        close(exchange->fd);
    }
    if (exchange->addresses != NULL) {
        freeaddrinfo(exchange->addresses);
    }
    buffer_deinit(&exchange->request);
    buffer_deinit(&exchange->body);
    http_deinit(&exchange->http);
    *exchange = (struct exchange){.state = EXCHANGE_NONE, .fd = -1};
}

static void send_some(struct exchange *exchange)
{
    const struct buffer *request = &exchange->request;

    while (exchange->sent < request->length) {
        const ssize_t count = send(exchange->fd, request->bytes + exchange->sent,
                                   request->length - exchange->sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno == EAGAIN) {
            return;
        }
        if (count < 0) {
            break; /* It may have refused before it read everything: look at what it says. */
        }
        exchange->sent += (size_t)count;
    }
    exchange->state = EXCHANGE_RECEIVING;
}

/* --- The answer --- */

static bool take_body(void *context, int status, const char *bytes, size_t length)
{
    struct exchange *exchange = context;

    if (exchange->stream != NULL && STATUS_IS_GOOD(status)) {
        return sse_feed(exchange->stream, bytes, length);
    }
    return buffer_append(&exchange->body, bytes, length);
}

static void went_away(struct exchange *exchange)
{
    const bool by_url = exchange->target->socket[0] == '\0';

    (void)problem_set(&exchange->problem, DOYEN_E_UNREACHABLE,
                      by_url && exchange->received == 0
                          ? "%s hung up without an answer: is that the port of doyend's --http?"
                          : "the daemon at %s went away",
                      target_text(exchange->target));
    fail(exchange);
}

static void finish(struct exchange *exchange)
{
    const int status = exchange->http.status;

    if (!STATUS_IS_GOOD(status)) {
        (void)refusal_read(exchange->target, status, buffer_text(&exchange->body),
                           exchange->body.length, &exchange->problem);
        fail(exchange);
    } else if (exchange->stream != NULL) {
        went_away(exchange); /* A stream does not end by itself. */
    } else {
        exchange->state = EXCHANGE_DONE;
        close(exchange->fd);
        exchange->fd = -1;
    }
}

static void judge(struct exchange *exchange, enum http_result result)
{
    switch (result) {
    case HTTP_MORE:
        return;
    case HTTP_WHOLE:
        finish(exchange);
        return;
    case HTTP_SENSELESS:
        (void)problem_set(&exchange->problem, DOYEN_E_PROTOCOL,
                          "the answer of %s makes no sense: is it doyend?",
                          target_text(exchange->target));
        fail(exchange);
        return;
    case HTTP_STOPPED:
        (void)problem_set(&exchange->problem, DOYEN_E_MEMORY,
                          "the answer of %s is too large for this process",
                          target_text(exchange->target));
        fail(exchange);
        return;
    }
}

static void end_of_connection(struct exchange *exchange)
{
    if (exchange->http.place == HTTP_IN_BODY && http_end(&exchange->http) == HTTP_WHOLE) {
        finish(exchange);
    } else {
        went_away(exchange);
    }
}

static void receive(struct exchange *exchange)
{
    char bytes[READ_BYTES];

    while (exchange->state == EXCHANGE_RECEIVING) {
        const ssize_t count = recv(exchange->fd, bytes, sizeof bytes, 0);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno == EAGAIN) {
            return;
        }
        if (count <= 0) {
            end_of_connection(exchange);
            return;
        }
        exchange->received += (size_t)count;
        judge(exchange, http_feed(&exchange->http, bytes, (size_t)count, take_body, exchange));
        if (exchange->stream != NULL) {
            return; /* One piece at a time: what came is to be handed on before more is kept. */
        }
    }
}

/* --- Driving it --- */

void exchange_advance(struct exchange *exchange)
{
    if (exchange->state == EXCHANGE_CONNECTING) {
        finish_connecting(exchange);
    }
    if (exchange->state == EXCHANGE_SENDING) {
        send_some(exchange);
    }
    if (exchange->state == EXCHANGE_RECEIVING) {
        receive(exchange);
    }
}

bool exchange_is_running(const struct exchange *exchange)
{
    return exchange->state == EXCHANGE_CONNECTING || exchange->state == EXCHANGE_SENDING ||
           exchange->state == EXCHANGE_RECEIVING;
}

short exchange_events(const struct exchange *exchange)
{
    return exchange->state == EXCHANGE_RECEIVING ? POLLIN : POLLOUT;
}

void exchange_time_out(struct exchange *exchange, int timeout_ms)
{
    if (exchange->state == EXCHANGE_CONNECTING) {
        (void)unreachable(exchange->target, ETIMEDOUT, &exchange->problem);
    } else {
        (void)problem_set(&exchange->problem, DOYEN_E_TIMEOUT,
                          "the daemon at %s did not answer within %d ms: it may be stopped or "
                          "overloaded",
                          target_text(exchange->target), timeout_ms);
    }
    fail(exchange);
}

int exchange_finish(struct exchange *exchange, int timeout_ms)
{
    const uint64_t deadline_ms = clock_deadline_ms(timeout_ms);

    while (exchange_is_running(exchange)) {
        struct pollfd connection = {.fd = exchange->fd, .events = exchange_events(exchange)};
        const int left_ms = clock_until(deadline_ms);
        if (left_ms == 0) {
            exchange_time_out(exchange, timeout_ms);
        } else if (poll(&connection, 1, left_ms) > 0) {
            exchange_advance(exchange);
        }
    }
    return exchange->problem.code;
}
