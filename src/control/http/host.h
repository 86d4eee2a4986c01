/* Whether a request over TCP is meant for this node, by its header Host. A web page can make a
 * browser ask any address under a name of the page's own (DNS rebinding) and would be given the
 * answer, so that names other than this node's are refused. */
#ifndef CONTROL_HOST_H
#define CONTROL_HOST_H

#include <stdbool.h>

#include "runtime/options/config.h"

/* Is "HOST" or "HOST:PORT" this node: an IP address, localhost, its name, `own_host` (the name of
 * its host, or the first label of it), or one of --http-host? */
bool host_is_this(const char *header, const struct config *config, const char *own_host);

#endif
