/* When the coordinator removes a member, and on whose word (D7, R1 to R5, L2).
 *
 *     verdict --> backed by another? --no--> it waits, and is asked at T_lost - T_verify (D2h)
 *                      | yes
 *                 dead? --yes---------------------------------------------------.
 *                      | no                                                      |
 *                 heard by another, or not lost to all (R2, D2f)? --yes--> stays |
 *                      | no                                                      v
 *                 asked four times in T_verify, in vain (R1) ---> goes with the next view
 */
#ifndef CORE_REMOVAL_H
#define CORE_REMOVAL_H

#include "core/state/state.h"

/* Who is more to go; of several the last of these. FOUND_MOVED: one that follows somebody else.
 * FOUND_SILENT: one that is lost or stalled. FOUND_DEAD: one whose process is known to be gone. */
enum found { FOUND_NOBODY, FOUND_MOVED, FOUND_SILENT, FOUND_DEAD };

/* Judges the evidence against every member anew: confirms what is proven, starts verification of
 * what is not. For the coordinator. */
enum found removal_review(struct core *core);

/* J5b: is anybody silent whom this node watches, and who is not about to go? O(watched). */
bool removal_is_anybody_silent(const struct core *core);

/* Z5f: takes back what was found out about members whom others hear by now. */
void removal_reconsider(struct core *core);

/* D7: is the word of this node and of the others enough against the member? */
bool removal_is_backed(const struct core *core, uint32_t position);

/* R2: does somebody else hear the member, whose process is not known to be gone? */
bool removal_is_unwarranted(const struct core *core, uint32_t position);

/* How many other members hold a verdict against the one at `position`, as told within T_fresh. */
uint32_t removal_accusers(const struct core *core, uint32_t position, uint64_t now_ms);

/* R5a: did this node ever hear that member? */
bool removal_may_be_accused(const struct core *core, uint32_t position);

/* R5: reason and evidence for the record. */
struct gone removal_evidence(const struct core *core, uint32_t position);

/* Answers, also with what this node's voter says to it. */
void removal_on_ping(struct core *core, const struct message *message,
                     const struct lease_said *said);
void removal_on_request(struct core *core, const struct message *message);
void removal_on_pong(struct core *core, const struct message *message);

/* Ends verifications whose time is up. Returns whom they found; all evidence is then to be judged
 * in the same step (verdict_take_evidence). */
enum found removal_tick(struct core *core);

void removal_reset(struct core *core);

#endif
