/* The process doyen-witness: one port, and behind it a voter for each of many clusters (rules Z16).
 * A frame says in clear whose it is, so that no key is tried for nothing. */
#ifndef WITNESS_SERVICE_H
#define WITNESS_SERVICE_H

#include <stdbool.h>
#include <uv.h>

#include "runtime/options/config.h"
#include "runtime/process/log.h"

struct witness;

/* Opens everything, the sockets first, and begins to vote. `config` and `log` are borrowed for its
 * life. NULL after one line on the log, with the exit code; the loop must then be run until it has
 * nothing left to do. */
struct witness *witness_open(uv_loop_t *loop, const struct config *config, struct log *log,
                             int *exit_code);

/* The directory of keys is read again: clusters come, go, and get other keys; the others do not
 * notice. What is wrong with it is logged, and changes nothing of those who are there. */
void witness_reload(struct witness *witness);

/* One line on the log for each cluster. */
void witness_report(struct witness *witness);

/* Its memory is freed when the loop has nothing left of it. */
void witness_close(struct witness *witness);

#endif
