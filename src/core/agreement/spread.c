#include "core/agreement/spread.h"

#include <stddef.h>

#include "base/text.h"
#include "core/detection/elders.h"
#include "core/detection/hearing.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"

/* --- What is small enough --- */

/* Of a frame that brings a change (wire.md, section 3), at the most: all but its items, one item
 * without name and tags, and what leaves one out of a list. */
enum { REST_BYTES = 300, MEMBER_BYTES = 72, GONE_BYTES = 93, SKIP_BYTES = 8 };

static size_t joined_bytes(const struct view *base, const struct view *next)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < next->member_count; i++) {
        const struct member *member = &next->members[i];
        const uint32_t was = view_find(base, &member->id);
        if (was == VIEW_NONE || base->members[was].age != member->age ||
            base->members[was].drained != member->drained ||
            !tags_equal(member_tags(&base->members[was]), member_tags(member))) {
            bytes += MEMBER_BYTES + text_length(member->name, NAME_BYTES_MAX) +
                     member_tags(member)->length;
        }
    }
    return bytes;
}

/* Of the gone, those that came last stand last. */
static size_t gone_bytes(const struct view *base, const struct view *next)
{
    size_t bytes = 0;

    for (uint32_t i = next->gone_count; i > 0; i--) {
        const struct gone *gone = &next->gone[i - 1];
        if (view_find_gone(base, &gone->id) != NULL) {
            break;
        }
        bytes += GONE_BYTES + SKIP_BYTES + text_length(gone->name, NAME_BYTES_MAX);
    }
    return bytes;
}

static bool travels_as_a_change(const struct view *base, const struct view *next)
{
    return REST_BYTES + joined_bytes(base, next) + gone_bytes(base, next) <= CHANGE_FRAME_BYTES_MAX;
}

/* --- Who hands it to whom --- */

/* Those of the order who are members of the installed view: joiners have no view that a change
 * could be read by. The same for all who hold that view. */
struct chain {
    uint32_t count;
    uint32_t own; /* the place of this node; the maker's is 0 */
};

static struct chain chain_of(const struct core *core, const struct view *order)
{
    struct chain chain = {.count = 0};

    for (uint32_t i = 0; i < order->member_count; i++) {
        const uint32_t position = view_find(&core->view, &order->members[i].id);
        if (position != VIEW_NONE) {
            chain.own = core_is_self(core, position) ? chain.count : chain.own;
            chain.count++;
        }
    }
    return chain;
}

/* U4b: whoever is at place n hands it to the SPREAD_WIDTH places from SPREAD_WIDTH * n + 1 on,
 * around the end. So the first hops are a tree, and each place has SPREAD_WIDTH ways to it. Those
 * whom the maker, at place 0, sends it to beyond its own branches have one more.
 *
 *             0                 width 2, seven places: 3 hands it to 0 and 1,
 *          /     \              which have it, 4 to 2 and 3, and so on
 *         1       2
 *        / \     / \
 *       3   4   5   6
 */
static void send_to_next(struct core *core, const struct message *message, const struct view *order,
                         uint32_t width)
{
    const struct chain chain = chain_of(core, order);
    if (chain.count == 0) {
        return;
    }
    const uint32_t first = (SPREAD_WIDTH * chain.own + 1) % chain.count;
    uint32_t place = 0;

    for (uint32_t i = 0; i < order->member_count; i++) {
        const uint32_t position = view_find(&core->view, &order->members[i].id);
        if (position == VIEW_NONE) {
            continue;
        }
        const bool is_next = (place + chain.count - first) % chain.count < width;
        if (is_next && place != 0 && place != chain.own) {
            outbox_spread(core, message, &order->members[i]);
        }
        place++;
    }
}

bool spread_suits(const struct core *core, const struct view *next)
{
    return core_is_coordinator(core) && chain_of(core, next).count > core->plan.fanout + 1 &&
           travels_as_a_change(&core->view, next);
}

bool spread_reaches(const struct core *core, const struct node_id *id)
{
    const uint32_t position = view_find(&core->view, id);

    return position != VIEW_NONE && hearing_holds_our_view(core, position);
}

void spread_begin(struct core *core, const struct message *message, const struct view *order)
{
    if (message != NULL) {
        REACHED(spread_begun);
        send_to_next(core, message, order, core->plan.fanout);
    }
}

/* --- Handing on --- */

/* A joiner answers each copy, for its ACKs are all that it is heard by. */
bool spread_is_known(const struct core *core, const struct message *message)
{
    const bool proposed = message->type == MESSAGE_PREPARE;
    const struct view *pending = &core->change.pending;

    if (!message_is_spread(message) || !core_is_member(core)) {
        return false;
    }
    const uint64_t hash = proposed ? message->carrier.view->hash : message->reference.view_hash;
    const struct view_id named = proposed ? view_id_of(message->carrier.view)
                                          : message->reference.view;
    const struct view_id ours = view_id_of(&core->view);
    const struct view_id accepted = view_id_of(pending);
    const bool is_accepted = proposed && !view_is_empty(pending) && hash == pending->hash &&
                             view_id_equal(&named, &accepted);

    return is_accepted || (hash == core->view.hash && view_id_equal(&named, &ours));
}

/* U4c: in the name of the maker anybody who holds the key could have all send without end. */
static bool take_turn(struct core *core)
{
    return ration_take(&core->spreading.turns, core->now_ms, core->timing.heartbeat_ms) <
           SPREAD_TURNS_MAX;
}

void spread_hand_on(struct core *core, const struct message *message, const struct view *order)
{
    if (!message_is_spread(message) || !core_is_member(core) || !take_turn(core)) {
        return;
    }
    const struct message *copy = outbox_copy(core, message);
    if (copy != NULL) {
        REACHED(spread_handed_on);
        send_to_next(core, copy, order, SPREAD_WIDTH);
    }
}

/* --- Joiners --- */

/* Of those who have it, but for the maker, who is neither suspected nor passed over: how many are
 * older than this node? */
static uint32_t count_older(const struct core *core, const struct view *order)
{
    uint32_t count = 0;

    for (uint32_t i = 1; i < order->member_count; i++) {
        const uint32_t position = view_find(&core->view, &order->members[i].id);
        if (position != VIEW_NONE && core_is_self(core, position)) {
            break;
        }
        count += position != VIEW_NONE && core->peers[position].charge.verdict == VERDICT_NONE &&
                 !elders_are_passed_over(core, position);
    }
    return count;
}

void spread_to_joiners(struct core *core, uint32_t turn)
{
    const struct view *accepted = &core->change.pending;
    struct message prepare;

    if (!core_is_member(core) || accepted->cause == CAUSE_MERGE ||
        count_older(core, accepted) > turn) {
        return;
    }
    message_clear(&prepare, MESSAGE_PREPARE);
    prepare.from = accepted->members[0].id;
    prepare.number = 0; /* The copy is no sign of life of its maker (U4c). */
    prepare.carrier.view = &core->change.pending;
    const struct message *copy = NULL;
    for (uint32_t i = 0; i < accepted->member_count; i++) {
        const struct member *member = &accepted->members[i];
        if (!view_has(&core->view, &member->id) && take_turn(core)) {
            copy = copy == NULL ? outbox_copy(core, &prepare) : copy;
            REACHED(joiner_shown_by_another);
            outbox_spread(core, copy, member);
        }
    }
}
