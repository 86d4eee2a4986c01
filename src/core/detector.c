#include "core/detector.h"

#include <string.h>

#include "core/change.h"
#include "core/install.h"
#include "core/outbox.h"
#include "core/plant.h"
#include "core/removal.h"

void detector_watch(struct core *core, uint32_t position)
{
    struct peer *peer = &core->peers[position];

    memset(peer, 0, sizeof *peer);
    peer->id = core->view.members[position].id;
    peer->silent_from_ms = core->now_ms;
    peer->verify_ms = NEVER_MS;
    core->detect_ms = core->now_ms; /* Looks at everyone once and finds its next moment. */
}

static void tell_verdict(struct core *core, enum notice_type type, uint32_t position,
                         uint64_t silent_ms)
{
    struct notice *notice = outbox_notice_of(core, type, &core->view.members[position]);
    notice->verdict = core->peers[position].verdict;
    notice->silent_ms = silent_ms;
}

static void clear_verdict(struct core *core, uint32_t position)
{
    struct peer *peer = &core->peers[position];

    if (peer->verdict == VERDICT_NONE) {
        return;
    }
    tell_verdict(core, NOTICE_CLEARED, position, core->now_ms - peer->silent_from_ms);
    peer->verdict = VERDICT_NONE;
    peer->confirmed = false;
    peer->verify_ms = NEVER_MS;
    core->evidence_changed = true;
    core->detect_ms = earlier(core->detect_ms, core->now_ms + core->timing.silent_ms);
}

bool detector_heard(struct core *core, const struct message *message, uint32_t position)
{
    struct peer *peer = &core->peers[position];

    if (message->number <= peer->number && !PLANTED(STALE_CLEARS)) {
        return false;
    }
    peer->number = message->number;
    if (message->relay) {
        peer->vouched_ms = core->now_ms; /* It lives, but its link to us is bad (R2). */
        return true;
    }
    if (!message->fellow && !PLANTED(OTHER_VIEW_COUNTS)) {
        return true; /* It lives, but in a view without us: no evidence for this one (H42). */
    }
    clear_verdict(core, position);
    peer->heard_ms = core->now_ms;
    peer->silent_from_ms = core->now_ms;
    peer->asked_ms = 0;
    /* What was on its way when the connection closed proves nothing against the closing. */
    if (core->now_ms > peer->closed_ms + core->timing.batch_ms) {
        peer->closed_ms = 0;
    }
    return true;
}

uint64_t detector_fresh_for_ms(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];
    uint64_t until = peer->silent_from_ms + core->timing.fresh_ms;

    if (peer->verdict == VERDICT_DEAD || until <= core->now_ms) {
        return 0;
    }
    return until - core->now_ms;
}

bool detector_is_fresh(const struct core *core, uint32_t position)
{
    return core_is_self(core, position) || detector_fresh_for_ms(core, position) > 0;
}

uint32_t detector_fresh_count(const struct core *core, uint64_t now_ms)
{
    uint32_t count = 1; /* This node, which never hears itself. */
    bool leads = core_is_coordinator(core) && !PLANTED(GUARD_COUNTS_OTHERS);

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct peer *peer = &core->peers[i];
        bool follows = !leads || id_equal(&peer->view.coordinator, &core->self.id);
        count += peer->heard_ms != 0 && now_ms < peer->heard_ms + core->timing.fresh_ms &&
                 peer->verdict == VERDICT_NONE && follows;
    }
    return PLANTED(GUARD_COUNTS_LIST) ? core->view.member_count : count;
}

bool detector_is_awake(const struct core *core)
{
    if (core->late_since_ms == 0 || core->view.member_count == 1) {
        return true;
    }
    uint32_t heard = 1;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct peer *peer = &core->peers[i];
        /* What is heard so long after we woke did not wait in a socket. */
        bool since = peer->heard_ms >= core->late_until_ms &&
                     id_equal(&peer->view.coordinator, &core->view.members[0].id);
        heard += core->now_ms < peer->awake_until_ms || since;
    }
    return core->terms.guard.policy == GUARD_NONE
               ? heard > 1
               : quorum_is_majority(heard, core->view.member_count);
}

/* --- Heartbeats --- */

