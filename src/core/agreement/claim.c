#include "core/agreement/claim.h"

#include <assert.h>
#include <string.h>

#include "core/agreement/authority.h"
#include "core/agreement/change.h"
#include "core/agreement/change_accept.h"
#include "core/agreement/change_propose.h"
#include "core/agreement/install.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/agreement/successor.h"
#include "core/agreement/unanswered.h"
#include "core/detection/detector.h"
#include "core/detection/elders.h"
#include "core/detection/hearing.h"
#include "core/detection/removal.h"
#include "core/detection/route.h"
#include "core/detection/verdict.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/refuse.h"

enum { CHANCES_MAX = 4 }; /* of a claim whose own loop is slow */

/* --- The candidate --- */

/* Others say that they hear that one: they would refuse a claim (C2), again and again for as long
 * as a link is bad. Or they have not found it lost yet, or this node may be cut off (D2f). */
static bool may_be_alive(const struct core *core, uint32_t position)
{
    return hearing_is_heard_by_others(core, position) ||
           hearing_not_lost_until_ms(core, position) != 0;
}

/* C1: holds a verdict on every member older than itself, or sees it follow another. A claim is not
 * begun while one of those suspected may be alive. */
static bool is_candidate(const struct core *core, bool begun)
{
    uint32_t position = core->position;

    for (uint32_t i = 0; i < position; i++) {
        enum verdict verdict = core->peers[i].charge.verdict;
        if (elders_are_passed_over(core, i)) {
            REACHED(older_one_passed_over);
            continue;
        }
        if (verdict == VERDICT_NONE) {
            return false;
        }
        if (!begun && verdict != VERDICT_DEAD && may_be_alive(core, i)) {
            return false;
        }
    }
    return position > 0;
}

bool claim_is_ours(const struct core *core)
{
    return !core->change.on && core->now_ms >= core->detector.late_until_ms &&
           install_may_lead(core) && is_candidate(core, core->claim.on);
}

bool claim_goes_on(const struct core *core)
{
    return is_candidate(core, true);
}

/* Is that member's answer waited for (C3)? */
static bool is_awaited(const struct core *core, uint32_t position)
{
    return core->claim.answers[position] == ANSWER_NONE && !core_is_self(core, position) &&
           core->peers[position].charge.verdict == VERDICT_NONE &&
           !elders_are_passed_over(core, position);
}

/* Whom to ask. */
enum asked { ASK_ALL, ASK_REFUSED, ASK_AWAITED };

static bool is_asked(const struct core *core, uint32_t position, enum asked asked)
{
    switch (asked) {
    case ASK_ALL:
        return !core_is_self(core, position);
    case ASK_REFUSED:
        return core->claim.answers[position] == ANSWER_NO;
    case ASK_AWAITED:
        return is_awaited(core, position);
    }
    return false;
}

static void ask(struct core *core, enum asked asked)
{
    struct message *message = outbox_message(core, MESSAGE_CLAIM);

    if (message != NULL) {
        message->reference.view = view_id_of(&core->view);
        message->reference.view_hash = core->view.hash;
        message->reference.promised = core->claim.epoch;
    }
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (!is_asked(core, i, asked)) {
            continue;
        }
        watch_want_late(core, i, core->claim.sendings);
        route_send(core, message, i);
    }
}

static void wait_for_answers(struct core *core)
{
    core->claim.sendings++;
    core->claim.asking.again_ms = core->now_ms +
                                  timing_resend_ms(&core->timing, core->claim.sendings);
}

static void tell(struct core *core, enum claim_step step, const struct member *claimant,
                 uint64_t epoch)
{
    struct notice *notice = outbox_notice_of(core, NOTICE_CLAIM, claimant);

    notice->claim = step;
    notice->epoch = epoch;
}

/* The view leaves out a member that this node hears, or one that its maker never saw. */
static bool loses_somebody(const struct core *core, const struct view *view)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct member *member = &core->view.members[i];
        bool heard = core->peers[i].charge.verdict == VERDICT_NONE && hearing_is_fresh(core, i);
        if ((heard && !view_has(view, &member->id)) ||
            (i > core->position && !view_knows(view, member))) {
            return true;
        }
    }
    return false;
}

