/* BEAT, the short form of a heartbeat that says only that its sender is there and holds the view
 * that its receiver holds: struct beat <-> 28 bytes, as section 13 of wire.md says. The core knows
 * nothing of it: what comes as a beat is made the HEARTBEAT again that it stands for.
 *
 *      0       1       2        6          12      16      20
 *    +-------+-------+--------+----------+-------+-------+-------+
 *    |  'B'  | flags |  life  |  number  | echo  | view  |  tag  |
 *    +-------+-------+--------+----------+-------+-------+-------+ 28 */
#ifndef PROTO_BEAT_FRAME_H
#define PROTO_BEAT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/message.h"

enum {
    BEAT_BYTES = 28,
    BEAT_KIND = 'B',  /* the first byte; all other frames begin with 'D' */
    BEAT_VERSION = 2, /* of the protocol, the first that has beats */
    BEAT_LATE = 1,    /* bit of the second byte: its sender's loop was late (D4) */

    BEAT_AT_TAG = 20,
    BEAT_TAG_BYTES = 8,
    BEAT_VIEW_BYTES = 48,
    BEAT_AUTHENTIC_BYTES = BEAT_AT_TAG + BEAT_VIEW_BYTES,
};

/* A view as beats name it. */
struct beat_view {
    struct view_id id;
    uint64_t hash;
    uint8_t bytes[BEAT_VIEW_BYTES]; /* of both, as the tag covers them */
    uint32_t label;                 /* what stands for them in the frame */
};

struct beat {
    uint8_t version; /* of the protocol, counted from 0 */
    bool late;
    bool acting;
    bool bound; /* `promised` is the view's epoch; else it is none */
    bool leased;
    uint32_t life; /* the first four bytes of the sender's */
    uint64_t number;
    uint32_t echo;
    uint32_t label; /* of the view */
};

void beat_view_set(struct beat_view *view, const struct view_id *id, uint64_t hash);

/* The first four bytes of a life, as struct beat has them. */
uint32_t beat_life(const struct node_id *life);

/* Is this a frame for beat_read, rather than one of any other form? */
bool beat_is(const uint8_t *bytes, size_t length);

/* Reads one. False: with flags that make no sense, or of a version that has no beats. */
bool beat_read(const uint8_t bytes[BEAT_BYTES], struct beat *beat);

/* Can a beat say all that this heartbeat does? */
bool beat_can_say(const struct message *message);

/* Writes it, but for the tag. `view` is the message's. */
void beat_write(const struct message *message, const struct beat_view *view, uint32_t echo,
                uint8_t version, uint8_t out[BEAT_BYTES]);

/* What the tag of that frame covers, given that its label stands for that view. */
void beat_authentic(const uint8_t bytes[BEAT_BYTES], const struct beat_view *view,
                    uint8_t out[BEAT_AUTHENTIC_BYTES]);

/* The heartbeat that a beat of the life `from` stands for; what differs between copies is set as a
 * receiver finds it. */
void beat_message(const struct beat *beat, const struct beat_view *view, const struct node_id *from,
                  const struct node_id *to, struct message *message);

#endif
