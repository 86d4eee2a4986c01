#include "core/agreement/change_count.h"

#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/detection/verdict.h"
#include "core/model/marks.h"
#include "core/state/refuse.h"

/* No receiver would take such a view (V7), nor could anybody outdo it. */
static bool is_beyond_count(const struct view *next)
{
    return next->epoch >= COUNTER_MAX || next->version >= COUNTER_MAX ||
           next->next_age > COUNTER_MAX;
}

/* Never the same version twice from one life: one name, one content (S1). What others would drop as
 * a leap is not counted on from in an epoch that is new to this life (V4k). */
static uint64_t next_version(const struct core *core, const struct view *next)
{
    const struct counting *counting = &core->counting;
    const uint64_t ours = core->view.version;
    uint64_t version = ours > next->version ? ours : next->version;

    version = version > counting->version_used ? version : counting->version_used;
    if (core_is_member(core) && next->epoch > counting->epoch_used &&
        version > ours + SAID_LEAP_MAX) {
        REACHED(version_counted_from_ours);
        version = ours;
    }
    return version + 1;
}

void change_note_numbers(struct core *core, const struct view *next)
{
    struct counting *counting = &core->counting;

    counting->version_used = next->version;
    counting->epoch_used = next->epoch > counting->epoch_used ? next->epoch : counting->epoch_used;
    promise_saw_epoch(core, next->epoch);
}

bool change_give_numbers(struct core *core, struct view *next)
{
    next->version = next_version(core, next);
    if (is_beyond_count(next)) {
        REACHED(nothing_left_to_count_with);
        return false;
    }
    change_note_numbers(core, next);
    return true;
}

/* --- Above what others hold --- */

bool change_is_overtaken(const struct core *core)
{
    return core->counting.overtaken > core->view.epoch;
}

void change_want_epoch_of_voters(struct core *core)
{
    const uint64_t seen = promise_epoch_to_ask(core) - 1; /* It gets no more than it asks for. */

    core->counting.overtaken = seen > core->view.epoch ? seen : core->view.epoch + 1;
    verdict_evidence_changed(core);
}

static void want_epoch_of_any_voters(struct core *core)
{
    if (core_is_strict(core)) {
        change_want_epoch_of_voters(core);
    }
}

bool change_outdo(struct core *core, const struct view *forged)
{
    struct counting *counting = &core->counting;

    if (!pause_pass(&counting->outdone, core->now_ms, core_repair_ms(core))) {
        return false;
    }
    REACHED(forged_view_outdone);
    /* V4k: a version above one that leaps is a leap for those who were not shown that one. */
    const bool leaps = forged->version > core->view.version + SAID_LEAP_MAX;
    if (!leaps && forged->version > counting->version_used) {
        counting->version_used = forged->version;
    }
    if (leaps || forged->epoch > core->view.epoch) {
        want_epoch_of_any_voters(core);
    }
    if (core_is_coordinator(core)) {
        next_view_want_epoch(core);
        next_view_want_version(core);
        next_view_now(core);
    }
    return true;
}

void change_outgrow(struct core *core)
{
    if (!pause_pass(&core->counting.outdone, core->now_ms, core->timing.fresh_ms)) {
        return;
    }
    want_epoch_of_any_voters(core);
    next_view_want_epoch(core);
    next_view_now(core);
}

void change_on_disagreement(struct core *core, const struct message *vote)
{
    const struct vote_answer *answer = &vote->carrier.vote;
    bool of_view = vote->fellow && core_is_coordinator(core) &&
                   vote->carrier.epoch == core->view.epoch &&
                   answer->version == core->view.version && answer->result == VOTE_REFUSED_EPOCH;

    if (!of_view || core->change.on) {
        refuse(core, vote, of_view ? REFUSED_VOTE_MEANWHILE : REFUSED_ANSWER_TO_ANOTHER);
        return;
    }
    change_outgrow(core);
}

/* V7f: versions that a joiner has used may leap above its first view. It has asked for another
 * epoch before it proposes again, so they need not count (V2a). */
void change_count_on_view_installed(struct core *core, const struct installed *before)
{
    const struct leap_base max = promise_numbers_max(core);
    const bool first = view_is_empty(before->view);

    if (first && core->counting.version_used > max.version) {
        core->counting.version_used = 0;
    }
}

void change_count_reset(struct core *core)
{
    core->counting.version_used = 0;
    core->counting.epoch_used = 0;
    core->counting.outdone.over_ms = 0;
    core->counting.overtaken = 0;
}
