/* When the coordinator removes a member, and on whose word (D7, R1 to R5, L2). */
#ifndef CORE_REMOVAL_H
#define CORE_REMOVAL_H

#include "core/state.h"

/* Judges the evidence against every member anew: confirms what is proven, starts verification of
 * what is not. For the coordinator. */
void removal_review(struct core *core);

/* D7: is the word of this node and of the others enough against the member? */
bool removal_is_backed(const struct core *core, uint32_t position);

/* L2: it has said for T_fresh that it follows another coordinator. */
bool removal_has_moved(const struct core *core, uint32_t position);

/* L2: what was noted of that holds no more; nor, unless a verdict stands, that it is to go. */
void removal_forget_move(struct core *core, uint32_t position);

/* R1, L2: under a new coordinator nobody's removal is decided yet, whoever decided it before. */
void removal_start_over(struct core *core, uint32_t position);

/* How many other members hold a verdict against the one at `position`, as told within T_fresh. */
uint32_t removal_accusers(const struct core *core, uint32_t position, uint64_t now_ms);

/* May a coordinator change the view? Not before it is sure that it was not replaced while it slept
 * (D4), nor while members say that they follow another and it is not settled (L2, L3). */
bool removal_reign_is_sure(const struct core *core);

/* R5: reason and evidence for the record. */
struct gone removal_evidence(const struct core *core, uint32_t position);

void removal_on_ping(struct core *core, const struct message *message);
void removal_on_ping_request(struct core *core, const struct message *message);
void removal_on_pong(struct core *core, const struct message *message);

/* Ends verifications whose time is up. */
void removal_tick(struct core *core);

#endif
