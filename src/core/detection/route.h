/* The way to a member: directly, and over a bad link also through a member that hears both (R2).
 * What measures a link (heartbeats, pings) goes directly only: for that there is outbox_send.
 *
 *     a ----------- bad link ----------> b       heartbeats, pings: this way alone
 *     `--> c, the oldest that hears both --^     all else: this way, too, marked as relayed
 */
#ifndef CORE_ROUTE_H
#define CORE_ROUTE_H

#include "core/state/outbox.h"

/* To the member at this position of the installed view; NULL: does nothing. */
void route_send(struct core *core, const struct message *message, uint32_t position);

/* The same; the direct copy brings its view as a change of the installed one, if that member was
 * last heard to hold it (U3b). */
void route_send_brief(struct core *core, const struct message *message, uint32_t position);

/* As route_send, or route_send_brief, where the receiver is a member, else as outbox_send_to. */
void route_reach(struct core *core, const struct message *message, const struct node_id *peer,
                 const struct address *address);
void route_reach_brief(struct core *core, const struct message *message, const struct node_id *peer,
                       const struct address *address);

#endif
