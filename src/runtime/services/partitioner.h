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
#include "partition/tenure.h"
#include "proto/own_frame.h"
#include "proto/partition_frame.h"
#include "runtime/frames/outgoing.h"
#include "runtime/options/config.h"
#include "runtime/process/log.h"
#include "runtime/sealing/strangers.h"
#include "runtime/sockets/latch.h"

enum { PARTITION_TAKEN_PER_S = 1000 }; /* messages from each member */

/* All of it is borrowed for the partitioner's life. */
struct partitioner_options {
    const struct config *config;
    const struct core *core;
    const struct wire *wire;
    struct log *log;
    /* Sends a frame. Never called from inside a step of the core. */
    void (*send)(void *context, const struct outgoing *outgoing);
    /* There is another table, that of the present view. */
    void (*on_table)(void *context, const struct keeper_news *news);
    /* What this node owns, `held` now, or is to own, is other than before by so many. */
    void (*on_owners)(void *context, enum owner_news news, uint32_t count, uint32_t held);
    /* EVENT_ROLE for the core: it steps it. */
    void (*command)(void *context, const struct role_command *command);
    void *context;
};

struct partitioner {
    struct partitioner_options options;
    struct keeper *keeper; /* NULL: without --partitions */
    struct partition_work *work;
    struct tenure *tenure;     /* who owns them; with the keeper */
    struct ledger_slot *slots; /* LEDGER_SLOTS_MAX; what is not used is not touched */
    struct per_second *taken;  /* PARTITION_MEMBERS_MAX, by place in the view */
    struct view_id view;       /* that was installed last */
    bool said_other;           /* that the others keep them by other terms */
    bool leaves;               /* nothing is promised any more */
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

/* A message of owners that came. */
void partitioner_take_own(struct partitioner *partitioner, const struct own_message *message,
                          uint64_t now_ms);

/* What this node owns, and what it lists as coordinator; NULL: it was started without --partitions.
 */
const struct tenure *partitioner_tenure(const struct partitioner *partitioner);

/* For this node's programs, as owner.h says. A promise lasts until the time that is returned; 0: it
 * owns nothing. None of these does anything without --partitions. */
uint64_t partitioner_promise(struct partitioner *partitioner, uint64_t now_ms);
uint64_t partitioner_promise_one(struct partitioner *partitioner, uint32_t partition,
                                 uint64_t *token, uint64_t now_ms);
void partitioner_ready(struct partitioner *partitioner, const struct partition_set *set,
                       uint64_t now_ms);
void partitioner_done(struct partitioner *partitioner, const struct partition_set *set,
                      uint64_t now_ms);

/* From now on nothing is promised any more, as this node is about to leave; it can when what was
 * promised is over, at the time that is returned. 0: nothing is. */
uint64_t partitioner_free_ms(struct partitioner *partitioner);

/* The keeper, borrowed; NULL: this node was started without --partitions. */
const struct keeper *partitioner_keeper(const struct partitioner *partitioner);

#endif
