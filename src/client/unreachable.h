/* What the system's error says about a daemon that cannot be reached, and what to do about it. */
#ifndef CLIENT_UNREACHABLE_H
#define CLIENT_UNREACHABLE_H

#include "client/problem.h"
#include "client/target.h"

/* `error` is an errno of connect. Returns DOYEN_E_UNREACHABLE, with the problem filled in. */
int unreachable(const struct target *target, int error, struct problem *problem);

#endif
