/* Where this node stands: is its guard met, may it act, is its word as coordinator settled
 * (G1, G2, D8, L2)? And telling watchers when that changes.
 *
 *     lease by lease:   PING sent at s ... PONG      holds until s + T_lost, under strict s + T_act
 *
 *     leases of a   |==============|              the guard asks for two others: this node acts
 *     leases of b        |=================|      while two of the leases hold, by its own clock,
 *     leases of c     |===============|           whether anybody tells it so or not
 *     acts            |===============|
 */
#ifndef CORE_STANDING_H
#define CORE_STANDING_H

#include "core/state/state.h"

/* G1: the guard, and who is counted. O(members). */
struct guard_state standing_guard(const struct core *core, uint64_t now_ms);

/* Until when this node acts for certain, exclusive; 0: it does not (G2). It is coordinator, not
 * about to be absorbed by another part (M3), and has leases of as many as its guard asks for.
 * O(asked). */
uint64_t standing_acting_until(const struct core *core, uint64_t now_ms);

/* Does this node act at that moment? O(asked). */
bool standing_is_acting(const struct core *core, uint64_t now_ms);

/* D8c: do this node's heartbeats ask for leases? Those of voters are asked for with PING (Z6b). */
bool standing_asks_by_heartbeat(const struct core *core);

/* Asks with PING for the leases that it takes to act, if this node coordinates and is to act.
 * O(members). */
void standing_ask(struct core *core);

/* The same with a round of heartbeats, unless these ask and are answered by enough. */
void standing_ask_with_round(struct core *core);

/* Asks for leases at once where a view was installed and this node lacks those that it takes to
 * act. */
void standing_ask_first(struct core *core);

/* Asks for leases again where the right to act would end soon, or has ended. O(members). */
void standing_tick(struct core *core);

/* When standing_tick is due, or watchers may have to be told that this node acts no longer;
 * NEVER_MS: not by time alone. */
uint64_t standing_deadline_ms(const struct core *core);

/* Z7: does this node coordinate, and act no more under the epoch of its view? */
bool standing_is_handed_over(const struct core *core);

/* Z7c: and has whoever it handed over to had the time to ask the voters? Then all are told. */
bool standing_tells_hand_over(const struct core *core);

/* May a coordinator change the view? Not before it is sure that it was not replaced while it slept
 * (D8), nor while members say that they follow another and it is not settled (L2, L3). */
bool standing_is_settled(const struct core *core);

/* Tells watchers of guard, acting and coordinator what has changed since they were told last. */
void standing_tell(struct core *core);
void standing_on_view_installed(struct core *core);

/* The coordinator as it may be named now; NULL: none (Z9b). Borrowed from the view. */
const struct member *standing_coordinator(const struct core *core);

/* Does the coordinator act: this node, or another that said so within T_fresh? O(members). */
enum reign standing_reign(const struct core *core, uint64_t now_ms);

/* How long ago was it said that the coordinator acts? 0 where this node does; NEVER_MS while nobody
 * is known to. O(members). */
uint64_t standing_said_ms_ago(const struct core *core, uint64_t now_ms);

/* Do watchers know who is named, which under guard strict changes without a view (Z9b), and that
 * this node acts, if it does? O(members) for a coordinator that does not act, else O(1). */
bool standing_is_told(const struct core *core);

#endif
