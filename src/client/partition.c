#include "base/hash.h"
#include "doyen/client.h"

uint32_t doyen_partition_of(const void *key, size_t length, uint32_t partitions)
{
    const uint64_t hash = hash_finish(hash_bytes(HASH_START, key, length));

    return partitions == 0 ? 0 : (uint32_t)(hash % partitions);
}
