/* The lifelines and kernels of the simulation: what real sockets would tell a core about the
 * other end. A node holds one lifeline to each member that its core asked for.
 *
 *                       no answer: LINK_FAILED, nobody listens: LINK_REFUSED
 *                      .------------------------------------------.
 *                      v                                          |
 *     EFFECT_LINK_OPEN --> CONNECTING -- a process is there --> (HELLO) --> LINK_OPENED
 *                              ^                 |                |
 *                              |              stopped          other id: LINK_STRANGER,
 *                              |                 v                tried again
 *                              |             ACCEPTED -- continued: HELLO
 *                              |
 *                              '------ LINK_CLOSED -- the other process ended
 *
 * A cut of the network closes nothing: an open lifeline stays open and tells nothing. */
#ifndef SIM_LIFELINE_H
#define SIM_LIFELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/id.h"

struct host;
struct pending;
struct sim;

enum lifeline_state {
    LIFELINE_FREE,
    LIFELINE_WAITING,    /* for the next try */
    LIFELINE_CONNECTING, /* the answer is on its way, or will never come */
    LIFELINE_ACCEPTED,   /* by a kernel, for a stopped process: no HELLO yet */
    LIFELINE_GREETING,   /* the process was continued, its HELLO is on its way */
    LIFELINE_OPEN,
    LIFELINE_CLOSING, /* the other process is gone, the news is on its way */
};

struct lifeline {
    enum lifeline_state state;
    struct node_id peer;
    struct address address;
    uint64_t ticket;   /* changes with every state: what was scheduled for another is void */
    bool hopeless;     /* CONNECTING: the first packet was lost already */
    bool greeted;      /* CLOSING: it was open before */
    uint32_t process;  /* the process at the other end, once connected */
    uint64_t pause_ms; /* before the next try */
};

struct lifelines {
    struct lifeline *slots;
    uint32_t count; /* slots in use or free again */
    uint32_t capacity;
};

void lifelines_deinit(struct lifelines *lifelines);

/* The process of the host ended: its own lifelines are gone without a word. */
void lifelines_drop(struct lifelines *lifelines);

/* EFFECT_LINK_OPEN, EFFECT_LINK_CLOSE, EFFECT_KERNEL_ASK. Repetitions are harmless. */
void lifeline_open(struct sim *sim, struct host *host, const struct node_id *peer,
                   const struct address *address);
void lifeline_close(struct host *host, const struct node_id *peer);
void lifeline_ask_kernel(struct sim *sim, struct host *host, const struct node_id *peer,
                         const struct address *address);

/* A PENDING_LIFELINE or PENDING_KERNEL of this host's running process is due. */
void lifeline_on_pending(struct sim *sim, struct host *host, const struct pending *pending);

/* The process at `host` ended (its kernel lives and says so), or goes on after a pause. */
void lifeline_on_end(struct sim *sim, struct host *host);
void lifeline_on_resume(struct sim *sim, struct host *host);

/* The connection that `host` holds to the other one, if any, is reset: both processes live on. */
void lifeline_reset(struct sim *sim, struct host *host, struct host *other);

/* Does it hold an open one there? */
bool lifeline_is_open(const struct host *host, const struct address *to);

#endif