static bool is_heard(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];

    return peer->verdict == VERDICT_NONE &&
           core->now_ms < peer->silent_from_ms + core->timing.silent_ms;
}

static void add_suspects(const struct core *core, struct heartbeat *heartbeat)
{
    if (core->now_ms < core->late_until_ms) {
        return; /* D4 */
    }
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (core_is_self(core, i) || is_heard(core, i)) {
            continue;
        }
        struct suspicion *suspicion = &heartbeat->suspects[heartbeat->suspect_count++];
        suspicion->age = core->view.members[i].age;
        suspicion->verdict = core->peers[i].verdict;
        if (heartbeat->suspect_count == SUSPECTS_MAX) {
            return;
        }
    }
}

static bool was_late_lately(const struct core *core, uint64_t within_ms)
{
    return core->late_last_ms != 0 && core->now_ms < core->late_last_ms + within_ms;
}

static struct message *make_heartbeat(struct core *core)
{
    struct message *message = outbox_message(core, MESSAGE_HEARTBEAT);

    if (message != NULL) {
        message->heartbeat.view = view_id_of(&core->view);
        message->heartbeat.view_hash = core->view.hash;
        message->heartbeat.late = was_late_lately(core, core->timing.fresh_ms);
        message->heartbeat.acting = core_is_acting(core, core->now_ms);
        add_suspects(core, &message->heartbeat);
    }
    return message;
}

/* R2: a link that has become bad is told once, by each end that holds a verdict. */
static void tell_bad_link(struct core *core, uint32_t position)
{
    struct peer *peer = &core->peers[position];
    bool bad = detector_link_is_bad(core, position) && peer->verdict != VERDICT_NONE &&
               detector_relay_to(core, position) != VIEW_NONE;

    if (bad && !peer->told_bad) {
        outbox_notice_of(core, NOTICE_VOUCHED, &core->view.members[position]);
    }
    peer->told_bad = bad;
}

static void send_heartbeats(struct core *core)
{
    struct message *message = make_heartbeat(core);

    /* While anybody is suspected the evidence is judged at each heartbeat: what others said lapses
     * with time, and no event tells of it. */
    core->evidence_changed = core->evidence_changed ||
                             (message != NULL && message->heartbeat.suspect_count > 0);

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (!core_is_self(core, i)) {
            tell_bad_link(core, i);
            outbox_send(core, message, i);
        }
    }
    core->heartbeat_ms = core->now_ms + random_jitter(&core->random, core->timing.heartbeat_ms, 5);
    core->stranger_replies = STRANGER_REPLIES_MAX;
}

void detector_greet(struct core *core, const struct view *old)
{
    if (view_is_empty(old)) {
        send_heartbeats(core);
        return;
    }
    struct message *message = NULL;
    const struct node_id *former = &old->members[0].id;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        bool leads_now = i == 0 && !id_equal(&core->view.members[0].id, former);
        if (!core_is_self(core, i) && (leads_now || !view_has(old, &core->view.members[i].id))) {
            message = message != NULL ? message : make_heartbeat(core);
            outbox_send(core, message, i);
        }
    }
}

/* A new verdict travels at once to the coordinator, or to the oldest who may succeed it, and to
 * the suspect, who may know better (D1, D5). */
static void tell_others(struct core *core, uint32_t suspect)
{
    struct message *message = make_heartbeat(core);
    uint32_t judge = 0;

    while (judge < core->view.member_count && core->peers[judge].verdict != VERDICT_NONE) {
        judge++;
    }
    if (judge < core->view.member_count && !core_is_self(core, judge)) {
        outbox_send(core, message, judge);
    }
    outbox_send(core, message, suspect);
}

/* Does it say that it does not hear us: that we are silent, or suspect? */
static bool misses_us(const struct core *core, const struct heartbeat *heartbeat)
{
    uint64_t age = core->view.members[core->position].age;

    if (heartbeat->view.lineage != core->view.lineage) {
        return false;
    }
    for (uint8_t i = 0; i < heartbeat->suspect_count; i++) {
        if (heartbeat->suspects[i].age == age) {
            return true;
        }
    }
    return false;
}

/* D5: who learns that it is suspected says so, to the one who suspects it and to the
 * coordinator; not more often than that helps. */
