#include "control/control.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/server.h"
#include "runtime/descriptors.h"
#include "words/address_text.h"

enum {
    FINAL_RUNS = 4, /* turns that ended streams get to send their last bytes */
    SNAPSHOT_MEMBERS_PER_MS = 256,
};

/* --- The members document, shared by GET /v1/members and the snapshots of /v1/events --- */

/* Making it takes about a microsecond for each dozen members, so that a large one is given out
 * for a while: its numbers are then up to member_count / SNAPSHOT_MEMBERS_PER_MS milliseconds
 * old, 16 at the most, and a flood costs a tenth of the loop's time at the most. */
struct document *control_snapshot(struct control *control)
{
    const uint64_t now_ms = node_now_ms(control->node);
    const uint64_t cursor = journal_cursor(node_journal(control->node));
    const uint64_t age_ms_max = core_view(node_core(control->node))->member_count /
                                SNAPSHOT_MEMBERS_PER_MS;

    if (control->snapshot == NULL || control->snapshot_cursor != cursor ||
        now_ms - control->snapshot_ms > age_ms_max) {
        document_release(control->snapshot);
        control->snapshot = NULL;
        if (facts_take(&control->facts, control->node, control->opened_ms)) {
            control->snapshot = members_render(&control->members, &control->facts, &control->shelf);
        }
        control->snapshot_cursor = cursor;
        control->snapshot_ms = now_ms;
    }
    return control->snapshot == NULL ? NULL : document_share(control->snapshot);
}

static struct document *snapshot_of(void *control)
{
    return control_snapshot(control);
}

/* --- Requests --- */

static void on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct server *server = context;
    struct visitor *visitor = *socket_context;

    switch (code) {
    case MHD_CONNECTION_NOTIFY_STARTED:
        server->connections++;
        visitor = calloc(1, sizeof *visitor);
        if (visitor != NULL) {
            visitor->server = server;
            visitor->connection = connection;
            visitor->turned_away = server->connections > CONNECTIONS_MAX;
        }
        *socket_context = visitor;
        break;
    case MHD_CONNECTION_NOTIFY_CLOSED:
        assert(server->connections > 0);
        server->connections--;
        if (visitor != NULL) {
            sheet_deinit(&visitor->body);
            free(visitor);
        }
        *socket_context = NULL;
        break;
    }
}

static enum MHD_Result answer_too_large(struct visitor *visitor)
{
    struct answer answer = answer_problem(MHD_HTTP_CONTENT_TOO_LARGE, "body too large",
                                          "no resource takes as much",
                                          "a body has at most %d bytes", BODY_BYTES_MAX);
    if (answer.response == NULL) {
        return MHD_NO;
    }
    const enum MHD_Result result = MHD_queue_response(visitor->connection, answer.status,
                                                      answer.response);
    MHD_destroy_response(answer.response);
    return result;
}

/* The head of a request has arrived. The answer is given when the rest has too: an earlier one
 * would make libmicrohttpd close the connection. */
static enum MHD_Result visitor_begin(struct visitor *visitor)
{
    const char *length = MHD_lookup_connection_value(visitor->connection, MHD_HEADER_KIND,
                                                     MHD_HTTP_HEADER_CONTENT_LENGTH);

    sheet_clear(&visitor->body);
    visitor->called = false;
    if (length != NULL && strtoull(length, NULL, 10) > BODY_BYTES_MAX) {
        return answer_too_large(visitor);
    }
    return MHD_YES;
}

static enum MHD_Result visitor_take(struct visitor *visitor, const char *bytes, size_t *length)
{
    if (visitor->body.length + *length > BODY_BYTES_MAX) {
        return MHD_NO; /* Sent in chunks, without saying how much: there is no answer any more. */
    }
    sheet_bytes(&visitor->body, bytes, *length);
    *length = 0;
    return visitor->body.failed ? MHD_NO : MHD_YES;
}

/* Called by libmicrohttpd for the head, for each piece of the body, and at the end. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *bytes, size_t *length, void **request_context)
{
    struct visitor *visitor = *request_context;

    (void)context;
    (void)version;
    if (visitor == NULL) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(
            connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
        visitor = info == NULL ? NULL : info->socket_context;
        if (visitor == NULL) {
            return MHD_NO;
        }
        *request_context = visitor;
        return visitor_begin(visitor);
    }
    if (*length > 0) {
        return visitor_take(visitor, bytes, length);
    }
    if (visitor->server->control->closing) {
        return MHD_NO;
    }
    return resources_answer(visitor, path, method);
}

/* --- The daemons and the loop --- */

static void control_end(struct control *control);

