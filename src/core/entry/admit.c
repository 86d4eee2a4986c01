#include "core/entry/admit.h"

#include <string.h>

#include "base/hash.h"
#include "core/agreement/accord.h"
#include "core/agreement/electorate.h"
#include "core/agreement/install.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/detection/flap.h"
#include "core/detection/hearing.h"
#include "core/detection/route.h"
#include "core/detection/standing.h"
#include "core/detection/watch.h"
#include "core/entry/join.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

/* J3: proves that the joiner receives at its address, and needs no memory until it has. It holds
 * for one view only: a READY that was delayed or sent again later lets nobody in. */
static uint64_t nonce_of(const struct core *core, const struct member *joiner)
{
    uint64_t hash = hash_u64(hash_u64(HASH_START, core->secret), core->view.hash);

    hash = hash_bytes(hash, joiner->id.bytes, sizeof joiner->id.bytes);
    hash = address_hash(hash, &joiner->address);
    hash = hash_u64(hash, joiner->address.port);
    return hash_finish(hash_u64(hash, core->secret));
}

static void answer_at(struct core *core, const struct message *message, const struct joiner *joiner,
                      const struct address *address)
{
    outbox_answer(core, message, &joiner->member.id, address,
                  (uint32_t)joiner->nonce); /* J3c: it was asked. */
}

/* To its own address, so that who is let in there is there. */
static void answer(struct core *core, const struct message *message, const struct joiner *joiner)
{
    answer_at(core, message, joiner, &joiner->member.address);
}

/* J2c: those of all members but its own former life, whose place it takes. */
static struct versions versions_asked(const struct core *core, const struct member *joiner)
{
    return view_versions(&core->view, view_find_address(&core->view, &joiner->address));
}

/* What a joiner is told of a refusal that stands. */
static enum join_refusal reason_of(enum refusal against)
{
    return against == REFUSED_TERMS_DIFFER      ? JOIN_REFUSED_TERMS
           : against == REFUSED_VERSIONS_DIFFER ? JOIN_REFUSED_VERSIONS
           : against == REFUSED_NAME_IN_USE     ? JOIN_REFUSED_NAME
                                                : JOIN_REFUSED_FULL;
}

/* Who has its name; where a witness has that, or its address, the joiner's own address says so. */
static const struct address *holder_of(const struct core *core, const struct member *joiner)
{
    const uint32_t position = view_find_name(&core->view, joiner->name);

    return position == VIEW_NONE ? &joiner->address : &core->view.members[position].address;
}

static void turn_away(struct core *core, const struct joiner *joiner, enum refusal against)
{
    struct message *message = outbox_message(core, MESSAGE_JOIN_REFUSED);

    if (message == NULL) {
        return;
    }
    message->join_refused.reason = reason_of(against);
    terms_copy(&message->join_refused.terms, &core->terms);
    if (core->terms.number != 0) { /* A4b: who comes in has to be started with that. */
        message->join_refused.terms.capacity = core->terms.room;
    }
    message->join_refused.limit = core_room(core);
    message->join_refused.versions = versions_asked(core, &joiner->member);
    message->join_refused.joiner = joiner->member.versions;
    if (against == REFUSED_NAME_IN_USE) {
        message->join_refused.address = *holder_of(core, &joiner->member);
    }
    answer(core, message, joiner);
    /* A flood of joiners is told of, not each of them. */
    if (pause_pass(&core->admit.told, core->now_ms, core->timing.heartbeat_ms)) {
        struct notice *notice = outbox_notice_of(core, NOTICE_TURNED_AWAY, &joiner->member);
        join_refused_copy(&notice->refused, &message->join_refused);
    }
}

/* What stands against a joiner as such. I2: a name is taken by a live member at another address,
 * and in doubt while that one is silent. */
static enum refusal why_not(struct core *core, const struct joiner *joiner)
{
    const uint32_t holder = view_find_name(&core->view, joiner->member.name);

