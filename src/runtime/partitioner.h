/* What drives this node's keeper of the table of partitions (docs/partitions.md): views of the core
 * and messages of other members go in, messages and tables come out. The core knows nothing of it.
 * Without --partitions it does nothing, and nothing is sent. */
#ifndef RUNTIME_PARTITIONER_H
#define RUNTIME_PARTITIONER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "core/core.h"
#include "partition/keeper.h"
#include "proto/partition_frame.h"
#include "runtime/config.h"
#include "runtime/latch.h"
#include "runtime/log.h"
#include "runtime/outgoing.h"
#include "runtime/strangers.h"

enum { PARTITION_TAKEN_PER_S = 1000 }; /* messages from each member */

/* All of it is borrowed for the partitioner's life. */
struct partitioner_options {
    const struct config *config;
    const struct core *core;
    const struct wire *wire;
    struct log *log;
    /* Sends a datagram. Never called from inside a step of the core. */
    void (*send)(void *context, const struct outgoing *outgoing);
    /* There is another table, that of the present view. */
    void (*on_table)(void *context, const struct keeper_news *news);
    void *context;
};

struct partitioner {
    struct partitioner_options options;
    struct keeper *keeper; /* NULL: without --partitions */
    struct partition_work *work;
    struct per_second *taken; /* PARTITION_MEMBERS_MAX, by place in the view */
    struct view_id view;      /* that was installed last */
    bool said_other;          /* that the others keep them by other terms */
    struct latch *latch;
    uv_timer_t timer;
    bool open;
};

/* `partitioner` is zeroed and stays where it is until the latch is free. False: no memory. */
bool partitioner_open(struct partitioner *partitioner, uv_loop_t *loop, struct latch *latch,
                      const struct partitioner_options *options);

/* Stops the timer; partitioner_free when the latch is free. Both are harmless without
 * partitioner_open. */
void partitioner_close(struct partitioner *partitioner);
void partitioner_free(struct partitioner *partitioner);

/* To be called after each step of the core. */
void partitioner_on_step(struct partitioner *partitioner, uint64_t now_ms);

/* A message of partitions that came. */
void partitioner_take(struct partitioner *partitioner, const struct partition_message *message,
                      uint64_t now_ms);

/* The keeper, borrowed; NULL: this node was started without --partitions. */
const struct keeper *partitioner_keeper(const struct partitioner *partitioner);

#endif