static void refute(struct core *core, uint32_t position)
{
    struct peer *peer = &core->peers[position];

    if (peer->answered_ms != 0 &&
        core->now_ms < peer->answered_ms + core->timing.heartbeat_ms / 4) {
        return;
    }
    peer->answered_ms = core->now_ms;
    struct message *message = make_heartbeat(core);
    outbox_send(core, message, position);
    if (position != 0 && !core_is_coordinator(core)) {
        outbox_send(core, message, 0);
    }
}

/* Given that there are as many as in its last one. */
static bool accuses_the_same(const struct heartbeat *heartbeat, const struct peer *peer)
{
    for (uint8_t i = 0; i < heartbeat->suspect_count; i++) {
        if (heartbeat->suspects[i].age != peer->suspects[i].age ||
            heartbeat->suspects[i].verdict != peer->suspects[i].verdict) {
            return false;
        }
    }
    return true;
}

void detector_on_heartbeat(struct core *core, const struct message *message, uint32_t position)
{
    const struct heartbeat *heartbeat = &message->heartbeat;
    struct peer *peer = &core->peers[position];
    bool accused = heartbeat->suspect_count > 0;
    bool changed = heartbeat->suspect_count != peer->suspect_count ||
                   heartbeat->late != peer->late ||
                   (accused && (!accuses_the_same(heartbeat, peer) ||
                                core->now_ms >= peer->suspects_ms + core->timing.fresh_ms));

    /* What it says between its ACK and our COMMIT is what it held before; the next will tell. */
    if (!peer->acked || view_id_compare(&heartbeat->view, &peer->view) >= 0) {
        peer->view = heartbeat->view;
        peer->view_hash = heartbeat->view_hash;
    }
    peer->acked = false;
    peer->late = heartbeat->late;
    peer->suspect_count = heartbeat->suspect_count;
    memcpy(peer->suspects, heartbeat->suspects,
           heartbeat->suspect_count * sizeof heartbeat->suspects[0]);
    peer->suspects_ms = core->now_ms;

    if (accused && misses_us(core, heartbeat)) {
        peer->unheard_ms = core->now_ms;
        refute(core, position);
    } else {
        peer->unheard_ms = 0;
    }
    core->evidence_changed = core->evidence_changed || changed;
    install_compare(core, message, position);
}

/* --- Silences --- */

/* A member that the view under way leaves out is expected to fall silent (E1); but a proposal
 * whose maker died must not shield anybody for ever. */
static bool is_on_its_way_out(const struct core *core, uint32_t position)
{
    return !view_is_empty(&core->pending) &&
           core->now_ms < core->accepted_ms + core->timing.prepare_ms &&
           !view_has(&core->pending, &core->view.members[position].id);
}

static void set_verdict(struct core *core, uint32_t position, enum verdict verdict)
{
    struct peer *peer = &core->peers[position];

    if (peer->verdict == verdict || is_on_its_way_out(core, position)) {
        return;
    }
    peer->verdict = verdict;
    peer->verdict_ms = core->now_ms;
    peer->verify_ms = NEVER_MS;
    peer->confirmed = false;
    tell_verdict(core, NOTICE_SUSPECT, position, core->now_ms - peer->silent_from_ms);
    tell_others(core, position);
    core->evidence_changed = true;
}

/* Nobody of that life listens at its address. With the lifeline closed under our hands before,
 * that is proof. One that never was open may be a matter of the network: then it takes more than
 * a heartbeat's time in which the member does not say otherwise (D2). */
static void on_nobody_there(struct core *core, uint32_t position)
{
    struct peer *peer = &core->peers[position];
    uint64_t patience_ms = peer->was_linked ? 0 : core->timing.heartbeat_ms * 5 / 4;

    peer->linked = false;
    if (peer->closed_ms == 0) {
        peer->closed_ms = core->now_ms;
        patience_ms = core->timing.heartbeat_ms * 5 / 4;
    }
    uint64_t since_ms = peer->silent_from_ms < peer->closed_ms ? peer->silent_from_ms
                                                               : peer->closed_ms;
    if (core->now_ms >= since_ms + patience_ms) {
        set_verdict(core, position, VERDICT_DEAD);
    }
}

