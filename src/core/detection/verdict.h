/* What this node holds against each member: the verdict, its verification, the decision to remove
 * it; and that the evidence has changed and must be judged (D1, R1).
 *
 *     none --silence, closing (D2)--> held: dead, lost, stalled
 *      ^                               |  told (D9d), and asked about while it stands (R1)
 *      |<---- a sign of life ----------|
 *      |                               v
 *      |                             confirmed by the coordinator: backed (D7), heard by nobody
 *      `<--- heard before the commit --|
 *                                      v
 *                                    the next view is without it
 */
#ifndef CORE_VERDICT_H
#define CORE_VERDICT_H

#include "core/state/state.h"

/* Something that others say, or that was found out, may change who is to go or to claim: it is
 * judged at the end of the step. */
void verdict_evidence_changed(struct core *core);

/* Has the evidence changed since this was asked last? */
bool verdict_take_evidence(struct core *core);

/* Holds `verdict` against the member, from now on; what was found out under another is void. */
void verdict_set(struct core *core, uint32_t position, enum verdict verdict);

/* The member gave a sign of life, so its verdict ends. Returns false where it had none. */
bool verdict_clear(struct core *core, uint32_t position);

/* Decides that the member is to be removed with the next view. */
void verdict_confirm(struct core *core, uint32_t position);

/* Takes that decision back. */
void verdict_take_back(struct core *core, uint32_t position);

/* Notes that the member asked to be let out, or is gone (E1, E3). */
void verdict_let_go(struct core *core, uint32_t position);

/* The member gave a sign of life: if that came long after it asked to be let out, it goes on (E3b).
 */
void verdict_heard(struct core *core, uint32_t position);

/* The member has not moved after all: unless a verdict stands, it is not to go either (L2). */
void verdict_reconsider(struct core *core, uint32_t position);

/* R1: the member is asked under this nonce, again at `again_ms`, until `until_ms`. */
void verdict_verify(struct core *core, uint32_t position, uint64_t nonce, uint64_t again_ms,
                    uint64_t until_ms);
void verdict_asked_again(struct core *core, uint32_t position, uint64_t again_ms);

/* R1 ends with an answer, or without one. */
void verdict_answered(struct core *core, uint32_t position);
void verdict_end_verification(struct core *core, uint32_t position);

/* D4: verifications take as much longer as this node's own loop was late. */
void verdict_put_off(struct core *core, uint64_t late_ms);

void verdict_on_view_installed(struct core *core, const struct installed *before);

#endif
