/* The layout of a sealed frame, and of the notes that nodes without a common key can tell each
 * other (proto/wire.md, section 7). The first 16 bytes are those of a plain frame but for the
 * form:
 *
 *      0       2         3       4      8         16            18           19     20
 *    +-------+---------+-------+------+---------+-------------+------------+------+--------
 *    | magic |  form   | flags | echo | cluster | fingerprint | algorithm  | mark | life
 *    +-------+---------+-------+------+---------+-------------+------------+------+--------
 *
 *     36       44     52
 *    +--------+------+----------+----------------------------------------+--------+
 *    | number | salt | (cookie) | sealed: count, fingerprints, message   |  tag   |
 *    +--------+------+----------+----------------------------------------+--------+ */
#ifndef SEAL_SEALED_FRAME_H
#define SEAL_SEALED_FRAME_H

#include <stdint.h>

#include "core/model/id.h"
#include "seal/cipher.h"
#include "seal/keyring.h"
#include "seal/questions.h"

enum {
    SEALED_FORM = 2, /* a plain frame has WIRE_FORM there */
    NOTE_FORM = 3,
    COUNT_FORM = 4, /* the same header; a question for the receiver's count, or the answer */

    SEALED_AT_FORM = 2,
    SEALED_AT_FLAGS = 3,
    SEALED_AT_CLUSTER = 8,
    SEALED_AT_FINGERPRINT = 16,
    SEALED_AT_ALGORITHM = 18,
    SEALED_AT_MARK = 19,
    SEALED_AT_LIFE = 20,
    SEALED_AT_NUMBER = 36,
    SEALED_AT_SALT = 44,
    SEALED_HEADER_BYTES = 52,

    SALT_BYTES = 8,
    COOKIE_BYTES = 16,                    /* only in datagrams for whoever lives there */
    RING_BYTES_MAX = 1 + 2 * KEYRING_MAX, /* the sender's fingerprints, and how many they are */

    /* A sealed frame is at most this much longer than the plain one that it holds. */
    SEALED_EXTRA_BYTES = SEALED_HEADER_BYTES - 16 + COOKIE_BYTES + RING_BYTES_MAX + TAG_BYTES,

    MARK_WHOEVER = 0, /* for whoever lives there */

    /* Beside the count of fingerprints: the sender can open what is sealed with AES-256-GCM. */
    OPENS_AES = 0x80,

    /* What is sealed in a frame of COUNT_FORM: what it is, and the nonce. */
    COUNT_QUESTION = 1,
    COUNT_ANSWER = 2,
    COUNT_CONTENT_BYTES = 1 + COUNT_NONCE_BYTES,
    COUNT_FRAME_BYTES = SEALED_HEADER_BYTES + COUNT_CONTENT_BYTES + TAG_BYTES,
};

/* The receiver's life as the header hints at it: never MARK_WHOEVER. What is for another life is
 * dropped by it before anything is computed; the tag covers the whole life. */
static inline uint8_t sealed_mark(const struct node_id *to)
{
    return (uint8_t)(1 + to->bytes[0] % 255);
}

static inline void put_u64(uint8_t *at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        at[i] = (uint8_t)(value >> (56 - 8 * i));
    }
}

static inline uint64_t get_u64(const uint8_t *at)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < 8; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

static inline void put_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline uint16_t get_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

#endif
