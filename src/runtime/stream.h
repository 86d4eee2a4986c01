/* One TCP connection that carries frames, as frame_reader.h cuts them. A frame without content
 * says nothing: it only makes the other end's kernel acknowledge.
 *
 * Whoever connects may send any frames, a HELLO first. What goes back is one HELLO, and nothing
 * else ever, so that two nodes that know each other hold one stream in each direction. */
#ifndef RUNTIME_STREAM_H
#define RUNTIME_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "core/core.h"
#include "proto/wire.h"
#include "runtime/latch.h"
#include "runtime/node.h"

enum {
    STREAM_INBOX_BYTES = 64 * 1024,
    STREAM_QUEUE_FRAMES_MAX = 64,
    STREAM_QUEUE_BYTES_MAX = 4 << 20,

    /* Of frames that have begun, on all streams together: six of the longest there can be, while
     * strangers who begin many and complete none get no more memory than this. */
    STREAM_PARTIAL_BYTES_MAX = 16 << 20,
    STREAM_FRAME_MS_MAX = 10000, /* a frame that has begun must be complete by then */
    STREAM_UNHEARD_MS = 10000,   /* unacknowledged for so long: the connection is over */
    STREAM_IDLE_PROBE_S = 60,    /* silent for so long: its kernel asks the other's */
};

/* What all streams of one node share. The inbox can be one for all, because libuv fills it and
 * hands it over in one go. */
struct streams {
    uv_loop_t *loop;
    struct latch *latch;
    struct wire *wire;
    const struct core *core; /* whose HELLO the streams say */
    struct log *log;
    struct node_traffic *traffic;
    size_t partial_bytes;       /* held for frames that have begun */
    uint64_t descriptors_max;   /* where a stream's own must be below (descriptors.h) */
    uint64_t starved_logged_ms; /* when the lack of file descriptors was last logged; 0: never */
    uint8_t inbox[STREAM_INBOX_BYTES];
};

struct stream;

/* How a stream tells its owner. After `on_end` or stream_close the stream is not to be touched;
 * any of these may close it. None is ever called from inside a function of this header. */
struct stream_handler {
    void (*on_connected)(void *owner); /* to say HELLO; NULL for accepted ones */

    /* A whole frame with content, borrowed for the call. */
    void (*on_frame)(void *owner, const uint8_t *bytes, size_t length);

    /* It is over: UV_EOF, UV_ETIMEDOUT for broken patience, UV_EPROTO for an impossible length,
     * UV_ENOBUFS for a frame that there was no room for, or what the system said. */
    void (*on_end)(void *owner, int error);
};

/* Begins to connect. Returns NULL, with libuv's error code in `*error`, when not even that can be
 * done. */
struct stream *stream_connect(struct streams *streams, const struct address *to,
                              const struct stream_handler *handler, void *owner, int *error);

/* Takes the connection that waits at `server`; where it came from goes into `*from`. Returns
 * NULL, with libuv's error code in `*error`, when that fails. */
struct stream *stream_accept(struct streams *streams, uv_stream_t *server,
                             const struct stream_handler *handler, void *owner,
                             struct address *from, int *error);

void stream_close(struct stream *stream);

/* The stream ends with UV_ETIMEDOUT unless this is called again, or with 0, within `patience_ms`.
 * While frames are still going out, their acknowledgement alone decides. */
void stream_expect(struct stream *stream, uint64_t patience_ms);

/* Sends a frame that holds a message of `type`; `bytes` are copied as far as need be. A newer
 * view takes the place of an older one that still waits here (U3). Returns false, with the
 * failure counted, when too much waits already. */
bool stream_send(struct stream *stream, enum message_type type, const uint8_t *bytes,
                 size_t length);

/* Says who lives here: HELLO for `to`, ahead of everything that waits. Uses the codec, so that
 * what wire_encode returned before is gone. To be called when connected. */
void stream_greet(struct stream *stream, const struct node_id *to);

/* Sends a frame without content, unless something unacknowledged is under way already. */
void stream_nudge(struct stream *stream);

/* Has the other end's kernel acknowledged everything, or anything later than `since_ms` ago? */
bool stream_is_acknowledged(const struct stream *stream, uint64_t since_ms);

/* Counts, and says once a minute, that connections lack file descriptors, if that is what `error`
 * means. */
void streams_note_starved(struct streams *streams, int error);

#endif
