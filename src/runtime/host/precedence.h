/* Running before the other programs of a busy host, so that being late does not end a lease. */
#ifndef RUNTIME_PRECEDENCE_H
#define RUNTIME_PRECEDENCE_H

#include <stdbool.h>
#include <stdint.h>

enum precedence {
    PRECEDENCE_REALTIME, /* before all programs of the usual scheduling policies */
    PRECEDENCE_NICE,     /* a far greater share than theirs, by the nice value */
    PRECEDENCE_NONE,     /* this account may do neither */
};

/* Gives the process's first thread, which must be the caller, precedence: the lowest real-time
 * priority (sched(7), SCHED_RR), else the best nice value, as far as this account may. Returns what
 * it has now.
 *
 * The threads that it starts from then on have the same, and must: those of libuv wait for each
 * other by sched_yield(2), which lets nobody go first who has less. */
enum precedence precedence_take(void);

/* Has the first thread, and the one that does it, lose the real-time priority when one of them has
 * used the processor for `ms` milliseconds without waiting for anything, so that a fault, or a
 * flood, does not keep other programs from the processor (RLIMIT_RTTIME; SIGXCPU is taken for it).
 * Returns false, with errno set, where that cannot be had. */
bool precedence_limit(uint64_t ms);

/* Does the first thread have the real-time priority? */
bool precedence_is_realtime(void);

#endif
