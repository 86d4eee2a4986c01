/* How a node comes to its end. */
#ifndef RUNTIME_NODE_END_H
#define RUNTIME_NODE_END_H

enum node_end {
    NODE_LEFT,           /* the phase became STOPPED */
    NODE_JOIN_TIMED_OUT, /* config.join_timeout_ms passed in phase JOINING */
};

/* Called once, when the node has come to its end; node_close is the caller's next move. */
typedef void node_on_end(void *context, enum node_end end);

#endif
