/* A node and, where there is to be one, its control socket: opened and closed in the right order.
 * For node.c. */
#ifndef NODE_MEMBER_H
#define NODE_MEMBER_H

#include <stdbool.h>
#include <uv.h>

#include "control/control.h"
#include "runtime/node/node.h"

struct member_process {
    struct node *node;       /* NULL: not open */
    struct control *control; /* NULL: none */
    bool closed;             /* member_close is through */
    void (*on_closed)(void *context);
    void *context;
};

/* Opens both; `config` and `log` are borrowed until it is closed, the keys of `ring` are copied.
 * Returns false after one line on the log; it has to be closed then as well. `on_end` gets
 * `context`, as in node_open. */
bool member_open(struct member_process *member, uv_loop_t *loop, const struct config *config,
                 const struct keyring *ring, struct log *log, bool with_control,
                 node_on_end *on_end, void *context);

/* Closes what is open. `on_closed`, which may be NULL, is called, and `closed` set, when the loop
 * has run the close callbacks; at once when nothing was open. */
void member_close(struct member_process *member, void (*on_closed)(void *context), void *context);

#endif
