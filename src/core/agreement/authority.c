#include "core/agreement/authority.h"

#include "core/agreement/electorate.h"
#include "core/detection/hearing.h"
#include "core/detection/watch.h"
#include "core/model/lineage.h"
#include "core/model/marks.h"

static const struct node_id *own_coordinator(const struct core *core)
{
    return &core->view.members[0].id;
}

/* M4: it names, as merged, a view of our own coordinator and epoch; whoever made it has the word of
 * that coordinator for it. */
static bool names_our_view(const struct core *core, const struct view *view)
{
    const struct view_id *merged = &view->merged;

    return view->cause == CAUSE_MERGE && merged->lineage == core->view.lineage &&
           merged->epoch == core->view.epoch &&
           id_equal(&merged->coordinator, own_coordinator(core));
}

static bool is_made(const struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;

    return view->lineage == core->view.lineage &&
           id_equal(&view->members[0].id, own_coordinator(core));
}

static bool is_vouched_for(const struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;

    if (id_equal(&message->from, own_coordinator(core)) && view_has(view, &message->from)) {
        REACHED(followed_the_coordinator);
        return true; /* Where our coordinator itself went, we follow. */
    }
    if (message->type == MESSAGE_PREPARE &&
        id_equal(&message->carrier.handover_by, own_coordinator(core))) {
        return true; /* The coordinator hands over, and says who follows (E2, E5). */
    }
    if (names_our_view(core, view)) {
        REACHED(vouched_for_by_a_merge);
        return true;
    }
    return false;
}

/* M3: the view that we sent, when we asked the one who proposes this to absorb us. */
static bool is_the_merge_we_asked_for(const struct core *core, const struct message *prepare)
{
    return prepare->type == MESSAGE_PREPARE && core->merge.yielding &&
           prepare->carrier.merge == core->merge.number &&
           id_equal(&prepare->from, &core->merge.to) &&
           names_our_view(core, prepare->carrier.view) &&
           prepare->carrier.view->merged.version == core->view.version;
}

/* E5: the one to whom this coordinator stands down. */
static bool is_our_successors(const struct core *core, const struct view *view)
{
    return core->moving.step >= STAND_DOWN_OFFERED && view->lineage == core->view.lineage &&
           id_equal(&core->moving.to, &view->members[0].id);
}

static bool was_accepted(const struct core *core, const struct view *view)
{
    const struct view *accepted = &core->change.pending;

    return !view_is_empty(accepted) && view->hash == accepted->hash;
}

static bool is_agreed(const struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;
    bool granted = core->promise.epoch == view->epoch &&
                   id_equal(&core->promise.to, &view->members[0].id);

    return was_accepted(core, view) || granted || is_the_merge_we_asked_for(core, message);
}

/* A former fellow member shows a view of another lineage that lists us. Only a merge can have put
 * us both there, so it is safe to follow. */
static bool lived_with_us(const struct core *core, const struct node_id *id)
{
    uint32_t position = view_find(&core->view, id);

    return position != VIEW_NONE && core->peers[position].repair.shared_our_lineage;
}

/* V4c: its maker held a view from before others came whom this node hears. It may have been behind,
 * and speaks for none of them. */
static bool is_from_before_others(const struct core *core, const struct view *view)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (!core_is_self(core, i) && watch_is_on(core, i) && hearing_is_fresh(core, i) &&
            !view_knows(view, &core->view.members[i])) {
            return true;
        }
    }
    return false;
}

bool authority_is_of_its_sender(const struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;

    return !hearing_coordinator_is_fresh(core) && view_has(view, &message->from);
}

static bool is_shown_by_a_fellow(const struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;

    return authority_is_of_its_sender(core, message) &&
           (view->lineage == core->view.lineage ? !is_from_before_others(core, view)
                                                : lived_with_us(core, &message->from));
}

bool authority_is_of_the_past(const struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;

    return authority_is_of_its_sender(core, message) && view->lineage == core->view.lineage &&
           is_from_before_others(core, view);
}

/* A coordinator gives way only to a view that nobody whom it hears stays outside of. */
static bool releases_us(const struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;

    if (message->type == MESSAGE_PREPARE || view->lineage != core->view.lineage) {
        return false;
    }
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (hearing_is_fresh(core, i) && !view_has(view, &core->view.members[i].id)) {
            return false;
        }
    }
    return true;
}

static bool is_voter(const struct core *core, uint32_t position)
{
    return core->peers[position].franchise.voter;
}

