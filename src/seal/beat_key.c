#include "seal/beat_key.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "seal/sealed_frame.h"

enum {
    PURPOSE_BYTES = 12, /* "doyen 1 beat" */
    CLUSTER_BYTES = 8,
    DERIVED_BYTES = PURPOSE_BYTES + CLUSTER_BYTES + 2 * 16,
};

_Static_assert((int)BEAT_KEY_BYTES == (int)crypto_shorthash_siphash24_KEYBYTES &&
                   (int)BEAT_KEY_TAG_BYTES == (int)crypto_shorthash_siphash24_BYTES,
               "as SipHash-2-4 has them");

bool beat_key_start(void)
{
    return sodium_init() >= 0;
}

void beat_key_derive(struct beat_key *out, const struct key *key, const uint8_t plain_header[16],
                     const struct node_id *from, const struct node_id *to)
{
    static const uint8_t none[KEY_BYTES];
    uint8_t text[DERIVED_BYTES];
    uint8_t *at = text;

    memcpy(at, "doyen 1 beat", PURPOSE_BYTES);
    at += PURPOSE_BYTES;
    memcpy(at, plain_header + SEALED_AT_CLUSTER, CLUSTER_BYTES);
    at += CLUSTER_BYTES;
    memcpy(at, from->bytes, sizeof from->bytes);
    at += sizeof from->bytes;
    memcpy(at, to->bytes, sizeof to->bytes);
    const int error = crypto_generichash(out->bytes, BEAT_KEY_BYTES, text, sizeof text,
                                         key == NULL ? none : key->bytes, KEY_BYTES);
    assert(error == 0); /* The lengths are in the library's bounds. */
    (void)error;
}

void beat_key_tag(const struct beat_key *key, const uint8_t *bytes, size_t length,
                  uint8_t out[BEAT_KEY_TAG_BYTES])
{
    (void)crypto_shorthash_siphash24(out, bytes, length, key->bytes);
}

bool beat_key_holds(const struct beat_key *key, const uint8_t *bytes, size_t length,
                    const uint8_t tag[BEAT_KEY_TAG_BYTES])
{
    uint8_t expected[BEAT_KEY_TAG_BYTES];

    /* Of one length and at once, so that time tells nothing of how much is right. */
    beat_key_tag(key, bytes, length, expected);
    return get_u64(expected) == get_u64(tag);
}