/* C4: the view to build on is the installed one, or a higher one that was proposed or shown. But
 * the last proposal of a coordinator that had gone deaf must not remove members that live (S8). */
static const struct view *highest(const struct core *core)
{
    bool better = !view_is_empty(&core->claim.base) && !loses_somebody(core, &core->claim.base);

    return better ? &core->claim.base : &core->view;
}

/* Was the view made by one whom this node's claim deposes, or by itself? Then nobody else goes by
 * it whom this node would take its coordinator from. */
static bool is_made_by_an_elder(const struct core *core, const struct view *accepted)
{
    return view_find(&core->view, &accepted->members[0].id) <= core->position; /* VIEW_NONE: no */
}

/* Why the view is not one to build on (C4); REFUSED_COUNT: it is. */
static enum refusal why_not_base(const struct core *core, const struct view *view)
{
    const struct view *base = view_is_empty(&core->claim.base) ? &core->view : &core->claim.base;
    struct view_id theirs = view_id_of(view);
    struct view_id best = view_id_of(base);

    if (core->claim.on && view->epoch >= core->claim.epoch) {
        return REFUSED_BASE_UNFIT; /* The claim under way asks for less. */
    }
    if (view->cause == CAUSE_MERGE /* Only its proposer could have the other part's word (M7). */ ||
        view->lineage != core->view.lineage || !view_has(view, &core->life.self.id) ||
        !is_made_by_an_elder(core, view)) {
        return REFUSED_BASE_UNFIT;
    }
    return view_id_compare(&theirs, &best) > 0 ? REFUSED_COUNT : REFUSED_BASE_NOT_HIGHEST;
}

static void build_on(struct core *core, const struct view *view)
{
    REACHED(voter_had_accepted_more);
    view_copy(&core->claim.base, view);
    core->claim.base_ms = core->now_ms;
}

void claim_compare(struct core *core, const struct message *heartbeat, uint32_t position)
{
    struct claim *claim = &core->claim;

    if (!claim->on && change_is_in_vain(core, heartbeat, position, &claim->base, claim->base_ms)) {
        view_clear(&claim->base);
    }
}

/* S6: what this node saw given is given, whether it builds on that or not. */
static void note_ages(struct core *core, const struct view *seen)
{
    if (seen->lineage == core->view.lineage && core->claim.next_age < seen->next_age) {
        core->claim.next_age = seen->next_age;
    }
}

void claim_consider(struct core *core, const struct message *message)
{
    enum refusal against = why_not_base(core, message->carrier.view);

    note_ages(core, message->carrier.view);
    if (against != REFUSED_COUNT) {
        refuse(core, message, against);
        return;
    }
    build_on(core, message->carrier.view);
}

static void start(struct core *core)
{
    uint64_t epoch = promise_epoch_to_claim(core);

    memset(core->claim.answers, ANSWER_NONE, core->view.member_count);
    core->claim.on = true;
    core->claim.chances = 0;
    core->claim.epoch = epoch > core->promise.epoch ? epoch : core->promise.epoch + 1;
    core->claim.asking.until_ms = core->now_ms + core->timing.claim_ms;
    core->claim.retry_ms = NEVER_MS;
    if (core->claim.base.epoch >= core->claim.epoch) {
        view_clear(&core->claim.base); /* What was shown before may leap (C4a, V7a). */
    }
    const struct view *accepted = &core->change.pending;
    if (!view_is_empty(accepted) && why_not_base(core, accepted) == REFUSED_COUNT) {
        build_on(core, accepted);
    }
    promise_give(core, core->claim.epoch, &core->life.self.id,
                 core->now_ms + 2 * core->timing.claim_ms); /* A candidate is its first voter. */
    tell(core, CLAIM_STARTED, &core->view.members[core->position], core->claim.epoch);
    core->claim.sendings = 0;
    ask(core, ASK_ALL);
    wait_for_answers(core);
}

