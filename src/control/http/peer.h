/* The account of the process at the other end of a Unix socket, as the kernel reports it, and what
 * that account may do. */
#ifndef CONTROL_PEER_H
#define CONTROL_PEER_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Whose process connected, as of then. Returns false where the kernel cannot tell. */
bool peer_account(int fd, struct ucred *account);

/* May the process that connected change something? Root may, this process's own account may, and so
 * may members of `group` unless that is NULL. The groups that count are those it had when it
 * connected. */
bool peer_may_change(int fd, const gid_t *group);

#endif
