/* Records that a message, or a part of it, is not acted on, and why: the one way to refuse. */
#ifndef CORE_REFUSE_H
#define CORE_REFUSE_H

#include "core/state/state.h"

/* Counts it, and tells of it with an effect of this step, REFUSALS_PER_STEP_MAX at most. Says
 * nothing to the sender: an answer that refuses is sent beside it. */
void refuse(struct core *core, const struct message *message, enum refusal reason);

/* The same of a message that came in an earlier step: only its type and its sender are known. */
void refuse_later(struct core *core, enum message_type type, const struct node_id *from,
                  enum refusal reason);

/* What non-members can make this node send is bounded (V6): takes one of the few answers to such
 * messages from there, or refuses because there is none left, and returns whether it did. */
bool refuse_beyond_few(struct core *core, const struct message *message);

#endif
