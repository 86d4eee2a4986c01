#include "core/agreement/change_propose.h"

#include <assert.h>

#include "core/agreement/accord.h"
#include "core/agreement/change.h"
#include "core/agreement/change_accept.h"
#include "core/agreement/change_answers.h"
#include "core/agreement/change_count.h"
#include "core/agreement/electorate.h"
#include "core/agreement/install.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/agreement/spread.h"
#include "core/agreement/voting.h"
#include "core/detection/route.h"
#include "core/detection/standing.h"
#include "core/detection/watch.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

/* --- PREPARE --- */

/* Does the voter get the proposal as a member of it, and live where it was heard of last? */
static bool is_asked_as_member(const struct core *core, const char *name, bool again)
{
    const uint32_t position = view_find_name(&core->change.pending, name);
    const struct sighting *seen = electorate_seen(core, name);

    if (position == VIEW_NONE || !change_is_awaited(core, position)) {
        return false;
    }
    const struct node_id *life = &core->change.pending.members[position].id;
    return (seen == NULL || id_equal(life, &seen->life)) &&
           !(again && !view_has(&core->view, life));
}

/* Z5: the voters too, whether they are members or not. Z1e: a joiner that does not answer may have
 * begun another life, whose vote counts only if it was asked as a stranger. U3c: who acknowledges
 * the proposal has its base, and may not get all of it when its voter could not grant it at once.
 */
static void ask_voters(struct core *core, const struct message *message, bool again)
{
    const struct voter_lists *lists = &core->change.pending.voters;

    for (uint8_t i = 0; i < lists->count; i++) {
        const struct listed_voter *voter = &lists->voters[i];
        if (!electorate_is_self(core, voter) && !tally_has(&core->answered.tally, i) &&
            !is_asked_as_member(core, voter->name, again)) {
            electorate_ask_one(core, message, voter);
            core->proposing.sent = true;
        }
    }
}

/* U3c: whoever was to have the base and does not gets the whole view with a repetition. */
static void prepare_one(struct core *core, const struct message *message, uint32_t position)
{
    const struct proposing *proposing = &core->proposing;
    const struct member *member = &core->change.pending.members[position];
    const uint32_t in_view = view_find(&core->view, &member->id);

    if (in_view == VIEW_NONE && id_equal(&member->id, &proposing->proposal.merge_with)) {
        outbox_answer(core, message, &member->id, &member->address, change_merge_nonce(core));
        return;
    }
    if (in_view == VIEW_NONE) {
        outbox_send_to(core, message, &member->id, &member->address);
        return;
    }
    watch_want_late(core, in_view, proposing->sendings);
    if (timing_sends_briefly(proposing->sendings)) {
        route_send_brief(core, message, in_view);
    } else {
        route_send(core, message, in_view);
    }
}

/* U4a: the first sending goes to a few, who hand it on; to whom that is of no use it goes itself.
 */
static bool comes_by_others(const struct core *core, uint32_t position)
{
    return core->proposing.spread && core->proposing.sendings == 0 &&
           spread_reaches(core, &core->change.pending.members[position].id);
}

static struct message *make_prepare(struct core *core)
{
    struct message *message = outbox_message(core, MESSAGE_PREPARE);

    if (message != NULL) {
        message->carrier.view = &core->change.pending;
        message->carrier.handover_by = core->proposing.proposal.handover_by;
        message->carrier.merge = core->proposing.proposal.merge;
        if (view_names_voters(&core->change.pending)) {
            accord_lengths(core, &core->change.pending.agreed, &message->carrier.lease_ms,
                           &message->carrier.hold_ms);
        }
    }
    return message;
}

static void send_prepare(struct core *core, bool again)
{
    struct message *message = make_prepare(core);

    for (uint32_t i = 0; i < core->change.pending.member_count; i++) {
        bool its_turn = core->proposing.asked_last || i != change_who_stands_down(core);
        if (change_is_awaited(core, i) && its_turn) {
            if (!comes_by_others(core, i)) {
                prepare_one(core, message, i);
            }
            core->proposing.sent = true;
        }
    }
    if (core->proposing.spread && core->proposing.sendings == 0) {
        spread_begin(core, message, &core->change.pending);
    }
    ask_voters(core, message, again);
    core->proposing.sendings++;
    core->proposing.asking.again_ms = core->now_ms +
                                      timing_resend_ms(&core->timing, core->proposing.sendings);
}

static void ask_own_voter(struct core *core)
{
    const uint8_t place = electorate_own(core, &core->change.pending.voters);
    struct message vote;

    if (place != VOTER_NONE && !tally_has(&core->answered.tally, place) &&
        voting_prepare_self(core, &core->change.pending, &vote)) {
        change_on_vote(core, &vote);
    }
}

