/* Tags at run time: what the operator of this node wants it to have is asked of the coordinator
 * until the view has it (E8).
 *
 *     wanted: zone=b    view: zone=a --> WISH, again and again --> view: zone=b
 *                       view: zone=c, whoever asked for that   --> WISH, after a pause (E8c)
 */
#ifndef CORE_ENTRY_TAG_H
#define CORE_ENTRY_TAG_H

#include "core/state/state.h"

/* It wants those that it was started with. */
void tag_start(struct core *core);

/* The operator of this node wants it to have these tags, and no others; copied. Whoever calls this
 * has tag_tick called from now on. */
void tag_on_command(struct core *core, const struct tags *tags);

/* Asks once more if it is time. Returns whether there is anything left to ask for. */
bool tag_tick(struct core *core);

/* E8c: the view has other tags of this node than it wants: it asks again, once in T_stall. Returns
 * as tag_tick. */
bool tag_look(struct core *core);

/* When tag_tick has something to do; NEVER_MS: never. */
uint64_t tag_deadline_ms(const struct core *core);

/* This life is over: what is wanted is what the next one joins with. */
void tag_reset(struct core *core);

#endif
