/* Other voters, which a coordinator of guard strict brings about while the cluster runs (Z11). A
 * newcomer is asked for a record and for its lease first, then two views follow: one that names
 * both lists, and when that is committed one that names the new list alone. Any list is reached
 * from any other, in several such steps where one would rest on newcomers.
 *
 *     WISH -> record and lease of newcomers -> {old, new} committed -> {new} committed
 *             CLAIM(0), VOTE, PING, PONG       a quorum of both      a quorum of new
 */
#ifndef CORE_VOTERS_CHANGE_H
#define CORE_VOTERS_CHANGE_H

#include "core/state/state.h"

/* What stands against that wish, as far as this node knows; only the coordinator knows who leases.
 */
enum unagreed voters_change_against(const struct core *core, const struct voters_wish *wish);

/* Has this coordinator bring that about, until it is done or T_leave has passed. Returns what
 * stands against it. */
enum unagreed voters_change_want(struct core *core, const struct voters_wish *wish, enum wisher by);

/* Takes a newcomer's answer to the question for a record. */
void voters_change_on_vote(struct core *core, const struct message *vote);

/* Is a view to be made for the change? The second one follows the first at once, whoever made that.
 */
bool voters_change_is_due(const struct core *core);

/* Z11d: gives the change up if the proposal that waits is its first view, for the voters that it
 * takes may be lost: the proposal is then made anew without it. Returns whether it is one. */
bool voters_change_give_up(struct core *core);

/* Puts into the next view what is due: both lists, or the new one alone. Returns whether it did. */
bool voters_change_build(struct core *core, struct view *next);

void voters_change_tick(struct core *core);
uint64_t voters_change_deadline_ms(const struct core *core);
void voters_change_on_view_installed(struct core *core, const struct installed *before);
void voters_change_reset(struct core *core);

#endif
