#include "witness/metrics_socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/host/clock.h"
#include "words/address_text.h"

enum { BACKLOG = 16 };

struct connection {
    struct chain link;
    struct metrics_socket *socket;
    uv_tcp_t tcp;
    uv_timer_t timer;
    uint8_t handles; /* those not closed yet */
    uv_write_t write;
    char *answer; /* the whole of it; NULL: nothing was asked yet */
    size_t length;
    char request[METRICS_REQUEST_MAX + 1];
};

/* --- The end --- */

static void on_handle_closed(uv_handle_t *handle)
{
    struct connection *connection = handle->data;
    struct latch *latch = connection->socket->latch;

    if (--connection->handles == 0) {
        free(connection->answer);
        free(connection);
    }
    latch_release(latch);
}

static void end(struct connection *connection)
{
    if (uv_is_closing((const uv_handle_t *)&connection->tcp) != 0) {
        return;
    }
    chain_remove(&connection->link);
    connection->socket->connection_count--;
    uv_close((uv_handle_t *)&connection->timer, on_handle_closed);
    uv_close((uv_handle_t *)&connection->tcp, on_handle_closed);
}

static void on_timer(uv_timer_t *timer)
{
    end(timer->data);
}

/* --- The answer --- */

static void on_written(uv_write_t *write, int status)
{
    (void)status;
    end(write->data);
}

/* The whole answer, in one piece; false: no memory. */
static bool compose(struct connection *connection, const char *status, const char *type,
                    const char *body, size_t body_length)
{
    char head[256];
    const int head_length = snprintf(head, sizeof head,
                                     "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                                     "Cache-Control: no-store\r\nConnection: close\r\n\r\n",
                                     status, type, body_length);

    connection->length = (size_t)head_length + body_length;
    connection->answer = malloc(connection->length);
    if (connection->answer == NULL) {
        return false;
    }
    memcpy(connection->answer, head, (size_t)head_length);
    memcpy(connection->answer + head_length, body, body_length);
    return true;
}

static bool compose_metrics(struct connection *connection)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);

    if (to == NULL) {
        return false;
    }
    connection->socket->write(connection->socket->context, to);
    const bool made = fclose(to) == 0 &&
                      compose(connection, "200 OK", "text/plain; version=0.0.4; charset=utf-8",
                              text, length);
    free(text);
    return made;
}

static bool compose_refusal(struct connection *connection, const char *status)
{
    char body[64];
    const int length = snprintf(body, sizeof body, "%s: GET /metrics\n", status);

    return compose(connection, status, "text/plain", body, (size_t)length);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void answer(struct connection *connection)
{
    const char *request = connection->request;
    bool made;

    (void)uv_read_stop((uv_stream_t *)&connection->tcp);
    if (begins(request, "GET /metrics ") || begins(request, "GET /metrics?")) {
        made = compose_metrics(connection);
    } else {
        made = compose_refusal(connection, begins(request, "GET ") ? "404 Not Found"
                                                                   : "405 Method Not Allowed");
    }
    uv_buf_t buffer = uv_buf_init(connection->answer, (unsigned)connection->length);
    if (!made || uv_write(&connection->write, (uv_stream_t *)&connection->tcp, &buffer, 1,
                          on_written) != 0) {
        end(connection);
    }
}

/* --- The request --- */

static void on_buffer(uv_handle_t *handle, size_t suggested_size, uv_buf_t *buffer)
{
    struct connection *connection = handle->data;

    (void)suggested_size;
    *buffer = uv_buf_init(connection->request + connection->length,
                          (unsigned)(METRICS_REQUEST_MAX - connection->length));
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer)
{
    struct connection *connection = stream->data;

    (void)buffer;
    if (length < 0) {
        end(connection); /* Among others where there is no room for a longer request. */
        return;
    }
    connection->length += (size_t)length;
    connection->request[connection->length] = '\0';
    if (strstr(connection->request, "\r\n\r\n") != NULL) {
        answer(connection);
    }
}

static void on_connection(uv_stream_t *server, int status)
{
    struct metrics_socket *socket = server->data;
    struct connection *connection = status == 0 ? calloc(1, sizeof *connection) : NULL;

    if (connection == NULL || uv_tcp_init(server->loop, &connection->tcp) != 0) {
        free(connection);
        return;
    }
    (void)uv_timer_init(server->loop, &connection->timer); /* cannot fail */
    connection->socket = socket;
    connection->tcp.data = connection;
    connection->timer.data = connection;
    connection->write.data = connection;
    connection->handles = 2;
    latch_acquire(socket->latch);
    latch_acquire(socket->latch);
    chain_insert(&socket->connections, &connection->link);
    socket->connection_count++;
    if (socket->connection_count > METRICS_CONNECTIONS_MAX) {
        end(CHAIN_ITEM(socket->connections.next, struct connection, link));
    }
    clock_start_timer(&connection->timer, on_timer, clock_ms() + METRICS_MS_MAX);
    if (uv_accept(server, (uv_stream_t *)&connection->tcp) != 0 ||
        uv_read_start((uv_stream_t *)&connection->tcp, on_buffer, on_read) != 0) {
        end(connection);
    }
}

/* --- The socket --- */

int metrics_socket_open(struct metrics_socket *socket, uv_loop_t *loop, struct latch *latch,
                        const struct address *listen, metrics_write *write, const void *context)
{
    struct sockaddr_storage name;
    const int family = address_family(listen);

    socket->latch = latch;
    socket->write = write;
    socket->context = context;
    chain_init(&socket->connections);
    int error = uv_tcp_init(loop, &socket->server);
    if (error != 0) {
        return error;
    }
    socket->open = true;
    socket->server.data = socket;
    latch_acquire(latch);
    (void)address_to_sockaddr(listen, family, &name);
    error = uv_tcp_bind(&socket->server, (const struct sockaddr *)&name, 0);
    return error != 0 ? error : uv_listen((uv_stream_t *)&socket->server, BACKLOG, on_connection);
}

static void on_closed(uv_handle_t *handle)
{
    struct metrics_socket *socket = handle->data;

    latch_release(socket->latch);
}

void metrics_socket_close(struct metrics_socket *socket)
{
    if (!socket->open) {
        return;
    }
    socket->open = false;
    uv_close((uv_handle_t *)&socket->server, on_closed);
    while (!chain_is_empty(&socket->connections)) {
        end(CHAIN_ITEM(socket->connections.next, struct connection, link));
    }
}
