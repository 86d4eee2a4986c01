/* What is kept of those whose frames held: the key of each, and the numbers it has used. Nobody has
 * an entry before a tag of its own held, so that who has no key fills nothing. */
#ifndef SEAL_SENDERS_H
#define SEAL_SENDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/id.h"
#include "seal/keyring.h"
#include "seal/questions.h"
#include "seal/sealed_frame.h"

/* What a sender's key follows from, besides the cluster's. */
struct sender_name {
    struct node_id life;
    uint8_t salt[SALT_BYTES];
    uint16_t fingerprint;
    uint8_t algorithm;
};

struct sender {
    struct sender_name name;
    uint8_t key[KEY_BYTES]; /* of `name`, while `is_derived` */
    bool is_derived;
    struct windows windows;
    bool is_asked;  /* for its count: there may be a question to it that is open */
    bool opens_aes; /* as its latest frame said */

    /* For people: which keys it holds, as its latest heartbeat said, and when it used which. */
    uint8_t holds_count; /* 0: it has not said */
    uint16_t holds[KEYRING_MAX];
    uint64_t heard_ms;

    uint32_t next; /* in its bucket; the next free one */
    uint32_t newer;
    uint32_t older;
};

struct senders {
    struct sender *items;
    uint32_t *buckets;
    uint32_t capacity;
    uint32_t bucket_mask;
    uint32_t free;
    uint32_t newest;
    uint32_t oldest;
};

#define SENDER_NONE UINT32_MAX

/* Makes room for `capacity` of them; beyond, who was silent longest is forgotten. False: no memory.
 */
bool senders_open(struct senders *senders, uint32_t capacity);
void senders_close(struct senders *senders);

/* The entry of that life, or NULL. Valid until the next senders_add. */
struct sender *senders_find(const struct senders *senders, const struct node_id *life);

/* Makes an entry for a life that has none, all zero but for the life. */
struct sender *senders_add(struct senders *senders, const struct node_id *life);

/* Derives all keys again, because those that they follow from have changed. */
void senders_forget_keys(struct senders *senders);

/* It was heard now: others are forgotten first. */
void senders_touch(struct senders *senders, struct sender *sender);

#endif
