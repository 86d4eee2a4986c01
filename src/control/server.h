/* The inside of the control socket: what the event loop, the connections and the resources
 * share. */
#ifndef CONTROL_SERVER_H
#define CONTROL_SERVER_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "control/answer.h"
#include "control/entrance.h"
#include "control/facts.h"
#include "control/links.h"
#include "control/members.h"
#include "control/watchers.h"

enum {
    SERVERS_MAX = 2,                  /* a Unix socket, and perhaps one of TCP */
    CONNECTIONS_MAX = 256,            /* per listening socket; those beyond are told 503 */
    CONNECTIONS_SPARE = 16,           /* accepted beyond, so that they can be told */
    CONNECTIONS_PER_ADDRESS = 128,    /* over TCP */
    CONNECTION_BYTES_MAX = 16 * 1024, /* for the request's head and the answer's chunk */
    CONNECTION_IDLE_S = 60,
    BODY_BYTES_MAX = 64 * 1024,
    RENDERINGS_PER_TURN = 8, /* documents made in one turn of the loop; further requests wait for
                                the next, so that a flood cannot hold up the node's own work */
    RESOURCES_MAX = 16,
};

struct control;

/* One listening socket and its connections. */
struct server {
    struct control *control;
    struct MHD_Daemon *daemon;
    uv_poll_t poll; /* on the daemon's epoll descriptor */
    struct entrance entrance;
    uint32_t connections;
    bool over_unix;
    bool polled; /* the handle is open */
};

/* One connection. A request is answered when it has arrived whole. */
struct visitor {
    struct server *server;
    struct MHD_Connection *connection;
    struct sheet body;
    struct visitor *next_waiting; /* suspended until a later turn of the loop */
    bool called;                  /* waited, and is to be served now */
    bool turned_away;             /* came when there were too many */
};

/* An answer that may be given again. */
struct kept {
    struct answer answer;
    uint64_t cursor;
    uint64_t made_ms;
};

struct control {
    uv_loop_t *loop;
    struct node *node;
    struct log *log;
    uint64_t opened_ms;

    struct server servers[SERVERS_MAX];
    uint32_t server_count;
    uv_prepare_t prepare;
    uv_timer_t timer; /* the daemons' next deadline */
    uint64_t timer_due_ms;
    uv_timer_t beat;

    struct shelf shelf;
    struct facts facts;
    struct links links; /* taken where a document shows them */
    struct members members;
    struct document *snapshot; /* the members document made last */
    uint64_t snapshot_cursor;
    uint64_t snapshot_ms;
    struct event_texts event_texts;
    struct watchers watchers;
    struct kept kept[RESOURCES_MAX];

    uint32_t renderings_left;
    struct visitor *first_waiting;
    struct visitor *last_waiting;

    bool leave_wanted; /* done outside the daemons' run, because it may end in control_close */
    bool running;      /* inside a daemon's run */
    bool closing;
    uint32_t handles_open;
    void (*on_closed)(void *context);
    void *context;
};

/* The members document as of the newest cursor; a share of the caller's. A large one is at most a
 * few milliseconds old. NULL when memory ran out or slow readers hold too much of it. */
struct document *control_snapshot(struct control *control);

/* Answers a request that has arrived whole, or lets it wait for a later turn. */
enum MHD_Result resources_answer(struct visitor *visitor, const char *path, const char *method);

#endif