    if (!accord_admits(core, &joiner->terms)) {
        return REFUSED_TERMS_DIFFER;
    }
    const enum refusal against = next_view_turns_away(core, &core->view, &joiner->member);
    if (against != REFUSED_NAME_IN_USE || holder == VIEW_NONE) {
        return against;
    }
    watch_want(core, holder);
    return hearing_is_fresh(core, holder) ? against : REFUSED_NAME_IN_DOUBT;
}

/* The joiner is told of what stands against it for good. */
static bool is_turned_away(struct core *core, const struct message *message, enum refusal against)
{
    if (against == REFUSED_NOT || against == REFUSED_NAME_IN_DOUBT) {
        return false;
    }
    refuse(core, message, against);
    turn_away(core, &message->joiner, against);
    return true;
}

/* What only stands against it now: this node must be sure of its reign, not be about to give it up
 * (M3), the name must be free (I2), and not fail too often (R4). It asks again. */
static bool is_the_moment(struct core *core, const struct message *message, enum refusal against)
{
    if (!standing_is_settled(core)) {
        against = REFUSED_REIGN_UNSURE;
    } else if (core->merge.yielding) {
        against = REFUSED_PART_YIELDS;
    } else if (against == REFUSED_NOT && !flap_admits(core, message->joiner.member.name)) {
        against = REFUSED_NAME_FLAPS;
    }
    if (against != REFUSED_NOT) {
        refuse(core, message, against);
    }
    return against == REFUSED_NOT;
}

/* F2: of two who may found, the one with the lower address does; the other waits for it. */
static void on_join_while_joining(struct core *core, const struct message *message)
{
    const struct joiner *joiner = &message->joiner;

    join_meet(core, message);
    /* Z8g: under guard strict nothing is founded twice, and a founder that has lost its record
     * would be waited for in vain. */
    if (joiner->may_found && core->join.found_ms != NEVER_MS && !core_is_strict(core) &&
        address_compare(&joiner->member.address, &core->life.self.address) < 0) {
        join_give_way(core);
        book_remember(&core->book, &joiner->member.address);
    } else if (core->expect == 0) {
        refuse(core, message, REFUSED_FOUNDING_GOES_ON);
    }
}

/* V6d: the JOIN comes from where its answer goes, or a fellow member vouches for that: it has
 * handed it on. Any other one may name whatever address it likes, and few of those are answered. */
static bool may_answer(struct core *core, const struct message *message)
{
    const struct joiner *joiner = &message->joiner;
    bool handed_on = joiner->hops > 0 &&
                     view_find_address(&core->view, &message->source) != VIEW_NONE;

    return handed_on || address_equal(&message->source, &joiner->member.address) ||
           !refuse_beyond_few(core, message);
}

/* J1: any member takes a JOIN and hands it to the coordinator, once. */
static void hand_on(struct core *core, const struct message *message)
{
    if (message->joiner.hops > 0) {
        refuse(core, message, REFUSED_HANDED_ON_BEFORE);
        return;
    }
    struct message *forward = outbox_message(core, MESSAGE_JOIN);
    if (forward != NULL) {
        joiner_copy(&forward->joiner, &message->joiner);
        forward->joiner.hops = 1;
    }
    route_send(core, forward, 0);
}

static void send_offer(struct core *core, const struct joiner *joiner,
                       const struct address *address)
{
    struct message *message = outbox_message(core, MESSAGE_OFFER);

    if (message != NULL) {
        message->offer.nonce = nonce_of(core, &joiner->member);
        message->offer.lineage = core->view.lineage;
    }
    answer_at(core, message, joiner, address);
}

/* V6d: to where the view has it, for a JOIN may name any address; but what the view says of that
 * may be a lie, so to where it comes from, if that is one of the cluster's. */
