#include "core/agreement/change_accept.h"

#include "core/agreement/authority.h"
#include "core/agreement/change.h"
#include "core/agreement/install.h"
#include "core/agreement/promise.h"
#include "core/agreement/spread.h"
#include "core/agreement/voting.h"
#include "core/detection/route.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

/* U4d: COMMIT would have come by then, did the maker not wait for somebody. */
enum { ACKS_OF_A_CHANGE_THAT_WAITS = 3 };

/* --- Answering --- */

static void answer(struct core *core, enum message_type type, const struct view *proposal,
                   const struct view_id *id, uint64_t hash)
{
    struct message *message = outbox_message(core, type);

    if (message != NULL) {
        message->reference.view = *id;
        message->reference.view_hash = hash;
        message->reference.promised = type == MESSAGE_NACK ? core->promise.epoch : 0;
    }
    route_reach(core, message, &proposal->members[0].id, &proposal->members[0].address);
}

/* Acknowledges what this node has accepted. */
static void acknowledge(struct core *core)
{
    const struct view *accepted = &core->change.pending;
    const struct member *maker = &accepted->members[0];
    const struct view_id id = view_id_of(accepted);

    if (core->accepting.echo == 0 || view_has(&core->view, &maker->id)) {
        answer(core, MESSAGE_ACK, accepted, &id, accepted->hash);
        return;
    }
    struct message *message = outbox_message(core, MESSAGE_ACK);
    if (message != NULL) {
        message->reference.view = id;
        message->reference.view_hash = accepted->hash;
    }
    outbox_answer(core, message, &maker->id, &maker->address, core->accepting.echo);
}

/* M4h: if the merge comes to nothing because its makers die, the others have heard of each other.
 */
static void remember_members(struct core *core, const struct view *view)
{
    for (uint32_t i = 0; i < view->member_count && i < BOOK_MAX / 4; i++) {
        book_remember(&core->book, &view->members[i].address);
    }
}

static void accept(struct core *core, const struct message *message)
{
    const struct view *proposal = message->carrier.view;

    change_drop_own(core); /* What this node proposed itself is superseded. */
    change_take(core, proposal);
    if (proposal->cause == CAUSE_MERGE) {
        remember_members(core, proposal);
    }
    if (core_is_member(core)) {
        promise_saw_proposal(core, proposal->epoch);
    } else {
        promise_near_epoch(core, proposal->epoch); /* There is no view to measure it by (V7f). */
    }
    if (core_is_member(core) && proposal->epoch > core->view.epoch &&
        proposal->epoch >= core->promise.epoch) {
        promise_give(core, proposal->epoch, &proposal->members[0].id,
                     core->now_ms + timing_proposal_ms(&core->timing));
    }
    core->accepting.acks = 1;
    core->accepting.ack_ms = core->now_ms + timing_ack_ms(&core->timing, 1);
    core->accepting.echo = proposal->cause == CAUSE_MERGE ? message->echo : 0;
    acknowledge(core);
}

/* U2. Returns whether this node is bound by it now. */
static bool consider_as_member(struct core *core, const struct message *message)
{
    const struct view *proposal = message->carrier.view;
    struct view_id theirs = view_id_of(proposal);
    struct view_id ours = view_id_of(&core->view);

    if (view_id_equal(&theirs, &ours)) {
        REACHED(acknowledgement_repeated);
        answer(core, MESSAGE_ACK, proposal, &ours, core->view.hash); /* Ours was lost. */
        return false;
    }
    if (view_id_compare(&theirs, &ours) < 0) {
        refuse(core, message, REFUSED_PROPOSAL_NOT_HIGHER);
        return false;
    }
    struct view_id accepted = view_id_of(&core->change.pending);
    if (accepted.lineage == theirs.lineage &&
        id_equal(&accepted.coordinator, &theirs.coordinator) &&
        view_id_compare(&theirs, &accepted) < 0) {
        refuse(core, message, REFUSED_PROPOSAL_OVERTAKEN);
        return false;
    }
    if (core->change.on && view_id_compare(&theirs, &accepted) < 0) {
        refuse(core, message, REFUSED_PROPOSAL_OVERTAKEN); /* By our own. */
        return false;
    }
    const enum authority authority = install_weigh(core, message);
    if (authority == AUTHORITY_UNASKED) {
        return false;
    }
    if (!authority_counts(authority)) {
        REACHED(proposal_of_another_coordinator);
        refuse(core, message, REFUSED_PROPOSAL_NOT_FOLLOWED);
        install_answer_not_following(core, message);
        install_ask_coordinator(core, message);
        return false;
    }
    if (proposal->epoch < core->promise.epoch) {
        REACHED(proposal_below_a_promise);
        refuse(core, message, REFUSED_PROPOSAL_BELOW_PROMISE);
        answer(core, MESSAGE_NACK, proposal, &theirs, proposal->hash);
        return false;
    }
    accept(core, message);
    return true;
}

/* Its maker waits for answers by the terms that it brings, which this joiner may not go by yet. */
uint64_t change_promised_until_ms(const struct core *core)
{
    const struct change *change = &core->change;
    const bool brings_terms = change->pending.agreed.number != 0;
    const struct timing theirs = brings_terms ? agreed_timing(&change->pending.agreed)
                                              : core->timing;

    return change->accepted_ms +
           larger(timing_proposal_ms(&core->timing), timing_proposal_ms(&theirs));
}

