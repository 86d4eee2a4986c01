/* Logs why a node has not joined yet, as one line: its last refusal, which nodes it waits for, or
 * what its seeds answer. */
#ifndef DAEMON_OUTSIDE_H
#define DAEMON_OUTSIDE_H

#include "runtime/node/node.h"
#include "runtime/process/log.h"

/* Logs the line; `since` completes "not let in". The node must be joining. */
void outside_log(struct log *log, enum log_level level, struct node *node, const char *since);

#endif
