/* What each member shows of itself: its signs of life, its last heartbeat, what the kernels tell of
 * it (D1, D2); and when silences are looked at next, which any sign may bring nearer.
 *
 *     message    heard_ms, silent_from_ms       kernel     asked, answered; lifeline open, closed
 *     heartbeat  view, late, acting, suspects   relay      vouched for, its link is bad
 *                                 |
 *                                 v
 *     silences and verdict judge; signs only keep
 */
#ifndef CORE_SIGNS_H
#define CORE_SIGNS_H

#include "core/state/state.h"

/* Silences are looked at next at `next_ms`. */
void signs_look_at(struct core *core, uint64_t next_ms);

/* The next look comes no later than `latest_ms`; or in this step, where the tick is still to come.
 */
void signs_look_by(struct core *core, uint64_t latest_ms);
void signs_look_now(struct core *core);

/* Notes a look: nobody was heard since. */
void signs_looked(struct core *core);

/* Notes that somebody is asked because a heartbeat is missing. */
void signs_wondered(struct core *core);

/* D2i: was no heartbeat missing for long? */
bool signs_are_calm(const struct core *core);

/* Notes a sign of life, by the message of that number. */
void signs_heard(struct core *core, uint32_t position, uint64_t number);

/* Notes that others heard the member though this node does not (R2). */
void signs_vouch(struct core *core, uint32_t position);

/* Keeps what the member's heartbeat says; the caller judges whether it has handed over (Z7c). */
void signs_take_heartbeat(struct core *core, const struct heartbeat *heartbeat, uint32_t position,
                          bool handed_over);

/* Notes whether the member hears this node, by that heartbeat (R2). */
void signs_hears_us(struct core *core, uint32_t position, bool hears);

/* Notes that the member holds the view that has just been installed, before a heartbeat says so
 * (M2). */
void signs_acknowledged(struct core *core, uint32_t position);

/* What became of the lifeline to the member. */
void signs_link_opened(struct core *core, uint32_t position);
void signs_link_closed(struct core *core, uint32_t position);
void signs_link_failed(struct core *core, uint32_t position);

/* Nobody of that life listens at its address: the lifeline counts as closed since the first time
 * that this was found (D2). */
void signs_nobody_there(struct core *core, uint32_t position);

/* Notes that somebody else's lifeline to the member was closed (D9f). */
void signs_closed_elsewhere(struct core *core, uint32_t position);

/* D2c: the member's kernel was asked, and answered. */
void signs_kernel_asked(struct core *core, uint32_t position);
void signs_kernel_answered(struct core *core, uint32_t position);

/* D9: forgets the lifeline, for there was none while the member was not watched. */
void signs_forget_lifeline(struct core *core, uint32_t position);

/* The member's silence is counted from `from_ms` at the earliest, or from now on (H13). */
void signs_not_silent_before(struct core *core, uint32_t position, uint64_t from_ms);
void signs_silent_from_now(struct core *core, uint32_t position);

/* D9c: others miss the member, so its silence is counted from `from_ms`, or from the last sign of
 * it. */
void signs_silent_since(struct core *core, uint32_t position, uint64_t from_ms);

/* D4a: this node's own loop was late by so much, which counts in no silence. */
void signs_on_late(struct core *core, uint64_t late_ms);

void signs_reset(struct core *core);

#endif
