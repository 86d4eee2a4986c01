#include "control/resources/change_log.h"

#include <sys/socket.h>

#include "control/http/peer.h"
#include "control/resources/argument.h"
#include "control/resources/server.h"

void change_log(const struct request *request, const struct resource *resource, unsigned status)
{
    const struct control *control = request->server->control;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    const char *value = resource->argument == NULL ? NULL
                                                   : argument_value(request, resource->argument);
    struct ucred account;

    if (info == NULL || !peer_account(info->connect_fd, &account)) {
        account = (struct ucred){.uid = (uid_t)-1};
    }
    log_line(control->log, status < MHD_HTTP_BAD_REQUEST ? LOG_INFO : LOG_WARN, "request",
             "%s %s%s%s%s%.80s uid=%lld pid=%lld -> %u",
             resource_is_change(resource) ? "POST" : "GET", resource->path,
             value == NULL ? "" : "?", value == NULL ? "" : resource->argument,
             value == NULL ? "" : "=", value == NULL ? "" : value, (long long)(int)account.uid,
             (long long)account.pid, status);
}
