/* What node.h says of partitions. */
#include "runtime/clock.h"
#include "runtime/node.h"
#include "runtime/node_state.h"

void node_on_partition_frame(struct node *node, struct bytes frame, const struct address *source)
{
    struct partition_message message;
    const enum wire_error error = partition_frame_decode(node->wire, frame.at, frame.length,
                                                         &message);

    if (error != WIRE_OK) {
        node->traffic.malformed[error]++;
    } else if (!node->closing && !node_is_cut(node, &message.from, source)) {
        partitioner_take(&node->partitioner, &message, clock_ms());
    }
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
    journal_append(node->journal, &notice, node->core, clock_ms(), clock_wall_ms());
    log_notice(node->log, journal_get(node->journal, journal_cursor(node->journal)));
}

const struct keeper *node_partitions(const struct node *node)
{
    return partitioner_keeper(&node->partitioner);
}
