#include "control/resources/request.h"

#include <assert.h>
#include <stdlib.h>
#include <strings.h>

#include "control/http/answer.h"
#include "control/http/peer.h"
#include "control/resources/dispatch.h"
#include "control/resources/overdue.h"
#include "control/resources/server.h"

static struct request *request_new(struct server *server, struct MHD_Connection *connection)
{
    struct request *request = calloc(1, sizeof *request);

    if (request == NULL) {
        return NULL;
    }
    request->server = server;
    request->connection = connection;
    request->waiter.connection = connection;
    request->due_looks = REQUEST_NEVER_DUE;
    request->next = server->first;
    if (server->first != NULL) {
        server->first->previous = request;
    }
    server->first = request;
    overdue_set_in(request, FIRST_REQUEST_MS);
    return request;
}

/* Root, and the account of this process, are let in by whoever else is there. */
static bool is_of_this_daemon(const struct request *request)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    return request->server->over_unix && info != NULL && peer_may_change(info->connect_fd, NULL);
}

static void request_find_room(struct request *request)
{
    struct server *server = request->server;

    if (request->room != ROOM_UNKNOWN) {
        return;
    }
    server->asking++;
    request->room = server->asking <= server->room || is_of_this_daemon(request) ? ROOM_FOR_ALL
                    : server->asking <= server->room + server->reserved          ? ROOM_RESERVED
                                                                                 : ROOM_NONE;
}

static void request_free(struct request *request)
{
    overdue_set_never(request);
    request->server->asking -= request->room != ROOM_UNKNOWN;
    if (request->previous != NULL) {
        request->previous->next = request->next;
    } else {
        request->server->first = request->next;
    }
    if (request->next != NULL) {
        request->next->previous = request->previous;
    }
    text_builder_deinit(&request->body);
    free(request);
}

void request_on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                           enum MHD_ConnectionNotificationCode code)
{
    struct server *server = context;
    struct request *request = *socket_context;

    switch (code) {
    case MHD_CONNECTION_NOTIFY_STARTED:
        server->connections++;
        *socket_context = request_new(server, connection);
        break;
    case MHD_CONNECTION_NOTIFY_CLOSED:
        assert(server->connections > 0);
        server->connections--;
        if (request != NULL) {
            request_free(request);
        }
        *socket_context = NULL;
        break;
    }
}

void request_on_completed(void *context, struct MHD_Connection *connection, void **request_context,
                          enum MHD_RequestTerminationCode code)
{
    struct request *request = *request_context;

    (void)context;
    (void)connection;
    (void)code;
    if (request != NULL) {
        overdue_set_in(request,
                       request->room == ROOM_FOR_ALL ? NEXT_REQUEST_MS : RESERVED_REQUEST_MS);
    }
}

/* Answers a head whose body is not waited for; the connection is closed after that. */
static enum MHD_Result answer_head(struct request *request, struct answer answer)
{
    if (answer.response == NULL) {
        return MHD_NO;
    }
    const enum MHD_Result result = MHD_queue_response(request->connection, answer.status,
                                                      answer.response);
    MHD_destroy_response(answer.response);
    return result;
}

/* Of which a request has one at the most: a proxy may go by another one than this daemon. */
struct head_count {
    unsigned lengths; /* headers that say how long the body is */
    unsigned hosts;
};

static enum MHD_Result count_head(void *context, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    struct head_count *count = context;

    (void)kind;
    (void)value;
    count->lengths += strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0 ||
                      strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
    count->hosts += strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
    return MHD_YES;
}

/* The head of a request has arrived. It is answered when the rest has arrived too: an earlier
 * answer would make libmicrohttpd close the connection. */
static enum MHD_Result request_begin(struct request *request)
{
    const char *length = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
                                                     MHD_HTTP_HEADER_CONTENT_LENGTH);
    struct head_count count = {.lengths = 0};

    text_builder_clear(&request->body);
    queue_forget(&request->waiter);
    (void)MHD_get_connection_values(request->connection, MHD_HEADER_KIND, count_head, &count);
    if (count.lengths > 1) { /* It may take the rest for a request of its own. */
        return answer_head(request,
                           answer_problem(MHD_HTTP_BAD_REQUEST, "two lengths", "leave one out",
                                          "Content-Length and Transfer-Encoding are both given, "
                                          "or one of them twice"));
    }
    if (count.hosts > 1) {
        return answer_head(request, answer_problem(MHD_HTTP_BAD_REQUEST, "two hosts",
                                                   "leave one out", "Host is given twice"));
    }
    if (length != NULL && strtoull(length, NULL, 10) > BODY_BYTES_MAX) {
        return answer_head(request, answer_problem(MHD_HTTP_CONTENT_TOO_LARGE, "body too large",
                                                   "no resource takes as much",
                                                   "a body has at most %d bytes", BODY_BYTES_MAX));
    }
    return MHD_YES;
}

static enum MHD_Result request_append_body(struct request *request, const char *bytes,
                                           size_t *length)
{
    if (request->body.length + *length > BODY_BYTES_MAX) {
        return MHD_NO; /* A chunked body has no length in its head, so this is noticed too late for
                          an answer. */
    }
    text_builder_add_bytes(&request->body, bytes, *length);
    *length = 0;
    return request->body.failed ? MHD_NO : MHD_YES;
}

enum MHD_Result request_on_input(void *context, struct MHD_Connection *connection, const char *path,
                                 const char *method, const char *version, const char *bytes,
                                 size_t *length, void **request_context)
{
    struct request *request = *request_context;

    (void)context;
    (void)version;
    if (request == NULL) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(
            connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
        request = info == NULL ? NULL : info->socket_context;
        if (request == NULL) {
            return MHD_NO;
        }
        *request_context = request;
        return request_begin(request);
    }
    if (*length > 0) {
        return request_append_body(request, bytes, length);
    }
    if (request->server->control->closing) {
        return MHD_NO;
    }
    request_find_room(request);
    overdue_set_in(request, NEXT_REQUEST_MS); /* to be answered, and for the answer to be taken */
    return dispatch(request, path, method);
}
