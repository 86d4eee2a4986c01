#include "control/resources/argument.h"

#include <string.h>
#include <strings.h>

#include "control/resources/server.h"

const char *argument_value(const struct request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

bool argument_is_given(const struct request *request, const char *name)
{
    const char *value;
    size_t length;

    return MHD_lookup_connection_value_n(request->connection, MHD_GET_ARGUMENT_KIND, name,
                                         strlen(name), &value, &length) == MHD_YES;
}

bool argument_wants_protocol(const struct request *request, const char *name)
{
    const char *protocol = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
                                                       MHD_HTTP_HEADER_UPGRADE);

    return !request->is_head && protocol != NULL && strcasecmp(protocol, name) == 0;
}
