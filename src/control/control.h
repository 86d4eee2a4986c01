/* The control socket of one node: HTTP/1.1 with JSON on a Unix socket, and over TCP where --http
 * asks for it. proto/control.md describes every resource. Everything runs on the loop's thread, and
 * no client can block it, whatever it sends or fails to read. */
#ifndef CONTROL_CONTROL_H
#define CONTROL_CONTROL_H

#include <uv.h>

#include "runtime/node/node.h"
#include "runtime/process/log.h"
#include "words/whole.h"

struct control;

/* Listens where the node's configuration says. `loop`, `node` and `log` are borrowed for as long as
 * the control is open: close it before the node. Returns NULL after one line on the log. */
struct control *control_open(uv_loop_t *loop, struct node *node, struct log *log);

/* The state of the whole, now. Returns false where there is none to be told: it closes, or memory
 * ran out. */
bool control_whole(struct control *control, struct whole *whole);

/* Ends every connection, event streams in good order, and removes the Unix socket's file. The
 * memory is freed, and `on_closed`, which may be NULL, is called, when the loop has run the close
 * callbacks. May be called from any callback of the loop. */
void control_close(struct control *control, void (*on_closed)(void *context), void *context);

#endif