/* What this joiner accepted may come about yet. */
static bool is_promised(const struct core *core)
{
    return !view_is_empty(&core->change.pending) && core->now_ms < change_promised_until_ms(core);
}

bool change_is_promised(const struct core *core)
{
    return is_promised(core) && !id_equal(&core->change.pending.members[0].id, &core->life.self.id);
}

/* A joiner whom two coordinators want to let in keeps to the first until that must have come to an
 * end, and never goes back to a lower view. */
static bool is_promised_elsewhere(const struct core *core, const struct view *proposal)
{
    struct view_id accepted = view_id_of(&core->change.pending);
    struct view_id proposed = view_id_of(proposal);

    if (!is_promised(core)) {
        return false;
    }
    /* Whoever took over from the coordinator that this joiner answered does so without that one. */
    bool successor = accepted.lineage == proposed.lineage &&
                     view_id_compare(&proposed, &accepted) > 0 &&
                     !view_has(proposal, &accepted.coordinator);
    bool other = !id_equal(&accepted.coordinator, &proposed.coordinator) && !successor;
    bool lower = accepted.lineage == proposed.lineage && view_id_compare(&proposed, &accepted) < 0;
    return other || lower;
}

bool change_asks_voter(struct core *core, const struct message *message)
{
    if (!install_is_sound(core, message)) {
        return false;
    }
    if (!id_equal(&message->carrier.view->members[0].id, &message->from)) {
        refuse(core, message, REFUSED_PROPOSAL_OF_ANOTHER);
        return false;
    }
    if (!message_is_spread(message)) { /* U4d: nobody else asks for a lease in the maker's name. */
        voting_on_prepare(core, message);
    }
    return true;
}

bool change_on_prepare(struct core *core, const struct message *message)
{
    struct view *proposal = message->carrier.view;

    if (!change_asks_voter(core, message)) {
        return false;
    }
    if (!view_has(proposal, &core->life.self.id)) {
        refuse(core, message, REFUSED_PROPOSAL_WITHOUT_US);
        return false;
    }
    if (core_is_member(core)) {
        return consider_as_member(core, message);
    }
    const bool is_merge = message->carrier.merge != 0; /* A joiner has asked for no merge. */
    if (core->join.ready_count == 0 || is_merge) {
        refuse(core, message, REFUSED_PROPOSAL_NOT_EXPECTED);
        return false;
    }
    if (is_promised_elsewhere(core, proposal)) {
        refuse(core, message, REFUSED_JOINER_BOUND);
        return false;
    }
    accept(core, message);
    return true;
}

/* --- What becomes of it --- */

void change_acknowledge_again(struct core *core)
{
    struct accepting *accepting = &core->accepting;

    if (core->now_ms >= core->change.accepted_ms + core->timing.prepare_ms ||
        core->promise.epoch > core->change.pending.epoch) {
        accepting->ack_ms = 0;
        return;
    }
    accepting->acks++;
    accepting->ack_ms = core->now_ms + timing_ack_ms(&core->timing, accepting->acks);
    acknowledge(core);
    if (accepting->acks >= ACKS_OF_A_CHANGE_THAT_WAITS) {
        spread_to_joiners(core, accepting->acks - ACKS_OF_A_CHANGE_THAT_WAITS);
    }
}

void change_acknowledge_no_more(struct core *core)
{
    core->accepting.ack_ms = 0;
}

bool change_on_commit(struct core *core, const struct message *message)
{
    struct view_id ours = view_id_of(&core->view);
    const struct view_id *named = &message->reference.view;

    if (view_is_named(&core->change.pending, &message->reference) && !core->change.on &&
        id_equal(&named->coordinator, &message->from) &&
        (view_is_empty(&core->view) || view_id_compare(named, &ours) > 0)) {
        install_view(core, &core->change.pending);
        return true;
    }
    if (core_is_member(core) && view_id_compare(named, &ours) <= 0) {
        refuse(core, message, REFUSED_COMMIT_NOT_HIGHER);
        return false;
    }
    /* We missed the proposal: ask for the whole. */
    if (view_has(&core->view, &message->from)) {
        install_pull(core, message);
    } else {
        install_ask_stranger(core, message);
    }
    return false;
}

bool change_is_in_vain(const struct core *core, const struct message *heartbeat, uint32_t position,
                       const struct view *higher, uint64_t since_ms)
{
    struct view_id id = view_id_of(higher);
    uint64_t kept_ms = position == 0 ? 2 * core->timing.merge_ms : core->timing.flap_ms;

    return !view_is_empty(higher) && view_id_compare(&heartbeat->heartbeat.view, &id) < 0 &&
           core->now_ms >= since_ms + kept_ms;
}

void change_compare(struct core *core, const struct message *heartbeat, uint32_t position)
{
    const struct change *change = &core->change;

    if (!change->on &&
        change_is_in_vain(core, heartbeat, position, &change->pending, change->accepted_ms)) {
        REACHED(accepted_in_vain);
        change_forget(core);
        change_acknowledge_no_more(core);
    }
}

void change_accept_on_view_installed(struct core *core)
{
    if (view_is_empty(&core->change.pending)) {
        change_acknowledge_no_more(core);
    }
}

void change_accept_reset(struct core *core)
{
    change_acknowledge_no_more(core);
}
