/* How a node comes to coordinate under guard strict: it asks the voters for an epoch, and with a
 * quorum of them builds on the highest view that any of them has accepted (Z4). A coordinator that
 * was overtaken by a promise asks anew in the same way (Z5). */
#ifndef CORE_CAMPAIGN_H
#define CORE_CAMPAIGN_H

#include "core/state/state.h"

/* The evidence has changed, or a pause is over: a candidate begins, or gives up if one of those
 * older was heard again. */
void campaign_on_evidence(struct core *core);

/* A coordinator handed over to this node (Z7); ends a campaign that was under way. */
void campaign_on_handover(struct core *core, const struct ballot *by);

/* The same, and it stays a member (E5). */
void campaign_on_stand_down(struct core *core, const struct ballot *by);

/* An outsider that may found begins (Z4, Z8). */
void campaign_as_outsider(struct core *core);

/* V4i: its coordinator follows a view in this node's name that it never made. */
void campaign_on_followed(struct core *core);

/* An answer, of another voter or of its own. */
void campaign_on_vote(struct core *core, const struct message *vote);

/* It was won, and the view to build on does not hold this member, or an outsider is among its gone:
 * this life is over. Told once. */
bool campaign_take_out(struct core *core);

void campaign_tick(struct core *core);
uint64_t campaign_deadline_ms(const struct core *core);

/* This node handed over: it acts no more under any epoch up to that of its view (Z7). */
void campaign_hand_over(struct core *core);

/* Nothing will come of that: it may ask for an epoch above it (Z7b). */
void campaign_take_back(struct core *core);

void campaign_drop(struct core *core);
void campaign_on_view_installed(struct core *core);
void campaign_reset(struct core *core);

#endif
