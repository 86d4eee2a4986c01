/* FNV-1a, 64 bits (Fowler, Noll, Vo): tells contents apart and spreads table keys. It guards
 * against mistakes, not against an adversary. Feed integers through hash_u64, so that the
 * result does not depend on the machine's byte order. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

/* Powers of HASH_PRIME: so many zero bytes only multiply. */
#define HASH_PRIME_4 UINT64_C(0x9ffaac085635bc91)
#define HASH_PRIME_8 UINT64_C(0x1efac7090aef4a21)
#define HASH_PRIME_12 UINT64_C(0xf54383a05ace38b1)

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ at[i]) * HASH_PRIME;
    }
    return hash;
}

static inline uint64_t hash_u64(uint64_t hash, uint64_t value)
{
    if (value <= 0xff) {
        return (hash ^ value) * HASH_PRIME_8;
    }
    if (value <= UINT32_MAX) {
        for (int shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ ((value >> shift) & 0xff)) * HASH_PRIME;
        }
        return hash * HASH_PRIME_4;
    }
    for (int shift = 0; shift < 64; shift += 8) {
        hash = (hash ^ ((value >> shift) & 0xff)) * HASH_PRIME;
    }
    return hash;
}

/* Mixes the upper bits into the lower ones; FNV alone leaves them too regular for a table. */
static inline uint64_t hash_finish(uint64_t hash)
{
    hash ^= hash >> 32;
    hash *= UINT64_C(0xd6e8feb86659fd93);
    return hash ^ (hash >> 32);
}

#endif
