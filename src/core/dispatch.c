/* The gate that each message has to pass, and for each type who acts on it. */
#include "core/dispatch.h"

#include <assert.h>

#include "core/agreement/absent.h"
#include "core/agreement/candidacy.h"
#include "core/agreement/change_accept.h"
#include "core/agreement/change_answers.h"
#include "core/agreement/granter.h"
#include "core/agreement/install.h"
#include "core/agreement/voting.h"
#include "core/agreement/witness.h"
#include "core/detection/detector.h"
#include "core/detection/lease.h"
#include "core/detection/numbers.h"
#include "core/detection/removal.h"
#include "core/entry/admit.h"
#include "core/entry/join.h"
#include "core/entry/leave.h"
#include "core/entry/move.h"
#include "core/entry/wish.h"
#include "core/handlers.h"
#include "core/healing/merge.h"
#include "core/holding/holding.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

/* --- What holds for every message --- */

/* Z1d: a voter is asked by its name, whatever life it has by now; for a record by its life (Z8c).
 * Returns whether this was for the voter. It is no sign of life. */
static bool asks_the_voter(struct core *core, const struct message *message)
{
    if (!core_is_strict(core) || message->relay) {
        return false;
    }
    if (message->type == MESSAGE_BALLOT && message->carrier.epoch != 0) {
        voting_on_ballot(core, message);
        return true;
    }
    return message->type == MESSAGE_PREPARE && change_asks_voter(core, message);
}

/* R2c: from one fellow member to another. */
static bool is_between_fellows(const struct core *core, const struct message *message)
{
    return core_is_member(core) && view_has(&core->view, &message->to) &&
           view_has(&core->view, &message->from);
}

static void hand_on(struct core *core, const struct message *message)
{
    if (message->handed_on) {
        refuse(core, message, REFUSED_RELAYED_BEFORE);
    } else if (!is_between_fellows(core, message)) {
        refuse(core, message, REFUSED_RELAY_OF_STRANGERS);
    } else {
        REACHED(relayed);
        outbox_hand_on(core, message);
    }
}

/* What holds for every message, asked once (I1, V6). */
static bool passes_gate(struct core *core, const struct message *message)
{
    if (core->life.phase == PHASE_STOPPED) {
        refuse(core, message, REFUSED_STOPPED);
        return false;
    }
    if (id_equal(&message->from, &core->life.self.id)) {
        refuse(core, message, REFUSED_FROM_OURSELVES);
        return false;
    }
    if (!id_is_none(&message->to) && !id_equal(&message->to, &core->life.self.id)) {
        if (message->relay) {
            hand_on(core, message);
        } else if (!asks_the_voter(core, message)) {
            refuse(core, message, REFUSED_FOR_ANOTHER_LIFE);
        }
        return false;
    }
    return true;
}

/* --- Who acts on it --- */

/* Z8h: a founder, of whom this life has asked to be let in; or Z11e: its coordinator, which wants
 * it for a voter. */
static bool may_want_record(const struct core *core, const struct message *ballot)
{
    return core_is_member(core)
               ? ballot->fellow && id_equal(&ballot->from, &core->view.members[0].id) &&
                     ballot->carrier.lineage == core->view.lineage
               : ballot->echo == join_echo(core);
}

/* What is only for guard strict. Returns whether it was that. */
static bool dispatch_ballots(struct core *core, const struct message *message)
{
    if (message->type == MESSAGE_VOTE) {
        handlers_on_vote(core, message);
        return true;
    }
    if (message->type != MESSAGE_BALLOT) {
        return false;
    }
    if (!core_is_strict(core)) {
        refuse(core, message, REFUSED_NO_VOTER);
    } else if (message->carrier.epoch == 0 && !may_want_record(core, message)) {
        refuse(core, message, REFUSED_RECORD_UNASKED);
    } else {
        voting_on_ballot(core, message);
    }
    return true;
}

/* What a node may hear before it is a member. */
static void dispatch_joining(struct core *core, const struct message *message)
{
    switch (message->type) {
    case MESSAGE_VIEW:
        handlers_on_view(core, message);
        return;
    case MESSAGE_PREPARE:
        handlers_on_prepare(core, message);
        return;
    case MESSAGE_COMMIT:
        handlers_on_commit(core, message);
        return;
    case MESSAGE_JOIN:
        admit_on_join(core, message);
        return;
    case MESSAGE_OFFER:
        join_on_offer(core, message);
        return;
    case MESSAGE_JOIN_REFUSED:
        join_on_refused(core, message);
        return;
    case MESSAGE_PROBE:
        handlers_on_probe(core, message);
        return;
    case MESSAGE_PING:
        handlers_on_ping(core, message);
        return;
    case MESSAGE_HEARTBEAT:
    case MESSAGE_PULL:
    case MESSAGE_ACK:
    case MESSAGE_NACK:
    case MESSAGE_NOT_FOLLOWING:
    case MESSAGE_CLAIM:
    case MESSAGE_GRANT:
    case MESSAGE_CLAIM_REFUSED:
    case MESSAGE_READY:
    case MESSAGE_WISH:
    case MESSAGE_HANDOVER:
    case MESSAGE_PONG:
    case MESSAGE_MERGE:
    case MESSAGE_MERGE_REFUSED:
    case MESSAGE_HELLO:
    case MESSAGE_BALLOT:
    case MESSAGE_VOTE:
    case MESSAGE_ROLES_ASK:
    case MESSAGE_ROLES_ENTER:
    case MESSAGE_ROLES_LET_GO:
    case MESSAGE_ROLES_ANSWER:
    case MESSAGE_ROLES_PLACE:
        refuse(core, message, REFUSED_NOT_YET_MEMBER);
        return;
    }
}

