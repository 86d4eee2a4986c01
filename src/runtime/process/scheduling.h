/* The daemon runs before the other programs of a busy host, so that being late does not end its
 * leases; and it stops doing so for a while when it keeps a processor to itself. */
#ifndef RUNTIME_SCHEDULING_H
#define RUNTIME_SCHEDULING_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "runtime/options/config.h"
#include "runtime/process/log.h"

enum {
    SCHEDULING_BURST_MS = 500,   /* of processor time, without a pause */
    SCHEDULING_AGAIN_MS = 60000, /* after this it takes precedence anew */
    SCHEDULING_LOST_MS = 500,    /* with a shorter T_lost it is wanted: 300 ms were met */
};

struct scheduling {
    uv_timer_t again;
    uv_work_t nothing;
    struct log *log;
    bool realtime; /* it was permitted at the start */
};

/* Is it wanted with this configuration? Where it may matter: with a right to act that is shorter
 * than the scheduler of a busy host now and then makes a program wait. */
bool scheduling_is_wanted(const struct config *config);

/* Prepares it on the loop, which the process's first thread runs. */
void scheduling_open(struct scheduling *scheduling, uv_loop_t *loop, struct log *log);

/* Takes precedence, as far as this account may, and says on the log what came of it. It is given up
 * after `burst_ms` of work without a pause, and taken again, with a line on the log, when
 * `again_ms` have passed at most. No thread may have been started yet. */
void scheduling_start(struct scheduling *scheduling, uint64_t burst_ms, uint64_t again_ms);

/* With precedence, starts the threads of libuv's pool, now that the caller has what they are to
 * have of it: its priority and its sandbox. */
void scheduling_start_threads(struct scheduling *scheduling);

/* Closes its handle; what the thread has, it keeps. */
void scheduling_close(struct scheduling *scheduling);

#endif
