/* Logs why a node has not joined yet, or founded a cluster beside its seeds, as one line: its last
 * refusal, which nodes it waits for, or what its seeds answer. */
#ifndef DAEMON_OUTSIDE_H
#define DAEMON_OUTSIDE_H

#include "runtime/node/node.h"
#include "runtime/process/log.h"

/* Is the node joining, or the only member beside a seed of another cluster or key? */
bool outside_holds(const struct node *node);

/* Logs the line; `since` completes "not let in" or "the only member". The node must be outside. */
void outside_log(struct log *log, enum log_level level, struct node *node, const char *since);

#endif
