/* Looks at the addresses of this host: is one there, and by which does the way to another host go?
 * The kernel is asked each time, by a socket that sends nothing; nothing is kept. */
#ifndef RUNTIME_HOST_ADDRESS_H
#define RUNTIME_HOST_ADDRESS_H

#include <stdbool.h>

#include "core/model/id.h"

/* May a socket of this host have the address, whatever the port? The wildcard, loopback, and what
 * net.ipv4.ip_nonlocal_bind permits are here. So is it when that cannot be asked. */
bool host_address_is_here(const struct address *address);

#endif