static void lose(struct core *core)
{
    core->claim.on = false;
    promise_back_off(core);
    tell(core, CLAIM_LOST, &core->view.members[core->position], core->claim.epoch);
}

/* Those who granted stand behind the removal, next to our own evidence (R5). */
static struct gone evidence_of(const struct core *core, uint32_t position)
{
    struct gone gone = removal_evidence(core, position);

    for (uint32_t i = 0; i < core->view.member_count && gone.accuser_count < ACCUSERS_MAX; i++) {
        if (core->claim.answers[i] != ANSWER_YES || !removal_may_be_accused(core, position)) {
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
           (peer->charge.verdict == VERDICT_DEAD && removal_is_backed(core, position));
}

/* C4: on the highest view, without those who are older and those who died with them. Who is older
 * there alone stays, behind the winner (C4e). */
static void win(struct core *core)
{
    struct view *next = next_view_begin(core, highest(core), CAUSE_CLAIM);
    uint64_t epoch = core->claim.epoch;

    for (uint32_t i = core->view.member_count; i > 0; i--) {
        uint32_t in_next = view_find(next, &core->view.members[i - 1].id);
        if (in_next != VIEW_NONE && !id_equal(&core->peers[i - 1].id, &core->life.self.id) &&
            goes_with_claim(core, i - 1)) {
            struct gone why = evidence_of(core, i - 1);
            view_remove(next, in_next, &why);
        }
    }
    assert(next->epoch < epoch);
    note_ages(core, &core->view);
    note_ages(core, &core->change.pending);
    next->next_age = next->next_age > core->claim.next_age ? next->next_age : core->claim.next_age;
    if (view_find(next, &core->life.self.id) > 0) {
        REACHED(claim_overtook);
        successor_overtake(core, next);
    }
    tell(core, CLAIM_WON, &core->view.members[core->position], epoch);
    core->claim.on = false;
    next->epoch = epoch;
    change_propose(core, next, &(struct proposal){.first_joiner = 0}); /* C4e */
}

/* Once, and a few times more while this loop is late itself for the moment it waits for. */
static bool may_wait(const struct core *core)
{
    uint8_t chances = core->claim.chances;
    bool late = core->now_ms > core->claim.asking.until_ms + core->timing.batch_ms;

    return chances == 0 || (late && chances < CHANCES_MAX);
}

/* C1d: a candidate that is behind needs more than half of all of its view. */
static bool are_enough(const struct core *core, uint32_t granted, uint32_t voters)
{
    return quorum_is_majority(granted, voters) &&
           (!install_is_behind(core) || quorum_is_majority(granted, core->view.member_count));
}

/* C3: decided when all who are not suspected have answered, or T_claim has passed. */
/* L3b: is it heard, and, where it is watched, has it said that it holds the view? A joiner that has
 * not heard yet that it is in (J6) answers nothing. */
static bool could_answer(const struct core *core, uint32_t position)
{
    return hearing_is_fresh(core, position) &&
           (!watch_is_on(core, position) || hearing_holds_our_view(core, position));
}

static void decide(struct core *core)
{
    uint32_t voters = 0;
    uint32_t granted = 0;
    uint32_t refused = 0;
    uint32_t silent = 0;
    uint32_t heard = 0; /* of those who are silent */

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (core_is_self(core, i)) {
            continue;
        }
        granted += core->claim.answers[i] == ANSWER_YES;
        refused += core->claim.answers[i] == ANSWER_NO;
        if (core->peers[i].charge.verdict == VERDICT_NONE && !elders_are_passed_over(core, i)) {
            voters++;
            silent += is_awaited(core, i);
            heard += is_awaited(core, i) && could_answer(core, i);
        }
    }
    bool over = asking_is_over(&core->claim.asking, core->now_ms);
    if (refused == 0 && (silent == 0 || over) && are_enough(core, granted + 1, voters + 1)) {
        win(core);
    } else if (over && may_wait(core)) {
        core->claim.chances++; /* A slow loop has the answers still before it. */
        core->claim.asking.until_ms = core->now_ms + core->timing.batch_ms;
    } else if (over) {
        lose(core);
        if (heard > voters / 2) {
            unanswered_note(core);
        }
    }
}

/* Is this a voter's answer to the claim that is under way? */
static bool answers_claim(struct core *core, const struct message *message, uint64_t epoch)
{
    if (!core->claim.on || epoch != core->claim.epoch) {
        refuse(core, message, REFUSED_ANOTHER_CLAIM);
    } else if (!view_has(&core->view, &message->from)) {
        refuse(core, message, REFUSED_OF_STRANGER);
    } else {
        return true;
    }
    return false;
}

void claim_on_grant(struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->view, &message->from);
    struct view *accepted = message->carrier.view;

