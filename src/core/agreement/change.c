#include "core/agreement/change.h"

#include "core/agreement/change_count.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/detection/verdict.h"
#include "core/state/outbox.h"

void change_open(struct core *core, const struct view *next)
{
    view_copy(&core->change.pending, next);
    core->change.on = true;
    core->change.accepted_ms = core->now_ms;
}

void change_close(struct core *core)
{
    core->change.on = false;
}

void change_take(struct core *core, const struct view *proposal)
{
    if (core->change.pending.hash != proposal->hash || view_is_empty(&core->change.pending)) {
        view_copy(&core->change.pending, proposal);
    }
    core->change.accepted_ms = core->now_ms;
}

/* --- Giving up --- */

void change_drop_own(struct core *core)
{
    if (core->change.on) {
        /* If nothing comes of the other one's, what we know is judged again. */
        promise_pause(core, core->now_ms + timing_proposal_ms(&core->timing));
    }
    core->change.on = false;
}

/* M4: the merged view cannot come about: tells the other coordinator. */
static void abort_merge(struct core *core)
{
    const struct proposal *proposal = &core->proposing.proposal;
    const struct view *pending = &core->change.pending;
    uint32_t position = view_find(pending, &proposal->merge_with);
    bool bound = false;

    if (position != VIEW_NONE) {
        struct message *message = outbox_message(core, MESSAGE_MERGE_REFUSED);
        if (message != NULL) {
            message->merge_refused.merge = proposal->merge;
            message->merge_refused.reason = MERGE_REFUSED_ABORTED;
        }
        outbox_send_to(core, message, &proposal->merge_with, &pending->members[position].address);
    }
    for (uint32_t i = 0; i < pending->member_count; i++) {
        bound = bound || core->answered.members[i] == ANSWER_YES;
    }
    if (bound) { /* They are bound to the epoch that came to nothing. */
        next_view_want_epoch(core);
        next_view_soon(core);
    }
}

void change_abandon(struct core *core)
{
    if (core->proposing.proposal.merge != 0) {
        abort_merge(core);
    }
    core->change.on = false;
    view_clear(&core->change.pending);
    verdict_evidence_changed(core); /* Whatever waited for this change to end may go on. */
}

void change_restart(struct core *core)
{
    if (core->change.on) {
        /* Whatever asked for the change asks still, and a new epoch serves as well as a new
         * version. */
        if (core->proposing.proposal.forced) {
            next_view_want_epoch(core);
        }
        change_abandon(core);
        next_view_soon(core);
    }
}

void change_give_way(struct core *core)
{
    change_want_epoch_of_voters(core);
    change_abandon(core);
    promise_back_off(core);
}

void change_forget(struct core *core)
{
    view_clear(&core->change.pending);
    core->change.on = false;
}

/* V7f: what a joiner accepted or proposed has nothing to be measured by before its first view; then
 * it may leap above that one. */
static void forget_what_leaps(struct core *core)
{
    const struct leap_base max = promise_numbers_max(core);

    if (promise_is_above(&core->change.pending, &max)) {
        change_forget(core);
    }
}

void change_on_view_installed(struct core *core)
{
    struct view_id now = view_id_of(&core->view);
    struct view_id pending = view_id_of(&core->change.pending);

    /* A proposal of our own was built on the view before, and does not know this one. */
    if (core->change.on || view_is_empty(&core->change.pending) || pending.lineage != now.lineage ||
        view_id_compare(&pending, &now) <= 0) {
        change_forget(core);
    }
    forget_what_leaps(core);
}

void change_reset(struct core *core)
{
    change_forget(core);
}
