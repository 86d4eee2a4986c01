/* Where this node stands: is its guard met, may it act, is its word as coordinator settled
 * (G1, G2, D4, L2)? And telling watchers when that changes. */
#ifndef CORE_STANDING_H
#define CORE_STANDING_H

#include "core/state/state.h"

/* G1: the guard, and who is counted. O(members). */
struct guard_state standing_guard(const struct core *core, uint64_t now_ms);

/* Is this node coordinator, not about to be absorbed by another part (M3), its guard met by members
 * that follow it (G1), and have enough of them answered since it slept last (D4)? O(members). */
bool standing_is_acting(const struct core *core, uint64_t now_ms);

/* After a late wake-up: have enough others answered since for this node to act again (D4)? */
bool standing_is_awake(const struct core *core);

/* May a coordinator change the view? Not before it is sure that it was not replaced while it slept
 * (D4), nor while members say that they follow another and it is not settled (L2, L3). */
bool standing_is_settled(const struct core *core);

/* Tells watchers of guard, acting and coordinator what has changed since they were told last. */
void standing_tell(struct core *core);
void standing_tell_coordinator(struct core *core);

#endif