    if (!answers_claim(core, message, message->carrier.epoch)) {
        return;
    }
    bool usable = accepted != NULL && install_is_sound(core, message);
    if (usable && accepted->lineage == core->view.lineage && accepted->epoch >= core->claim.epoch) {
        promise_saw_epoch(core, accepted->epoch);
        refuse(core, message, REFUSED_GRANT_OF_TAKEN); /* No voter grants what it knows as taken. */
        return;
    }
    core->claim.answers[position] = ANSWER_YES;
    if (!hearing_holds_our_view(core, position)) {
        detector_on_acknowledged(core, position, 0); /* U3c: both hold the view that it is of. */
    }
    if (usable) {
        claim_consider(core, message);
    }
}

void claim_on_refused(struct core *core, const struct message *message)
{
    const struct claim_refused *refused = &message->claim_refused;
    uint32_t position = view_find(&core->view, &message->from);

    if (!answers_claim(core, message, refused->epoch)) {
        return;
    }
    if (promise_epoch_leaps(core, refused->promised)) {
        refuse(core, message, REFUSED_EPOCH_LEAPS);
        return;
    }
    if (core->claim.answers[position] == ANSWER_YES) {
        refuse(core, message, REFUSED_GRANTED_BEFORE); /* The grant stands. */
        return;
    }
    core->claim.answers[position] = ANSWER_NO;
    promise_saw_epoch(core, refused->promised);
    if (refused->reason == CLAIM_REFUSED_BEHIND) {
        install_note_higher(core, position);
        return; /* It is shown the higher view, too, and mostly gets it. */
    }
    if (refused->reason != CLAIM_REFUSED_FRESH) {
        lose(core);
        return;
    }
    /* C5: the older one was heard of late; ask again when that has lapsed, in the same claim. */
    uint64_t wait_ms = refused->wait_ms < core->timing.fresh_ms ? refused->wait_ms
                                                                : core->timing.fresh_ms;
    uint64_t retry_ms = core->now_ms + wait_ms + 1;
    core->claim.retry_ms = retry_ms < core->claim.retry_ms ? retry_ms : core->claim.retry_ms;
    if (core->claim.asking.until_ms < retry_ms + core->timing.claim_ms) {
        core->claim.asking.until_ms = retry_ms + core->timing.claim_ms;
    }
}

void claim_on_evidence(struct core *core)
{
    if (core->claim.on) {
        if (!is_candidate(core, true)) {
            REACHED(claim_ended_by_a_sign_of_life);
            lose(core); /* One of the older ones was heard again. */
        }
        return;
    }
    if (core->life.phase == PHASE_MEMBER && core->now_ms >= core->promise.backoff_ms &&
        claim_is_ours(core)) {
        start(core);
    }
}

/* --- The voter --- */

static void deny(struct core *core, uint32_t claimant, uint64_t epoch, enum claim_refusal reason,
                 uint64_t wait_ms)
{
    struct message *message = outbox_message(core, MESSAGE_CLAIM_REFUSED);

    if (message != NULL) {
        message->claim_refused.epoch = epoch;
        message->claim_refused.reason = reason;
        message->claim_refused.wait_ms = wait_ms;
        message->claim_refused.promised = core->promise.epoch > core->change.pending.epoch
                                              ? core->promise.epoch
                                              : core->change.pending.epoch;
    }
    route_send(core, message, claimant);
}

/* What it accepted, if that is higher than the installed one; NULL: it is not. A copy, for in the
 * same step this node may propose something itself. */
