/* The joiner's side: asking and founding. Letting in is in admit.c. */
#include "core/join.h"

#include <string.h>

#include "core/book.h"
#include "core/install.h"
#include "core/lifecycle.h"
#include "core/outbox.h"
#include "core/plant.h"

enum { ASKED_PER_TRY_MAX = SEEDS_MAX + 8 };

void join_start(struct core *core, bool was_member)
{
    struct asking *asking = &core->asking;

    memset(asking, 0, sizeof *asking);
    asking->was_member = was_member;
    asking->next_ms = core->now_ms;
    asking->pause_ms = core->timing.retry_ms_min;
    asking->found_ms = NEVER_MS;
}

uint64_t join_deadline_ms(const struct core *core)
{
    const struct asking *asking = &core->asking;

    if (core->phase != PHASE_JOINING) {
        return NEVER_MS;
    }
    uint64_t due_ms = asking->next_ms < asking->found_ms ? asking->next_ms : asking->found_ms;
    uint64_t renew_ms = view_is_empty(&core->pending)
                            ? NEVER_MS
                            : core->accepted_ms + 2 * core->timing.prepare_ms;
    return due_ms < renew_ms ? due_ms : renew_ms;
}

/* F2: who has been a member gives the others three times as long to answer. */
static uint64_t discover_ms(const struct core *core)
{
    return core->timing.discover_ms * (core->asking.was_member ? 3 : 1);
}

static void found(struct core *core)
{
    struct view *first = &core->scratch;
    struct member self = core->self;

    view_clear(first);
    first->lineage = random_u64(&core->random) | 1; /* Never 0: that means none. */
    first->epoch = core->epoch_seen + 1;
    first->version = 1;
    first->cause = CAUSE_FOUND;
    view_append(first, &self);
    view_seal(first);
    core->version_used = 1;
    core_saw_epoch(core, first->epoch);
    install_view(core, first);
}

/* F1, F2: this node's own address among its seeds, or no seeds at all, make it one that may found.
 */
static void consider_founding(struct core *core)
{
    struct asking *asking = &core->asking;

    asking->may_found = !core->has_seeds || book_has_seed(core, &core->self.address);
    if (!asking->may_found) {
        asking->found_ms = NEVER_MS;
    } else if (asking->found_ms == NEVER_MS) {
        bool alone = !book_has_others(core) || PLANTED(FOUND_AT_ONCE);
        asking->found_ms = alone ? core->now_ms : core->now_ms + discover_ms(core);
    }
}

static void ask(struct core *core)
{
    struct address targets[ASKED_PER_TRY_MAX];
    uint32_t count = book_next(core, true, targets, ASKED_PER_TRY_MAX);
    struct message *message = outbox_message(core, MESSAGE_JOIN);

    if (message == NULL) {
        return;
    }
    message->joiner.member = core->self;
    message->joiner.terms = core->terms;
    message->joiner.may_found = core->asking.may_found;
    message->joiner.epoch_seen = core->epoch_seen;
    for (uint32_t i = 0; i < count; i++) {
        outbox_send_to(core, message, NULL, &targets[i]);
    }
}

/* F1: pauses grow, and are spread so that many joiners do not ask in step. */
static void schedule_next_try(struct core *core)
{
    struct asking *asking = &core->asking;

    /* Who is about to found asks often enough to hear of it if another has founded meanwhile. */
    uint64_t pause_ms_max = asking->found_ms == NEVER_MS ? core->timing.retry_ms_max
                                                         : core->timing.discover_ms / 4;

    if (asking->pause_ms > pause_ms_max) {
        asking->pause_ms = pause_ms_max;
    }
    asking->next_ms = core->now_ms + random_jitter(&core->random, asking->pause_ms, 30);
    asking->pause_ms *= 2;
}

void join_tick(struct core *core)
{
    struct asking *asking = &core->asking;

    if (core->phase != PHASE_JOINING) {
        return;
    }
    if (!view_is_empty(&core->pending) &&
        core->now_ms >= core->accepted_ms + 2 * core->timing.prepare_ms &&
        !PLANTED(PROMISED_FOR_EVER)) {
        lifecycle_renew(core); /* We may have been in, and out again, without knowing (S5). */
    }
    if (core->now_ms >= asking->found_ms) {
        found(core);
        return;
    }
    if (core->now_ms < asking->next_ms) {
        return;
    }
    bool answered = !asking->resolving;
    core->stranger_replies = STRANGER_REPLIES_MAX;
    asking->tried_ms = core->now_ms;
    asking->refused = false;
    schedule_next_try(core);
    if (core->has_seeds && answered) {
        asking->resolving = true; /* The answer asks them; meanwhile ask those we know. */
        outbox_resolve(core);
    }
    if (!core->has_seeds) {
        consider_founding(core);
    }
    if (asking->seeds_known || core->book.count > 0) {
        ask(core);
    }
    if (core->now_ms >= asking->found_ms) {
        found(core);
    }
}

void join_hint(struct core *core, const struct address *address)
{
    struct asking *asking = &core->asking;
    uint64_t soonest_ms = asking->tried_ms + core->timing.retry_ms_min;

    book_remember(core, address);
    if (core->phase == PHASE_JOINING && !asking->refused) {
        asking->next_ms = core->now_ms > soonest_ms ? core->now_ms : soonest_ms;
    }
}

void join_on_addresses(struct core *core, const struct addresses_event *addresses)
{
    struct asking *asking = &core->asking;

    if (addresses->source == ADDRESSES_REMEMBERED) {
        for (uint32_t i = 0; i < addresses->count; i++) {
            book_remember(core, &addresses->addresses[i]);
        }
        asking->was_member = asking->was_member || addresses->count > 0;
        return;
    }
    book_set_seeds(core, addresses->addresses, addresses->count);
    asking->resolving = false;
    if (core->phase != PHASE_JOINING || addresses->count == 0) {
        return;
    }
    bool first = !asking->seeds_known;
    asking->seeds_known = true;
    consider_founding(core);
    if (first) {
        ask(core);
    }
}

void join_on_offer(struct core *core, const struct message *message)
{
    if (!outbox_may_answer_stranger(core)) {
        core_drop(core, DROP_STRANGER); /* We asked, but not for so many. */
        return;
    }
    struct message *answer = outbox_message(core, MESSAGE_READY);
    if (answer != NULL) {
        answer->joiner.member = core->self;
        answer->joiner.terms = core->terms;
        answer->joiner.may_found = core->asking.may_found;
        answer->joiner.epoch_seen = core->epoch_seen;
        answer->joiner.nonce = message->offer.nonce;
    }
    core->asking.said_ready = true;
    outbox_send_to(core, answer, &message->from, &message->source);
    book_remember(core, &message->source);
    if (core->asking.found_ms != NEVER_MS) {
        core->asking.found_ms = core->now_ms + discover_ms(core); /* A cluster is there. */
    }
}

void join_on_refused(struct core *core, const struct message *message)
{
    struct notice *notice = outbox_notice(core, NOTICE_JOIN_REFUSED);

    notice->subject.address = message->source;
    notice->refused = message->join_refused;
    /* It may be put right on either side: keep asking, at the slowest pace. */
    core->asking.refused = true;
    core->asking.pause_ms = core->timing.retry_ms_max;
    core->asking.next_ms = core->now_ms +
                           random_jitter(&core->random, core->timing.retry_ms_max, 30);
    if (core->asking.found_ms != NEVER_MS) {
        core->asking.found_ms = core->asking.next_ms + discover_ms(core); /* One more try first. */
    }
}
