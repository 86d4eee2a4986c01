/* The inside of the control socket, as data: what the event loop, the connections and the resources
 * share. The comment behind each field of struct control names the one module that writes it. */
#ifndef CONTROL_SERVER_H
#define CONTROL_SERVER_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "control/documents/counter_past.h"
#include "control/documents/snapshot.h"
#include "control/documents/voter_survey.h"
#include "control/events/past.h"
#include "control/events/watchers.h"
#include "control/facts/facts.h"
#include "control/facts/hearing_stability.h"
#include "control/facts/links.h"
#include "control/http/cached_answer.h"
#include "control/http/listen_socket.h"
#include "control/http/queue.h"
#include "control/roles/campaigns.h"
#include "control/roles/lease_clients.h"
#include "control/roles/role_survey.h"
#include "control/text/text_builder.h"
#include "runtime/node/measure.h"
#include "runtime/process/process_usage.h"

enum {
    SERVERS_MAX = 2,                  /* a Unix socket, and perhaps TCP */
    CONNECTIONS_MAX = 256,            /* per listening socket; the rest gets 503 */
    CONNECTIONS_RESERVED = 16,        /* beyond that, for probes alone */
    CONNECTIONS_SPARE = 16,           /* accepted beyond both, to be told so */
    CONNECTIONS_PER_ADDRESS = 128,    /* over TCP */
    CONNECTION_BYTES_MAX = 16 * 1024, /* for the request's head and a piece of the answer */
    CONNECTION_IDLE_S = 60,
    FIRST_REQUEST_MS = 5000,    /* from the connection until its first request is there */
    NEXT_REQUEST_MS = 60000,    /* from one answer until the next request, or to take it */
    RESERVED_REQUEST_MS = 1000, /* the same where connections are scarce */
    DUE_LOOK_MS = 250,
    BODY_BYTES_MAX = 64 * 1024,
    RESOURCES_MAX = 48,
};

struct control;

/* One listening socket and its connections. */
struct server {
    struct control *control;
    struct MHD_Daemon *daemon;
    uv_poll_t poll; /* on the daemon's epoll descriptor; without data it is not open */
    struct listen_socket listen_socket;
    uv_poll_t arrivals; /* on the listening socket; the same */
    bool arrivals_run;  /* it is polled */
    bool starved;       /* there was no descriptor for one that waits */
    uint32_t connections;
    uint32_t room;     /* so many are served, CONNECTIONS_MAX where the descriptors suffice, */
    uint32_t reserved; /* so many more for probes, and as many to be told that there is no room */
    uint32_t room_all; /* all of these */
    uint32_t asking;   /* connections that have sent a request: the others give way */
    struct request *first; /* of all connections, the youngest */
    uint32_t due_count;    /* of those that something is due of */
    bool over_unix;
};

/* What a connection is served with, by how many others were when its first request came. */
enum room {
    ROOM_UNKNOWN, /* it has sent none */
    ROOM_FOR_ALL,
    ROOM_RESERVED, /* probes: is-coordinator, livez, readyz */
    ROOM_NONE,     /* to be told so */
};

#define REQUEST_NEVER_DUE UINT32_MAX

/* One connection and the request that arrives on it, of request.c. Requests follow one another on a
 * connection; each is answered when it has arrived whole. */
struct request {
    struct server *server;
    struct MHD_Connection *connection;
    struct text_builder body;
    struct waiter waiter;
    struct request *previous;
    struct request *next;
    uint32_t due_looks; /* until the connection is closed, whatever was sent or read until then */
    enum room room;
    const char *path; /* borrowed while the request is dispatched */
    bool is_head;     /* HEAD: of the answer only what stands before its body is wanted */
};

struct control {
    /* control.c; what comes before `past` is looked at in every turn, and memory is cold then */
    uv_prepare_t prepare;
    uv_loop_t *loop;
    struct node *node;
    struct log *log;
    bool closing;
    bool running; /* inside a daemon's run */
    bool has_run; /* since the daemons' deadline was looked at */
    bool keepalive_runs;
    bool due_timer_runs;
    uint32_t server_count;

    struct queue queue;                         /* queue.c */
    struct hearing_stability hearing_stability; /* hearing_stability.c */
    struct watchers watchers;                   /* watchers.c */
    struct lease_clients lease_clients;         /* lease_clients.c */
    struct campaigns campaigns;                 /* campaigns.c */
    struct past past;                           /* past.c */

    /* control.c */
    struct server servers[SERVERS_MAX];  /* their connections: request.c */
    char host_name[CONFIG_HOST_MAX + 1]; /* of this host; empty where it has none */
    uv_timer_t timer;                    /* the daemons' next deadline */
    uint64_t timer_due_ms;
    struct process_meter meter;
    uv_timer_t keepalive_timer;
    uv_timer_t due_timer;  /* looks for requests that take too long */
    uv_timer_t slow_timer; /* looks for the socket's file; samples for `counter_past` */
    uint32_t handles_open;
    void (*on_closed)(void *context);
    void *context;

    struct facts facts;                                 /* facts.c */
    struct links links;                                 /* links.c; as told by heartbeats */
    struct voter_survey voter_survey;                   /* voter_survey.c */
    struct snapshot snapshot;                           /* snapshot.c */
    struct cached_answer cached_answers[RESOURCES_MAX]; /* cached_answer.c; by resource */
    uint64_t cached_right;            /* dispatch.c; the lease page's change when they were made */
    struct event_texts event_texts;   /* event_stream.c */
    struct role_survey role_survey;   /* role_survey.c */
    struct counter_past counter_past; /* counter_past.c */
    struct measure measure;           /* runtime/node/measure.c */
};

#endif
