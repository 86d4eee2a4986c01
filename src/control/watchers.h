/* The connections that watch /v1/events: each reads its own stream from the shared journal, and
 * is suspended while there is nothing to tell. */
#ifndef CONTROL_WATCHERS_H
#define CONTROL_WATCHERS_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "control/event_stream.h"

enum {
    WATCHERS_MAX = 128,
    WATCHER_BEAT_MS = 15000, /* silence after which a comment is sent */
};

struct watcher;

/* All zero but for `source` is a set without watchers. */
struct watchers {
    struct event_source source;
    struct watcher *first;
    uint32_t count;
    uint64_t told; /* the newest cursor when they were woken last */
    bool woken;    /* a connection was resumed: the daemons have to be run */
    bool closing;  /* each stream ends now */
};

/* Begins a stream on `connection` and returns the response to queue, the caller's; NULL when
 * there are too many or memory ran out. `resume`: after the cursor `since`. */
struct MHD_Response *watchers_add(struct watchers *watchers, struct MHD_Connection *connection,
                                  bool resume, uint64_t since);

/* Wakes all of them when the journal has something new. */
void watchers_tell(struct watchers *watchers);

/* Makes each send a comment; this is also how a client that went away without a word is
 * noticed. */
void watchers_beat(struct watchers *watchers);

/* Ends all streams: to be followed by running the daemons, which then find no one suspended. */
void watchers_close(struct watchers *watchers);

#endif
