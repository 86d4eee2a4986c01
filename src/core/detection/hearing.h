/* Who hears whom: by this node's own ears, and by what the others say. Questions only.
 *
 *     this node's own ears:   heard | silent for T_silent | under a verdict | not watched: unknown
 *     another's word:         its last heartbeat names the subject as silent or suspected, or not;
 *                             that counts for T_lost, and only of those whom it watches
 */
#ifndef CORE_HEARING_H
#define CORE_HEARING_H

#include "core/state/state.h"

/* Is the member at `position` neither silent for T_silent nor under a verdict? */
bool hearing_is_heard(const struct core *core, uint32_t position);

/* Was the member heard within T_fresh, by the detector's reckoning, and is it not held dead? */
bool hearing_is_fresh(const struct core *core, uint32_t position);

/* For how many milliseconds the member will still be fresh; 0: it is not. */
uint64_t hearing_fresh_for_ms(const struct core *core, uint32_t position);

/* Is this node the coordinator, or was its coordinator heard within T_fresh and is not held dead?
 */
bool hearing_coordinator_is_fresh(const struct core *core);

/* Was no other member heard for so long, though there is one? */
bool hearing_is_alone(const struct core *core, uint64_t ms);

/* E7c: has it said that its own loop was late, and not been in time for long enough since? */
bool hearing_was_late(const struct core *core, uint32_t position);

/* What the observer hears of the subject, by its last heartbeat, or by this node's own ears (R3).
 */
enum hearing hearing_of(const struct core *core, uint32_t observer, uint32_t subject,
                        uint64_t now_ms);

/* Does the word of the member at `position` about others count: was it told within T_fresh, in our
 * lineage, and is it about anybody? */
bool hearing_is_accuser(const struct core *core, uint32_t position, uint64_t now_ms);

/* Does `accuser` hold a verdict against the member of that age, as told within T_fresh? */
bool hearing_accuses(const struct core *core, uint32_t accuser, uint64_t age, uint64_t now_ms);

/* Did that member last say that it holds this node's view, by a heartbeat or an ACK? */
bool hearing_holds_our_view(const struct core *core, uint32_t position);

/* How many members hold this node's view, as far as it knows, itself included. O(members). */
uint32_t hearing_view_holders(const struct core *core);

/* R2b: is the member at `position` silent here, did others vouch for it, or does it say that it
 * does not hear this node? */
bool hearing_link_is_bad(const struct core *core, uint32_t position);

/* The oldest member through whom the member at `position` can be reached, or VIEW_NONE. */
uint32_t hearing_relay_to(const struct core *core, uint32_t position);

/* C1b, D9i: does anybody who hears this node say that it hears that member? The word counts
 * whatever view its sender named with it, unlike that by which a removal is put off (R2a): in a
 * view that was installed just now nobody has spoken yet. */
bool hearing_is_heard_by_others(const struct core *core, uint32_t position);

/* D2f: the neighbours of a member hear it one after the other. Is there
 * one of them, whom this node hears, that holds no verdict against it yet? Or may this node be cut
 * off itself, or have been until just now? Returns until when that counts, in ms of the core's
 * clock; 0: neither. O(those who watch it). */
uint64_t hearing_not_lost_until_ms(const struct core *core, uint32_t suspect);

#endif