static struct view *shown_with_grant(struct core *core)
{
    const struct view *accepted = &core->change.pending;
    struct view_id theirs = view_id_of(accepted);
    struct view_id ours = view_id_of(&core->view);

    if (view_is_empty(accepted) || view_id_compare(&theirs, &ours) <= 0) {
        return NULL;
    }
    view_copy(&core->claim.shown, accepted);
    return &core->claim.shown;
}

static void grant(struct core *core, uint32_t claimant, uint64_t epoch)
{
    struct message *message = outbox_message(core, MESSAGE_GRANT);

    change_drop_own(core); /* What we proposed ourselves stays only as what we accepted. */
    claim_drop(core);
    promise_give(core, epoch, &core->view.members[claimant].id,
                 core->now_ms + core->timing.claim_ms + core->timing.prepare_ms);
    core->claim.waiting.until_ms = 0;
    if (message != NULL) {
        message->carrier.view = shown_with_grant(core);
        message->carrier.epoch = epoch;
    }
    route_send(core, message, claimant);
    tell(core, CLAIM_GRANTED, &core->view.members[claimant], epoch);
}

/* Why this voter is not free to grant that epoch; REFUSED_COUNT: it is. */
static enum refusal why_epoch_is_not_free(const struct core *core, const struct node_id *claimant,
                                          uint64_t epoch)
{
    const struct view *accepted = &core->change.pending;

    /* An accepted proposal took its epoch, even if what became of it is not known here (V2). */
    if (!view_is_empty(accepted) && accepted->lineage == core->view.lineage &&
        epoch <= accepted->epoch) {
        return REFUSED_EPOCH_TAKEN;
    }
    if (epoch < core->promise.epoch) {
        return REFUSED_EPOCH_BELOW_PROMISE;
    }
    return epoch == core->promise.epoch && !id_equal(&core->promise.to, claimant)
               ? REFUSED_EPOCH_PROMISED
               : REFUSED_COUNT;
}

/* C2, once both hold the same view. A refusal for freshness is remembered, so that the grant
 * follows in the moment in which our own evidence is complete. */
static void judge(struct core *core, const struct message *message, uint32_t claimant)
{
    const struct node_id nobody = {.bytes = {0}};
    const struct node_id *id = &core->view.members[claimant].id;
    uint64_t epoch = message->reference.promised;
    enum refusal against = why_epoch_is_not_free(core, id, epoch);

    if (against != REFUSED_COUNT) {
        REACHED(claim_refused_for_a_promise);
        refuse(core, message, against);
        deny(core, claimant, epoch, CLAIM_REFUSED_EPOCH, 0);
        return;
    }
    watch_want_older(core, claimant);
    uint64_t wait_ms = elders_are_fresh_for_ms(core, claimant, &nobody);
    if (wait_ms == 0) {
        grant(core, claimant, epoch);
        return;
    }
    core->claim.waiting = (struct waiting_claim){
        .id = *id, .epoch = epoch, .until_ms = core->now_ms + core->timing.claim_ms};
    refuse(core, message,
           core->position < claimant ? REFUSED_CLAIMANT_YOUNGER : REFUSED_OLDER_ONE_FRESH);
    deny(core, claimant, epoch, CLAIM_REFUSED_FRESH, wait_ms);
    tell(core, CLAIM_DECLINED, &core->view.members[claimant], epoch);
}

/* The claimant's view is higher. This node installs it at once where it has accepted it, as with a
 * COMMIT; else it asks for it, and answers when the claim is repeated. */
static bool catch_up(struct core *core, const struct message *message)
{
    if (change_names_pending(core, message) && !core->change.on) {
        install_view(core, &core->change.pending);
        return true;
    }
    refuse(core, message, REFUSED_CLAIM_VIEW_HIGHER);
    if (view_has(&core->view, &message->from)) {
        install_pull(core, message);
    }
    return false;
}

