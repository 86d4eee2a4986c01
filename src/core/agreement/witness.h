/* A voter that is no member, and never will be (Z16): it has a record and an address in the list,
 * and no life in any view. It answers what voters are asked, and sends nothing by itself; all who
 * ask are strangers, so what they ask carries a nonce (Z1e), and what they show is asked for first
 * (Z9d).
 *
 *     member --CLAIM, PREPARE, PING with a nonce--> witness --VOTE, PONG that echoes it--> member
 *                                                      |
 *                                          its record on disk, first
 */
#ifndef CORE_WITNESS_H
#define CORE_WITNESS_H

#include "core/state/state.h"

void witness_on_claim(struct core *core, const struct message *claim);
void witness_on_view(struct core *core, const struct message *message);
void witness_on_ping(struct core *core, const struct message *ping);

#endif
