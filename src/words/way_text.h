/* What is wrong with the way to a member, in words for people. */
#ifndef WORDS_WAY_TEXT_H
#define WORDS_WAY_TEXT_H

#include "core/model/id.h"

enum { WAY_TEXT_MAX = 320 };

enum way_fault {
    WAY_SOUND,         /* as far as this node looked */
    WAY_UDP_DROPPED,   /* its process answers by TCP, and no datagram of it comes */
    WAY_UDP_FORBIDDEN, /* this host's kernel does not let this process send to it (EPERM) */
    WAY_TCP_FORBIDDEN, /* nor connect */
    WAY_TCP_DROPPED,   /* it is heard by UDP, and no connection to it comes about */
};

/* "TCP of cyrene answers and UDP does not: ..."; "" for a sound one. */
const char *way_text(enum way_fault fault, const char *name, const struct address *address,
                     char out[WAY_TEXT_MAX]);

/* What to do about it, for the same. */
const char *way_remedy(enum way_fault fault, const char *name, const struct address *address,
                       char out[WAY_TEXT_MAX]);

#endif