void detector_on_link(struct core *core, const struct link_event *link)
{
    uint32_t position = view_find(&core->view, &link->peer);

    if (position == VIEW_NONE || core_is_self(core, position)) {
        return;
    }
    struct peer *peer = &core->peers[position];
    switch (link->news) {
    case LINK_OPENED:
        peer->linked = true;
        peer->was_linked = true;
        peer->closed_ms = 0;
        peer->kernel_ms = core->now_ms;
        if (peer->verdict == VERDICT_DEAD) {
            clear_verdict(core, position); /* That very life answered. */
        }
        break;
    case LINK_CLOSED:
        peer->linked = false;
        peer->closed_ms = core->now_ms;
        break;
    case LINK_REFUSED:
    case LINK_STRANGER:
        on_nobody_there(core, position);
        break;
    case LINK_FAILED:
        peer->linked = false;
        break;
    case LINK_KERNEL:
        peer->kernel_ms = core->now_ms;
        if (peer->verdict == VERDICT_LOST) {
            core->detect_ms = core->now_ms; /* Its host is in sight again: judged anew at once. */
        }
        break;
    }
}

static void ask_kernel(struct core *core, uint32_t position)
{
    core->peers[position].asked_ms = core->now_ms;
    outbox_kernel_ask(core, position);
}

/* Looks at one silence and returns when to look at it again. Along the silence:
 *
 *      0         T_silent   (half-way)   T_lost                        T_stall
 *      |-------------|-----------|----------|-----------------------------|
 *    heard       ask the       ask       no answer to either: lost     answers, but the
 *                kernel       again      else keep asking              process: stalled
 */
static uint64_t look_at(struct core *core, uint32_t position)
{
    const struct timing *timing = &core->timing;
    struct peer *peer = &core->peers[position];
    uint64_t from = peer->silent_from_ms;
    uint64_t silence = core->now_ms - from;
    uint64_t again = (timing->lost_ms - timing->silent_ms) / 2;

    if (silence < timing->silent_ms || (PLANTED(NEVER_HEARD_TRUSTED) && peer->heard_ms == 0)) {
        return from + timing->silent_ms;
    }
    if (peer->verdict == VERDICT_DEAD) {
        return NEVER_MS;
    }
    if (core->now_ms < core->late_until_ms) {
        return core->late_until_ms; /* D4 */
    }
    if (peer->asked_ms == 0 || core->now_ms >= peer->asked_ms + again) {
        ask_kernel(core, position);
    }
    bool answered = peer->kernel_ms >= from && core->now_ms < peer->kernel_ms + timing->lost_ms;
    if (silence >= timing->stall_ms && answered) {
        set_verdict(core, position, VERDICT_STALLED);
    } else if (silence >= timing->lost_ms && !answered && peer->verdict == VERDICT_NONE) {
        set_verdict(core, position, VERDICT_LOST);
    } else if (answered && peer->verdict == VERDICT_LOST && silence < timing->stall_ms) {
        REACHED(stalled_host_back_in_sight);
        clear_verdict(core, position); /* The host is back in sight: patience again. */
    }
    uint64_t next = peer->asked_ms + again;
    if (silence < timing->lost_ms) {
        next = earlier(next, from + timing->lost_ms);
    } else if (silence < timing->stall_ms) {
        next = earlier(next, from + timing->stall_ms);
    }
    return next;
}

bool detector_link_is_bad(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];
    bool vouched = peer->vouched_ms != 0 && peer->verdict != VERDICT_DEAD &&
                   core->now_ms < peer->vouched_ms + 2 * core->timing.fresh_ms &&
                   peer->vouched_ms >= peer->heard_ms;
    bool unheard = peer->unheard_ms != 0 && core->now_ms < peer->unheard_ms + core->timing.fresh_ms;

    bool silent = !is_heard(core, position) && peer->verdict != VERDICT_DEAD;

    return vouched || unheard || silent;
}

uint32_t detector_relay_to(const struct core *core, uint32_t position)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (i != position && !core_is_self(core, i) && is_heard(core, i) &&
            core->peers[i].unheard_ms == 0 && !core->peers[i].late &&
            core_hearing(core, i, position, core->now_ms) == HEARING_YES) {
            return i;
        }
    }
    return VIEW_NONE;
}

