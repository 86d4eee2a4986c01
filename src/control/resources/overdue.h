/* When each connection is closed, whatever it sent or read until then. libmicrohttpd itself only
 * minds silence, and a client that sends one byte a minute is never silent. */
#ifndef CONTROL_OVERDUE_H
#define CONTROL_OVERDUE_H

#include <stdint.h>

struct request;
struct server;

/* Sets when the request's connection is to be closed, in the loop's time, or REQUEST_NEVER_DUE. */
void overdue_set(struct request *request, uint64_t due_ms);

/* The same so many milliseconds from now. */
void overdue_set_in(struct request *request, uint64_t wait_ms);

/* Closes its connection, which ends in the library's next run. */
void overdue_end(const struct request *request);

/* Closes the connections whose time is over. They end in the daemon's next run. */
void overdue_close(struct server *server, uint64_t now_ms);

#endif
