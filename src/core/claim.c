#include "core/claim.h"

#include <assert.h>
#include <string.h>

#include "core/change.h"
#include "core/detector.h"
#include "core/install.h"
#include "core/outbox.h"
#include "core/plant.h"
#include "core/removal.h"

enum { CHANCES_MAX = 4 }; /* of a claim whose own loop is slow */

/* --- The candidate --- */

/* L2: it lives and follows another coordinator. It neither takes over in this view nor answers a
 * claim; and where its own coordinator died, it may be waiting for us in the same way. */
static bool went_elsewhere(const struct core *core, uint32_t position)
{
    return position > 0 && removal_has_moved(core, position);
}

/* C1: holds a verdict on every member older than itself, or sees it follow another. A claim is not
 * begun while others say that they hear one of those suspected: they would refuse it (C2), again
 * and again for as long as a link is bad. */
static bool is_candidate(const struct core *core)
{
    uint32_t position = core->position;

    for (uint32_t i = 0; i < position; i++) {
        enum verdict verdict = core->peers[i].verdict;
        if (went_elsewhere(core, i)) {
            REACHED(older_one_went_elsewhere);
            continue;
        }
        if (verdict == VERDICT_NONE && !(PLANTED(SEVERAL_CLAIMANTS) && i > 0)) {
            return false;
        }
        if (!core->claim.on && verdict != VERDICT_DEAD && !PLANTED(SEVERAL_CLAIMANTS) &&
            !PLANTED(GRANT_WHILE_FRESH) && detector_relay_to(core, i) != VIEW_NONE) {
            return false;
        }
    }
    return position > 0;
}

bool claim_is_ours(const struct core *core)
{
    return !core->change.on && core->now_ms >= core->late_until_ms && is_candidate(core);
}

static void ask(struct core *core, bool refused_only)
{
    struct message *message = outbox_message(core, MESSAGE_CLAIM);

    if (message != NULL) {
        message->carrier.view = &core->view;
        message->carrier.epoch = core->claim.epoch;
    }
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        bool self = core_is_self(core, i);
        if (!self && (!refused_only || core->answers[i] == ANSWER_NO)) {
            outbox_send(core, message, i);
        }
    }
}

static void tell(struct core *core, enum claim_step step, const struct member *claimant,
                 uint64_t epoch)
{
    struct notice *notice = outbox_notice_of(core, NOTICE_CLAIM, claimant);

    notice->claim = step;
    notice->epoch = epoch;
}

/* Does the view's maker not know that there is this member? It did not remove it, then. */
static bool never_knew(const struct view *view, const struct member *member)
{
    return !view_has(view, &member->id) && view_find_gone(view, &member->id) == NULL &&
           view_find_name(view, member->name) == VIEW_NONE;
}

/* Does it leave out somebody whom we hear, or of whom its maker never knew? */
static bool loses_somebody(const struct core *core, const struct view *view)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct member *member = &core->view.members[i];
        bool heard = core->peers[i].verdict == VERDICT_NONE && detector_is_fresh(core, i);
        if ((heard && !view_has(view, &member->id)) ||
            (i > core->position && never_knew(view, member))) {
            return true;
        }
    }
    return false;
}

/* The view to build on: the installed one, or a higher one that was proposed or shown. But the last
 * proposal of a coordinator that had gone deaf must not take the living down with it (S8). */
static const struct view *highest(const struct core *core)
{
    bool better = !view_is_empty(&core->best) && !loses_somebody(core, &core->best);

    return better ? &core->best : &core->view;
}

/* Would this node lead it, once all who are older are gone? */
static bool leads_to_us(const struct core *core, const struct view *accepted)
{
    uint32_t ours = core->position;

    for (uint32_t i = 0; !id_equal(&accepted->members[i].id, &core->self.id); i++) {
        if (view_find(&core->view, &accepted->members[i].id) >= ours) { /* VIEW_NONE too */
            return false;
        }
    }
    return true;
}

