/* Whose daemon answers at a Unix socket. Anybody can make a socket and say there what it likes;
 * what a client is told has to come from a process that may be trusted. */
#ifndef CLIENT_DAEMON_ACCOUNT_H
#define CLIENT_DAEMON_ACCOUNT_H

#include "client/problem.h"
#include "client/target.h"

/* Checks the process that listens at the other end of the Unix socket `fd`, which was connected to
 * that of the target: it must be root's, of this process's own account, of the one that the target
 * expects, or of the one that owns /run/doyen, which root made, if the socket is in
 * there. Returns 0, or DOYEN_E_REFUSED with `problem` filled in. */
int daemon_account_check(int fd, const struct target *target, struct problem *problem);

#endif
