/* Whose daemon answers at a Unix socket. Anybody can make a socket and say there what it likes;
 * what doyen prints, and by its exit status decides, has to come from a process that may be
 * trusted. */
#ifndef CLI_DAEMON_ACCOUNT_H
#define CLI_DAEMON_ACCOUNT_H

#include <sys/types.h>

#include "cli/failure.h"

/* Checks the process that listens at the other end of the Unix socket `fd`, which was connected to
 * the path `socket`: it must be root's, of this command's own account, of the account `expected`
 * (NULL: there is none), or of the one that owns /run/doyen, which root made, if the socket is in
 * there. Returns EXIT_DONE, or EXIT_REFUSED with `failure` filled in. */
enum exit_code daemon_account_check(int fd, const char *socket, const uid_t *expected,
                                    struct failure *failure);

/* Finds the account of that name or number. Returns EXIT_DONE, or EXIT_USAGE with `failure` filled
 * in. */
enum exit_code daemon_account_find(const char *user, uid_t *account, struct failure *failure);

#endif
