#include "cli/run_link.h"

#include <errno.h>
#include <string.h>

#include "cli/daemon_account.h"

enum { ANSWER_MS = 500 }; /* a signal waits no longer than that */

static enum exit_code explain(int error, const char *control_socket, struct failure *failure)
{
    switch (error) {
    case ENOSYS:
        return failure_set(failure, EXIT_REFUSED,
                           "the doyend at %s is too old: it lends no lease page", control_socket);
    case EBUSY:
        return failure_set(failure, EXIT_REFUSED,
                           "the doyend at %s lends no lease page: it has as many readers as it "
                           "allows, or its system has no sealed memory (Linux 5.1)",
                           control_socket);
    case EPROTO:
        return failure_set(failure, EXIT_REFUSED, "the answer of %s makes no sense: is it doyend?",
                           control_socket);
    case EACCES:
        return failure_set(failure, EXIT_UNREACHABLE,
                           "cannot reach the daemon at %s: permission denied; use the account that "
                           "doyend runs as, or a group that doyend was given by --control-group",
                           control_socket);
    case ETIMEDOUT:
        return failure_set(failure, EXIT_UNREACHABLE,
                           "the daemon at %s does not answer: it may be stopped or overloaded",
                           control_socket);
    default:
        return failure_set(failure, EXIT_UNREACHABLE, "cannot reach the daemon at %s: %s",
                           control_socket, strerror(error));
    }
}

enum exit_code run_link_open(struct run_link *link, const struct target *target,
                             struct failure *failure)
{
    const char *control_socket = target->socket;

    *link = RUN_LINK_NONE;
    const int connection = doyen_lease_connect(control_socket, ANSWER_MS, &link->page);
    if (connection < 0) {
        return explain(-connection, control_socket, failure);
    }
    link->connection = connection;
    if (daemon_account_check(connection, control_socket, target_expected(target), failure) !=
        EXIT_DONE) {
        run_link_close(link);
        return failure->code;
    }
    const int error = doyen_lease_map(&link->lease, link->page);
    if (error != 0) {
        run_link_close(link);
        return explain(-error, control_socket, failure);
    }
    return EXIT_DONE;
}

void run_link_close(struct run_link *link)
{
    if (link->connection >= 0) {
        close(link->connection);
    }
    if (link->page >= 0) {
        close(link->page);
    }
    doyen_lease_unmap(&link->lease);
    *link = RUN_LINK_NONE;
}

bool run_link_take(struct run_link *link)
{
    const char stopped = DOYEN_LEASE_STOPPED;
    char words[64];

    for (;;) {
        const ssize_t count = recv(link->connection, words, sizeof words, MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno == EAGAIN) {
            return true;
        }
        if (count <= 0) {
            run_link_close(link);
            return false;
        }
        if (memchr(words, DOYEN_LEASE_STOP, (size_t)count) != NULL) {
            (void)send(link->connection, &stopped, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        }
    }
}
