/* The fixture of the suite `seal`: alice seals, bob opens. Its tests are in test_seal.c, about the
 * counts of senders in test_seal_count.c, and the golden frames in test_seal_golden.c. */
#ifndef UNIT_SEALING_H
#define UNIT_SEALING_H

#include <stddef.h>
#include <stdint.h>

#include "seal/seal.h"

enum {
    FRAME_MAX = 3000,
    SENDERS = 4,
    PLAIN_BYTES = 100,
    MESSAGE_AT = 16,
    NOW_MS = 1000, /* when open_bytes opens */
};

extern const uint8_t header[16];
extern const struct node_id alice;
extern const struct node_id bob;
extern const struct node_id carol; /* of bob's mark */
extern const uint8_t salt[SALT_BYTES];
extern const struct seal_place by_datagram;
extern const uint8_t nonce[COUNT_NONCE_BYTES]; /* of bob's question */

/* Made anew for each test. */
extern struct seal *sender;   /* alice's */
extern struct seal *receiver; /* bob's */
extern struct keyring ring;   /* of both */
extern uint8_t plain[PLAIN_BYTES];

/* The frame that was sealed last, and what the last one that was opened brought. */
extern uint8_t sealed[FRAME_MAX + SEALED_EXTRA_BYTES];
extern size_t sealed_length;
extern struct seal_opened opened;

/* One more seal with the same ring; to be freed. */
struct seal *seal_of(const struct node_id *life);

/* Seals the plain frame, and keeps a copy in `sealed`. */
void close_for(struct seal *seal, const struct node_id *to, struct seal_place place,
               uint64_t number);

/* Opens a copy of exactly this length, so that a sanitizer sees a read behind its end. */
enum seal_result open_bytes(struct seal *seal, const uint8_t *bytes, size_t length,
                            struct seal_place place);

/* Opens `sealed`. */
enum seal_result open_it(struct seal *seal, struct seal_place place);

/* What was opened last is the plain frame, of that life. */
void assert_opened(const struct node_id *from);

struct count_frame {
    uint8_t bytes[COUNT_FRAME_BYTES];
};

/* Bob's question for alice's count. */
struct count_frame ask(uint64_t now_ms);

/* What that seal does with the frame; its answer, if it has one, is in `*answer`. */
enum seal_result take_count(struct seal *seal, const struct count_frame *frame, uint64_t now_ms,
                            struct count_frame *answer);

#endif
