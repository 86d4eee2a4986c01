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

/* Silences are looked at next then. */
void signs_look_at(struct core *core, uint64_t next_ms);

/* Or sooner, but no later than that; or in this step, where the tick is still to come. */
void signs_look_by(struct core *core, uint64_t latest_ms);
void signs_look_now(struct core *core);

/* Nobody was heard since that look. */
void signs_looked(struct core *core);

/* Somebody is asked since a heartbeat is missing. */
void signs_wondered(struct core *core);

/* D2i: was no heartbeat missing for long? */
bool signs_are_calm(const struct core *core);

/* A sign of life, by the message of that number. */
void signs_heard(struct core *core, uint32_t position, uint64_t number);

/* Others heard it though we do not (R2). */
void signs_vouch(struct core *core, uint32_t position);

/* Keeps what its heartbeat says; whether it has handed over is judged by the caller (Z7c). */
void signs_take_heartbeat(struct core *core, const struct heartbeat *heartbeat, uint32_t position,
                          bool handed_over);

/* By that heartbeat, does it hear us (R2)? */
void signs_hears_us(struct core *core, uint32_t position, bool hears);

/* It holds the view that has just been installed, before a heartbeat says so (M2). */
void signs_acknowledged(struct core *core, uint32_t position);

/* The lifeline to it. */
void signs_link_opened(struct core *core, uint32_t position);
void signs_link_closed(struct core *core, uint32_t position);
void signs_link_failed(struct core *core, uint32_t position);

/* Nobody of that life listens at its address: the lifeline counts as closed since the first time
 * that this was found (D2). */
void signs_nobody_there(struct core *core, uint32_t position);

/* Somebody else's lifeline to it was closed (D9f). */
void signs_closed_elsewhere(struct core *core, uint32_t position);

/* D2: its kernel was asked, and answered. */
void signs_kernel_asked(struct core *core, uint32_t position);
void signs_kernel_answered(struct core *core, uint32_t position);

/* D9: there was no lifeline to it while it was not watched. */
void signs_forget_lifeline(struct core *core, uint32_t position);

/* Its silence is counted from `from_ms` at the earliest, or from now on (H13). */
void signs_not_silent_before(struct core *core, uint32_t position, uint64_t from_ms);
void signs_silent_from_now(struct core *core, uint32_t position);

/* D9c: others miss it, so its silence is counted from `from_ms`, or from the last sign of it. */
void signs_silent_since(struct core *core, uint32_t position, uint64_t from_ms);

/* D4: this node's own loop was late by so much, which no silence counts. */
void signs_on_late(struct core *core, uint64_t late_ms);

void signs_reset(struct core *core);

#endif