static void show_view(struct core *core, const struct message *message)
{
    const struct member *joiner = &message->joiner.member;
    uint32_t position = view_find(&core->view, &joiner->id);
    const struct gone *gone = view_find_gone(&core->view, &joiner->id);
    const struct address *address = position != VIEW_NONE ? &core->view.members[position].address
                                                          : &gone->address;

    if (address_equal(&message->source, &joiner->address) &&
        book_has(&core->book, &joiner->address)) {
        address = &joiner->address;
    }
    if (install_show(core, message, &joiner->id, address) && message->type == MESSAGE_JOIN &&
        core_is_coordinator(core)) {
        /* J3c: the view may be too long to arrive, and nobody is to found beside it. */
        send_offer(core, &message->joiner, address);
    }
}

/* In already, or out already and in need of a new id (S5): both are for the joiner to see. */
static bool is_known(const struct core *core, const struct node_id *id)
{
    return view_has(&core->view, id) || view_find_gone(&core->view, id) != NULL;
}

/* F2c: a member that will take over itself, or follow whoever does. Nobody is to begin anew beside
 * it. */
static bool is_without_coordinator(const struct core *core)
{
    return core->life.phase == PHASE_MEMBER && watch_is_on(core, 0) && !hearing_is_fresh(core, 0);
}

void admit_on_join(struct core *core, const struct message *message)
{
    const struct joiner *joiner = &message->joiner;

    electorate_learn(core, &joiner->member, (uint32_t)joiner->nonce);
    if (core->life.phase == PHASE_JOINING) {
        on_join_while_joining(core, message);
        return;
    }
    if (is_known(core, &joiner->member.id)) {
        show_view(core, message); /* J3: our answer was lost. Change nothing. */
        return;
    }
    if (!may_answer(core, message)) {
        return;
    }
    if (!core_is_coordinator(core)) {
        if (is_without_coordinator(core) && accord_admits(core, &joiner->terms)) {
            send_offer(core, joiner, &joiner->member.address);
        }
        hand_on(core, message);
        return;
    }
    if (!is_turned_away(core, message, why_not(core, joiner))) {
        send_offer(core, joiner,
                   &joiner->member.address); /* Even if it has to wait: somebody is here (F2). */
    }
}

/* J8: whoever takes the epoch for a token must never see it fall, not even after a restart of all,
 * when the founder may be one who had missed the last of them. */
static void heed_epoch(struct core *core, const struct message *message)
{
    uint64_t epoch = message->joiner.epoch_seen;

    if (promise_epoch_leaps(core, epoch)) {
        refuse(core, message, REFUSED_READY_EPOCH_LEAPS);
    } else if (epoch > core->view.epoch) {
        promise_saw_epoch(core, epoch);
        next_view_want_epoch(core);
    }
}

void admit_on_ready(struct core *core, const struct message *message)
{
    const struct joiner *joiner = &message->joiner;

    if (!core_is_coordinator(core)) {
        refuse(core, message, REFUSED_NOT_COORDINATOR);
        return;
    }
    if (!id_equal(&message->from, &joiner->member.id)) {
        refuse(core, message, REFUSED_READY_FOR_ANOTHER);
        return;
    }
    if (is_known(core, &joiner->member.id)) {
        show_view(core, message);
        return;
    }
    if (core->change.on && view_has(&core->change.pending, &joiner->member.id)) {
        refuse(core, message, REFUSED_READY_UNDER_WAY);
        return;
    }
    const bool proved = joiner->nonce == nonce_of(core, &joiner->member); /* where it receives */
    if (!proved && !may_answer(core, message)) {
        return;
    }
    const enum refusal against = why_not(core, joiner);
    if (is_turned_away(core, message, against) || !is_the_moment(core, message, against)) {
        return;
    }
    if (!proved) {
        REACHED(ready_overtaken);
        refuse(core, message, REFUSED_NONCE_OVERTAKEN);
        send_offer(core, joiner,
                   &joiner->member.address); /* Overtaken by a change of the view, or never ours. */
        return;
    }
    heed_epoch(core, message);
    if (!next_view_queue(core, joiner)) {
        refuse(core, message, REFUSED_QUEUE_FULL); /* It asks again when the queue is shorter. */
    } else if (core->life.phase == PHASE_LEAVING) {
        refuse(core, message, REFUSED_LEAVING); /* It waits for the next one. */
    }
}
