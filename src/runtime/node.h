/* One running node: drives a core with libuv. Owns the sockets, the one timer, the links, the
 * resolver, the state directory and the journal. Everything runs on the loop's thread. */
#ifndef RUNTIME_NODE_H
#define RUNTIME_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "core/core.h"
#include "proto/wire.h"
#include "runtime/config.h"
#include "runtime/log.h"
#include "words/journal.h"

struct node;

enum node_end {
    NODE_LEFT,           /* the phase became STOPPED */
    NODE_JOIN_TIMED_OUT, /* config.join_timeout_ms passed in phase JOINING */
};

/* Called once, when the node has come to its end; node_close is the caller's next move. */
typedef void node_on_end(void *context, enum node_end end);

/* Binds the sockets; the core's first step comes with the loop's next turn. `config` and `log` are
 * borrowed for the node's life. Returns NULL after one line on the log that says what could not be
 * done and how to mend it; the loop is then to be run until it has nothing left to do. The process
 * must ignore SIGPIPE: libuv does not. */
struct node *node_open(uv_loop_t *loop, const struct config *config, struct log *log,
                       node_on_end *on_end, void *context);

/* Asks to leave in good order; ends in NODE_LEFT. Harmless when repeated. */
void node_leave(struct node *node);

/* Closes every handle; the memory goes when the loop has run the close callbacks. `on_closed`
 * may be NULL. */
void node_close(struct node *node, void (*on_closed)(void *context), void *context);

const struct core *node_core(const struct node *node);
const struct config *node_config(const struct node *node);
struct journal *node_journal(struct node *node);
uint64_t node_now_ms(const struct node *node); /* fresh reading of the monotonic clock */

/* What the sockets have seen, for the counters of the control socket. */
struct node_traffic {
    uint64_t datagrams_in;
    uint64_t datagrams_out;
    uint64_t bytes_in;
    uint64_t bytes_out;
    uint64_t frames_in; /* by stream */
    uint64_t frames_out;
    uint64_t malformed[WIRE_ERROR_COUNT]; /* refused by the codec, by reason */
    uint64_t streams_refused;             /* over a cap, too slow, or not a frame */
    uint64_t starved;                     /* connections given up for lack of descriptors */
    uint64_t send_failed;
    uint32_t streams_open;
    uint32_t lifelines_up;
};
const struct node_traffic *node_traffic(const struct node *node);

/* For --faults: drops everything from and to these members, until node_fault_clear; delays what
 * goes to one. Names are looked up among the members of the current view and those that are gone.
 * Returns false when a name is unknown, with nothing changed, or when too many faults are in force.
 */
bool node_fault_knows(const struct node *node, const char *name);
bool node_fault_drop(struct node *node, const char *const *names, uint32_t count);
bool node_fault_delay(struct node *node, const char *name, uint64_t delay_ms);
void node_fault_clear(struct node *node);

/* The faults in force, index 0 to count - 1. */
struct node_fault {
    const char *name; /* borrowed */
    bool drop;
    uint64_t delay_ms;
};
uint32_t node_fault_count(const struct node *node);
struct node_fault node_fault_at(const struct node *node, uint32_t index);

#endif
