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

/* Has it changed since this was asked last? */
bool verdict_take_evidence(struct core *core);

/* Holds `verdict` against the member, from now on; what was found out under another is void. */
void verdict_set(struct core *core, uint32_t position, enum verdict verdict);

/* It gave a sign of life. Returns false where nothing was held against it. */
bool verdict_clear(struct core *core, uint32_t position);

/* The member is to be removed with the next view. */
void verdict_confirm(struct core *core, uint32_t position);

/* That is not so any more. */
void verdict_take_back(struct core *core, uint32_t position);

/* It asked to be let out, or is gone (E1, E3). */
void verdict_let_go(struct core *core, uint32_t position);

/* It gave a sign of life: if long after it said so, that was not its word (E3b). */
void verdict_heard(struct core *core, uint32_t position);

/* That it had moved holds no more: nor, unless a verdict stands, that it is to go (L2). */
void verdict_reconsider(struct core *core, uint32_t position);

/* R1: it is asked under this nonce, again at `again_ms`, until `until_ms`. */
void verdict_verify(struct core *core, uint32_t position, uint64_t nonce, uint64_t again_ms,
                    uint64_t until_ms);
void verdict_asked_again(struct core *core, uint32_t position, uint64_t again_ms);

/* It ends without an answer. */
void verdict_unanswered(struct core *core, uint32_t position);
void verdict_end_verification(struct core *core, uint32_t position);

/* D4: verifications take as much longer as this node's own loop was late. */
void verdict_put_off(struct core *core, uint64_t late_ms);

void verdict_on_view_installed(struct core *core, const struct installed *before);

#endif
