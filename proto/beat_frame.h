/* BEAT, the short form of a heartbeat that says only that its sender is there and holds the view
 * that its receiver holds: struct beat <-> 22 bytes, as section 13 of wire.md says. The core knows
 * nothing of it: what comes as a beat is made the HEARTBEAT again that it stands for.
 *
 *      0       1       2        6          12     14
 *    +-------+-------+--------+----------+------+-------+
 *    |  'B'  | flags |  life  |  number  | view |  tag  |
 *    +-------+-------+--------+----------+------+-------+ 22 */
#ifndef PROTO_BEAT_FRAME_H
#define PROTO_BEAT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/message.h"

enum {
    BEAT_BYTES = 22,
    BEAT_KIND = 'B', /* the first byte; all other frames begin with 'D' */
    BEAT_LATE = 1,   /* bit of the second byte: its sender's loop was late (D4) */

    BEAT_TAG_BYTES = 8, /* the last of the frame */
    BEAT_TAG_AT = BEAT_BYTES - BEAT_TAG_BYTES,
    BEAT_VIEW_BYTES = 48,
    BEAT_AUTHENTIC_BYTES = BEAT_TAG_AT + BEAT_VIEW_BYTES,
};

/* A view as beats name it. */
struct beat_view {
    struct view_id id;
    uint64_t hash;
    uint8_t bytes[BEAT_VIEW_BYTES]; /* of both, as the tag covers them */
    uint16_t label;                 /* what stands for them in the frame */
};

struct beat {
    uint8_t version; /* of the protocol, counted from 0 */
    bool late;
    bool acting;
    uint32_t life; /* the first four bytes of the sender's */
    uint64_t number;
    uint16_t label; /* of the view */
};

void beat_view_set(struct beat_view *view, const struct view_id *id, uint64_t hash);

/* The first four bytes of a life, as struct beat has them. */
uint32_t beat_life(const struct node_id *life);

/* Is this a frame for beat_read, rather than one of any other form? */
bool beat_is(const uint8_t *bytes, size_t length);

/* Reads one of beat_is. False: with flags that make no sense, or of a version that is not spoken.
 */
bool beat_read(const uint8_t *bytes, struct beat *beat);

/* Can a beat say all that this heartbeat does? */
bool beat_can_say(const struct message *message);

/* Writes it, but for the tag. `view` is the message's. */
void beat_write(const struct message *message, const struct beat_view *view, uint8_t version,
                uint8_t out[BEAT_BYTES]);

/* What the tag of that frame covers, given that its label stands for that view. */
void beat_authentic(const uint8_t *bytes, const struct beat_view *view,
                    uint8_t out[BEAT_AUTHENTIC_BYTES]);

/* The heartbeat that a beat of the life `from` stands for; what differs between copies is set as a
 * receiver finds it. */
void beat_message(const struct beat *beat, const struct beat_view *view, const struct node_id *from,
                  const struct node_id *to, struct message *message);

#endif
