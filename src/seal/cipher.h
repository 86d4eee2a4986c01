/* Authenticated encryption by one of two algorithms, whichever both ends have. */
#ifndef SEAL_CIPHER_H
#define SEAL_CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seal/keyring.h"

/* As the header of a sealed frame names them. */
enum algorithm {
    ALGORITHM_CHACHA20_POLY1305 = 1, /* of RFC 8439: every node has it */
    ALGORITHM_AES256_GCM = 2,        /* only where the processor does it */
    ALGORITHM_END,
};

enum {
    CIPHER_NONCE_BYTES = 12,
    TAG_BYTES = 16,
};

/* What it is called, for people and in control.md. */
const char *algorithm_text(enum algorithm algorithm);

/* Does this machine have it? The library must have been initialised. */
bool cipher_is_here(enum algorithm algorithm);

/* What a frame is sealed with. */
struct cipher {
    enum algorithm algorithm; /* one that is here */
    const uint8_t *key;       /* KEY_BYTES */
    const uint8_t *nonce;     /* CIPHER_NONCE_BYTES */
    const uint8_t *authentic; /* what the tag covers besides the content */
    size_t authentic_bytes;
};

/* Writes content and tag to `out`, TAG_BYTES longer than the content. */
void cipher_close(const struct cipher *cipher, const uint8_t *content, size_t length, uint8_t *out);

/* Opens content and tag into `out`. Returns the content's length, 0 when the tag does not hold. */
size_t cipher_open(const struct cipher *cipher, const uint8_t *bytes, size_t length, uint8_t *out);

#endif
