/* Looks at the addresses of this host: is one there, by which does the way to another host go, and
 * which one did others know this node by? The kernel is asked by a socket that sends nothing. */
#ifndef RUNTIME_HOST_ADDRESS_H
#define RUNTIME_HOST_ADDRESS_H

#include <stdbool.h>

#include "core/model/id.h"

/* May a socket of this host have the address, whatever the port? The wildcard, loopback, and what
 * net.ipv4.ip_nonlocal_bind permits are here. So is it when that cannot be asked. */
bool host_address_is_here(const struct address *address);

/* Finds the address of this host by which datagrams to `to` would go; its port is 0. Returns false
 * where there is no way to it, or only that of this host to itself by loopback. */
bool host_address_toward(const struct address *to, struct address *own);

/* Keeps the address in the state directory for the next start, which it only helps: a failure is
 * returned for a line on the log, with errno set, and no more. */
bool host_address_remember(const char *state_dir, const struct address *address);

/* The one that was kept last; its port is 0. Returns false where there is none that can be read. */
bool host_address_recall(const char *state_dir, struct address *address);

#endif
