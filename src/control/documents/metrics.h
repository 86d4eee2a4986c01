/* The answer to GET /metrics: what a node knows and counts, in the text format of Prometheus,
 * version 0.0.4. The names and labels are documented in proto/control.md, and stay. */
#ifndef CONTROL_METRICS_H
#define CONTROL_METRICS_H

#include <stdint.h>

#include "control/facts/facts.h"
#include "control/text/text_builder.h"
#include "runtime/process/log.h"
#include "runtime/process/process_usage.h"
#include "runtime/sealing/rotation.h"
#include "words/whole.h"

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* A role that clients of this node stand for. */
struct metrics_role {
    const char *role;
    uint32_t candidates; /* of them, those that hold it included */
    uint32_t held;
};

/* All that is shown, of one moment. */
struct metrics {
    const struct facts *facts; /* borrowed, as all pointers here */
    const struct whole *whole;
    const struct log *log;
    struct process_usage process;
    struct key_state keys[KEYRING_MAX];
    uint32_t key_count;
    uint32_t connections_unix;
    uint32_t connections_tcp;
    uint32_t watchers;
    uint32_t lease_clients;
    struct lease_margin margin;
    const struct member *leader; /* that an election found; NULL: there is none */
    const struct keeper *keeper; /* of partitions; NULL: it keeps none */
    struct metrics_role roles[ROLE_OWN_MAX];
    uint32_t role_count;
    uint64_t roles_granted;
    uint64_t roles_lost;
};

/* Fills in what is of roles; the names stay the clients'. */
void metrics_collect_roles(struct metrics *metrics, const struct role_clients *clients);

/* Appends the text. The families, and the samples of each, are the same at every call, but for
 * those of keys, of roles and of witnesses: what has not happened yet is 0, so that its first time
 * is seen as an increase. No sample is of a member: the text does not grow with the cluster.
 * O(members). */
void metrics_write(const struct metrics *metrics, struct text_builder *text);

#endif