/* Of one who is no member nothing is newer (D6). */
static enum number take_number(struct core *core, const struct message *message, uint32_t sender)
{
    enum number number = sender == VIEW_NONE ? NUMBER_OLD : numbers_take(core, message, sender);

    if (number == NUMBER_NEWER || number == NUMBER_ANSWERS) {
        detector_heard(core, message, sender);
    }
    return number;
}

static void refuse_as_member(struct core *core, const struct message *message)
{
    refuse(core, message, REFUSED_ALREADY_MEMBER);
}

static void refuse_greeting(struct core *core, const struct message *message)
{
    refuse(core, message, REFUSED_GREETING);
}

static void on_ballot_or_vote(struct core *core, const struct message *message)
{
    (void)dispatch_ballots(core, message);
}

static void on_handover(struct core *core, const struct message *message)
{
    if (message->carrier.stays) {
        move_on_handover(core, message);
    } else {
        leave_on_handover(core, message);
    }
}

typedef void handler(struct core *core, const struct message *message);

/* Who acts on such a message when this node is a member. NULL: dispatch_member calls it, for it has
 * to know more than the message says. */
static handler *handler_of_member(enum message_type type)
{
    switch (type) {
    case MESSAGE_PULL:
        return install_on_pull;
    case MESSAGE_VIEW:
        return handlers_on_view;
    case MESSAGE_PREPARE:
        return handlers_on_prepare;
    case MESSAGE_ACK:
        return change_on_ack;
    case MESSAGE_NACK:
        return change_on_nack;
    case MESSAGE_NOT_FOLLOWING:
        return change_on_not_following;
    case MESSAGE_COMMIT:
        return handlers_on_commit;
    case MESSAGE_CLAIM:
        return granter_on_claim;
    case MESSAGE_GRANT:
        return candidacy_on_grant;
    case MESSAGE_CLAIM_REFUSED:
        return candidacy_on_refused;
    case MESSAGE_JOIN:
        return admit_on_join;
    case MESSAGE_READY:
        return admit_on_ready;
    case MESSAGE_HANDOVER:
        return on_handover;
    case MESSAGE_PING:
        return handlers_on_ping;
    case MESSAGE_PONG:
        return removal_on_pong;
    case MESSAGE_PROBE:
        return handlers_on_probe;
    case MESSAGE_MERGE:
        return merge_on_merge;
    case MESSAGE_MERGE_REFUSED:
        return merge_on_refused;
    case MESSAGE_OFFER:
    case MESSAGE_JOIN_REFUSED:
        return refuse_as_member;
    case MESSAGE_HELLO:
        return refuse_greeting;
    case MESSAGE_BALLOT:
    case MESSAGE_VOTE:
        return on_ballot_or_vote;
    case MESSAGE_HEARTBEAT:
    case MESSAGE_WISH:
    case MESSAGE_ROLES_ASK:
    case MESSAGE_ROLES_ENTER:
    case MESSAGE_ROLES_LET_GO:
    case MESSAGE_ROLES_ANSWER:
    case MESSAGE_ROLES_PLACE:
        break;
    }
    return NULL;
}

static void dispatch_member(struct core *core, const struct message *message)
{
    uint32_t sender = view_find(&core->view, &message->from);
    enum number number = take_number(core, message, sender);

    if (number == NUMBER_ANSWERS) {
        lease_on_said(core, message, sender);
        return;
    }
    if (number == NUMBER_LEAPS) {
        refuse(core, message, REFUSED_NUMBER_LEAPS);
        return;
    }
    if (message->type == MESSAGE_HEARTBEAT) {
        handlers_on_heartbeat(core, message, sender, number);
        return;
    }
    if (message->type == MESSAGE_WISH) {
        wish_on_wish(core, message, sender, number == NUMBER_NEWER);
        return;
    }
    handler *handle = handler_of_member(message->type);
    if (handle != NULL) {
        handle(core, message);
    } else {
        holding_on_message(core, message, sender); /* About a role. */
    }
}

void dispatch_message(struct core *core, const struct message *message)
{
    assert(message->type > 0 && message->type < MESSAGE_TYPE_COUNT);
    core->counters.received[message->type]++;
    if (!passes_gate(core, message)) {
        return;
    }
    if (core->life.phase == PHASE_JOINING && dispatch_ballots(core, message)) {
        return;
    }
    if (message->type == MESSAGE_PONG &&
        (voting_take_proof(core, message) || absent_on_pong(core, message))) {
        return;
    }
    if (core_is_witness(core)) {
        witness_on_message(core, message);
        return;
    }
    if (core->life.phase == PHASE_JOINING) {
        dispatch_joining(core, message);
    } else {
        dispatch_member(core, message);
    }
}