static void control_run(struct control *control, struct server *server)
{
    control->running = true;
    const uint32_t before = server->connections;
    MHD_run(server->daemon);
    if (before > server->connections) {
        /* At its limit it stopped accepting, and only a run begins that again. */
        MHD_run(server->daemon);
    }
    control->running = false;
    if (control->closing) {
        control_end(control); /* Put off by control_close. */
    }
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct server *server = poll->data;

    (void)status;
    (void)events;
    if (!server->control->closing) {
        control_run(server->control, server);
    }
}

static void control_run_all(struct control *control)
{
    for (uint32_t i = 0; i < control->server_count && !control->closing; i++) {
        control_run(control, &control->servers[i]);
    }
}

static void on_timer(uv_timer_t *timer)
{
    control_run_all(timer->data);
}

static void on_beat(uv_timer_t *timer)
{
    struct control *control = timer->data;

    watchers_beat(&control->watchers);
    if (control->watchers.count == 0) {
        uv_timer_stop(timer);
    }
}

/* Calls those that have waited longest. Returns whether there were any. */
static bool visitors_call(struct control *control, uint32_t count)
{
    const bool any = control->first_waiting != NULL;

    while (count > 0 && control->first_waiting != NULL) {
        struct visitor *visitor = control->first_waiting;

        control->first_waiting = visitor->next_waiting;
        if (control->first_waiting == NULL) {
            control->last_waiting = NULL;
        }
        visitor->called = true;
        MHD_resume_connection(visitor->connection);
        count--;
        control->renderings_left -= control->renderings_left > 0;
    }
    return any;
}

/* Arms the timer for what the daemons wait for. It is not put off when the deadline moves away,
 * as it does with every request: it then fires once for nothing. */
static void timer_arm(struct control *control)
{
    uint64_t wait_ms = UINT64_MAX;

    for (uint32_t i = 0; i < control->server_count; i++) {
        MHD_UNSIGNED_LONG_LONG timeout = 0;
        if (MHD_get_timeout(control->servers[i].daemon, &timeout) == MHD_YES && timeout < wait_ms) {
            wait_ms = timeout;
        }
    }
    if (wait_ms == UINT64_MAX) {
        uv_timer_stop(&control->timer);
        return;
    }
    const uint64_t due_ms = uv_now(control->loop) + wait_ms;
    if (!uv_is_active((uv_handle_t *)&control->timer) || due_ms < control->timer_due_ms) {
        control->timer_due_ms = due_ms;
        uv_timer_start(&control->timer, on_timer, wait_ms, 0);
    }
}

/* Before the loop sleeps: everything that must not happen inside a daemon's run, and once a turn
 * is soon enough. */
static void on_prepare(uv_prepare_t *prepare)
{
    struct control *control = prepare->data;

    if (control->leave_wanted) {
        control->leave_wanted = false;
        node_leave(control->node);
    }
    if (control->closing) {
        return;
    }
    control->renderings_left = RENDERINGS_PER_TURN;
    const bool called = visitors_call(control, RENDERINGS_PER_TURN);
    watchers_tell(&control->watchers);
    if (called || control->watchers.woken) {
        /* Resuming a connection wakes no one: without threads of its own the library leaves it
         * to the next run. */
        control->watchers.woken = false;
        control_run_all(control);
    }
    if (!control->closing) {
        timer_arm(control);
    }
}

/* --- Opening and closing --- */

_Static_assert(SERVERS_MAX *(CONNECTIONS_MAX + CONNECTIONS_SPARE) < DESCRIPTORS_KEPT_MAX,
               "keep a descriptor for each client");