void claim_consider(struct core *core, const struct view *accepted)
{
    struct view_id theirs = view_id_of(accepted);
    struct view_id best = view_id_of(view_is_empty(&core->best) ? &core->view : &core->best);

    if (core->claim.on && accepted->epoch >= core->claim.epoch) {
        return; /* The claim under way asks for less. */
    }
    /* A merge needs the other part's word, which only its proposer could have had (M7). */
    if (accepted->cause != CAUSE_MERGE && accepted->lineage == core->view.lineage &&
        view_has(accepted, &core->self.id) && leads_to_us(core, accepted) &&
        view_id_compare(&theirs, &best) > 0) {
        REACHED(voter_had_accepted_more);
        view_copy(&core->best, accepted);
    }
}

static void start(struct core *core)
{
    uint64_t epoch = core->epoch_seen > core->promise.epoch ? core->epoch_seen
                                                            : core->promise.epoch;

    memset(&core->claim, 0, sizeof core->claim);
    memset(core->answers, ANSWER_NONE, core->view.member_count);
    core->claim.on = true;
    core->claim.epoch = PLANTED(CLAIM_OLD_EPOCH) ? core->view.epoch : epoch + 1;
    core->claim.deadline_ms = core->now_ms + core->timing.claim_ms;
    core->claim.retry_ms = NEVER_MS;
    if (!view_is_empty(&core->pending)) {
        claim_consider(core, &core->pending);
    }
    core_saw_epoch(core, core->claim.epoch);
    core->promise.epoch = core->claim.epoch; /* A candidate is its own first voter. */
    core->promise.to = core->self.id;
    core->promise.until_ms = core->now_ms + 2 * core->timing.claim_ms;
    tell(core, CLAIM_STARTED, &core->view.members[core->position], core->claim.epoch);
    ask(core, false);
}

void claim_back_off(struct core *core)
{
    core->backoff_ms = core->now_ms + random_between(&core->random, core->timing.claim_ms / 2,
                                                     2 * core->timing.claim_ms);
}

static void lose(struct core *core)
{
    core->claim.on = false;
    claim_back_off(core);
    tell(core, CLAIM_LOST, &core->view.members[core->position], core->claim.epoch);
}

/* Those who granted stand behind the removal, next to our own evidence (R5). */
static struct gone evidence_of(const struct core *core, uint32_t position)
{
    struct gone gone = removal_evidence(core, position);

    for (uint32_t i = 0; i < core->view.member_count && gone.accuser_count < ACCUSERS_MAX; i++) {
        if (core->answers[i] != ANSWER_YES) {
            continue;
        }
        bool known = false;
        for (uint8_t k = 0; k < gone.accuser_count; k++) {
            known = known || gone.accusers[k] == core->view.members[i].age;
        }
        if (!known) {
            gone.accusers[gone.accuser_count++] = core->view.members[i].age;
        }
    }
    return gone;
}

/* Goes with the claim's view: everyone older, and whoever died together with them. */
static bool goes_with_claim(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];

    return position < core->position ||
           (peer->verdict == VERDICT_DEAD && removal_is_backed(core, position));
}

/* S6: what this node saw given is given. */
static void raise_next_age(struct view *next, const struct view *seen)
{
    bool counts = !view_is_empty(seen) && seen->lineage == next->lineage;

    if (counts && next->next_age < seen->next_age) {
        next->next_age = seen->next_age;
    }
}

/* C4: on the highest view, without those who are older and those who died with them. */
static void win(struct core *core)
{
    struct view *next = &core->scratch;
    uint64_t epoch = core->claim.epoch;

    change_begin(core, PLANTED(CLAIM_IGNORES_BEST) ? &core->view : highest(core), CAUSE_CLAIM);
    for (uint32_t i = core->view.member_count; i > 0; i--) {
        uint32_t in_next = view_find(next, &core->view.members[i - 1].id);
        if (in_next != VIEW_NONE && !id_equal(&core->peers[i - 1].id, &core->self.id) &&
            goes_with_claim(core, i - 1)) {
            struct gone why = evidence_of(core, i - 1);
            view_remove(next, in_next, &why);
        }
    }
    assert(next->epoch < epoch || PLANTED(CLAIM_OLD_EPOCH));
    assert(id_equal(&next->members[0].id, &core->self.id));
    raise_next_age(next, &core->view);
    if (!PLANTED(CLAIM_IGNORES_BEST)) {
        raise_next_age(next, &core->best);
        raise_next_age(next, &core->pending);
    }
    tell(core, CLAIM_WON, &core->view.members[core->position], epoch);
    core->claim.on = false;
    next->epoch = epoch;
    change_propose(core, &(struct proposal){.first_joiner = next->member_count});
}

