#include "control/control.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/documents/report_peers.h"
#include "control/documents/whole_facts.h"
#include "control/resources/arrivals.h"
#include "control/resources/overdue.h"
#include "control/resources/request.h"
#include "control/resources/server.h"
#include "control/resources/unescape.h"
#include "runtime/process/descriptors.h"
#include "words/address_text.h"

enum { FINAL_RUNS = 4 }; /* turns that ended streams get to send their last bytes */

static struct document *snapshot_of(void *snapshot)
{
    return snapshot_share(snapshot);
}

/* What this node tells another member that asks. */
static size_t answer_peer(void *context, char text[INQUIRY_TEXT_MAX])
{
    struct control *control = context;

    return facts_collect(&control->facts, 0) ? report_peer_write(&control->facts, text) : 0;
}

/* --- The daemons and the loop --- */

static void control_end(struct control *control);
static void arrivals_arm(struct server *server);

static void control_run(struct control *control, struct server *server)
{
    control->running = true;
    control->has_run = true;
    node_catch_up(control->node);
    MHD_run(server->daemon);
    control->running = false;
    if (control->closing) {
        control_end(control); /* control_close left this to us. */
    } else {
        arrivals_arm(server);
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

static void on_arrival(uv_poll_t *arrivals, int status, int events)
{
    struct server *server = arrivals->data;

    (void)status;
    (void)events;
    if (!server->control->closing) {
        arrivals_take(server);
        control_run(server->control, server);
    }
}

/* The listening socket is polled while there is room for whoever comes. */
static void arrivals_arm(struct server *server)
{
    const bool wanted = arrivals_wanted(server);

    if (wanted && !server->arrivals_run) {
        (void)uv_poll_start(&server->arrivals, UV_READABLE, on_arrival); /* cannot fail */
    } else if (!wanted && server->arrivals_run) {
        (void)uv_poll_stop(&server->arrivals);
    }
    server->arrivals_run = wanted;
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

static void on_keepalive(uv_timer_t *timer)
{
    struct control *control = timer->data;

    watchers_send_keepalive(&control->watchers);
}

/* The keepalive timer runs while there are watchers. */
static void keepalive_arm(struct control *control)
{
    const bool wanted = control->watchers.count > 0;

    if (wanted && !control->keepalive_runs) {
        uv_timer_start(&control->keepalive_timer, on_keepalive, WATCHER_KEEPALIVE_MS,
                       WATCHER_KEEPALIVE_MS);
    } else if (!wanted && control->keepalive_runs) {
        uv_timer_stop(&control->keepalive_timer);
    }
    control->keepalive_runs = wanted;
}

static void on_due_timer(uv_timer_t *timer)
{
    struct control *control = timer->data;

    for (uint32_t i = 0; i < control->server_count; i++) {
        overdue_look(&control->servers[i]);
    }
}

/* The timer runs while there are requests to be awaited. */
static void due_timer_arm(struct control *control)
{
    uint32_t due_count = 0;

    for (uint32_t i = 0; i < control->server_count; i++) {
        due_count += control->servers[i].due_count;
    }
    if (due_count > 0 && !control->due_timer_runs) {
        uv_timer_start(&control->due_timer, on_due_timer, DUE_LOOK_MS, DUE_LOOK_MS);
    } else if (due_count == 0 && control->due_timer_runs) {
        uv_timer_stop(&control->due_timer);
    }
    control->due_timer_runs = due_count > 0;
}

/* Arms the timer for the daemons' next deadline. The deadline moves away with every request, and
 * the timer is not put off then: it fires once for nothing. */
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

/* Runs before the loop sleeps: everything that must not happen inside a daemon's run, and that is
 * soon enough once a turn. */
static void on_prepare(uv_prepare_t *prepare)
{
    struct control *control = prepare->data;

    if (control->closing) {
        return;
    }
    hearing_stability_update(&control->hearing_stability, node_core(control->node),
                             &node_config(control->node)->timing, node_now_ms(control->node));
    const bool called = queue_turn(&control->queue);
    watchers_notify(&control->watchers);
    lease_clients_notify(&control->lease_clients);
    campaigns_sweep(&control->campaigns);
    past_write(&control->past);
    if (called || control->watchers.woken || control->lease_clients.woken ||
        control->campaigns.woken) {
        /* Resuming a connection wakes nobody: without threads of its own the library leaves it to
         * the next run. */
        control->watchers.woken = false;
        control->lease_clients.woken = false;
        control->campaigns.woken = false;
        control_run_all(control);
    }
    if (control->has_run && !control->closing) {
        control->has_run = false;
        timer_arm(control);
        keepalive_arm(control);
        due_timer_arm(control);
    }
}

/* --- Opening and closing --- */

enum {
    CONNECTIONS_ALL = CONNECTIONS_MAX + CONNECTIONS_RESERVED + CONNECTIONS_SPARE,
    CONNECTIONS_LEAST = 4,
    FILES_MEANWHILE = 4, /* the state, a recording, a lookup of a name */
};

_Static_assert(CONNECTIONS_RESERVED == CONNECTIONS_SPARE, "they shrink alike");

_Static_assert(SERVERS_MAX *CONNECTIONS_ALL < DESCRIPTORS_RESERVED_MAX,
               "keep a descriptor for each client");

/* What it cannot get a descriptor for, the library would try to accept again and again. */
static uint32_t connections_all(const struct control *control)
{
    const uint64_t clients = descriptors_for_clients(descriptors_limit(),
                                                     node_config(control->node)->capacity);
    const uint64_t most = clients > FILES_MEANWHILE ? (clients - FILES_MEANWHILE) / SERVERS_MAX : 0;

    return most < CONNECTIONS_LEAST ? CONNECTIONS_LEAST
           : most < CONNECTIONS_ALL ? (uint32_t)most
                                    : CONNECTIONS_ALL;
}

/* The library's form for it. */
static size_t unescape(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    return unescape_text(text);
}

static bool server_poll(struct server *server, uv_poll_t *poll, int fd)
{
    const int error = uv_poll_init(server->control->loop, poll, fd);

    if (error != 0) {
        log_line(server->control->log, LOG_ERROR, "control",
                 "cannot watch the HTTP connections: %s", uv_strerror(error));
        return false;
    }
    poll->data = server;
    server->control->handles_open++;
    return true;
}

static bool server_start(struct control *control, struct server *server)
{
    const uint32_t all = connections_all(control);
    const uint32_t beyond = all / (CONNECTIONS_ALL / CONNECTIONS_RESERVED);

    server->reserved = beyond > 0 ? beyond : 1;
    server->room = all - 2 * server->reserved;
    server->room_all = all;
    const struct MHD_OptionItem options[] = {
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)unescape, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, all, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES_MAX, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, CONNECTION_IDLE_S, NULL},
        {MHD_OPTION_PER_IP_CONNECTION_LIMIT, server->over_unix ? 0 : CONNECTIONS_PER_ADDRESS, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    /* No header Date: it costs more than it is worth on a local socket. */
    const unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_ALLOW_UPGRADE |
                           MHD_USE_SUPPRESS_DATE_NO_CLOCK | MHD_USE_NO_LISTEN_SOCKET;

    server->daemon = MHD_start_daemon(flags, 0, NULL, NULL, request_on_input, server,
                                      MHD_OPTION_NOTIFY_CONNECTION, request_on_connection, server,
                                      MHD_OPTION_NOTIFY_COMPLETED, request_on_completed, server,
                                      MHD_OPTION_ARRAY, options, MHD_OPTION_END);
    if (server->daemon == NULL) {
        log_line(control->log, LOG_ERROR, "control",
                 "the HTTP library refuses to start; look at the limits on memory and open files");
        return false;
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon,
                                                           MHD_DAEMON_INFO_EPOLL_FD);
    assert(info != NULL);
    if (!server_poll(server, &server->poll, info->epoll_fd) ||
        !server_poll(server, &server->arrivals, server->listen_socket.fd)) {
        return false;
    }
    (void)uv_poll_start(&server->poll, UV_READABLE, on_readable); /* cannot fail */
    arrivals_arm(server);
    return true;
}

/* Adds a server on the listening socket, which the server owns from here on. */
static bool control_serve(struct control *control, const struct listen_socket *listen_socket,
                          bool over_unix)
{
    struct server *server = &control->servers[control->server_count];

    *server = (struct server){
        .control = control, .listen_socket = *listen_socket, .over_unix = over_unix};
    control->server_count++;
    return server_start(control, server);
}

/* Whoever removes the socket's file, as some do that clean up, would cut the daemon off from
 * doyen. */
static void keep_found(struct control *control, struct server *server)
{
    if (listen_socket_is_lost(&server->listen_socket)) {
        (void)uv_poll_stop(&server->arrivals); /* Its descriptor becomes another socket's. */
        server->arrivals_run = false;
        listen_socket_renew(&server->listen_socket, node_config(control->node), control->log);
    }
    server->starved = false;
    arrivals_arm(server);
}

static void on_slow_timer(uv_timer_t *timer)
{
    struct control *control = timer->data;

    for (uint32_t i = 0; i < control->server_count; i++) {
        keep_found(control, &control->servers[i]);
    }
    if (node_config(control->node)->http_on && facts_collect(&control->facts, 0)) {
        counter_past_note(&control->counter_past, &control->facts);
    }
}

static void read_host_name(struct control *control)
{
    if (gethostname(control->host_name, sizeof control->host_name - 1) != 0) {
        control->host_name[0] = '\0';
    }
}

static bool control_listen(struct control *control, const struct config *config)
{
    struct listen_socket listen_socket;
    char text[ADDRESS_TEXT_MAX];

    if (!listen_socket_open_unix(&listen_socket, config, control->log) ||
        !control_serve(control, &listen_socket, true)) {
        return false;
    }
    (void)uv_timer_start(&control->slow_timer, on_slow_timer, 0, COUNTER_PAST_EVERY_MS);
    if (!config->http_on) {
        return true;
    }
    read_host_name(control);
    if (!listen_socket_open_tcp(&listen_socket, &config->http, control->log) ||
        !control_serve(control, &listen_socket, false)) {
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
    (void)uv_timer_init(control->loop, &control->keepalive_timer);
    (void)uv_timer_init(control->loop, &control->due_timer);
    (void)uv_timer_init(control->loop, &control->slow_timer);
    measure_open(&control->measure, control->loop, control->node);
    control->handles_open += 6;
    control->prepare.data = control;
    control->timer.data = control;
    control->keepalive_timer.data = control;
    control->due_timer.data = control;
    control->slow_timer.data = control;
    control->has_run = true;
    (void)uv_prepare_start(&control->prepare, on_prepare);
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
    process_meter_open(&control->meter);
    facts_init(&control->facts, node);
    control->snapshot.facts = &control->facts;
    control->links = links_told(&control->facts, &control->hearing_stability);
    control->watchers.source = (struct event_source){.journal = node_journal(node),
                                                     .life = control->facts.life,
                                                     .event_texts = &control->event_texts,
                                                     .snapshot = snapshot_of,
                                                     .context = &control->snapshot};
    control->lease_clients = (struct lease_clients){.loop = loop, .node = node};
    control->campaigns = (struct campaigns){.loop = loop, .node = node, .log = log};
    control->role_survey.node = node;
    control_start_handles(control);
    past_open(&control->past, loop, node, control->facts.life, log);
    if (!control_listen(control, node_config(node))) {
        control_close(control, NULL, NULL); /* The memory is freed when the loop runs once more. */
        return NULL;
    }
    inquiry_set_answerer(node_inquiry(node), answer_peer, control);
    role_survey_open(&control->role_survey);
    return control;
}

bool control_whole(struct control *control, struct whole *whole)
{
    if (control->closing || !facts_collect(&control->facts, 0)) {
        return false;
    }
    voter_survey_ask(&control->voter_survey, &control->facts, VOTER_ASK_SELDOM_MS);
    whole_now(&control->facts, &control->links, &control->voter_survey, whole);
    return true;
}

static void control_free(struct control *control)
{
    void (*on_closed)(void *context) = control->on_closed;
    void *context = control->context;

    assert(control->snapshot.pool.bytes == 0);
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

static void on_part_closed(void *context)
{
    handle_closed(context);
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
    /* The poll handles are closed first, before the descriptors that they poll. */
    if (server->poll.data != NULL) {
        uv_close((uv_handle_t *)&server->poll, on_poll_closed);
    }
    if (server->arrivals.data != NULL) {
        uv_close((uv_handle_t *)&server->arrivals, on_poll_closed);
    }
    if (server->daemon != NULL) {
        for (int i = 0; i < FINAL_RUNS; i++) {
            MHD_run(server->daemon);
        }
        MHD_stop_daemon(server->daemon);
    }
    listen_socket_close(&server->listen_socket);
}

/* To be called outside every daemon's run. A suspended connection would make MHD_stop_daemon abort,
 * so all are resumed first, and none is suspended while closing. */
static void control_end(struct control *control)
{
    assert(control->closing && !control->running);

    watchers_close(&control->watchers);
    lease_clients_close(&control->lease_clients);
    campaigns_close(&control->campaigns);
    queue_end(&control->queue);
    for (uint32_t i = 0; i < control->server_count; i++) {
        server_stop(&control->servers[i]);
    }
    for (size_t i = 0; i < RESOURCES_MAX; i++) {
        cached_answer_drop(&control->cached_answers[i]);
    }
    process_meter_close(&control->meter);
    if (past_close(&control->past, on_part_closed, control)) {
        control->handles_open++;
    }
    snapshot_deinit(&control->snapshot);
    event_texts_deinit(&control->event_texts);
    facts_deinit(&control->facts);
    voter_survey_deinit(&control->voter_survey);
    hearing_stability_deinit(&control->hearing_stability);
    uv_close((uv_handle_t *)&control->prepare, on_handle_closed);
    uv_close((uv_handle_t *)&control->timer, on_handle_closed);
    uv_close((uv_handle_t *)&control->keepalive_timer, on_handle_closed);
    uv_close((uv_handle_t *)&control->due_timer, on_handle_closed);
    uv_close((uv_handle_t *)&control->slow_timer, on_handle_closed);
    measure_close(&control->measure, on_part_closed, control);
}

void control_close(struct control *control, void (*on_closed)(void *context), void *context)
{
    assert(!control->closing);

    inquiry_set_answerer(node_inquiry(control->node), NULL, NULL);
    role_survey_close(&control->role_survey);
    control->closing = true;
    control->on_closed = on_closed;
    control->context = context;
    if (!control->running) {
        control_end(control);
    }
}
