/* Two parts of a cluster become one again (M3 to M7). The part that loses the comparison asks; the
 * winner's coordinator makes one view of both, which both parts' members accept because their own
 * coordinator agreed. Nobody restarts.
 *
 *     coordinator of the lesser part                   coordinator of the greater part
 *     stops acting --MERGE, its view, every T_prepare/3--> busy, or not greater: refuses
 *                          <--PREPARE of the merged view-- has room and is settled: one view of
 * both acknowledges it ---------ACK--------------------> COMMIT, to both parts' members waits
 * T_merge in vain: goes on as before, pauses
 */
#ifndef CORE_MERGE_H
#define CORE_MERGE_H

#include "core/state/state.h"

/* This part loses against the one that `probe` describes: asks its coordinator, who sent it, to
 * take this part up; not while anything else is under way. */
void merge_ask(struct core *core, const struct message *probe);

/* M5c: the merged view that this part asked for is one that it may not take. */
bool merge_is_beyond_reach(const struct core *core, const struct message *prepare);

void merge_on_merge(struct core *core, const struct message *message);
void merge_on_refused(struct core *core, const struct message *message);

/* A proposal was accepted; if it is the merged view that this part waits for: stay as we are until
 * the view or a refusal comes. */
void merge_on_accepted(struct core *core, const struct message *prepare);

void merge_tick(struct core *core);

/* Also of the next look for other parts (M1). */
uint64_t merge_deadline_ms(const struct core *core);

void merge_on_view_installed(struct core *core);
void merge_reset(struct core *core);

#endif
