/* Who acts on a message of each type, in one table, and the gate that each has to pass:
 *
 *     for another life ---> relayed, given to the voter by its name, or refused
 *     for this node ------> joining: `joining`    a member: its number, then `member` or `numbered`
 *                           a witness: `witness` */
#include "core/dispatch.h"

#include <assert.h>

#include "core/agreement/absent.h"
#include "core/agreement/change_accept.h"
#include "core/agreement/change_answers.h"
#include "core/agreement/change_propose.h"
#include "core/agreement/electorate.h"
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

typedef void handler(struct core *core, const struct message *message);
typedef void numbered_handler(struct core *core, const struct message *message, uint32_t sender,
                              enum number number);

/* Who acts on a message of one type. Where nobody does, it is refused. */
struct row {
    handler *joining; /* while this node is no member yet */

    /* As a member, once the message has shown what its number says (D6): */
    handler *member;
    numbered_handler *numbered; /* in place of `member`: for whoever goes by that */
    enum refusal against;       /* while both are NULL */

    handler *witness; /* one that only votes (Z16) */
    handler *by_name; /* for the voter that lives here, though it names another life (Z1d) */
};

/* --- Where a type alone does not say who acts on it --- */

/* Z8h: a founder, of whom this life has asked to be let in; or Z11e: its coordinator, which wants
 * it for a voter. */
static bool may_want_record(const struct core *core, const struct message *claim)
{
    return core_is_member(core)
               ? claim->fellow && id_equal(&claim->from, &core->view.members[0].id) &&
                     claim->carrier.lineage == core->view.lineage
               : claim->echo == join_echo(core);
}

static void on_claim(struct core *core, const struct message *message)
{
    if (message->carrier.epoch == 0 && !may_want_record(core, message)) {
        refuse(core, message, REFUSED_RECORD_UNASKED);
    } else if (handlers_on_claim(core, message)) {
        granter_judge(core, message);
    }
}

/* A voter is asked by its name for an epoch, and for a record by its life (Z8c). */
static void on_claim_by_name(struct core *core, const struct message *message)
{
    if (message->carrier.epoch != 0) {
        (void)handlers_on_claim(core, message);
    } else {
        refuse(core, message, REFUSED_FOR_ANOTHER_LIFE);
    }
}

static void on_prepare_of_voter(struct core *core, const struct message *message)
{
    (void)change_asks_voter(core, message);
}

static void on_handover(struct core *core, const struct message *message)
{
    if (message->carrier.stays) {
        move_on_handover(core, message);
    } else {
        leave_on_handover(core, message);
    }
}

/* An answer to this node's voter, to the coordinator that asks one who is no member, or to R1. What
 * a member asked another by number itself is taken in to_member. */
static void on_pong(struct core *core, const struct message *message)
{
    if (voting_take_proof(core, message) || absent_on_pong(core, message)) {
        return;
    }
    if (core_is_member(core)) {
        removal_on_pong(core, message);
    } else {
        refuse(core, message, core_is_witness(core) ? REFUSED_ONLY_VOTES : REFUSED_NOT_YET_MEMBER);
    }
}

/* --- The table --- */

