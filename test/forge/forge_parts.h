/* What the forger's files share. */
#ifndef FORGE_FORGE_PARTS_H
#define FORGE_FORGE_PARTS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/message.h"
#include "core/model/view.h"
#include "forge/forge.h"
#include "proto/wire.h"
#include "seal/note.h"
#include "seal/seal.h"

enum {
    CAPACITY = 256, /* a node's own, unless it was told another */
    SENDERS = 16,
    ASK_AGAIN_MS = 200,
    DATAGRAM_MAX = 1500,
    PROOFS = 8,
    NUMBER_BEYOND = 1 << 16, /* of messages that need not lie about theirs */
};

/* Where the numbers are that nobody comes to in an honest way. */
#define NUMBERS_FAR_AHEAD (UINT64_C(1) << 62)

/* The forger's address is proved to whoever lives at that port. */
struct proof {
    uint16_t port;
    uint8_t cookie[COOKIE_BYTES];
};

struct forger {
    int socket;
    struct wire *wire;
    struct wire *reader; /* its view is not written to */
    struct seal *seal;
    bool sealed;
    struct node_id self;
    uint64_t number;
    uint64_t far_ahead; /* numbers that were used up there */
    struct proof proofs[PROOFS];
    uint32_t proof_count;
    uint8_t proved[DATAGRAM_MAX]; /* a frame with its cookie */
    struct forged_frame *kept;    /* where frames go instead of being sent; NULL: they are sent */
    void *learned_storage;
    void *forged_storage;
    struct view learned;
    struct view forged;
};

/* Random bytes. An id or a salt of them is not drawn again within a test. */
void forge_draw(void *out, size_t length);

/* All nodes of a test have one address, and so has the forger. */
struct sockaddr_in forge_address(const struct forger *forger, uint16_t port);

/* Begins a message in somebody's name, and sends it to the member at that place. */
void forge_begin(struct forger *forger, struct message *message, enum message_type type, int as);
void forge_finish(struct forger *forger, const struct message *message, int to);

/* Sends the message to that life, NULL: whoever lives at that port. */
void forge_send(struct forger *forger, const struct message *message, unsigned flags,
                const struct node_id *to, uint16_t port);

#endif
