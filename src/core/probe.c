#include "core/probe.h"

#include "core/book.h"
#include "core/install.h"
#include "core/join.h"
#include "core/lifecycle.h"
#include "core/outbox.h"

enum {
    PROBED_PER_ROUND = 4,
    ROUNDS_PER_RESOLVE = 16, /* seeds' names are looked up again that often */
};

int probe_compare(const struct probe *a, const struct probe *b)
{
    if (a->guard_met != b->guard_met) {
        return a->guard_met ? -1 : 1;
    }
    if (a->holders != b->holders) {
        return a->holders > b->holders ? -1 : 1;
    }
    if (a->view.lineage == b->view.lineage && a->oldest_age != b->oldest_age) {
        return a->oldest_age < b->oldest_age ? -1 : 1;
    }
    if (a->view.lineage != b->view.lineage) {
        return a->view.lineage < b->view.lineage ? -1 : 1;
    }
    return id_compare(&a->view.coordinator, &b->view.coordinator);
}

static struct probe describe(const struct core *core)
{
    return (struct probe){.view = view_id_of(&core->view),
                          .view_hash = core->view.hash,
                          .holders = core_acked(core),
                          .oldest_age = core->view.members[0].age,
                          .guard_met = core_guard(core, core->now_ms).met,
                          .coordinator = core->view.members[0].address};
}

static void send_probe(struct core *core, const struct address *to, bool answer)
{
    struct message *message = outbox_message(core, MESSAGE_PROBE);

    if (message != NULL) {
        message->probe = describe(core);
        message->probe.answer = answer;
        message->probe.seed = book_has_seed(core, to);
    }
    outbox_send_to(core, message, NULL, to);
}

/* I3, H23: an address may have gone to another cluster of the same name. Parts belong together
 * if they come from one founding, or if one was a seed of the other. */
static bool is_related(const struct core *core, const struct message *message)
{
    const struct probe *theirs = &message->probe;

    return theirs->view.lineage == core->view.lineage || theirs->seed ||
           book_has_seed(core, &theirs->coordinator) || book_has_seed(core, &message->source);
}

void probe_on_probe(struct core *core, const struct message *message)
{
    const struct probe *theirs = &message->probe;

    if (core->phase == PHASE_JOINING) {
        join_hint(core, &theirs->coordinator);
        return;
    }
    if (view_has(&core->view, &message->from) ||
        id_equal(&theirs->view.coordinator, &core->view.members[0].id)) {
        core_drop(core, DROP_STALE); /* One of ours, or one of ours that lags. */
        return;
    }
    if (!is_related(core, message)) {
        core_drop(core, DROP_LINEAGE);
        return;
    }
    struct probe ours = describe(core);
    bool they_win = probe_compare(theirs, &ours) < 0;
    if (core_is_coordinator(core) && they_win && core->view.member_count == 1 &&
        core->phase == PHASE_MEMBER) {
        lifecycle_start_over(core, REASON_LEFT_ALONE);
        join_hint(core, &theirs->coordinator);
        return;
    }
    if (!theirs->answer && core->stranger_replies > 0) {
        core->stranger_replies--;
        send_probe(core, &message->source, true); /* Names our coordinator, whoever we are. */
    }
    if (core_is_coordinator(core)) {
        book_remember(core, &theirs->coordinator);
    }
}

void probe_tick(struct core *core)
{
    struct address targets[PROBED_PER_ROUND];

    if (!core_is_coordinator(core) || core->now_ms < core->probe_ms) {
        return;
    }
    core->probe_ms = core->now_ms + random_jitter(&core->random, core->timing.probe_ms, 30);
    core->probe_round++;
    if (core->has_seeds && core->probe_round % ROUNDS_PER_RESOLVE == 0) {
        outbox_resolve(core);
    }
    uint32_t count = book_next(core, core->probe_round % 2 == 0, targets, PROBED_PER_ROUND);
    for (uint32_t i = 0; i < count; i++) {
        send_probe(core, &targets[i], false);
    }
}