/* clang-format off */
static const struct row rows[MESSAGE_TYPE_COUNT] = {
    /* What members say of themselves, and ask of each other. */
    [MESSAGE_HEARTBEAT] = {.numbered = handlers_on_heartbeat},
    [MESSAGE_PING] = {.joining = handlers_on_ping, .member = handlers_on_ping, .witness = witness_on_ping},
    [MESSAGE_PONG] = {.joining = on_pong, .member = on_pong, .witness = on_pong},
    [MESSAGE_WISH] = {.numbered = wish_on_wish},
    [MESSAGE_HELLO] = {.against = REFUSED_GREETING},

    /* Views, and how they come about. */
    [MESSAGE_PULL] = {.joining = change_on_pull, .member = change_on_pull},
    [MESSAGE_VIEW] = {.joining = handlers_on_view, .member = handlers_on_view, .witness = witness_on_view},
    [MESSAGE_PREPARE] = {.joining = handlers_on_prepare, .member = handlers_on_prepare,
                         .witness = on_prepare_of_voter, .by_name = on_prepare_of_voter},
    [MESSAGE_ACK] = {.member = change_on_ack},
    [MESSAGE_NACK] = {.member = change_on_nack},
    [MESSAGE_NOT_FOLLOWING] = {.member = change_on_not_following},
    [MESSAGE_COMMIT] = {.joining = handlers_on_commit, .member = handlers_on_commit},

    /* Who is to coordinate. */
    [MESSAGE_CLAIM] = {.joining = on_claim, .member = on_claim, .witness = witness_on_claim,
                        .by_name = on_claim_by_name},
    [MESSAGE_VOTE] = {.joining = handlers_on_vote, .member = handlers_on_vote},
    [MESSAGE_HANDOVER] = {.member = on_handover},

    /* Coming in. */
    [MESSAGE_JOIN] = {.joining = admit_on_join, .member = admit_on_join},
    [MESSAGE_OFFER] = {.joining = join_on_offer, .against = REFUSED_ALREADY_MEMBER},
    [MESSAGE_READY] = {.member = admit_on_ready},
    [MESSAGE_JOIN_REFUSED] = {.joining = join_on_refused, .against = REFUSED_ALREADY_MEMBER},

    /* Parts that meet. */
    [MESSAGE_PROBE] = {.joining = handlers_on_probe, .member = handlers_on_probe},
    [MESSAGE_MERGE] = {.member = merge_on_merge},
    [MESSAGE_MERGE_REFUSED] = {.member = merge_on_refused},

    /* Roles (K). */
    [MESSAGE_ROLES_ASK] = {.member = holding_on_message},
    [MESSAGE_ROLES_ENTER] = {.member = holding_on_message},
    [MESSAGE_ROLES_LET_GO] = {.member = holding_on_message},
    [MESSAGE_ROLES_ANSWER] = {.member = holding_on_message},
    [MESSAGE_ROLES_PLACE] = {.member = holding_on_message},
};
/* clang-format on */

/* --- What holds for every message --- */

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

/* It is for another life. That is no sign of life. */
static void on_misdirected(struct core *core, const struct row *row, const struct message *message)
{
    if (message->relay) {
        hand_on(core, message);
    } else if (electorate_may_vote(core) && row->by_name != NULL) {
        row->by_name(core, message);
    } else {
        refuse(core, message, REFUSED_FOR_ANOTHER_LIFE);
    }
}

/* What holds for every message, asked once (I1, V6). */
static bool passes_gate(struct core *core, const struct row *row, const struct message *message)
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
        on_misdirected(core, row, message);
        return false;
    }
    return true;
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

/* D6a: a handler that goes by the number gets no message whose number leaps. All others take such a
 * message as they take a repeated one: two members that have never heard each other ask each other
 * by numbers that leap. */
static void to_member(struct core *core, const struct row *row, const struct message *message)
{
    const uint32_t sender = view_find(&core->view, &message->from);
    const enum number number = take_number(core, message, sender);

    if (number == NUMBER_ANSWERS) {
        lease_on_said(core, message, sender);
    } else if (number == NUMBER_LEAPS && row->numbered != NULL) {
        refuse(core, message, REFUSED_NUMBER_LEAPS);
    } else if (row->numbered != NULL) {
        row->numbered(core, message, sender, number);
    } else if (row->member != NULL) {
        row->member(core, message);
    } else {
        refuse(core, message, row->against);
    }
}

void dispatch_message(struct core *core, const struct message *message)
{
    assert(message->type > 0 && message->type < MESSAGE_TYPE_COUNT);
    const struct row *row = &rows[message->type];

    core->counters.received[message->type]++;
    if (!passes_gate(core, row, message)) {
        return;
    }
    if (core_is_member(core)) {
        to_member(core, row, message);
        return;
    }
    handler *handle = core_is_witness(core) ? row->witness : row->joining;
    if (handle != NULL) {
        handle(core, message);
    } else {
        refuse(core, message, core_is_witness(core) ? REFUSED_ONLY_VOTES : REFUSED_NOT_YET_MEMBER);
    }
}
