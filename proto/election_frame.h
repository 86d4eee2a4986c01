/* ELECTION, what participants of an election say to each other: struct election_frame <-> bytes, as
 * section 10 of wire.md says. It is no message of the core, which neither sends nor gets it. */
#ifndef PROTO_ELECTION_FRAME_H
#define PROTO_ELECTION_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/id.h"
#include "core/model/limits.h"
#include "election/message.h"
#include "proto/wire.h"

enum {
    ELECTION_TYPE = 65,             /* on the wire */
    ELECTION_FRAME_BYTES_MAX = 200, /* no frame of this type is longer */
};
_Static_assert((int)ELECTION_FRAME_BYTES_MAX <= (int)DATAGRAM_FRAME_BYTES_MAX,
               "a message of an election is always a datagram");

/* By which rule a member elects. On the wire: append only. */
enum election_rule {
    RULE_BULLY = 1, /* among equal priorities the oldest is best */
    RULE_RING = 2,
    RULE_TOKEN_RING = 3,
    RULE_SEQUENTIAL = 4,
    RULE_NEWEST = 4, /* added: the newest is best */
    RULE_MAX = RULE_SEQUENTIAL + RULE_NEWEST,
};

/* A message with members named by their lives, which no other member ever has. */
struct election_frame {
    struct node_id from;
    struct node_id to;
    unsigned rule;                   /* of enum election_rule */
    enum election_message_type kind; /* on the wire one more */
    struct election_round round;
    struct node_id subject; /* none: nobody */
    struct node_id home;    /* none: nobody */
    uint64_t hops;          /* up to ELECTION_HOPS_MAX */
    struct roster_set ids;
};

/* What goes round makes no more than two rounds. */
enum { ELECTION_HOPS_MAX = 2 * ROSTER_MAX };

/* Is this a frame for election_frame_decode, rather than for wire_decode? */
bool election_frame_is(const uint8_t *bytes, size_t length);

/* Reads the whole frame. After a refusal `frame` holds nothing of use. */
enum wire_error election_frame_decode(const struct wire *wire, const uint8_t *bytes, size_t length,
                                      struct election_frame *frame);

/* Writes the frame and returns its length. It must be within the bounds. */
size_t election_frame_encode(const struct wire *wire, const struct election_frame *frame,
                             uint8_t bytes[ELECTION_FRAME_BYTES_MAX]);

#endif
