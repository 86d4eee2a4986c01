/* The parts of a daemon's URL. */
#ifndef CLIENT_URL_H
#define CLIENT_URL_H

#include <netdb.h>
#include <stdbool.h>

#include "client/problem.h"
#include "client/target.h"

/* What goes into the header Host: for a socket, whose host means nothing, "doyen". */
void url_authority(const struct target *target, char authority[TARGET_URL_MAX + 1]);

/* Does the URL name a port? Else it means 80. */
bool url_has_port(const struct target *target);

/* Finds the addresses of the URL's host, which are then to be freed with freeaddrinfo. Returns 0,
 * DOYEN_E_USAGE or DOYEN_E_UNREACHABLE. */
int url_resolve(const struct target *target, struct addrinfo **addresses, struct problem *problem);

#endif
