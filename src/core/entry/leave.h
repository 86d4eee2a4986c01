/* Going in good order: a member asks the coordinator, the coordinator hands over to the next
 * oldest, and neither takes anything over (E1 to E3).
 *
 *     member       --WISH to leave--> coordinator: next view without it --> STOPPED
 *     coordinator  --HANDOVER--> next oldest: view without the old one  --> STOPPED
 *     either, and T_leave is over, or nobody is left                    --> STOPPED
 */
#ifndef CORE_LEAVE_H
#define CORE_LEAVE_H

#include "core/state/state.h"

void leave_on_command(struct core *core);

/* The member at the position `sender` wants to be let out. */
void leave_on_wish(struct core *core, uint32_t sender);

/* The coordinator hands over to this node, and leaves. */
void leave_on_handover(struct core *core, const struct message *message);

/* May this node carry out the hand-over that the message brings (E2, E5)? Installs its view where
 * that is higher; what stands against it is refused. */
bool leave_may_carry_out(struct core *core, const struct message *message);

/* While a hand-over is under way the leaver proposes nothing itself. */
bool leave_hands_over(const struct core *core);

void leave_tick(struct core *core);
uint64_t leave_deadline_ms(const struct core *core);

#endif
