/* How the times of doyen run add up. The lease page names a deadline, which each renewal moves
 * ahead by the span of the lease. The command must be gone before it:
 *
 *     renewed                        TERM is due           KILL is due   deadline   elsewhere
 *        |                                |                     |           |           |
 *        |<------------- span ------------------------------------------- ->|           |
 *        |<-- renewals are awaited ------>|<------ grace ------>|<- margin->|<- drift ->|
 *
 * The margin pays for a watchdog that is woken late and for the time that dying takes; that clocks
 * run at different rates is in the deadline already. */
#ifndef CLI_RUN_TIMES_H
#define CLI_RUN_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "doyen/lease.h"

enum { RUN_NS_PER_MS = 1000000 };

struct run_times {
    uint64_t span_ns;    /* for how long one renewal lasts */
    uint64_t renewal_ns; /* how often there is one */
    uint64_t margin_ns;  /* KILL is sent so long before the deadline at the latest */
    uint64_t grace_ns;   /* TERM so long before KILL */
};

/* The times of a lease with this span and renewal, and the default grace: half of the largest. */
struct run_times run_times_of(const struct doyen_lease_content *content);

/* The largest grace that such a lease can hold, in whole milliseconds: a longer one would have to
 * end the command though renewals come as they should. */
uint64_t run_times_grace_max_ms(const struct run_times *times);

/* The deadline is at least so far away while nothing has to be done. */
uint64_t run_times_lead_ns(const struct run_times *times);

/* A command is started only while the deadline is at least so far away. */
uint64_t run_times_start_ns(const struct run_times *times);

/* When KILL is due for a command that got TERM at `now_ns`: when the grace is over, and before the
 * deadline in any case. */
uint64_t run_times_kill_ns(const struct run_times *times, uint64_t now_ns, uint64_t deadline_ns);

#endif
