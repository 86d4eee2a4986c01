/* Who else waits to be let in: the nodes whose JOINs this one has heard lately, while it waits
 * itself. With enough of them around a node that was told how many to expect founds (F3).
 *
 *     JOINs heard lately, of   X  Y  Z   and this node: four wait
 *     expected to be           4         the one of the lowest address among them founds
 */
#ifndef CORE_MEET_H
#define CORE_MEET_H

#include "core/state/state.h"

/* Nobody was met yet. */
void meet_reset(struct core *core);

/* A JOIN came while this node is joining too. Returns whether its sender is new here, or was not
 * heard for so long that it counts as new. */
bool meet_joiner(struct core *core, const struct joiner *said);

/* How many nodes wait, this one included. O(EXPECT_MAX). */
uint32_t meet_count(const struct core *core, uint64_t now_ms);

/* Tells of that one, which may found, those who may, too, and were met lately, where neither lives
 * at a seed's address: nobody else does (F2e). */
void meet_tell(struct core *core, const struct joiner *joiner);

/* May one of the others found? */
bool meet_founder(const struct core *core, uint64_t now_ms);

#endif
