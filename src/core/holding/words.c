#include "core/holding/words.h"

#include "base/hash.h"

uint64_t words_hash(const struct node_id *request, uint64_t number, uint64_t token)
{
    uint64_t hash = hash_bytes(HASH_START, request->bytes, sizeof request->bytes);

    return hash_finish(hash_u64(hash_u64(hash, number), token));
}