/* Once, and a few times more while this loop is late itself for the moment it waits for. */
static bool may_wait(const struct core *core)
{
    uint8_t chances = core->claim.chances;
    bool late = core->now_ms > core->claim.deadline_ms + core->timing.batch_ms;

    return chances == 0 || (late && chances < CHANCES_MAX);
}

/* C3: decided when all who are not suspected have answered, or T_claim has passed. */
static void decide(struct core *core)
{
    uint32_t voters = 0;
    uint32_t granted = 0;
    uint32_t refused = 0;
    uint32_t silent = 0;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (core_is_self(core, i)) {
            continue;
        }
        granted += core->answers[i] == ANSWER_YES;
        refused += core->answers[i] == ANSWER_NO;
        if (core->peers[i].verdict == VERDICT_NONE && !went_elsewhere(core, i)) {
            voters++;
            silent += core->answers[i] == ANSWER_NONE;
        }
    }
    bool over = core->now_ms >= core->claim.deadline_ms;
    if (refused == 0 && (silent == 0 || over) && quorum_is_majority(granted + 1, voters + 1)) {
        win(core);
    } else if (over && may_wait(core)) {
        core->claim.chances++; /* A slow loop has the answers still before it. */
        core->claim.deadline_ms = core->now_ms + core->timing.batch_ms;
    } else if (over) {
        lose(core);
    }
}

void claim_on_grant(struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->view, &message->from);
    struct view *accepted = message->carrier.view;

    if (!core->claim.on || position == VIEW_NONE || message->carrier.epoch != core->claim.epoch) {
        core_drop(core, DROP_STALE);
        return;
    }
    bool usable = accepted != NULL && install_is_sound(core, accepted);
    if (usable && accepted->lineage == core->view.lineage && accepted->epoch >= core->claim.epoch) {
        core_saw_epoch(core, accepted->epoch);
        core_drop(core, DROP_STALE); /* No voter grants an epoch that it knows as taken (C2). */
        return;
    }
    core->answers[position] = ANSWER_YES;
    if (usable) {
        claim_consider(core, accepted);
    }
}

void claim_on_refused(struct core *core, const struct message *message)
{
    const struct claim_refused *refused = &message->claim_refused;
    uint32_t position = view_find(&core->view, &message->from);

    if (!core->claim.on || position == VIEW_NONE || refused->epoch != core->claim.epoch ||
        refused->promised > core->epoch_seen + LEAP_MAX ||
        core->answers[position] == ANSWER_YES) { /* A grant stands; this was sent before it. */
        core_drop(core, DROP_STALE);
        return;
    }
    core->answers[position] = ANSWER_NO;
    core_saw_epoch(core, refused->promised);
    if (refused->reason != CLAIM_REFUSED_FRESH) {
        lose(core);
        return;
    }
    /* C5: the older one was heard of late; ask again when that has lapsed, in the same claim. */
    uint64_t wait_ms = refused->wait_ms < core->timing.fresh_ms ? refused->wait_ms
                                                                : core->timing.fresh_ms;
    uint64_t retry_ms = core->now_ms + wait_ms + 1;
    core->claim.retry_ms = retry_ms < core->claim.retry_ms ? retry_ms : core->claim.retry_ms;
    if (core->claim.deadline_ms < retry_ms + core->timing.claim_ms) {
        core->claim.deadline_ms = retry_ms + core->timing.claim_ms;
    }
}

