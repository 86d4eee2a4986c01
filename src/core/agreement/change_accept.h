/* The member's side of a change: which proposals it accepts, how it answers, and what becomes of
 * what it accepted: installed by a COMMIT, or given up as in vain (U2).
 *
 *     PREPARE --> ours, again: ACK | lower: dropped | not for us (V4): NOT_FOLLOWING
 *             --> below the promise: NACK
 *             --> accepted: ACK, and again while no COMMIT comes (U2f)
 *     COMMIT  --> what was accepted is installed; something else that is higher is asked for
 */
#ifndef CORE_CHANGE_ACCEPT_H
#define CORE_CHANGE_ACCEPT_H

#include "core/state/state.h"

/* A proposal as what it is for a voter alone (Z5). Returns whether it is sound, and its maker's. */
bool change_asks_voter(struct core *core, const struct message *message);

/* Returns whether the proposal was accepted: it supersedes whatever this node had under way. */
bool change_on_prepare(struct core *core, const struct message *message);

/* J7: may what this joiner accepted of somebody else come about yet; and until when? */
bool change_is_promised(const struct core *core);
uint64_t change_promised_until_ms(const struct core *core);

/* U2f: acknowledges once more what was accepted, until no more can be expected of it. */
void change_acknowledge_again(struct core *core);
void change_acknowledge_no_more(struct core *core);

/* Returns whether what was accepted is installed by it. */
bool change_on_commit(struct core *core, const struct message *message);

/* U2e: gives up what was accepted if the heartbeat of the own coordinator shows that nothing came
 * of it. */
void change_compare(struct core *core, const struct message *heartbeat, uint32_t position);

/* U2e: has nothing come of that view, which this node has known for so long? */
bool change_is_in_vain(const struct core *core, const struct message *heartbeat, uint32_t position,
                       const struct view *higher, uint64_t since_ms);

void change_accept_on_view_installed(struct core *core);
void change_accept_reset(struct core *core);

#endif
