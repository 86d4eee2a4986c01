/* What this process uses, read anew at each call. /proc is opened once, because a process in its
 * sandbox cannot open it any more. */
#ifndef RUNTIME_PROCESS_USAGE_H
#define RUNTIME_PROCESS_USAGE_H

#include <stdbool.h>
#include <stdint.h>

struct process_meter {
    int memory_fd;           /* /proc/self/statm; -1: not there */
    int descriptors_fd;      /* /proc/self/fd; -1: not there */
    int64_t started_wall_ms; /* Unix time at which the meter was opened */
};

/* What cannot be read is 0, which none of them is otherwise. */
struct process_usage {
    uint64_t cpu_us;
    uint64_t resident_bytes;
    uint64_t descriptors;
    uint64_t descriptors_max;
    int64_t started_wall_ms;
};

/* To be called at the start, before the sandbox. */
void process_meter_open(struct process_meter *meter);
void process_meter_close(struct process_meter *meter);

/* O(open descriptors). */
struct process_usage process_meter_read(const struct process_meter *meter);

#endif