void claim_on_evidence(struct core *core)
{
    if (core->claim.on) {
        if (!is_candidate(core)) {
            REACHED(claim_ended_by_a_sign_of_life);
            lose(core); /* One of the older ones was heard again. */
        }
        return;
    }
    if (core->phase == PHASE_MEMBER && core->now_ms >= core->backoff_ms && claim_is_ours(core)) {
        start(core);
    }
}

/* --- The voter --- */

static void refuse(struct core *core, uint32_t claimant, uint64_t epoch, enum claim_refusal reason,
                   uint64_t wait_ms)
{
    struct message *message = outbox_message(core, MESSAGE_CLAIM_REFUSED);

    if (message != NULL) {
        message->claim_refused.epoch = epoch;
        message->claim_refused.reason = reason;
        message->claim_refused.wait_ms = wait_ms;
        message->claim_refused.promised = core->promise.epoch > core->pending.epoch
                                              ? core->promise.epoch
                                              : core->pending.epoch;
    }
    outbox_send(core, message, claimant);
}

static void grant(struct core *core, uint32_t claimant, uint64_t epoch)
{
    struct message *message = outbox_message(core, MESSAGE_GRANT);
    struct view_id pending = view_id_of(&core->pending);
    struct view_id ours = view_id_of(&core->view);

    change_yield(core); /* What we proposed ourselves stays only as what we accepted. */
    core->promise.epoch = epoch;
    core->promise.to = core->view.members[claimant].id;
    core->promise.until_ms = core->now_ms + core->timing.claim_ms + core->timing.prepare_ms;
    core->promise.waiting_until_ms = 0;
    core_saw_epoch(core, epoch);
    if (message != NULL) {
        bool higher = !view_is_empty(&core->pending) && view_id_compare(&pending, &ours) > 0;
        message->carrier.view = higher ? &core->pending : NULL;
        message->carrier.epoch = epoch;
    }
    outbox_send(core, message, claimant);
    tell(core, CLAIM_GRANTED, &core->view.members[claimant], epoch);
}

/* For how long yet is somebody older than the claimant alive in this node's eyes? 0: nobody is. */
static uint64_t older_is_fresh_for_ms(const struct core *core, uint32_t claimant)
{
    uint64_t wait_ms = 0;
    uint32_t seniors = PLANTED(SEVERAL_CLAIMANTS) && claimant > 0 ? 1 : claimant;

    for (uint32_t i = 0; i < seniors; i++) {
        if (went_elsewhere(core, i)) {
            continue;
        }
        uint64_t fresh_ms = core_is_self(core, i) ? core->timing.fresh_ms
                                                  : detector_fresh_for_ms(core, i);
        wait_ms = fresh_ms > wait_ms ? fresh_ms : wait_ms;
    }
    return wait_ms;
}

/* C2, once both hold the same view. A refusal for freshness is remembered, so that the grant
 * follows in the moment in which our own evidence is complete. */
static void judge(struct core *core, uint32_t claimant, uint64_t epoch)
{
    const struct node_id *id = &core->view.members[claimant].id;
    /* An accepted proposal took its epoch, even if what became of it is not known here (V2). */
    bool taken = !view_is_empty(&core->pending) && core->pending.lineage == core->view.lineage &&
                 epoch <= core->pending.epoch;
    bool promised = taken || epoch < core->promise.epoch ||
                    (epoch == core->promise.epoch && !id_equal(&core->promise.to, id));

    if (promised) {
        REACHED(claim_refused_for_a_promise);
        refuse(core, claimant, epoch, CLAIM_REFUSED_EPOCH, 0);
        return;
    }
    uint64_t wait_ms = older_is_fresh_for_ms(core, claimant);
    if (wait_ms == 0 || PLANTED(GRANT_WHILE_FRESH)) {
        grant(core, claimant, epoch);
        return;
    }
    core->promise.waiting = *id;
    core->promise.waiting_epoch = epoch;
    core->promise.waiting_until_ms = core->now_ms + core->timing.claim_ms;
    refuse(core, claimant, epoch, CLAIM_REFUSED_FRESH, wait_ms);
    tell(core, CLAIM_DECLINED, &core->view.members[claimant], epoch);
}

