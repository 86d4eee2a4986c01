/* BEAT, the short form of a heartbeat that says only that its sender is there and holds the view
 * that its receiver holds: struct beat <-> 22 bytes, or 26 with an echo, as section 13 of wire.md
 * says. The core knows nothing of it: what comes as a beat is made the HEARTBEAT again that it
 * stands for.
 *
 *      0       1       2        6          12     14     (18)
 *    +-------+-------+--------+----------+------+ - - - +-------+
 *    |  'B'  | flags |  life  |  number  | view | echo  |  tag  |
 *    +-------+-------+--------+----------+------+ - - - +-------+ 22 or 26 */
#ifndef PROTO_BEAT_FRAME_H
#define PROTO_BEAT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/message.h"

enum {
    BEAT_BYTES_MIN = 22, /* without an echo */
    BEAT_BYTES_MAX = 26,
    BEAT_KIND = 'B', /* the first byte; all other frames begin with 'D' */
    BEAT_LATE = 1,   /* bit of the second byte: its sender's loop was late (D4) */
    BEAT_ASKS = 4,   /* likewise: its sender asks for a lease (D8c) */

    BEAT_TAG_BYTES = 8, /* the last of the frame */
    BEAT_VIEW_BYTES = 48,
    BEAT_AUTHENTIC_BYTES_MAX = BEAT_BYTES_MAX - BEAT_TAG_BYTES + BEAT_VIEW_BYTES,
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
    bool asks;
    uint32_t life; /* the first four bytes of the sender's */
    uint64_t number;
    uint32_t echo;  /* 0: none */
    uint16_t label; /* of the view */
};

void beat_view_set(struct beat_view *view, const struct view_id *id, uint64_t hash);

/* The first four bytes of a life, as struct beat has them. */
uint32_t beat_life(const struct node_id *life);

/* Is this a frame for beat_read, rather than one of any other form? */
bool beat_is(const uint8_t *bytes, size_t length);

/* Reads one of beat_is. False: with flags that make no sense, of a version that is not spoken, or
 * with an echo of nothing. */
bool beat_read(const uint8_t *bytes, size_t length, struct beat *beat);

/* Can a beat say all that this heartbeat does? */
bool beat_can_say(const struct message *message);

/* Writes it, but for the tag, and returns the length of the frame. `view` is the message's; an echo
 * of 0 takes no room. */
size_t beat_write(const struct message *message, const struct beat_view *view, uint32_t echo,
                  uint8_t version, uint8_t out[BEAT_BYTES_MAX]);

/* What the tag of that frame covers, given that its label stands for that view. Returns how much
 * that is. */
size_t beat_authentic(const uint8_t *bytes, size_t length, const struct beat_view *view,
                      uint8_t out[BEAT_AUTHENTIC_BYTES_MAX]);

/* The heartbeat that a beat of the life `from` stands for; what differs between copies is set as a
 * receiver finds it. */
void beat_message(const struct beat *beat, const struct beat_view *view, const struct node_id *from,
                  const struct node_id *to, struct message *message);

#endif
