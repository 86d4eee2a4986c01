/* Addresses worth asking: what the seeds resolve to, and everyone this node ever knew (M1).
 * Bounded; seeds are kept apart and never pushed out. */
#ifndef CORE_BOOK_H
#define CORE_BOOK_H

#include "core/state.h"

/* Replaces the seeds' addresses. An empty answer (no name service, say) changes nothing. */
void book_set_seeds(struct core *core, const struct address *addresses, uint32_t count);

/* Enters an address, pushing out the one entered longest ago where there is no room. This node's
 * own address is not entered. */
void book_remember(struct core *core, const struct address *address);

/* The same for one who has just gone: its entry is the latest again. */
void book_renew(struct core *core, const struct address *address);

bool book_has_seed(const struct core *core, const struct address *address);

/* Addresses to look at next, in turn, members' and this node's own left out: from the seeds when
 * `with_seeds`, then from the others. Writes at most `limit`, returns how many. */
uint32_t book_next(struct core *core, bool with_seeds, struct address *out, uint32_t limit);

/* Is there anybody but this node to ask? */
bool book_has_others(const struct core *core);

#endif