void claim_on_claim(struct core *core, const struct message *message)
{
    const struct view_id *theirs = &message->reference.view;
    const struct view_id ours = view_id_of(&core->view);
    const uint64_t epoch = message->reference.promised;

    if (theirs->lineage != ours.lineage) {
        refuse(core, message, REFUSED_OTHER_LINEAGE);
        return;
    }
    if (epoch <= theirs->epoch) {
        refuse(core, message, REFUSED_CLAIM_NOT_NEW);
        return;
    }
    if (epoch > promise_numbers_max(core).epoch) {
        refuse(core, message, REFUSED_EPOCH_LEAPS);
        return;
    }
    int order = view_id_compare(theirs, &ours);
    if (order > 0 && !catch_up(core, message)) {
        return;
    }
    uint32_t claimant = view_find(&core->view, &message->from);
    if (claimant == VIEW_NONE) {
        refuse(core, message, REFUSED_OF_STRANGER);
        install_answer_stranger(core, message);
        return;
    }
    if (order < 0) {
        REACHED(claim_with_an_older_view);
        refuse(core, message, REFUSED_CLAIM_VIEW_LOWER);
        deny(core, claimant, epoch, CLAIM_REFUSED_BEHIND, 0);
        install_on_pull(core, message); /* It gets the newer view and starts again from there. */
        return;
    }
    judge(core, message, claimant);
}

static void judge_again(struct core *core)
{
    const struct waiting_claim *waiting = &core->claim.waiting;
    const struct promise *promise = &core->promise;
    const struct node_id nobody = {.bytes = {0}};
    uint32_t claimant = view_find(&core->view, &waiting->id);

    if (core->now_ms >= waiting->until_ms || claimant == VIEW_NONE ||
        core->peers[claimant].charge.verdict != VERDICT_NONE || waiting->epoch < promise->epoch ||
        (waiting->epoch == promise->epoch && !id_equal(&promise->to, &waiting->id))) {
        refuse_later(core, MESSAGE_CLAIM, &waiting->id, REFUSED_CLAIM_LAPSED);
        core->claim.waiting.until_ms = 0;
        return;
    }
    if (elders_are_fresh_for_ms(core, claimant, &nobody) == 0) {
        REACHED(claim_granted_when_evidence_was_complete);
        grant(core, claimant, waiting->epoch);
    }
}

/* --- Both --- */

void claim_tick(struct core *core)
{
    if (!core_is_member(core)) {
        return;
    }
    if (core->promise.epoch != 0 && core->now_ms >= core->promise.until_ms && !core->claim.on) {
        promise_forget(core);
    }
    if (core->claim.waiting.until_ms != 0) {
        judge_again(core);
    }
    if (core->claim.on) {
        if (core->now_ms >= core->claim.retry_ms) {
            core->claim.retry_ms = NEVER_MS;
            ask(core, ASK_REFUSED);
        }
        if (asking_is_due(&core->claim.asking, core->now_ms)) {
            ask(core, ASK_AWAITED);
            wait_for_answers(core);
        }
        decide(core);
    }
}

uint64_t claim_deadline_ms(const struct core *core)
{
    uint64_t due_ms = NEVER_MS;

    if (core->claim.on) {
        due_ms = earlier(core->claim.retry_ms, asking_deadline_ms(&core->claim.asking));
    }
    if (core->promise.backoff_ms != 0 && core->promise.backoff_ms < due_ms) {
        due_ms = core->promise.backoff_ms;
    }
    return due_ms;
}

void claim_drop(struct core *core)
{
    core->claim.on = false;
}

void claim_on_late(struct core *core, uint64_t late_ms)
{
    if (core->claim.on && core->claim.chances == 0) {
        core->claim.asking.until_ms += late_ms;
    }
}

void claim_on_view_installed(struct core *core)
{
    claim_drop(core);
    view_clear(&core->claim.base);
    core->claim.next_age = 0;
    if (core->view.epoch >= core->promise.epoch) {
        core->claim.waiting.until_ms = 0;
    }
}

void claim_reset(struct core *core)
{
    claim_drop(core);
    view_clear(&core->claim.base);
    core->claim.next_age = 0;
    core->claim.waiting.until_ms = 0;
}
