#include "control/resources/arrivals.h"

#include <errno.h>
#include <sys/socket.h>

#include "control/resources/overdue.h"
#include "control/resources/server.h"

enum { ARRIVALS_PER_TURN = 16 };

static bool has_room(const struct server *server)
{
    return server->connections < server->room_all;
}

bool arrivals_wanted(const struct server *server)
{
    return (has_room(server) || server->asking < server->connections) && !server->starved;
}

static void close_idle(struct server *server)
{
    const struct request *idle = NULL;

    for (const struct request *request = server->first; request != NULL; request = request->next) {
        idle = request->room == ROOM_UNKNOWN ? request : idle;
    }
    server->starved = idle == NULL; /* There was no memory to know it by. */
    if (idle != NULL) {
        overdue_end(idle);
    }
}

void arrivals_take(struct server *server)
{
    if (!has_room(server)) {
        close_idle(server);
    }
    for (int i = 0; i < ARRIVALS_PER_TURN && has_room(server); i++) {
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
