/* Who is told that a view was installed, and that a life is over: all modules of which something
 * referred to it. */
#include "core/state/announce.h"

#include "core/agreement/absent.h"
#include "core/agreement/accord.h"
#include "core/agreement/autopilot.h"
#include "core/agreement/behind.h"
#include "core/agreement/candidacy.h"
#include "core/agreement/change.h"
#include "core/agreement/change_accept.h"
#include "core/agreement/change_count.h"
#include "core/agreement/electorate.h"
#include "core/agreement/granter.h"
#include "core/agreement/install.h"
#include "core/agreement/news.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/agreement/succession.h"
#include "core/agreement/unanswered.h"
#include "core/agreement/voter.h"
#include "core/agreement/voters_change.h"
#include "core/detection/detector.h"
#include "core/detection/flap.h"
#include "core/detection/follow.h"
#include "core/detection/lease.h"
#include "core/detection/numbers.h"
#include "core/detection/peers.h"
#include "core/detection/removal.h"
#include "core/detection/rounds.h"
#include "core/detection/signs.h"
#include "core/detection/standing.h"
#include "core/detection/verdict.h"
#include "core/detection/watch.h"
#include "core/entry/join.h"
#include "core/entry/lifecycle.h"
#include "core/entry/move.h"
#include "core/entry/wish.h"
#include "core/healing/merge.h"
#include "core/healing/probe.h"
#include "core/holding/holding.h"
#include "core/state/outbox.h"

/* Each module settles what referred to the view before. In five parts, in this order:
 *
 *   1. what all others go by: which member stands where, the terms in force, who is watched;
 *   2. what was seen of the members; then watchers hear who went and who came, and lifelines are
 *      held to those who are watched now;
 *   3. what is under way. A claim that waits for a grant comes before the promise, by which it is
 *      judged and which may be forgotten; the places of the voters come before how many of them are
 *      members; and a proposal that came to nothing comes before what acknowledges it;
 *   4. what this node is about to do;
 *   5. those outside: watchers hear of the view, then whether this node acts in it; the disk gets
 *      it; and the other members are told last, of what then holds.
 *
 * Within a part the order does not matter, but for what is said here. */
void announce_view_installed(struct core *core, const struct installed *before)
{
    /* J2d: no higher than this node can, whatever a view says. */
    core->version =
        versions_common(view_versions(&core->view, VIEW_NONE), core->life.self.versions).high;
    lifecycle_on_view_installed(core);
    peers_on_view_installed(core, before);
    accord_on_view_installed(core, before);
    watch_on_view_installed(core, before);

    rounds_on_view_installed(core);
    detector_on_view_installed(core, before);
    numbers_on_view_installed(core, before);
    verdict_on_view_installed(core, before);
    follow_on_view_installed(core, before);
    flap_on_view_installed(core, before);
    book_on_view_installed(&core->book, &core->view, before->view);
    install_on_view_installed(core, before);
    behind_forget(core);
    news_tell_members(core, before);
    watch_hold_lifelines(core);

    candidacy_drop(core);
    granter_on_view_installed(core);
    unanswered_on_view_installed(core);
    electorate_on_view_installed(core, before);
    absent_on_view_installed(core);
    succession_on_view_installed(core);
    voters_change_on_view_installed(core, before);
    autopilot_on_view_installed(core, before);
    voter_on_view_installed(core);
    promise_on_view_installed(core, before);
    change_on_view_installed(core);
    change_count_on_view_installed(core, before);
    change_accept_on_view_installed(core);

    next_view_on_view_installed(core, before);
    move_on_view_installed(core);
    wish_on_view_installed(core);
    merge_on_view_installed(core);
    probe_on_view_installed(core);
    holding_on_view_installed(core, before);

    news_tell_view(core, before);
    standing_on_view_installed(core);
    outbox_store(core);
    detector_announce_view(core, before);
}

/* What is not here outlives a life: the book, flapping names, the epochs seen, what watchers were
 * told last, and the merges that asked us. */
void announce_life_over(struct core *core)
{
    accord_reset(core);
    install_reset(core);
    behind_forget(core);
    signs_reset(core);
    rounds_reset(core);
    detector_reset(core);
    watch_reset(core);
    lease_reset(core);
    removal_reset(core);
    promise_reset(core);
    change_reset(core);
    change_count_reset(core);
    change_accept_reset(core);
    candidacy_reset(core);
    succession_reset(core);
    granter_reset(core);
    unanswered_reset(core);
    absent_reset(core);
    voters_change_reset(core);
    autopilot_reset(core);
    next_view_reset(core);
    move_reset(core);
    wish_reset(core);
    merge_reset(core);
    probe_reset(core);
    holding_reset(core);
    join_on_start_over(core);
}
