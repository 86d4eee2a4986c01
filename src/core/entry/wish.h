/* What a member wants of the coordinator, and asks for until its view shows it: to be let out, a
 * planned move, tags, or terms (E1, E4, E8, A1).
 *
 *     operator --> this node --WISH, every T_prepare/3--> coordinator --> next view shows it: done
 *                      '---------- until T_leave is over --------------> given up, and told
 */
#ifndef CORE_ENTRY_WISH_H
#define CORE_ENTRY_WISH_H

#include "core/detection/numbers.h"
#include "core/state/state.h"

/* What the operator of this node wants. */
void wish_on_move_command(struct core *core, const struct move *move);
void wish_on_tags_command(struct core *core, const struct tags *tags);
void wish_on_terms_command(struct core *core, const struct rules_wish *wish);

/* The member at the position `sender`, or VIEW_NONE, wants it of this node; `number` is what its
 * number says (D6). */
void wish_on_wish(struct core *core, const struct message *message, uint32_t sender,
                  enum number number);

void wish_tick(struct core *core);

/* Also of a wish to leave. */
uint64_t wish_deadline_ms(const struct core *core);

void wish_on_view_installed(struct core *core);
void wish_reset(struct core *core);

#endif
