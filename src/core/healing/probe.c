#include "core/healing/probe.h"
#include "core/agreement/accord.h"
#include "core/agreement/authority.h"
#include "core/agreement/electorate.h"
#include "core/agreement/install.h"

#include "core/detection/hearing.h"
#include "core/detection/standing.h"
#include "core/entry/join.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

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

void probe_describe(const struct core *core, struct probe *probe)
{
    probe->view = view_id_of(&core->view);
    probe->view_hash = core->view.hash;
    probe->holders = hearing_view_holders(core);
    probe->oldest_age = core->view.members[0].age;
    probe->guard_met = standing_guard(core, core->now_ms).met;
    probe->answer = false;
    probe->coordinator = core->view.members[0].address;
    terms_copy(&probe->terms, &core->terms);
    probe->seed_count = 0;
    while (probe->seed_count < PROBE_SEEDS_MAX && probe->seed_count < core->book.seed_count) {
        probe->seeds[probe->seed_count] = core->book.seeds[probe->seed_count];
        probe->seed_count++;
    }
}

static void send_probe(struct core *core, const struct address *to, bool answer)
{
    struct message *message = outbox_message(core, MESSAGE_PROBE);

    if (message != NULL) {
        probe_describe(core, &message->probe);
        message->probe.answer = answer;
    }
    outbox_send_to(core, message, NULL, to);
}

bool probe_is_related(const struct core *core, const struct probe *theirs)
{
    if (theirs->view.lineage == core->view.lineage ||
        authority_is_of_one_founding(core, theirs->view.lineage) ||
        book_has_seed(&core->book, &theirs->coordinator) ||
        (!address_is_none(&core->probe.seed_coordinator) &&
         address_equal(&theirs->coordinator, &core->probe.seed_coordinator))) {
        return true;
    }
    for (uint8_t i = 0; i < theirs->seed_count; i++) {
        if (book_has_seed(&core->book, &theirs->seeds[i]) ||
            view_find_address(&core->view, &theirs->seeds[i]) != VIEW_NONE) {
            return true;
        }
    }
    return false;
}

/* J2: somebody has to change what one of them was started with; told once in a while. */
static void tell_other_terms(struct core *core, const struct probe *theirs)
{
    if (!pause_pass(&core->probe.other_terms, core->now_ms, core->timing.flap_ms)) {
        return;
    }
    struct notice *notice = outbox_notice(core, NOTICE_OTHER_TERMS);
    notice->subject.address = theirs->coordinator;
    notice->refused.reason = JOIN_REFUSED_TERMS;
    notice->refused.terms = theirs->terms;
}

/* What a coordinator makes of another part. Returns whether it is to ask that one. */
static bool on_other_part(struct core *core, const struct message *message)
{
    const struct probe *theirs = &message->probe;
    bool from_coordinator = id_equal(&theirs->view.coordinator, &message->from);

    book_remember(&core->book, &theirs->coordinator);
    /* We may have been replaced, in our sleep (D8) or behind a cut (L2). That is settled first: as
     * long as it is not, we do not know who holds our view, and would stop our successor for
     * nothing. */
    bool is_member = view_has(&core->view, &message->from);
    if (is_member || !standing_is_settled(core)) {
        REACHED(merge_before_the_reign_was_sure);
        refuse(core, message, is_member ? REFUSED_PROBE_OF_MEMBER : REFUSED_REIGN_UNSURE);
        return false;
    }
    struct probe ours;
    probe_describe(core, &ours);
    const bool they_win = probe_compare(theirs, &ours) < 0;
    if (from_coordinator && they_win && theirs->answer) {
        return true;
    }
    if (!from_coordinator || they_win) {
        /* Now we know whom to talk to; or: do they hear us, too? */
        send_probe(core, &theirs->coordinator, false);
    } else if (!theirs->answer) {
        send_probe(core, &theirs->coordinator, true); /* So that they know that they lose. */
    } else {
        refuse(core, message, REFUSED_PROBE_SETTLED);
    }
    return false;
}

/* Z9: there are no two parts that could merge: who holds the lower view is out, and joins again. */
static void show_the_chain(struct core *core, const struct message *message)
{
    const struct view_id ours = view_id_of(&core->view);
    const struct view_id *theirs = &message->probe.view;

    if (authority_is_of_one_founding(core, theirs->lineage)
            ? authority_is_succeeded_by(core, theirs->lineage)
            : view_id_compare(theirs, &ours) > 0) {
        electorate_ask_stranger(core, outbox_message(core, MESSAGE_PULL), &message->from,
                                &message->source);
    } else {
        install_on_pull(core, message);
    }
}

bool probe_on_probe(struct core *core, const struct message *message)
{
    const struct probe *theirs = &message->probe;

    if (core->life.phase == PHASE_JOINING) {
        join_on_probe(core, message);
        return false;
    }
    struct view_id our_view = view_id_of(&core->view);
    bool lags = view_has(&core->view, &message->from) &&
                view_id_compare(&theirs->view, &our_view) < 0;
    if (lags || id_equal(&theirs->view.coordinator, &our_view.coordinator)) {
        refuse(core, message, REFUSED_PROBE_OF_OWN_PART); /* Or from before we became one. */
        return false;
    }
    if (book_has_seed(&core->book, &message->source)) {
        core->probe.seed_coordinator = theirs->coordinator; /* Whom our seed follows. */
    }
    if (!probe_is_related(core, theirs)) {
        refuse(core, message, REFUSED_PART_UNRELATED);
        return false;
    }
    if (refuse_beyond_few(core, message)) {
        return false;
    }
    if (!authority_is_of_one_founding(core, theirs->view.lineage) &&
        !accord_may_merge(core, &theirs->terms)) {
        tell_other_terms(core, theirs);
        refuse(core, message, REFUSED_TERMS_DIFFER);
    } else if (core_is_strict(core)) {
        show_the_chain(core, message);
    } else if (core_is_coordinator(core)) {
        return on_other_part(core, message);
    } else if (!theirs->answer) {
        send_probe(core, &message->source, true); /* Names our coordinator. */
    } else {
        refuse(core, message, REFUSED_NOT_COORDINATOR);
    }
    return false;
}

void probe_tick(struct core *core)
{
    struct address targets[PROBED_PER_ROUND];

    if (!core_is_coordinator(core) || core->now_ms < core->probe.due_ms) {
        return;
    }
    core->probe.due_ms = core->now_ms + random_jitter(&core->random, core->timing.probe_ms, 30);
    core->probe.round++;
    if (core->has_seeds && core->probe.round % ROUNDS_PER_RESOLVE == 0) {
        outbox_resolve(core);
    }
    uint32_t count = book_next(&core->book, &core->view, core->probe.round % 2 == 0, targets,
                               PROBED_PER_ROUND);
    for (uint32_t i = 0; i < count; i++) {
        send_probe(core, &targets[i], false);
    }
}

void probe_on_view_installed(struct core *core)
{
    if (!core_is_coordinator(core)) {
        core->probe.due_ms = NEVER_MS;
    } else if (core->probe.due_ms == NEVER_MS) {
        core->probe.due_ms = core->now_ms + random_jitter(&core->random, core->timing.probe_ms, 30);
    }
}

void probe_reset(struct core *core)
{
    core->probe.due_ms = NEVER_MS;
}
