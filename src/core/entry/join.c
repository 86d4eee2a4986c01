/* The joiner's side: asking and founding. Letting in is in admit.c. */
#include "core/entry/join.h"

#include <string.h>

#include "base/hash.h"
#include "core/agreement/accord.h"
#include "core/agreement/change.h"
#include "core/agreement/change_accept.h"
#include "core/agreement/change_count.h"
#include "core/agreement/change_propose.h"
#include "core/agreement/electorate.h"
#include "core/agreement/voter.h"
#include "core/entry/founding.h"
#include "core/entry/lifecycle.h"
#include "core/entry/meet.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"
#include "core/state/strangers.h"

enum {
    ASKED_PER_TRY_MAX = SEEDS_MAX + 8,
    GIVES_WAY_FOR = 9, /* T_discover: as long as three that were members before take (F2) */
};

/* J3c: what nobody knows who was not asked; another one for each life. It is not drawn but
 * computed, as that of an OFFER is. */
static uint64_t nonce_of(const struct core *core)
{
    return hash_finish(hash_u64(core->life.salt, core->secret));
}

uint32_t join_echo(const struct core *core)
{
    return (uint32_t)nonce_of(core);
}

void join_start(struct core *core, bool was_member)
{
    struct join *join = &core->join;

    memset(join, 0, sizeof *join);
    meet_reset(core);
    founding_reset(core);
    join->was_member = was_member;
    join->next_ms = core->now_ms;
    join->pause_ms = core->timing.retry_ms_min;
    join->found_ms = NEVER_MS;
}

void join_renew(struct core *core)
{
    lifecycle_renew_identity(core);
    change_reset(core);
    change_count_reset(core);
    change_accept_reset(core);
    core->join.ready_count = 0;
    core->join.offered = 0;
    core->join.pause_ms = core->timing.retry_ms_min;
    core->join.next_ms = core->now_ms;
}

void join_on_start_over(struct core *core)
{
    join_start(core, true);
}

/* F2: whatever comes meanwhile makes it no sooner, least of all before the try that a refusal asks
 * for (J2). */
static void put_off_founding(struct core *core, uint64_t until_ms)
{
    struct join *join = &core->join;

    if (join->found_ms < until_ms) {
        join->found_ms = until_ms;
    }
}

void join_put_off_founding(struct core *core)
{
    put_off_founding(core, core->now_ms + core->timing.discover_ms);
}

void join_give_way(struct core *core)
{
    struct join *join = &core->join;

    if (join->gave_way_ms == 0) {
        join->gave_way_ms = core->now_ms;
    }
    if (core->now_ms < join->gave_way_ms + GIVES_WAY_FOR * core->timing.discover_ms) {
        join_put_off_founding(core);
    }
}

uint64_t join_deadline_ms(const struct core *core)
{
    const struct join *join = &core->join;

    if (core->life.phase != PHASE_JOINING) {
        return NEVER_MS;
    }
    uint64_t due_ms = join->next_ms < join->found_ms ? join->next_ms : join->found_ms;
    uint64_t renew_ms = view_is_empty(&core->change.pending) || core->change.on
                            ? NEVER_MS
                            : change_promised_until_ms(core);
    return due_ms < renew_ms ? due_ms : renew_ms;
}

/* F2a: a node that has been a member, or that may found though it is no seed, gives the others
 * longer to answer. */
static uint64_t discover_ms(const struct core *core)
{
    return core->join.was_member || core->expect > 0 ? core->spans.rediscover_ms
                                                     : core->timing.discover_ms;
}

/* F1: this node's own address among its seeds, or no seeds at all, make it one that may found. F3:
 * where company is expected, that alone does. */
static bool may_found(const struct core *core)
{
    if (core_is_strict(core)) {
        return founding_may_begin(core);
    }
    if (core->expect > 0) {
        return meet_count(core, core->now_ms) >= core->expect;
    }
    return !core->has_seeds || book_has_seed(&core->book, &core->life.self.address);
}

static void consider_founding(struct core *core)
{
    struct join *join = &core->join;

    join->may_found = may_found(core);
    if (!join->may_found) {
        join->found_ms = NEVER_MS;
    } else if (join->found_ms == NEVER_MS) {
        bool alone = !book_has_others(&core->book);
        join->gave_way_ms = 0;
        uint64_t from_ms = join->refused ? join->next_ms : core->now_ms; /* J2b: one try more. */
        join->found_ms = alone ? core->now_ms : from_ms + discover_ms(core);
    }
}

static void name_self(const struct core *core, struct joiner *joiner)
{
    joiner->member = core->life.self;
    joiner->member.tags = NULL;
    tags_copy(&joiner->tags, &core->life.tags);
    terms_copy(&joiner->terms, &core->configured.terms);
}

