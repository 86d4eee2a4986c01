#include "control/resources/overdue.h"

#include <stddef.h>
#include <sys/socket.h>

#include "control/resources/server.h"

void overdue_set(struct request *request, uint64_t due_ms)
{
    request->server->due_count -= request->due_ms != REQUEST_NEVER_DUE;
    request->due_ms = due_ms;
    request->server->due_count += due_ms != REQUEST_NEVER_DUE;
}

void overdue_set_in(struct request *request, uint64_t wait_ms)
{
    overdue_set(request, uv_now(request->server->control->loop) + wait_ms);
}

void overdue_end(const struct request *request)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    if (info != NULL) {
        (void)shutdown(info->connect_fd, SHUT_RDWR);
    }
}

void overdue_close(struct server *server, uint64_t now_ms)
{
    for (const struct request *request = server->first; request != NULL; request = request->next) {
        if (request->due_ms <= now_ms) {
            overdue_end(request);
        }
    }
}
