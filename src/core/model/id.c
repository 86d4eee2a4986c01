#include "core/model/id.h"

#include <string.h>

#include "base/hash.h"
#include "base/random.h"

struct node_id id_draw(struct random *random)
{
    struct node_id id;
    uint64_t words[2] = {random_u64(random), random_u64(random)};

    words[0] |= words[0] == 0 && words[1] == 0; /* All zero names nobody. */
    for (unsigned i = 0; i < sizeof id.bytes; i++) {
        id.bytes[i] = (uint8_t)(words[i / 8] >> (8 * (i % 8)));
    }
    return id;
}

uint32_t id_hash(const struct node_id *id)
{
    uint64_t both = id_half(id, 0) * 3 ^ id_half(id, 8);

    return (uint32_t)(both * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

int id_compare(const struct node_id *a, const struct node_id *b)
{
    return id_equal(a, b) ? 0 : memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

uint64_t address_hash(uint64_t hash, const struct address *address)
{
    static const uint8_t zeros[12];

    if (memcmp(address->bytes + 4, zeros, sizeof zeros) == 0) {
        return hash_bytes(hash, address->bytes, 4) * HASH_PRIME_12;
    }
    return hash_bytes(hash, address->bytes, sizeof address->bytes);
}

int address_compare(const struct address *a, const struct address *b)
{
    if (a->family != b->family) {
        return a->family < b->family ? -1 : 1;
    }
    int order = memcmp(a->bytes, b->bytes, sizeof a->bytes);
    if (order != 0 || a->port == b->port) {
        return order;
    }
    return a->port < b->port ? -1 : 1;
}
