/* What only the daemon of this host gives: memory, and connections that others can inherit. */
#ifndef CLIENT_LOCAL_H
#define CLIENT_LOCAL_H

#include "client/client_state.h"

/* Finds the daemon, which has to be one of this host. Returns 0 or the problem's code. */
int local_find(struct doyen *d, struct problem *problem);

/* Why it lends no page: `error` is an errno of doyen_lease_connect, as a positive number. Returns
 * the problem's code. */
int local_explain(const struct target *target, int error, struct problem *problem);

#endif
