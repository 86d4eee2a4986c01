/* The tags of beats (proto/wire.md, section 13): SipHash-2-4 under a key of their own for each
 * ordered pair of lives, so that a beat holds for nobody but the life that it is for. Pure over
 * bytes; a beat's content is no secret and is not sealed. */
#ifndef SEAL_BEAT_KEY_H
#define SEAL_BEAT_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/id.h"
#include "seal/keyring.h"

enum { BEAT_KEY_BYTES = 16, BEAT_KEY_TAG_BYTES = 8 };

struct beat_key {
    uint8_t bytes[BEAT_KEY_BYTES];
};

/* To be called before the others. False: there is no libsodium. */
bool beat_key_start(void);

/* The key for beats of the life `from` to the life `to`, in the cluster whose plain frames begin
 * with these 16 bytes. `key` NULL: where there is none, zeros stand for it, and a tag shows only
 * that nobody was mistaken. */
void beat_key_derive(struct beat_key *out, const struct key *key, const uint8_t plain_header[16],
                     const struct node_id *from, const struct node_id *to);

void beat_key_tag(const struct beat_key *key, const uint8_t *bytes, size_t length,
                  uint8_t out[BEAT_KEY_TAG_BYTES]);

/* Is that the tag? */
bool beat_key_holds(const struct beat_key *key, const uint8_t *bytes, size_t length,
                    const uint8_t tag[BEAT_KEY_TAG_BYTES]);

#endif
