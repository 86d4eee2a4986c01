/* Connections that have not said HELLO. Anybody can open them, and each takes a descriptor and
 * memory, so there are few of them; and no source keeps another one out. */
#ifndef RUNTIME_GUESTS_H
#define RUNTIME_GUESTS_H

#include <stdint.h>

#include "core/model/id.h"
#include "runtime/sockets/chain.h"

enum { GUESTS_MAX = 64 };

/* One of them, part of what its owner keeps of the connection. */
struct guest {
    struct chain link;
    struct address from;
};

struct guests {
    struct chain all; /* the oldest first */
    uint32_t count;
};

void guests_init(struct guests *guests);

/* A connection from there was accepted. */
void guests_add(struct guests *guests, struct guest *guest, const struct address *from);

/* It has said HELLO, or is over. Does nothing to one that was taken out already, or is all zero. */
void guests_remove(struct guests *guests, struct guest *guest);

/* Who has to go because there are more than GUESTS_MAX: the oldest of the source that has the most
 * of them. NULL: nobody. A source is an address of IPv4, or a network of 64 bits of IPv6. */
struct guest *guests_excess(const struct guests *guests);

#endif
