/* What is done about a message that concerns several modules: HEARTBEAT, PING, VIEW, PREPARE,
 * COMMIT, PROBE, VOTE. What the first one makes of it decides who else acts on it. */
#ifndef CORE_HANDLERS_H
#define CORE_HANDLERS_H

#include "core/detection/numbers.h"
#include "core/state/state.h"

void handlers_on_view(struct core *core, const struct message *message);
void handlers_on_prepare(struct core *core, const struct message *message);
void handlers_on_commit(struct core *core, const struct message *message);
void handlers_on_ping(struct core *core, const struct message *message);
void handlers_on_probe(struct core *core, const struct message *message);

/* A candidate's question. Returns whether the members decide on it, and this node as one of them.
 */
bool handlers_on_claim(struct core *core, const struct message *message);

/* A voter's answer, from the network or from this node's own. */
void handlers_on_vote(struct core *core, const struct message *message);

/* From the member at the position `sender`, or VIEW_NONE; `number` is what its number says (D6). */
void handlers_on_heartbeat(struct core *core, const struct message *message, uint32_t sender,
                           enum number number);

#endif
