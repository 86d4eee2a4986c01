/* Letting others in: the members' side of a join. */
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "core/book.h"
#include "core/change.h"
#include "core/detector.h"
#include "core/flap.h"
#include "core/install.h"
#include "core/join.h"
#include "core/outbox.h"
#include "core/plant.h"
#include "core/removal.h"

/* J3: proves that the joiner receives at its address, and needs no memory until it has. It holds
 * for one view only: a READY that was delayed or sent again later lets nobody in. */
static uint64_t nonce_of(const struct core *core, const struct member *joiner)
{
    uint64_t view = PLANTED(NONCE_FOR_EVER) ? 0 : core->view.hash;
    uint64_t hash = hash_u64(hash_u64(HASH_START, core->secret), view);

    hash = hash_bytes(hash, joiner->id.bytes, sizeof joiner->id.bytes);
    hash = hash_bytes(hash, joiner->address.bytes, sizeof joiner->address.bytes);
    hash = hash_u64(hash, joiner->address.port);
    return hash_finish(hash_u64(hash, core->secret));
}

static void refuse(struct core *core, const struct member *joiner, enum join_refusal reason,
                   const struct address *holder)
{
    struct message *message = outbox_message(core, MESSAGE_JOIN_REFUSED);

    if (message == NULL) {
        return;
    }
    message->join_refused.reason = reason;
    message->join_refused.terms = core->terms;
    message->join_refused.limit = core_room(core);
    if (holder != NULL) {
        message->join_refused.address = *holder;
    }
    outbox_send_to(core, message, &joiner->id, &joiner->address);
    if (core->now_ms >= core->turned_away_ms + core->timing.heartbeat_ms) {
        core->turned_away_ms = core->now_ms; /* A flood of joiners is told of, not each of them. */
        struct notice *notice = outbox_notice_of(core, NOTICE_TURNED_AWAY, joiner);
        notice->refused = message->join_refused;
    }
}

enum name_state { NAME_FREE, NAME_TAKEN, NAME_IN_DOUBT };

/* I2: a name is taken by a live member at another address, in doubt while that one is silent. */
static enum name_state name_state_of(const struct core *core, const struct member *joiner,
                                     struct address *holder)
{
    uint32_t position = view_find_name(&core->view, joiner->name);

    if (position == VIEW_NONE ||
        address_equal(&core->view.members[position].address, &joiner->address)) {
        return NAME_FREE;
    }
    *holder = core->view.members[position].address;
    return detector_is_fresh(core, position) ? NAME_TAKEN : NAME_IN_DOUBT;
}

/* Is this former member's place taken by nobody: not by the joiner, nor by a member at its
 * address? */
static bool keeps_its_place(const struct view *view, uint32_t position, const struct member *joiner)
{
    const struct gone *gone = &view->gone[position];

    if ((gone->reason != GONE_FAILED && gone->reason != GONE_MOVED) ||
        text_equal(gone->name, joiner->name) || address_equal(&gone->address, &joiner->address) ||
        view_find_address(view, &gone->address) != VIEW_NONE) {
        return false;
    }
    for (uint32_t i = 0; i < position; i++) { /* Several lives of one node have one place. */
        if (text_equal(view->gone[i].name, gone->name) ||
            address_equal(&view->gone[i].address, &gone->address)) {
            return false;
        }
    }
    return true;
}

/* G1: a majority means something only of the stated size, so whoever failed keeps its place: it may
 * be at work on the other side of a cut. Its own name, or its address, may come back. */
static bool has_room(const struct core *core, const struct view *view, const struct member *joiner)
{
    uint32_t size = guard_size_max(&core->terms.guard);
    uint32_t taken = view->member_count;

    for (uint32_t i = 0; size != UINT32_MAX && i < view->gone_count; i++) {
        taken += keeps_its_place(view, i, joiner);
    }
    return view->member_count < core->capacity && taken < size;
}

/* What stands against a joiner as such; it is told. */
static bool is_refused(struct core *core, const struct joiner *joiner, enum name_state name,
                       const struct address *holder)
{
    bool replaces = view_find_address(&core->view, &joiner->member.address) != VIEW_NONE;

    if (!terms_equal(&joiner->terms, &core->terms)) {
        refuse(core, &joiner->member, JOIN_REFUSED_TERMS, NULL);
    } else if (name == NAME_TAKEN) {
        refuse(core, &joiner->member, JOIN_REFUSED_NAME, holder);
    } else if (!replaces && !has_room(core, &core->view, &joiner->member)) {
        refuse(core, &joiner->member, JOIN_REFUSED_FULL, NULL);
    } else {
        return false;
    }
    return true;
}

/* What only stands against it now: this node must be sure of its reign, not be about to give it up
 * (M3), the name must be free (I2), and not fail too often (R4). It asks again. */
static bool is_the_moment(const struct core *core, const struct joiner *joiner,
                          enum name_state name)
{
    return removal_reign_is_sure(core) && !core->merge.losing && name == NAME_FREE &&
           flap_admits(core, joiner->member.name);
}

/* F2: of two who may found, the one with the lower address does; the other waits for it. */
static void on_join_while_joining(struct core *core, const struct joiner *joiner)
{
    struct asking *asking = &core->asking;

    if (joiner->may_found && asking->found_ms != NEVER_MS &&
        address_compare(&joiner->member.address, &core->self.address) < 0) {
        asking->found_ms = core->now_ms + core->timing.discover_ms;
        book_remember(core, &joiner->member.address);
    }
}