static bool server_start(struct control *control, struct server *server)
{
    const struct MHD_OptionItem options[] = {
        {MHD_OPTION_LISTEN_SOCKET, server->entrance.fd, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX + CONNECTIONS_SPARE, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES_MAX, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, CONNECTION_IDLE_S, NULL},
        {MHD_OPTION_PER_IP_CONNECTION_LIMIT, server->over_unix ? 0 : CONNECTIONS_PER_ADDRESS, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    /* Without a clock for the header Date, which costs more than it says on a local socket. */
    const unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
                           MHD_USE_SUPPRESS_DATE_NO_CLOCK;

    server->daemon = MHD_start_daemon(flags, 0, NULL, NULL, on_request, server,
                                      MHD_OPTION_NOTIFY_CONNECTION, on_connection, server,
                                      MHD_OPTION_ARRAY, options, MHD_OPTION_END);
    if (server->daemon == NULL) {
        log_line(control->log, LOG_ERROR, "control",
                 "the HTTP library refuses to start; look at the limits on memory and open files");
        return false;
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon,
                                                           MHD_DAEMON_INFO_EPOLL_FD);
    assert(info != NULL);
    int error = uv_poll_init(control->loop, &server->poll, info->epoll_fd);
    if (error == 0) {
        control->handles_open++;
        server->polled = true;
        server->poll.data = server;
        error = uv_poll_start(&server->poll, UV_READABLE, on_readable);
    }
    if (error != 0) {
        log_line(control->log, LOG_ERROR, "control", "cannot watch the HTTP connections: %s",
                 uv_strerror(error));
    }
    return error == 0;
}

/* Adds a server on the entrance, which counts as its own from here on. */
static bool control_serve(struct control *control, const struct entrance *entrance, bool over_unix)
{
    struct server *server = &control->servers[control->server_count];

    *server = (struct server){.control = control, .entrance = *entrance, .over_unix = over_unix};
    control->server_count++;
    return server_start(control, server);
}

static bool control_listen(struct control *control, const struct config *config)
{
    struct entrance entrance;
    char text[ADDRESS_TEXT_MAX];

    if (!entrance_open_unix(&entrance, config->control, control->log) ||
        !control_serve(control, &entrance, true)) {
        return false;
    }
    if (!config->http_on) {
        return true;
    }
    if (!entrance_open_tcp(&entrance, &config->http, control->log) ||
        !control_serve(control, &entrance, false)) {
        return false;
    }
    log_line(control->log, LOG_INFO, "control", "serving GET at http://%s/v1/",
             address_text(&config->http, text));
    return true;
}

static void control_start_handles(struct control *control)
{
    /* These cannot fail. */
    (void)uv_prepare_init(control->loop, &control->prepare);
    (void)uv_timer_init(control->loop, &control->timer);
    (void)uv_timer_init(control->loop, &control->beat);
    control->handles_open += 3;
    control->prepare.data = control;
    control->timer.data = control;
    control->beat.data = control;
    (void)uv_prepare_start(&control->prepare, on_prepare);
    (void)uv_timer_start(&control->beat, on_beat, WATCHER_BEAT_MS, WATCHER_BEAT_MS);
}

struct control *control_open(uv_loop_t *loop, struct node *node, struct log *log)
{
    struct control *control = calloc(1, sizeof *control);

    if (control == NULL) {
        log_line(log, LOG_ERROR, "control", "out of memory");
        return NULL;
    }
    control->loop = loop;
    control->node = node;
    control->log = log;
    control->opened_ms = node_now_ms(node);
    control->watchers.source = (struct event_source){.journal = node_journal(node),
                                                     .event_texts = &control->event_texts,
                                                     .snapshot = snapshot_of,
                                                     .context = control};
    control_start_handles(control);
    if (!control_listen(control, node_config(node))) {
        control_close(control, NULL, NULL); /* Freed if the loop runs once more. */
        return NULL;
    }
    return control;
}

static void control_free(struct control *control)
{
    void (*on_closed)(void *context) = control->on_closed;
    void *context = control->context;

    assert(control->shelf.bytes == 0);
    free(control);
    if (on_closed != NULL) {
        on_closed(context);
    }
}

static void handle_closed(struct control *control)
{
    assert(control->handles_open > 0);

    control->handles_open--;
    if (control->handles_open == 0) {
        control_free(control);
    }
}

static void on_handle_closed(uv_handle_t *handle)
{
    handle_closed(handle->data);
}

static void on_poll_closed(uv_handle_t *handle)
{
    const struct server *server = handle->data;
    handle_closed(server->control);
}

static void server_stop(struct server *server)
{
    if (server->polled) {
        /* First, because the daemon closes the descriptor that is being polled. */
        uv_close((uv_handle_t *)&server->poll, on_poll_closed);
    }
    if (server->daemon != NULL) {
        for (int i = 0; i < FINAL_RUNS; i++) {
            MHD_run(server->daemon);
        }
        MHD_stop_daemon(server->daemon);
    }
    entrance_unlink(&server->entrance);
}

/* Outside every daemon's run. A suspended connection would make MHD_stop_daemon abort: all are
 * woken first, and none is suspended while closing. */
static void control_end(struct control *control)
{
    assert(control->closing && !control->running);

    watchers_close(&control->watchers);
    while (control->first_waiting != NULL) {
        visitors_call(control, RENDERINGS_PER_TURN);
    }
    for (uint32_t i = 0; i < control->server_count; i++) {
        server_stop(&control->servers[i]);
    }
    for (size_t i = 0; i < RESOURCES_MAX; i++) {
        if (control->kept[i].answer.response != NULL) {
            MHD_destroy_response(control->kept[i].answer.response);
        }
    }
    document_release(control->snapshot);
    members_deinit(&control->members);
    event_texts_deinit(&control->event_texts);
    facts_deinit(&control->facts);
    links_deinit(&control->links);
    uv_close((uv_handle_t *)&control->prepare, on_handle_closed);
    uv_close((uv_handle_t *)&control->timer, on_handle_closed);
    uv_close((uv_handle_t *)&control->beat, on_handle_closed);
}

void control_close(struct control *control, void (*on_closed)(void *context), void *context)
{
    assert(!control->closing);

    control->closing = true;
    control->on_closed = on_closed;
    control->context = context;
    if (!control->running) {
        control_end(control);
    }
}
