/* Logs the state of a node as one line, for operators who can only send a signal. */
#ifndef DAEMON_STATUS_LINE_H
#define DAEMON_STATUS_LINE_H

#include "runtime/node/node.h"
#include "runtime/process/log.h"

/* Writes the line whatever --log-level says, because it was asked for. */
void status_line_log(struct log *log, const struct node *node);

#endif