static void ask(struct core *core)
{
    struct address targets[ASKED_PER_TRY_MAX];
    uint32_t count = book_next(&core->book, &core->view, true, targets, ASKED_PER_TRY_MAX);
    struct message *message = outbox_message(core, MESSAGE_JOIN);

    if (message == NULL) {
        return;
    }
    name_self(core, &message->joiner);
    message->joiner.may_found = core->join.may_found;
    message->joiner.epoch_seen = core->promise.seen;
    message->joiner.nonce = nonce_of(core);
    for (uint32_t i = 0; i < count; i++) {
        outbox_send_to(core, message, NULL, &targets[i]);
    }
}

/* F1: pauses grow, and are spread so that many joiners do not ask in step. */
static void schedule_next_try(struct core *core)
{
    struct join *join = &core->join;

    /* Who is about to found asks often enough to hear of it if another has founded meanwhile. */
    uint64_t pause_ms_max = join->found_ms == NEVER_MS ? core->timing.retry_ms_max
                                                       : core->timing.discover_ms / 4;

    if (join->pause_ms > pause_ms_max) {
        join->pause_ms = pause_ms_max;
    }
    join->next_ms = core->now_ms + random_jitter(&core->random, join->pause_ms, 30);
    join->pause_ms *= 2;
}

static void found(struct core *core)
{
    core->join.found_ms = core->now_ms + core->timing.prepare_ms / 3; /* It may take others. */
    if (founding_needs_another_life(core) && !change_is_promised(core)) {
        join_renew(core);
    }
    if (!founding_go_on(core)) {
        change_found(core);
    }
}

void join_tick(struct core *core)
{
    struct join *join = &core->join;

    if (core->life.phase != PHASE_JOINING) {
        return;
    }
    if (!view_is_empty(&core->change.pending) && !core->change.on &&
        core->now_ms >= change_promised_until_ms(core)) {
        join_renew(core); /* We may have been in, and out again, without knowing (S5). */
    }
    if (core->expect > 0) {
        consider_founding(core); /* Who was met may be gone again. */
    }
    if (core->now_ms >= join->found_ms) {
        found(core);
        return;
    }
    if (core->now_ms < join->next_ms) {
        return;
    }
    bool answered = !join->resolving;
    strangers_renew(core);
    join->tried_ms = core->now_ms;
    join->refused = false;
    schedule_next_try(core);
    if (core->has_seeds && answered) {
        join->resolving = true; /* The answer asks them; meanwhile ask those we know. */
        outbox_resolve(core);
    }
    if (!core->has_seeds) {
        consider_founding(core);
    }
    if (join->seeds_known || core->book.count > 0) {
        ask(core);
    }
    if (core->now_ms >= join->found_ms) {
        found(core);
    }
}

void join_on_record(struct core *core, const struct message *vote)
{
    const uint64_t next_ms = core->now_ms + core->timing.prepare_ms / 3;

    founding_on_vote(core, vote);
    if (core->life.phase == PHASE_JOINING && core->join.found_ms <= next_ms &&
        founding_needs_another_life(core)) {
        found(core); /* At once, but where F2 has it wait for longer than it repeats itself. */
    }
}

/* Whom to ask next, and to do so soon (F1c). */
static void take_hint(struct core *core, const struct address *address)
{
    struct join *join = &core->join;
    uint64_t soonest_ms = join->tried_ms + core->timing.retry_ms_min;

    book_remember(&core->book, address);
    if (!join->refused) {
        join->next_ms = core->now_ms > soonest_ms ? core->now_ms : soonest_ms;
    }
}

void join_on_probe(struct core *core, const struct message *message)
{
    if (core->join.refused) {
        refuse(core, message, REFUSED_HINT_AFTER_REFUSAL);
    }
    take_hint(core, &message->probe.coordinator);
}

void join_meet(struct core *core, const struct message *message)
{
    const struct joiner *joiner = &message->joiner;

    if (joiner->hops > 0) {
        refuse(core, message, REFUSED_HANDED_ON_BEFORE);
        return;
    }
    if (!accord_would_admit(core, &joiner->terms)) {
        refuse(core, message, REFUSED_TERMS_DIFFER); /* Never in one cluster with us (J2). */
        return;
    }
    if (!versions_meet(joiner->member.versions, core->life.self.versions)) {
        refuse(core, message, REFUSED_VERSIONS_DIFFER);
        return;
    }
    if (joiner->may_found) {
        book_remember(&core->book, &joiner->member.address); /* F2d: it has to hear of this node. */
    }
    bool is_new = meet_joiner(core, joiner);
    if (core_is_strict(core) && joiner->may_found &&
        address_equal(&message->source, &joiner->member.address) && /* V6d */
        !refuse_beyond_few(core, message)) {
        meet_tell(core, joiner);
    }
    if (core->expect == 0) {
        return;
    }
    if (is_new) {
        take_hint(core, &joiner->member.address); /* So that it hears of us too. */
    }
    consider_founding(core);
}

