/* One TCP connection that carries frames, in the format of frame_reader.h. An empty frame has no
 * meaning: it only makes the other end's kernel acknowledge it.
 *
 * The connecting side may send any frames, a HELLO first. The only answer is one HELLO, so that two
 * nodes that know each other hold one stream in each direction. */
#ifndef RUNTIME_STREAM_H
#define RUNTIME_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "core/core.h"
#include "proto/wire.h"
#include "runtime/frames/outgoing.h"
#include "runtime/frames/traffic.h"
#include "runtime/process/log.h"
#include "runtime/sealing/gate.h"
#include "runtime/sockets/latch.h"

enum {
    STREAM_INBOX_BYTES = 64 * 1024,
    STREAM_FIRST_BYTES_MAX = 512, /* of a sealed HELLO, with room for later versions */
    STREAM_QUEUE_FRAMES_MAX = 64,
    STREAM_QUEUE_BYTES_MAX = 4 << 20,

    /* The limit for incomplete frames on all streams together: room for six of the longest frames.
     * Strangers who begin many frames and complete none get no more memory than this. */
    STREAM_PARTIAL_BYTES_MAX = 16 << 20,
    STREAM_FRAME_MS_MAX = 10000, /* a frame that has begun must be complete by then */
    STREAM_UNHEARD_MS = 10000,   /* unacknowledged for this long, the connection is over */

    /* After this long a silence the connecting side's kernel probes the other's, each second until
     * it answers: so a firewall that drops TCP is found out by connections that are up, too. */
    STREAM_IDLE_PROBE_S = 5,
    STREAM_PROBE_AGAIN_S = 1,

    /* The same on the accepting side, which only must not keep a socket for a host that is gone. */
    STREAM_ACCEPTED_PROBE_S = 150,
};

/* The state that all streams of one node share. One inbox serves all streams, because libuv fills
 * it and hands it over in one go.
 *
 * A process with a core for each of several clusters has one of these for each, and one for the
 * streams that it has accepted and that have said nothing yet: they go to the one that `find`
 * names for the first frame, or end. */
struct streams {
    uv_loop_t *loop;
    struct latch *latch;
    struct wire *wire;
    struct gate *gate;
    const struct core *core;        /* whose HELLO the streams send */
    void (*on_turn)(void *context); /* before what came is handed over (node_on_turn); or NULL */
    struct streams *(*find)(void *context, struct bytes frame); /* NULL: these keep their own */
    void *context;
    struct log *log;
    struct node_traffic *traffic;
    size_t partial_bytes;       /* held for incomplete frames */
    uint64_t descriptors_max;   /* a stream's own descriptor must be below this (descriptors.h) */
    uint64_t starved_logged_ms; /* when the lack of file descriptors was last logged; 0: never */
    uint8_t *inbox;             /* of STREAM_INBOX_BYTES */
};

struct stream;

/* How a stream reports to its owner. After `on_end` or stream_close the stream must not be used;
 * any of these may close it. None is ever called from inside a function of this header. */
struct stream_handler {
    void (*on_connected)(void *owner); /* send HELLO now; NULL for accepted streams */

    /* A whole frame with content, borrowed for the call. */
    void (*on_frame)(void *owner, const uint8_t *bytes, size_t length);

    /* The stream is over: UV_EOF, UV_ETIMEDOUT when the patience ran out, UV_EPROTO for an
     * impossible length, UV_ENOBUFS for a frame that there was no room for, or the system's error.
     */
    void (*on_end)(void *owner, int error);
};

/* Begins to connect. Returns NULL, with libuv's error code in `*error`, when that fails at once. */
struct stream *stream_connect(struct streams *streams, const struct address *to,
                              const struct stream_handler *handler, void *owner, int *error);

/* Accepts the connection that waits at `server`, and stores its origin in `*from`. Returns NULL,
 * with libuv's error code in `*error`, when that fails. */
struct stream *stream_accept(struct streams *streams, uv_stream_t *server,
                             const struct stream_handler *handler, void *owner,
                             struct address *from, int *error);

void stream_close(struct stream *stream);

/* Those that it belongs to now. */
struct streams *stream_streams(const struct stream *stream);

/* Ends the stream with UV_ETIMEDOUT unless this is called again within `patience_ms`; 0 means
 * without limit. While frames are being sent, only their acknowledgement counts. */
void stream_expect(struct stream *stream, uint64_t patience_ms);

/* Sends the message to the life `hop` at the other end, NULL or none: whoever is there, sealed
 * where this node seals; its bytes are copied as far as needed. A newer view replaces an older one
 * for the same receiver that still waits here (U3a). Returns false, with the failure counted, when
 * too much waits already. */
bool stream_send(struct stream *stream, const struct outgoing *outgoing);

/* Sends this node's HELLO to `to`, ahead of everything that waits; to be called when connected.
 * Uses the codec, so that the last result of wire_encode is lost. */
void stream_send_hello(struct stream *stream, const struct node_id *to);

/* Sends an empty frame, unless something unacknowledged is under way already. */
void stream_nudge(struct stream *stream);

/* Has the other end's kernel acknowledged everything, or anything within the last `since_ms`? */
bool stream_is_acknowledged(const struct stream *stream, uint64_t since_ms);

/* If `error` means that connections lack file descriptors: counts it, and logs it once a minute. */
void streams_note_starved(struct streams *streams, int error);

#endif
