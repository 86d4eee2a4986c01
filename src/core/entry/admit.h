/* Letting others in: the members' side of a join (J1 to J4, J8, I2, R4).
 *
 *     JOIN  --> any member: may it come in? --no--> OFFER that refuses, with the reason
 *                                           --yes-> to the coordinator, which sends an OFFER, nonce
 * n READY --> n is of this view and joiner (J3)? --> into the next view (J4)
 */
#ifndef CORE_ADMIT_H
#define CORE_ADMIT_H

#include "core/state/state.h"

void admit_on_join(struct core *core, const struct message *message);
void admit_on_ready(struct core *core, const struct message *message);

#endif