/* The claimant's view is newer: take it over if it may be, else the claim is not for us. */
static bool catch_up(struct core *core, const struct message *message)
{
    struct view *view = message->carrier.view;

    if (!view_has(view, &core->self.id) || view->lineage != core->view.lineage ||
        !install_allows(core, view, &message->from)) {
        return false;
    }
    install_view(core, view);
    return true;
}

void claim_on_claim(struct core *core, const struct message *message)
{
    struct view *view = message->carrier.view;

    if (!install_is_sound(core, view)) {
        return;
    }
    struct view_id theirs = view_id_of(view);
    struct view_id ours = view_id_of(&core->view);
    if (theirs.lineage != ours.lineage ||
        (message->carrier.epoch <= theirs.epoch && !PLANTED(CLAIM_OLD_EPOCH)) ||
        message->carrier.epoch > core->epoch_seen + LEAP_MAX) {
        core_drop(core, DROP_STALE);
        return;
    }
    int order = view_id_compare(&theirs, &ours);
    if (order > 0 && !catch_up(core, message)) {
        core_drop(core, DROP_STALE);
        return;
    }
    uint32_t claimant = view_find(&core->view, &message->from);
    if (claimant == VIEW_NONE) {
        install_answer_stranger(core, message);
        return;
    }
    if (order < 0) {
        REACHED(claim_with_an_older_view);
        install_on_pull(core, message); /* It gets the newer view and starts again from there. */
        return;
    }
    judge(core, claimant, message->carrier.epoch);
}

static void judge_again(struct core *core)
{
    struct promise *promise = &core->promise;
    uint32_t claimant = view_find(&core->view, &promise->waiting);

    if (core->now_ms >= promise->waiting_until_ms || claimant == VIEW_NONE ||
        core->peers[claimant].verdict != VERDICT_NONE || promise->waiting_epoch < promise->epoch ||
        (promise->waiting_epoch == promise->epoch && !id_equal(&promise->to, &promise->waiting))) {
        promise->waiting_until_ms = 0;
        return;
    }
    if (older_is_fresh_for_ms(core, claimant) == 0) {
        REACHED(claim_granted_when_evidence_was_complete);
        grant(core, claimant, promise->waiting_epoch);
    }
}

/* --- Both --- */

static void forget_promise(struct core *core)
{
    REACHED(promise_forgotten);
    core->promise.epoch = 0; /* C5; epoch_seen keeps later claims above it. */
    core->promise.until_ms = 0;
    core->evidence_changed = true; /* Nothing came of it: perhaps it is our turn. */
}

void claim_tick(struct core *core)
{
    if (!core_is_member(core)) {
        return;
    }
    if (core->promise.epoch != 0 && core->now_ms >= core->promise.until_ms && !core->claim.on) {
        forget_promise(core);
    }
    if (core->promise.waiting_until_ms != 0) {
        judge_again(core);
    }
    if (core->claim.on) {
        if (core->now_ms >= core->claim.retry_ms) {
            core->claim.retry_ms = NEVER_MS;
            ask(core, true);
        }
        decide(core);
    }
}

void claim_end_backoff(struct core *core)
{
    if (core->backoff_ms != 0 && core->now_ms >= core->backoff_ms) {
        core->backoff_ms = 0;
        core->evidence_changed = true;
    }
}

uint64_t claim_deadline_ms(const struct core *core)
{
    uint64_t due_ms = NEVER_MS;

    if (core->claim.on) {
        due_ms = core->claim.deadline_ms;
        due_ms = core->claim.retry_ms < due_ms ? core->claim.retry_ms : due_ms;
    }
    if (core->backoff_ms != 0 && core->backoff_ms < due_ms) {
        due_ms = core->backoff_ms;
    }
    return due_ms;
}
