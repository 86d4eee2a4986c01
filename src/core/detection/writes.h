/* How often the record of each voter has been written, as it says whenever a coordinator of guard
 * strict asks for its lease (Z14). What is on a disk is written ever more often. So whoever says
 * less than before goes by an older copy, of a backup say, and has forgotten what it said since.
 * This is kept in memory alone, and outlives a life. */
#ifndef CORE_WRITES_H
#define CORE_WRITES_H

#include "core/state/state.h"

/* The voter of that record says so, in answer to this coordinator's question. */
void writes_note(struct core *core, const struct node_id *record, uint64_t writes);

/* As often as the record was known to be written; 0: it has not been heard for long enough. */
uint64_t writes_known(const struct core *core, const struct node_id *record);

/* Is what is said in its name the word of an older copy? */
bool writes_are_fewer(const struct core *core, const struct node_id *record, uint64_t writes);

/* Fills in, where a lease is asked for, by which record that member votes, if it does, and how
 * often that is known to be written. */
void writes_ask(const struct core *core, uint32_t position, struct lease_asked *asked);

#endif
