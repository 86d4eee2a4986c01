/* Beats in the place of heartbeats that say nothing besides (wire.md, section 13): which heartbeat
 * may go out as one, under which key, and which heartbeat one that came stands for. */
#ifndef RUNTIME_BEAT_POST_H
#define RUNTIME_BEAT_POST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "proto/beat_frame.h"
#include "proto/wire.h"
#include "runtime/frames/beat_refusal.h"
#include "runtime/frames/frame_reader.h"
#include "runtime/frames/traffic.h"
#include "seal/beat_key.h"
#include "seal/seal.h"

enum {
    BEATS_PER_HEARTBEAT = 50, /* one of so many heartbeats to a member goes out whole */
    WHOLE_TIMES_LOST = 3,     /* so long are all whole when the keys have changed, in T_lost */
    BEAT_VIEWS = 8,           /* that this node named last, in which others may answer yet */
};

/* What is kept of the member at one position of the view; of another life, as good as nothing. */
struct beat_peer {
    struct node_id life;
    struct beat_key out;
    struct beat_key in;
    bool has_out;
    bool has_in;
    bool out_is_keyed; /* or under zeros, to who has no key yet */
    uint8_t in_index;  /* of the key that `in` follows from; KEYRING_MAX: zeros */
    uint32_t sent;     /* heartbeats, as beats or whole */
};

struct beat_post {
    const struct core *core;
    struct wire *wire;
    struct seal *seal; /* NULL: no key */
    bool accepts_plain;
    uint64_t within_ms; /* who was not heard for so long gets a whole heartbeat */
    uint64_t whole_ms;  /* for so long all do after the keys have changed, which they tell */
    struct node_traffic *traffic;

    struct node_id life; /* of this node, for which all below holds */
    uint64_t ring_number;
    uint64_t whole_until_ms;
    struct beat_view views[BEAT_VIEWS]; /* that it named in heartbeats, in a ring */
    uint32_t view_count;
    uint32_t newest;
    struct beat_peer *peers; /* by position */

    /* Positions by how lives begin, of the view `indexed`. */
    uint16_t *index; /* open hash table: position + 1 */
    uint32_t index_mask;
    struct view_id indexed;
    uint64_t indexed_hash;
    bool is_mistakable; /* another member's life begins as this node's */

    uint8_t beat[BEAT_BYTES_MAX]; /* the last one that was written */
};

/* What it works with, borrowed. */
struct beat_post_options {
    const struct core *core;
    struct wire *wire;
    struct seal *seal; /* NULL: no key */
    bool accepts_plain;
    uint32_t capacity;
    uint64_t heartbeat_ms;
    uint64_t lost_ms;
    struct node_traffic *traffic;
};

/* `post` is zeroed. False: no memory, or no libsodium. */
bool beat_post_open(struct beat_post *post, const struct beat_post_options *options);
void beat_post_close(struct beat_post *post);

/* The beat that can go out for this copy of a message, valid until the next call; of length 0:
 * there is none. To be asked for each copy of a heartbeat. `keyed`: the receiver is sealed for. */
struct bytes beat_post_write(struct beat_post *post, const struct effect *effect, bool keyed,
                             uint64_t now_ms);

/* The heartbeat that a datagram of beat_is stands for, as the codec would have read it from its
 * plain frame; and that frame, valid until the codec writes the next one. False: it is refused,
 * which is counted. `message->source` is for the caller to set. */
bool beat_post_read(struct beat_post *post, struct bytes beat, uint64_t now_ms,
                    struct message *message, struct bytes *frame);

#endif
