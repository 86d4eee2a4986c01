/* The two sockets that the daemon listens on for clients: a Unix socket, which is a file with an
 * owner and a mode, and TCP. */
#ifndef CONTROL_LISTEN_SOCKET_H
#define CONTROL_LISTEN_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/options/config.h"
#include "runtime/options/value.h"
#include "runtime/process/log.h"

struct listen_socket {
    int fd;
    char path[CONFIG_PATH_MAX + 1]; /* empty for TCP */
    dev_t device;                   /* which file it is, so that another's is not removed */
    ino_t inode;
    bool lost_is_said;
};

/* Listens at config->control, with the configured group and mode. Makes the socket's directory if
 * only that is missing, open to those whom the mode lets in; refuses one that other accounts own or
 * may change. Replaces a stale socket, one at which
 * nobody answers, and logs it. Returns false after one line on the log. */
bool listen_socket_open_unix(struct listen_socket *listen_socket, const struct config *config,
                             struct log *log);

/* Could listen_socket_open_unix listen there now? Makes and removes nothing. Returns false with the
 * complaint set. */
bool listen_socket_check_unix(const struct config *config, struct complaint *complaint);

/* Listens at `address`. Returns false after one line on the log. */
bool listen_socket_open_tcp(struct listen_socket *listen_socket, const struct address *address,
                            struct log *log);

/* Is the file of a Unix socket not the one that was made: has somebody removed it, or put another
 * one there? Nobody finds the daemon then. */
bool listen_socket_is_lost(const struct listen_socket *listen_socket);

/* Makes the file of a lost one again, by another socket under the same descriptor, and says so in
 * the log; or says, once, why that cannot be, as where another process answers there by now. */
void listen_socket_renew(struct listen_socket *listen_socket, const struct config *config,
                         struct log *log);

/* Closes it, and removes the socket's file if it is still the one that was made. */
void listen_socket_close(struct listen_socket *listen_socket);

#endif
