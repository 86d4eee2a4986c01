/* Chooses the address by which others are to know this node, where it listens on all of its host's
 * and nothing says which. */
#ifndef RUNTIME_ADDRESS_CHOICE_H
#define RUNTIME_ADDRESS_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/options/config.h"
#include "runtime/options/config_host.h"

enum { CANDIDATES_MAX = 4 };

enum address_choice {
    CHOICE_MADE,
    CHOICE_NO_ADDRESS, /* the host has none but loopback; one may come */
    CHOICE_NO_WAY,     /* it has some, and no way to any seed goes by one; that may come, too */
    CHOICE_UNCLEAR,    /* it has several, and there are no seeds to tell */
};

/* The host's addresses that others might reach through --listen. */
struct address_candidates {
    size_t count; /* may be more than are kept */
    struct address kept[CANDIDATES_MAX];
};

/* CHOICE_MADE: `out` is the address, with the port of --listen: of several that of the last start,
 * if the host still has it, else the one by which the way to a seed goes, whose name may be looked
 * up for that. Otherwise `candidates` says what there is. */
enum address_choice address_choose(const struct config_host *host, const struct config *config,
                                   struct address_candidates *candidates, struct address *out);

/* Is it an address of this host, so that an address for this host alone reaches it? In doubt it is.
 */
bool address_is_here(const struct config_host *host, const struct address *address);

#endif
