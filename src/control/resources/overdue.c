#include "control/resources/overdue.h"

#include <stddef.h>
#include <sys/socket.h>

#include "control/resources/server.h"

static void set(struct request *request, uint32_t due_looks)
{
    request->server->due_count -= request->due_looks != REQUEST_NEVER_DUE;
    request->due_looks = due_looks;
    request->server->due_count += due_looks != REQUEST_NEVER_DUE;
}

void overdue_set_never(struct request *request)
{
    set(request, REQUEST_NEVER_DUE);
}

void overdue_set_in(struct request *request, uint32_t wait_ms)
{
    set(request, wait_ms / DUE_LOOK_MS + 1);
}

void overdue_end(const struct request *request)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    if (info != NULL) {
        (void)shutdown(info->connect_fd, SHUT_RDWR);
    }
}

void overdue_look(struct server *server)
{
    for (struct request *request = server->first; request != NULL; request = request->next) {
        if (request->due_looks == 0) {
            overdue_end(request);
        } else if (request->due_looks != REQUEST_NEVER_DUE) {
            request->due_looks--;
        }
    }
}
