#include "doyen/lease.h"
#include "doyen/node.h"
#include "node/inside.h"
#include "partition/tenure.h"
#include "runtime/host/clock.h"

bool doyen_node_owns(struct doyen_node *node, uint32_t partition, struct doyen_owned *owned)
{
    struct node *member = node_inside(node);
    uint64_t token = 0;
    const uint64_t until_ms = member == NULL ? 0
                                             : node_partition_promise(member, partition, &token);
    const uint64_t deadline_ns = until_ms * CLOCK_NS_PER_MS;
    const uint64_t now_ns = doyen_lease_now_ns();
    const bool owns = now_ns < deadline_ns;

    if (owned != NULL) {
        *owned = (struct doyen_owned){.token = 0};
    }
    if (owns && owned != NULL) {
        *owned = (struct doyen_owned){
            .token = token,
            .left_ns = deadline_ns - now_ns,
            .deadline_ns = deadline_ns,
            .advisory = (node_lease(member)->now.flags & DOYEN_LEASE_ADVISORY) != 0};
    }
    return owns;
}

static struct partition_set set_of(const uint32_t *partitions, size_t count)
{
    struct partition_set set = {.words = {0}};

    for (uint32_t p = 0; p < PARTITIONS_MAX && partitions == NULL; p++) {
        set_add(&set, p);
    }
    for (size_t i = 0; i < count && partitions != NULL; i++) {
        if (partitions[i] < PARTITIONS_MAX) {
            set_add(&set, partitions[i]);
        }
    }
    return set;
}

void doyen_node_partitions_ready(struct doyen_node *node, const uint32_t *partitions, size_t count)
{
    struct node *member = node_inside(node);
    const struct partition_set set = set_of(partitions, count);

    if (member != NULL) {
        node_partitions_ready(member, &set);
    }
}

void doyen_node_partitions_done(struct doyen_node *node, const uint32_t *partitions, size_t count)
{
    struct node *member = node_inside(node);
    const struct partition_set set = set_of(partitions, count);

    if (member != NULL) {
        node_partitions_done(member, &set);
    }
}