uint32_t authority_voter(const struct core *core)
{
    uint32_t position = 0;

    while (position < core->view.member_count &&
           (core_is_self(core, position) || !is_voter(core, position) ||
            !hearing_is_fresh(core, position))) {
        position++;
    }
    return position < core->view.member_count ? position : VIEW_NONE;
}

bool authority_knows(const struct core *core, uint32_t position)
{
    return position == 0 || (position != VIEW_NONE && is_voter(core, position));
}

/* Z9d: the word of a member on the chain counts if it is the coordinator or a voter, and any
 * other's where no voter can be asked, for one that does not vote. A proposal is its maker's. */
static bool knows_the_chain(const struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->view, &message->from);

    if (position == VIEW_NONE) {
        return false;
    }
    return authority_knows(core, position) || message->type == MESSAGE_PREPARE ||
           (authority_voter(core) == VIEW_NONE &&
            electorate_own(core, &core->view.voters) == VOTER_NONE);
}

/* Negative: the history that a lineage names came before this member's; positive: after it. 0: it
 * is none of the same founding that was recovered. Where there are no voters nobody recovers one.
 */
static int order_of(const struct core *core, uint64_t lineage)
{
    const uint64_t ours = core->view.lineage;

    if (!view_names_voters(&core->view)) {
        return 0;
    }
    return lineage_succeeds(lineage, ours) - lineage_succeeds(ours, lineage);
}

bool authority_is_of_one_founding(const struct core *core, uint64_t lineage)
{
    return order_of(core, lineage) != 0;
}

bool authority_is_succeeded_by(const struct core *core, uint64_t lineage)
{
    return order_of(core, lineage) > 0;
}

/* Z9: there is one chain of views, and what is shown is in it; but a stranger has to be asked first
 * (Z9d), and so has everybody who shows another chain (Z18c). */
static enum authority authority_in_the_chain(const struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;
    const struct view *accepted = &core->change.pending;
    const bool asked = message->type == MESSAGE_VIEW && electorate_was_asked(core, message);
    const bool told = knows_the_chain(core, message) ||
                      (!view_is_empty(accepted) && view->hash == accepted->hash);
    const bool ours = view->lineage == core->view.lineage;

    if (!ours && !authority_is_succeeded_by(core, view->lineage)) {
        return AUTHORITY_NONE;
    }
    return asked || (ours && told) ? AUTHORITY_AGREED : AUTHORITY_UNASKED;
}

bool authority_is_in_our_name(const struct core *core, const struct view *view)
{
    return id_equal(&view->members[0].id, &core->life.self.id) && !was_accepted(core, view);
}

/* Nobody here knows the sender: what it says itself counts for nothing (V4j). But the coordinator
 * of another part is such a one, and proposes the merge that ours has asked it for. */
static enum authority authority_of_stranger(const struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;

    if (was_accepted(core, view) || is_the_merge_we_asked_for(core, message)) {
        return AUTHORITY_AGREED;
    }
    return message->type == MESSAGE_PREPARE && !core_is_coordinator(core) &&
                   names_our_view(core, view)
               ? AUTHORITY_VOUCHED
               : AUTHORITY_NONE;
}

enum authority authority_of(const struct core *core, const struct message *message)
{
    bool coordinates = core_is_coordinator(core);

    if (authority_is_in_our_name(core, message->carrier.view)) {
        return AUTHORITY_NONE;
    }
    if (core_is_strict(core)) {
        return authority_in_the_chain(core, message);
    }
    if (!view_has(&core->view, &message->from)) {
        return authority_of_stranger(core, message);
    }
    if (is_made(core, message)) { /* This is no coordinator: a view in this node's own name was
                                     looked at before. */
        return AUTHORITY_MADE;
    }
    if (!coordinates && is_vouched_for(core, message)) {
        return AUTHORITY_VOUCHED;
    }
    if (is_agreed(core, message)) {
        return AUTHORITY_AGREED;
    }
    if (coordinates && is_our_successors(core, message->carrier.view)) {
        return AUTHORITY_AGREED;
    }
    if (!coordinates && is_shown_by_a_fellow(core, message)) {
        return AUTHORITY_FELLOW;
    }
    if (!coordinates || !releases_us(core, message)) {
        return AUTHORITY_NONE;
    }
    return electorate_was_pulled(core, message) ? AUTHORITY_RELEASED : AUTHORITY_UNASKED; /* V4l */
}
