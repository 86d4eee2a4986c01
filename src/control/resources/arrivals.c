#include "control/resources/arrivals.h"

#include <errno.h>
#include <sys/socket.h>

#include "control/resources/server.h"

enum { ARRIVALS_PER_TURN = 16 };

bool arrivals_wanted(const struct server *server)
{
    return server->connections < server->room_all && !server->starved;
}

void arrivals_take(struct server *server)
{
    for (int i = 0; i < ARRIVALS_PER_TURN && arrivals_wanted(server); i++) {
        struct sockaddr_storage from;
        socklen_t length = sizeof from;
        const int fd = accept4(server->listen_socket.fd, (struct sockaddr *)&from, &length,
                               SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            server->starved = errno != EAGAIN && errno != EINTR && errno != ECONNABORTED;
            return;
        }
        /* What it cannot take it closes. */
        (void)MHD_add_connection(server->daemon, fd, (const struct sockaddr *)&from, length);
    }
}
