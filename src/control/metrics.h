/* The answer to GET /metrics: what a node knows and counts, in the text format of Prometheus,
 * version 0.0.4. The names and labels are documented in proto/control.md, and stay. */
#ifndef CONTROL_METRICS_H
#define CONTROL_METRICS_H

#include <stdint.h>

#include "control/facts.h"
#include "control/text_builder.h"
#include "runtime/log.h"
#include "runtime/process_usage.h"
#include "runtime/rotation.h"

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* All that is shown, of one moment. */
struct metrics {
    const struct facts *facts; /* borrowed, as all pointers here */
    const struct log *log;
    struct process_usage process;
    struct key_state keys[KEYRING_MAX];
    uint32_t key_count;
    uint32_t connections_unix;
    uint32_t connections_tcp;
    uint32_t watchers;
    uint32_t lease_clients;
};

/* Appends the text. The families, and the samples of each, are the same at every call, but for
 * those of keys: what has not happened yet is 0, so that its first time is seen as an increase. No
 * sample is of a member: the text does not grow with the cluster. O(members). */
void metrics_write(const struct metrics *metrics, struct text_builder *text);

#endif