static void look_at_all(struct core *core)
{
    uint64_t next = NEVER_MS;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (!core_is_self(core, i)) {
            next = earlier(next, look_at(core, i));
        }
    }
    core->detect_ms = next;
}

/* D4: what waited in the queue while we slept proves nothing. This question can be answered only by
 * who lives now; and only who still has us in its view answers as a fellow. */
static void ask_who_is_awake(struct core *core)
{
    struct message *message = outbox_message(core, MESSAGE_PING);

    if (message != NULL) {
        message->ping.nonce = core->wake_questions[0].nonce;
        message->ping.subject = core->self.id; /* Each answers for itself. */
        message->ping.origin = core->self.id;
    }
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (!core_is_self(core, i)) {
            outbox_send(core, message, i);
        }
    }
}

/* Whoever answers as a fellow had heard our question, and so cannot replace us within T_lost of it.
 */
void detector_on_answer(struct core *core, const struct message *pong, uint32_t position)
{
    for (size_t i = 0; i < 2 && pong->fellow; i++) {
        const struct wake_question *question = &core->wake_questions[i];
        if (question->asked_ms != 0 && pong->ping.nonce == question->nonce) {
            core->peers[position].awake_until_ms = question->asked_ms + core->timing.lost_ms;
            return;
        }
    }
}

/* A loop that is always late reads the answers to one question when it has to ask the next. */
static void ask_anew(struct core *core)
{
    struct wake_question *questions = core->wake_questions;

    if (questions[0].asked_ms == 0 ||
        core->now_ms >= questions[0].asked_ms + core->timing.lost_ms / 2) {
        questions[1] = questions[0];
        questions[0] = (struct wake_question){.nonce = random_u64(&core->random),
                                              .asked_ms = core->now_ms};
    }
    ask_who_is_awake(core);
}

/* A loop that is late again and again is slow, not asleep: too little for others to have found this
 * node lost meanwhile. Were each time a sleep, it would never do anything for the others. */
static bool is_only_slow(const struct core *core, uint64_t late_ms)
{
    return was_late_lately(core, core->timing.stall_ms) && late_ms < timing_turn_ms(&core->timing);
}

/* What is under way goes on, with as much more time. */
static void put_off(struct core *core, uint64_t late_ms)
{
    core->change.deadline_ms += core->change.on && !core->change.last_chance ? late_ms : 0;
    core->claim.deadline_ms += core->claim.on && core->claim.chances == 0 ? late_ms : 0;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        struct peer *peer = &core->peers[i];
        peer->verify_ms += peer->verify_ms != NEVER_MS ? late_ms : 0;
    }
}

static void start_afresh(struct core *core)
{
    core->late_since_ms = core->now_ms;
    core->late_until_ms = core->now_ms + core->timing.fresh_ms;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        removal_forget_move(core, i);
        if (core->peers[i].verdict == VERDICT_LOST || core->peers[i].verdict == VERDICT_STALLED) {
            clear_verdict(core, i);
        }
    }
    core->detect_ms = core->now_ms;
    core->claim.on = false;
    ask_anew(core);
    change_interrupt(core);
    core->backoff_ms = core->late_until_ms;
}

void detector_on_late(struct core *core, uint64_t late_ms)
{
    bool slow = is_only_slow(core, late_ms);

    core->counters.late_wakeups++;
    REACHED(was_late);
    core->late_last_ms = core->now_ms;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        struct peer *peer = &core->peers[i];
        peer->silent_from_ms = earlier(peer->silent_from_ms + late_ms, core->now_ms);
    }
    if (slow) {
        REACHED(was_slow);
        put_off(core, late_ms);
    } else {
        start_afresh(core);
    }
    struct notice *notice = outbox_notice_of(core, NOTICE_LATE, &core->self);
    notice->silent_ms = late_ms;
}

void detector_tick(struct core *core)
{
    if (core->late_since_ms != 0 && core->now_ms >= core->late_until_ms &&
        detector_is_awake(core)) {
        core->late_since_ms = 0;
    }
    if (core->now_ms >= core->heartbeat_ms) {
        send_heartbeats(core);
        if (!detector_is_awake(core)) {
            ask_anew(core);
        }
        look_at_all(core); /* Who is heard in time needs no turn of its own. */
    } else if (core->now_ms >= core->detect_ms) {
        look_at_all(core);
    }
}