/* A proposer that is no member shows its proposal alone, and not what that is built on, which need
 * not be committed: whoever asks may be a member, and would install it. */
void change_on_pull(struct core *core, const struct message *message)
{
    const bool is_shown = core->change.on && core_is_strict(core) && !message->fellow &&
                          message->echo != 0;

    if (core_is_member(core)) {
        install_on_pull(core, message);
    } else if (!is_shown) {
        refuse(core, message, REFUSED_NOT_YET_MEMBER);
    }
    if (is_shown && !refuse_beyond_few(core, message)) {
        outbox_answer(core, make_prepare(core), &message->from, &message->source, message->echo);
        core->proposing.sent = true;
    }
}

/* --- Proposing --- */

/* M4: the other part's coordinator may be slow (D4), and without it there is no merge; it waits for
 * T_merge itself. */
static uint64_t patience_ms(const struct core *core, const struct proposal *proposal)
{
    const struct timing *timing = &core->timing;
    uint64_t merge_ms = earlier(timing->lost_ms, timing->merge_ms);

    return proposal->merge != 0 && merge_ms > timing->prepare_ms ? merge_ms : timing->prepare_ms;
}

void change_propose(struct core *core, struct view *next, const struct proposal *proposal)
{
    struct proposing *proposing = &core->proposing;

    if (!change_give_numbers(core, next)) {
        return;
    }
    view_place_voters(next);
    view_seal(next);
    assert(id_equal(&next->members[0].id, &core->life.self.id));

    change_open(core, next);
    change_acknowledge_no_more(core);
    change_forget_answers(core);
    proposing->sent = false;
    proposing->sendings = 0;
    proposing->asked_last = false;
    proposing->spread = proposal->merge == 0 && spread_suits(core, next);
    proposing->proposal = *proposal;
    asking_begin(&proposing->asking, core->now_ms, patience_ms(core, proposal));
    ask_own_voter(core);
    if (!core->change.on) {
        return; /* This node's own voter is bound to a higher epoch. */
    }
    send_prepare(core, false);
}

void change_found(struct core *core)
{
    struct view *first = next_view_buffer(core);

    view_clear(first);
    first->lineage = random_u64(&core->random) | 1; /* Never 0: that means none. */
    first->epoch = promise_new_epoch(core);
    first->version = 1;
    first->cause = CAUSE_FOUND;
    first->agreed = accord_to_found_with(core);
    view_append(first, &core->life.self);
    view_seal(first);
    change_note_numbers(core, first);
    install_view(core, first);
}

void change_start_next(struct core *core)
{
    struct proposal proposal = {.first_joiner = 0};

    if (core->change.on || !core_is_coordinator(core) || core->merge.yielding ||
        core->now_ms < core->next.due_ms) {
        return;
    }
    if (standing_is_handed_over(core)) {
        next_view_put_off(core,
                          core->now_ms + core->timing.claim_ms); /* Z7c: another has its word. */
        return;
    }
    if (change_is_overtaken(core)) {
        next_view_put_off(core, core->now_ms + core->timing.claim_ms); /* First a new epoch. */
        return;
    }
    if (!standing_is_settled(core)) {
        next_view_put_off(core, core->now_ms + core->timing.fresh_ms / 4);
        return;
    }
    struct view *next = next_view_build(core, &proposal);
    if (next != NULL) {
        change_propose(core, next, &proposal);
    }
}

/* --- Waiting for answers --- */

void change_ask_again(struct core *core)
{
    ask_own_voter(core);
    if (core->change.on) {
        send_prepare(core, true);
    }
}

bool change_asks_the_former(struct core *core, bool late)
{
    uint32_t former = change_who_stands_down(core);

    if (core->proposing.asked_last || former == VIEW_NONE ||
        !(late || change_all_but_the_former_answered(core, former))) {
        return false;
    }
    core->proposing.asked_last = true;
    core->proposing.sendings = 0;
    asking_begin(&core->proposing.asking, core->now_ms, core->timing.prepare_ms);
    send_prepare(core, false);
    return true;
}

bool change_is_late(struct core *core)
{
    return asking_ends(&core->proposing.asking, core->now_ms, core->timing.batch_ms, 1);
}

void change_wait_on(struct core *core)
{
    core->proposing.asking.until_ms = core->now_ms + core->timing.prepare_ms;
}

void change_wait_a_step(struct core *core)
{
    core->proposing.asking.again_ms = core->now_ms;
}

void change_on_late(struct core *core, uint64_t late_ms)
{
    asking_on_late(&core->proposing.asking, late_ms);
}

void change_begin_step(struct core *core)
{
    core->proposing.sent = false;
}