void join_on_addresses(struct core *core, const struct addresses_event *addresses)
{
    struct join *join = &core->join;

    if (addresses->source == ADDRESSES_REMEMBERED) {
        for (uint32_t i = 0; i < addresses->count; i++) {
            book_remember(&core->book, &addresses->addresses[i]);
        }
        join->was_member = join->was_member || addresses->count > 0;
        return;
    }
    book_set_seeds(&core->book, addresses->addresses, addresses->count);
    join->resolving = false;
    if (core->life.phase != PHASE_JOINING || addresses->count == 0) {
        return;
    }
    bool first = !join->seeds_known;
    join->seeds_known = true;
    consider_founding(core);
    if (first) {
        ask(core);
    }
}

/* J3c: does it answer what this joiner said? */
static bool is_answer(struct core *core, const struct message *message)
{
    const struct join *join = &core->join;

    if (message->echo == join_echo(core) ||
        (join->offered != 0 && message->echo == (uint32_t)join->offered)) {
        return true;
    }
    refuse(core, message, REFUSED_JOINER_DID_NOT_ASK);
    return false;
}

static bool said_ready_to(const struct core *core, const struct node_id *id)
{
    const struct join *join = &core->join;

    for (uint32_t i = 0; i < join->ready_count && i < READY_MAX; i++) {
        if (id_equal(&join->ready[i], id)) {
            return true;
        }
    }
    return false;
}

static void note_ready(struct core *core, const struct node_id *to)
{
    struct join *join = &core->join;

    if (!said_ready_to(core, to)) {
        join->ready[join->ready_count++ % READY_MAX] = *to;
    }
}

bool join_believes(struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;
    const struct view *accepted = &core->change.pending;
    bool asked = said_ready_to(core, &message->from) || message->echo == join_echo(core) ||
                 electorate_was_asked(core, message);
    bool follows = !view_is_empty(accepted) &&
                   (view->hash == accepted->hash || view_has(accepted, &message->from));

    if (core->join.ready_count > 0 && (asked || follows)) {
        return true;
    }
    refuse(core, message, REFUSED_VIEW_NOT_EXPECTED);
    return false;
}

void join_on_offer(struct core *core, const struct message *message)
{
    if (!is_answer(core, message)) {
        return;
    }
    book_remember(&core->book, &message->source);
    if (refuse_beyond_few(core, message)) {
        return; /* We asked, but not for so many. */
    }
    if (voter_knows_successor(core, message->offer.lineage)) {
        refuse(core, message, REFUSED_LINEAGE_OVER);
        return;
    }
    if (voter_is_succeeded(core, message->offer.lineage)) {
        /* Z18c: what it shows ends the record that there is. */
        electorate_ask_stranger(core, outbox_message(core, MESSAGE_PULL), &message->from,
                                &message->source);
    }
    put_off_founding(core, core->now_ms + discover_ms(core)); /* A cluster is there. */
    if (change_is_promised(core)) {
        /* A successor needs no READY (J7). */
        refuse(core, message, REFUSED_JOINER_BOUND);
        return;
    }
    struct message *answer = outbox_message(core, MESSAGE_READY);
    if (answer != NULL) {
        name_self(core, &answer->joiner);
        answer->joiner.may_found = core->join.may_found;
        answer->joiner.epoch_seen = core->promise.seen;
        answer->joiner.nonce = message->offer.nonce;
    }
    note_ready(core, &message->from);
    core->join.offered = message->offer.nonce;
    outbox_send_to(core, answer, &message->from, &message->source);
}

void join_on_refused(struct core *core, const struct message *message)
{
    if (!is_answer(core, message)) {
        return;
    }
    struct notice *notice = outbox_notice(core, NOTICE_JOIN_REFUSED);

    notice->subject.address = message->source;
    join_refused_copy(&notice->refused, &message->join_refused);
    notice->refused.joiner = core->life.self.versions;
    /* It may be put right on either side: keep asking, at the slowest pace. */
    core->join.refused = true;
    core->join.pause_ms = core->timing.retry_ms_max;
    core->join.next_ms = core->now_ms + random_jitter(&core->random, core->timing.retry_ms_max, 30);
    if (core->join.found_ms != NEVER_MS) {
        core->join.found_ms = core->join.next_ms + discover_ms(core); /* One more try first. */
    }
}
