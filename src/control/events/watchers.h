/* The connections that watch /v1/events: each reads its own stream from the shared journal, and is
 * suspended while there is nothing to send. */
#ifndef CONTROL_WATCHERS_H
#define CONTROL_WATCHERS_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "control/events/event_stream.h"

enum {
    WATCHERS_MAX = 128,
    WATCHER_KEEPALIVE_MS = 5000, /* silence after which a comment is sent */
};

struct watcher;

/* All zero but for `source` is a set without watchers. */
struct watchers {
    struct event_source source;
    struct watcher *first;
    uint32_t count;
    uint64_t notified; /* the newest cursor when they were last woken */
    bool woken;        /* a connection was resumed: the daemons have to be run */
    bool closing;      /* each stream ends now */
};

/* Begins a stream on `connection`, after `since`, or with a snapshot where that is NULL. Returns
 * the response to queue, which the caller owns, or NULL when there are too many watchers or memory
 * ran out. */
struct MHD_Response *watchers_add(struct watchers *watchers, struct MHD_Connection *connection,
                                  const struct cursor *since);

/* Wakes all watchers when the journal has something new. */
void watchers_notify(struct watchers *watchers);

/* Makes each watcher send a comment; this is also how a client that vanished is noticed. */
void watchers_send_keepalive(struct watchers *watchers);

/* Ends all streams. The daemons have to be run after it, and then find no connection suspended. */
void watchers_close(struct watchers *watchers);

#endif
