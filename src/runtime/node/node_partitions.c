/* What node.h says of partitions. */
#include "runtime/host/clock.h"
#include "runtime/node/node.h"
#include "runtime/node/node_state.h"

bool node_on_partition_frame(struct node *node, struct bytes frame, const struct address *source)
{
    struct partition_message message;
    const enum wire_error error = partition_frame_decode(node->wire, frame.at, frame.length,
                                                         &message);

    if (error != WIRE_OK) {
        traffic_count_refused(&node->traffic, error);
    } else if (!node->closing && !node_is_cut(node, &message.from, source)) {
        partitioner_take(&node->partitioner, &message, clock_ms());
    }
    return error == WIRE_OK;
}

bool node_on_own_frame(struct node *node, struct bytes frame, const struct address *source)
{
    struct own_message message;
    const enum wire_error error = own_frame_decode(node->wire, frame.at, frame.length, &message);

    if (error != WIRE_OK) {
        traffic_count_refused(&node->traffic, error);
    } else if (!node->closing && !node_is_cut(node, &message.from, source)) {
        partitioner_take_own(&node->partitioner, &message, clock_ms());
    }
    return error == WIRE_OK;
}

void node_send_partitions(void *context, const struct outgoing *outgoing)
{
    struct node *node = context;

    if (!node->closing) {
        (void)node_send_frame(node, outgoing); /* As good as lost: it is asked for again. */
    }
}

void node_on_partitions(void *context, const struct keeper_news *news)
{
    struct node *node = context;
    const struct notice notice = {.type = NOTICE_PARTITIONS,
                                  .partitions = {.moved = news->change.moved,
                                                 .least = news->change.least,
                                                 .led = news->change.led,
                                                 .gained = news->gained,
                                                 .lost = news->lost,
                                                 .owned = news->owned}};

    if (!news->first && news->change.moved == 0 && news->change.led == 0 && news->gained == 0 &&
        news->lost == 0) {
        return; /* Another view, and the same table. */
    }
    node_tell(node, &notice, clock_ms());
}

void node_on_owners(void *context, enum owner_news news, uint32_t count, uint32_t held)
{
    struct node *node = context;
    const struct notice notice = {.type = NOTICE_OWNERS,
                                  .owners = {.incoming = news == OWNER_INCOMING ? count : 0,
                                             .began = news == OWNER_OWNS ? count : 0,
                                             .stopping = news == OWNER_STOPS ? count : 0,
                                             .ended = news == OWNER_LOST ? count : 0,
                                             .held = held}};

    node_tell(node, &notice, clock_ms());
}

const struct keeper *node_partitions(const struct node *node)
{
    return partitioner_keeper(&node->partitioner);
}

const struct tenure *node_tenure(const struct node *node)
{
    return partitioner_tenure(&node->partitioner);
}

uint64_t node_partitions_promise(struct node *node)
{
    return node->closing ? 0 : partitioner_promise(&node->partitioner, clock_ms());
}

uint64_t node_partition_promise(struct node *node, uint32_t partition, uint64_t *token)
{
    return node->closing
               ? 0
               : partitioner_promise_one(&node->partitioner, partition, token, clock_ms());
}

void node_partitions_ready(struct node *node, const struct partition_set *set)
{
    if (!node->closing) {
        partitioner_ready(&node->partitioner, set, clock_ms());
    }
}

void node_partitions_done(struct node *node, const struct partition_set *set)
{
    if (!node->closing) {
        partitioner_done(&node->partitioner, set, clock_ms());
        clock_start_timer(&node->timer, node_on_timer, 0); /* Does a leave wait for it? */
    }
}
