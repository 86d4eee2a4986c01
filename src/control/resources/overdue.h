/* When each connection is closed, whatever it sent or read until then. libmicrohttpd itself only
 * minds silence, and a client that sends one byte a minute is never silent. Time is counted by
 * looks every DUE_LOOK_MS and by no clock: what a client has said while this process was stopped is
 * read before its time is over. */
#ifndef CONTROL_OVERDUE_H
#define CONTROL_OVERDUE_H

#include <stdint.h>

struct request;
struct server;

/* The request's connection is closed so many milliseconds from now at the earliest. */
void overdue_set_in(struct request *request, uint32_t wait_ms);
void overdue_set_never(struct request *request);

/* Closes its connection, which ends in the library's next run. */
void overdue_end(const struct request *request);

/* To be called every DUE_LOOK_MS. Connections whose time is over end in the daemon's next run. */
void overdue_look(struct server *server);

#endif
