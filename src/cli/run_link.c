#include "cli/run_link.h"

#include <errno.h>
#include <string.h>

enum { ANSWER_MS = 500 }; /* a signal waits no longer than that */

enum exit_code run_link_open(struct run_link *link, struct cli *cli, struct failure *failure)
{
    *link = RUN_LINK_NONE;
    if (cli_connect(cli, failure) != EXIT_DONE) {
        return failure->code;
    }
    const int connection = doyen_lease_open(cli->client, ANSWER_MS, &link->page);
    if (connection < 0) {
        return client_failure(cli->client, connection, failure);
    }
    link->connection = connection;
    if (doyen_lease_map(&link->lease, link->page) != 0) {
        run_link_close(link);
        return failure_set(failure, EXIT_REFUSED, "the answer of %s makes no sense: is it doyend?",
                           doyen_where(cli->client));
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
