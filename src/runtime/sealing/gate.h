/* Between sockets and codec: frames that leave are sealed and those that come are opened, where the
 * node has a key; without one, plain frames pass as they are. What does not pass is counted. */
#ifndef RUNTIME_GATE_H
#define RUNTIME_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "proto/wire.h"
#include "runtime/frames/frame_reader.h"
#include "runtime/frames/outgoing.h"
#include "runtime/frames/traffic.h"
#include "runtime/process/log.h"
#include "runtime/sealing/beat_post.h"
#include "runtime/sealing/strangers.h"
#include "seal/seal.h"

struct gate {
    struct seal *seal;  /* NULL: no key */
    bool accepts_plain; /* from others, and seals only to who has sealed */
    const struct core *core;
    struct node_traffic *traffic;
    uint64_t salt_after_ms; /* a silence of this length may have been a sleep */
    struct node_id life;    /* that the seal seals for */
    uint8_t salt[SALT_BYTES];
    uint64_t sealed_ms; /* when it sealed last */
    struct per_second asked;
    struct per_second answered;
    struct beat_post beats;
    struct strangers strangers;
};

/* Questions for the count of a sender whose frames seem to be played back, and answers to those of
 * others. */
enum { COUNTS_ASKED_PER_S = 1000, COUNTS_ANSWERED_PER_S = 10000 };

/* What a gate works with; all of it is borrowed for the gate's life, but the ring is copied. */
struct gate_options {
    const struct keyring *ring; /* empty: frames are not sealed */
    struct wire *wire;
    const struct core *core;
    uint32_t capacity;
    uint64_t heartbeat_ms;
    uint64_t lost_ms;
    bool accepts_plain;
    struct log *log;
    struct node_traffic *traffic;
    strangers_send *send; /* a datagram, as it is */
    void *context;

    /* A witness answers those who ask it, and nobody else: it has no beats, and knows whom it sends
     * to. Many share what a frame is sealed and opened in. */
    bool answers_only;
    struct seal_buffers *buffers; /* NULL: of its own */
};

/* `gate` is zeroed. False: no memory, or no random bytes. */
bool gate_open(struct gate *gate, const struct gate_options *options);
void gate_close(struct gate *gate);

bool gate_is_keyed(const struct gate *gate);

/* What is to be sent for this message as a datagram; valid until the next call. */
struct bytes gate_seal_datagram(struct gate *gate, const struct outgoing *outgoing);

/* The datagram that can go out for this copy of a message instead, shorter than any frame, and
 * valid until the next call; of length 0: there is none. */
struct bytes gate_beat(struct gate *gate, const struct effect *effect, uint64_t now_ms);

/* What a datagram of beat_is stands for, as beat_post_read has it. */
bool gate_open_beat(struct gate *gate, struct bytes datagram, struct message *message,
                    struct bytes *frame);

/* The plain frame of any other datagram that came, valid until the next call;
 * false if there is none to be acted on. */
bool gate_open_datagram(struct gate *gate, struct bytes datagram, const struct address *source,
                        struct bytes *frame);

/* How the frames of one stream are sealed. All zero at first. */
struct gate_stream {
    bool begun;
    bool sealed;
    uint64_t first; /* the number of its first frame; 0 until that came */
    uint64_t last;  /* the highest number that came */
};

/* Begins a stream from this side to the life `to`, NULL or none: whoever is there. Harmless when
 * repeated. */
void gate_begin_stream(struct gate *gate, struct gate_stream *stream, const struct node_id *to);

/* What is to be sent for a frame on a stream from this side, the first one of which is a HELLO, for
 * whoever lives there: that one says who it is (D2). And for the answer to it. Valid until the next
 * call. */
struct bytes gate_seal_frame(struct gate *gate, const struct gate_stream *stream,
                             enum message_type type, const struct node_id *to, struct bytes frame);
struct bytes gate_seal_answer(struct gate *gate, const struct gate_stream *stream,
                              const struct node_id *to, struct bytes frame);

/* The plain frame of what came on a stream of the other side, or as the answer on one of this
 * side; valid until the next call. False: the stream is to be ended. */
bool gate_open_frame(struct gate *gate, struct gate_stream *stream, struct bytes sealed,
                     struct bytes *frame);
bool gate_open_answer(struct gate *gate, const struct gate_stream *stream, struct bytes sealed,
                      struct bytes *frame);

#endif
