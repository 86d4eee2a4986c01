#include "words/way_text.h"

#include <stdio.h>

const char *way_text(enum way_fault fault, const char *name, const struct address *address,
                     char out[WAY_TEXT_MAX])
{
    const unsigned port = address->port;

    out[0] = '\0';
    switch (fault) {
    case WAY_SOUND:
        break;
    case WAY_UDP_DROPPED:
        (void)snprintf(out, WAY_TEXT_MAX,
                       "TCP of %s answers and UDP does not: a firewall between them drops UDP to "
                       "port %u, there or here",
                       name, port);
        break;
    case WAY_UDP_FORBIDDEN:
        (void)snprintf(out, WAY_TEXT_MAX,
                       "this host's own firewall forbids sending UDP to %s, port %u (EPERM)", name,
                       port);
        break;
    case WAY_TCP_FORBIDDEN:
        (void)snprintf(out, WAY_TEXT_MAX,
                       "this host's own firewall forbids connecting to %s by TCP, port %u (EPERM)",
                       name, port);
        break;
    case WAY_TCP_DROPPED:
        (void)snprintf(out, WAY_TEXT_MAX,
                       "UDP of %s arrives and TCP to it does not connect: a firewall between them "
                       "drops TCP to port %u, there or here",
                       name, port);
        break;
    }
    return out;
}

const char *way_remedy(enum way_fault fault, const char *name, const struct address *address,
                       char out[WAY_TEXT_MAX])
{
    const unsigned port = address->port;

    out[0] = '\0';
    switch (fault) {
    case WAY_SOUND:
        break;
    case WAY_UDP_DROPPED:
        (void)snprintf(out, WAY_TEXT_MAX,
                       "permit UDP to port %u on this host, on the host of %s and on the way, in "
                       "both directions; all else mends itself",
                       port, name);
        break;
    case WAY_UDP_FORBIDDEN:
    case WAY_TCP_FORBIDDEN:
        (void)snprintf(out, WAY_TEXT_MAX,
                       "permit outgoing %s to port %u on this host: nft list ruleset shows what "
                       "forbids it, dmesg whether its table of connections is full",
                       fault == WAY_UDP_FORBIDDEN ? "UDP" : "TCP", port);
        break;
    case WAY_TCP_DROPPED:
        (void)snprintf(out, WAY_TEXT_MAX,
                       "permit TCP to port %u on this host, on the host of %s and on the way, in "
                       "both directions: long messages go by it, and that a process died is seen "
                       "by it",
                       port, name);
        break;
    }
    return out;
}
