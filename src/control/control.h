/* The control socket of one node: HTTP/1.1 with JSON on a Unix socket, and over TCP where
 * --http asks for it. proto/control.md has every resource. Everything runs on the loop's thread,
 * and nothing a client sends or fails to read holds that up. */
#ifndef CONTROL_CONTROL_H
#define CONTROL_CONTROL_H

#include <uv.h>

#include "runtime/log.h"
#include "runtime/node.h"

struct control;

/* Listens where the node's configuration says. `loop`, `node` and `log` are borrowed for the
 * control's life: close it before the node. Returns NULL after one line on the log. */
struct control *control_open(uv_loop_t *loop, struct node *node, struct log *log);

/* Ends every connection, event streams in good order, and removes the Unix socket's file. The
 * memory goes when the loop has run the close callbacks; then `on_closed` is called, which may
 * be NULL. May be called from any callback of the loop. */
void control_close(struct control *control, void (*on_closed)(void *context), void *context);

#endif
