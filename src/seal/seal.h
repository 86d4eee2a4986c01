/* Seals frames for a receiver, and opens those of others: authenticated encryption with the
 * cluster's key, by libsodium (proto/wire.md, section 7). Pure over bytes: it knows neither sockets
 * nor clocks nor chance, so that equal calls give equal bytes. */
#ifndef SEAL_SEAL_H
#define SEAL_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/id.h"
#include "seal/keyring.h"
#include "seal/sealed_frame.h"
#include "seal/senders.h"

/* How a frame travels. A frame of one channel holds on no other. */
enum seal_channel {
    SEAL_DATAGRAM = 0,
    SEAL_STREAM = 1, /* from who connected */
    SEAL_ANSWER = 2, /* the one frame that comes back on a stream */
    SEAL_COUNT = 3,  /* a datagram of COUNT_FORM */
};

/* Where a frame stands. */
struct seal_place {
    enum seal_channel channel;
    uint64_t stream; /* the number of the first frame of the stream; 0: this is that frame */
    uint64_t after;  /* SEAL_STREAM, not the first: the number must be higher */
};

/* Why a sealed frame is not opened. */
enum seal_result {
    SEAL_OK,
    SEAL_SHORT,         /* shorter than any, or longer than the longest */
    SEAL_OTHER_CLUSTER, /* not of ours, or of no form of this kind */
    SEAL_OTHER_KEY,     /* a fingerprint that is not on the ring */
    SEAL_ALGORITHM,     /* one that this node does not have */
    SEAL_OTHER_LIFE,    /* for another life than this one, or for nobody where that may not be */
    SEAL_NOT_PROVED, /* for whoever lives here, without a cookie that shows where it comes from */
    SEAL_NOT_AUTHENTIC, /* the tag does not hold */
    SEAL_REPLAYED,      /* it was here before, or is too old to tell; or an answer to nothing */
    SEAL_RESULTS,
};
const char *seal_result_text(enum seal_result result);

/* What a sealed frame was; borrowed until the next call with the same seal. */
struct seal_opened {
    const uint8_t *frame; /* the plain frame */
    size_t length;
    struct node_id from; /* who sealed it: the sender, or a relay */
    uint64_t number;
    bool is_new_sender; /* nothing had held from that life before */
};

struct seal;

/* What frames are sealed and opened in; several seals may share them, whose results are then valid
 * until the next call with any of them. NULL: no memory. */
struct seal_buffers;
struct seal_buffers *seal_buffers_new(size_t frame_bytes_max);
void seal_buffers_free(struct seal_buffers *buffers);

/* For the cluster whose frames have these 16 bytes in front, for plain frames of up to
 * `frame_bytes_max`, and so many senders. The ring is copied. `buffers`, for frames as long, are
 * borrowed; NULL: it has its own. NULL: no memory, or no libsodium. */
struct seal *seal_new(const uint8_t plain_header[16], size_t frame_bytes_max, uint32_t senders,
                      struct seal_buffers *buffers);
void seal_free(struct seal *seal);

/* Seals by this algorithm, too, for those who say that they can open it, and opens it. The machine
 * must have it: cipher_is_here. */
void seal_use_algorithm(struct seal *seal, enum algorithm algorithm);

/* The keys from now on; at least one. Copied. */
void seal_set_ring(struct seal *seal, const struct keyring *ring);

/* Rises whenever the keys are set: what was derived from them before is not theirs any more. */
uint64_t seal_ring_number(const struct seal *seal);

/* When somebody else used a key of the ring last. */
struct seal_use {
    uint64_t ms; /* 0: never */
    struct node_id by;
};
struct seal_use seal_use(const struct seal *seal, uint32_t index);

const struct keyring *seal_ring(const struct seal *seal);

/* Who seals, and with which salt. No two processes may seal with the same life, salt and key: the
 * salt is drawn by chance, and again whenever the process may have been copied. */
void seal_set_self(struct seal *seal, const struct node_id *life, const uint8_t salt[SALT_BYTES]);

/* The number that the next frame would have, kept for a frame that begins a stream. */
uint64_t seal_take_number(struct seal *seal);

/* A plain frame to be sealed. */
struct seal_order {
    const uint8_t *frame;
    size_t length;
    const struct node_id *to; /* the receiver, or the relay; NULL or none: whoever lives there */
    struct seal_place place;
    uint64_t number; /* one that was taken; 0: the next */
    bool with_ring;  /* tell which keys this node holds */
};

/* Seals it. Returns the sealed frame, valid until the next call, and its length. */
const uint8_t *seal_close(struct seal *seal, const struct seal_order *order, size_t *length);

/* Opens a sealed frame for the life `self` (of seal_set_self). With a result other than SEAL_OK
 * nothing has changed. */
enum seal_result seal_open(struct seal *seal, const uint8_t *bytes, size_t length,
                           const struct seal_place *place, uint64_t now_ms,
                           struct seal_opened *opened);

/* What seal_open says of a frame by its header alone, which costs next to nothing: SEAL_OK if it is
 * worth opening. */
enum seal_result seal_check(const struct seal *seal, const uint8_t *bytes, size_t length,
                            const struct seal_place *place);

/* Is it a datagram for whoever lives here, whose cookie is to be looked at before it is opened?
 * Then where the cookie is; else NULL. */
const uint8_t *seal_cookie(const uint8_t *bytes, size_t length);

/* --- The count of a sender whose frames are refused as played back --- */

/* Seal_open says that this was played back. Is it to be asked whether that is so? Then the life
 * that sealed it is in `*life`: the tag holds, and that life was not asked a moment ago. */
bool seal_may_ask(struct seal *seal, const uint8_t *bytes, size_t length,
                  const struct seal_place *place, uint64_t now_ms, struct node_id *life);

/* The question to that life, of COUNT_FRAME_BYTES, valid until the next call. The nonce is drawn by
 * chance. */
const uint8_t *seal_ask(struct seal *seal, const struct node_id *life,
                        const uint8_t nonce[COUNT_NONCE_BYTES], uint64_t now_ms);

/* Opens a datagram of COUNT_FORM. A question is answered with COUNT_FRAME_BYTES, no more than it
 * has itself, at `*answer`, valid until the next call; else that is NULL. An answer to an open
 * question says where the count of that life stands: what it made up to then is old, and what came
 * since it was asked stays known. */
enum seal_result seal_open_count(struct seal *seal, const uint8_t *bytes, size_t length,
                                 uint64_t now_ms, const uint8_t **answer);

/* A beat of that life held under the key at `index` of the ring: that counts for people as a frame
 * that it sealed, and keeps it from being forgotten. */
void seal_on_beat(struct seal *seal, const struct node_id *life, uint32_t index, uint64_t now_ms);

/* What is known of that life's keys; NULL: nothing. Valid until the next call. */
const struct sender *seal_sender(const struct seal *seal, const struct node_id *life);

#endif