/* J1: any member takes a JOIN and hands it to the coordinator, once. */
static void hand_on(struct core *core, const struct message *message)
{
    struct message *forward = outbox_message(core, MESSAGE_JOIN);

    if (message->joiner.hops > 0) {
        core_drop(core, DROP_STALE);
        return;
    }
    if (forward != NULL) {
        forward->joiner = message->joiner;
        forward->joiner.hops = 1;
    }
    outbox_send(core, forward, 0);
}

static void send_offer(struct core *core, const struct member *joiner)
{
    struct message *message = outbox_message(core, MESSAGE_OFFER);

    if (message != NULL) {
        message->offer.nonce = nonce_of(core, joiner);
    }
    outbox_send_to(core, message, &joiner->id, &joiner->address);
}

/* To where the view has it: a JOIN may name any address. */
static void show_view(struct core *core, const struct member *joiner)
{
    uint32_t position = view_find(&core->view, &joiner->id);
    const struct gone *gone = view_find_gone(&core->view, &joiner->id);
    const struct address *address = position != VIEW_NONE ? &core->view.members[position].address
                                                          : &gone->address;

    install_show(core, &joiner->id, address);
}

/* In already, or out already and in need of a new id (S5): both are for the joiner to see. */
static bool is_known(const struct core *core, const struct node_id *id)
{
    return view_has(&core->view, id) || view_find_gone(&core->view, id) != NULL;
}

void join_on_join(struct core *core, const struct message *message)
{
    const struct joiner *joiner = &message->joiner;

    if (core->phase == PHASE_JOINING) {
        on_join_while_joining(core, joiner);
        return;
    }
    if (is_known(core, &joiner->member.id)) {
        show_view(core, &joiner->member); /* J3: our answer was lost. Change nothing. */
        return;
    }
    if (!core_is_coordinator(core)) {
        hand_on(core, message);
        return;
    }
    struct address holder = {0};
    enum name_state name = name_state_of(core, &joiner->member, &holder);
    if (!is_refused(core, joiner, name, &holder)) {
        send_offer(core, &joiner->member); /* Even if it has to wait: somebody is here (F2). */
    }
}

/* One entry for each address: a later life takes the place of an earlier one. */
static void queue(struct core *core, const struct member *joiner)
{
    uint32_t place = 0;

    while (place < core->joins.count &&
           !address_equal(&core->joins.queue[place].address, &joiner->address)) {
        place++;
    }
    if (place == core->joins.capacity) {
        core_drop(core, DROP_CAPACITY); /* It asks again when the queue is shorter. */
        return;
    }
    core->joins.count += place == core->joins.count;
    core->joins.queue[place] = *joiner;
    change_soon(core);
}

/* J8: whoever takes the epoch for a token must never see it fall, not even after a restart of all,
 * when the founder may be one who had missed the last of them. */
static void heed_epoch(struct core *core, uint64_t epoch)
{
    if (epoch > core->view.epoch && epoch <= core->epoch_seen + LEAP_MAX) {
        core_saw_epoch(core, epoch);
        core->bump_epoch = true;
    }
}

void join_on_ready(struct core *core, const struct message *message)
{
    const struct joiner *joiner = &message->joiner;

    if (!core_is_coordinator(core) || !id_equal(&message->from, &joiner->member.id)) {
        core_drop(core, DROP_STALE);
        return;
    }
    if (is_known(core, &joiner->member.id)) {
        show_view(core, &joiner->member);
        return;
    }
    bool under_way = core->change.on && view_has(&core->pending, &joiner->member.id);
    struct address holder = {0};
    enum name_state name = name_state_of(core, &joiner->member, &holder);
    if (under_way || is_refused(core, joiner, name, &holder) ||
        !is_the_moment(core, joiner, name)) {
        return;
    }
    if (joiner->nonce != nonce_of(core, &joiner->member)) {
        REACHED(ready_overtaken);
        send_offer(core, &joiner->member); /* Overtaken by a change of the view, or never ours. */
        return;
    }
    heed_epoch(core, joiner->epoch_seen);
    queue(core, &joiner->member);
}

/* J4, I2: the former life at that address, or of that name there, is over. */
static void end_former_life(struct view *next, const struct member *joiner, uint32_t *first_joiner)
{
    static const struct gone replaced = {.reason = GONE_REPLACED};
    uint32_t position = view_find_address(next, &joiner->address);

    if (position != VIEW_NONE) {
        view_remove(next, position, &replaced);
        *first_joiner -= position < *first_joiner;
    }
}

void join_admit_queued(struct core *core, struct view *next, uint32_t *first_joiner)
{
    for (uint32_t i = 0; i < core->joins.count; i++) {
        const struct member *joiner = &core->joins.queue[i];
        bool is_here = view_has(&core->view, &joiner->id) || view_has(next, &joiner->id);
        bool is_us = address_equal(&joiner->address, &core->self.address);
        /* It may have been a member of a part that came in after its READY did (S5). */
        bool is_gone = view_find_gone(next, &joiner->id) != NULL;
        if (is_here || is_us || is_gone) {
            continue;
        }
        end_former_life(next, joiner, first_joiner);
        if (has_room(core, next, joiner) && view_find_name(next, joiner->name) == VIEW_NONE) {
            view_append(next, joiner);
        }
    }
    /* Who does not get in this time asks again; who never answers does not block the others. */
    core->joins.count = 0;
}

void join_forget_let_in(struct core *core, const struct view *old)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < core->joins.count; i++) {
        const struct member *joiner = &core->joins.queue[i];
        uint32_t position = view_find_address(&core->view, &joiner->address);
        if (position == VIEW_NONE || view_has(old, &core->view.members[position].id)) {
            core->joins.queue[kept++] = *joiner;
        }
    }
    core->joins.count = kept;
}
