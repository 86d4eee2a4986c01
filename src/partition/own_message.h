/* What a member and its coordinator say to each other about who owns which partitions
 * (docs/partitions.md, P8 to P16). */
#ifndef PARTITION_OWN_MESSAGE_H
#define PARTITION_OWN_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "core/model/id.h"
#include "partition/set.h"

/* On the wire, one more: append only. */
enum own_kind {
    OWN_ASK,    /* to the coordinator: these I want; so many I own */
    OWN_TELL,   /* these I own, with that token */
    OWN_LET_GO, /* of these I own no grant up to that token any more, nor ever again */
    OWN_ANSWER, /* to a member: what you own is what I have listed, or is not */
    OWN_GRANT,  /* these you own, with that token */
    OWN_REVOKE, /* let go of these, as far as they were granted up to that token */
    OWN_MESSAGE_KINDS,
};

struct own_message {
    struct node_id from;
    struct node_id to;
    enum own_kind kind;
    uint64_t epoch;           /* of the view under which it is said */
    uint64_t lease;           /* the token of the member's lease; LET_GO, REVOKE: 0 */
    uint64_t version;         /* ASK: of the view whose table says what is wanted */
    uint64_t number;          /* ASK: rises, and goes round; ANSWER: of the latest question */
    uint64_t token;           /* TELL, LET_GO, GRANT, REVOKE */
    uint32_t count;           /* ASK: owned */
    uint64_t hash;            /* ASK: the sum of own_hash of them */
    bool agrees;              /* ANSWER */
    struct partition_set set; /* all but ANSWER */
};

/* P16: numbers of questions go round, so that none is the last one. */
static inline bool own_number_is_later(uint64_t number, uint64_t than)
{
    return number != than && number - than < UINT64_C(1) << 63;
}

static inline uint64_t own_hash(uint32_t partition, uint64_t token)
{
    return hash_finish(hash_u64(hash_u64(HASH_START, partition), token));
}

#endif
