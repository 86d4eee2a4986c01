/* Take-over: the oldest of those who are left asks the others, and follows only if none of them
 * still hears anybody older (C1 to C5). */
#ifndef CORE_CLAIM_H
#define CORE_CLAIM_H

#include "core/state.h"

/* C1: would this node take over now? A leaver does not, though it is its turn (E3). */
bool claim_is_ours(const struct core *core);

/* The evidence has changed: a candidate starts to claim, or ends its claim if one of the older ones
 * was heard again. */
void claim_on_evidence(struct core *core);

void claim_on_claim(struct core *core, const struct message *message);
void claim_on_grant(struct core *core, const struct message *message);
void claim_on_refused(struct core *core, const struct message *message);

/* H14: a view above ours, accepted or refused, that somebody may have been answered "in" by; the
 * next claim builds on the highest of them. Kept until a view is installed, whatever becomes of a
 * claim. The view must be sound. */
void claim_consider(struct core *core, const struct view *accepted);

/* A claim came to nothing: a random pause before the next one (C5). */
void claim_back_off(struct core *core);

/* After a lost claim, or a late wake-up: when the pause is over, the evidence is judged again. */
void claim_end_backoff(struct core *core);

/* Voter: answers a claim that it held back (C5), forgets a promise. Candidate: asks again, decides.
 */
void claim_tick(struct core *core);

/* When claim_tick has something to do next. */
uint64_t claim_deadline_ms(const struct core *core);

#endif
