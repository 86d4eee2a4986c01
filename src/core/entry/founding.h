/* Founding under guard strict, and beginning anew when everybody was gone (Z8): the first of the
 * voters has all of them make a record, once; from then on whoever has one may ask for an epoch. */
#ifndef CORE_FOUNDING_H
#define CORE_FOUNDING_H

#include "core/state/state.h"

/* May this node be the one from whom a cluster comes, if it finds none? */
bool founding_may_begin(const struct core *core);

/* No cluster was found: asks the voters, for records or for an epoch. Called again in a while.
 * False where there are no voters to found with, and so nobody to ask. */
bool founding_go_on(struct core *core);

/* All have a record, but some may have given theirs up since they said so: what answers another
 * life of this node was said after all had said so. */
bool founding_needs_another_life(const struct core *core);

/* An answer to the question for a record. */
void founding_on_vote(struct core *core, const struct message *vote);

/* The disk has what it was to keep: the end of founding perhaps. */
void founding_on_synced(struct core *core);

void founding_reset(struct core *core);

#endif
