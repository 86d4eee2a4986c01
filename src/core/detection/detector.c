#include "core/detection/detector.h"

#include <string.h>

#include "core/detection/follow.h"
#include "core/detection/hearing.h"
#include "core/detection/lease.h"
#include "core/detection/numbers.h"
#include "core/detection/standing.h"
#include "core/detection/verdict.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/strangers.h"

enum {
    QUESTIONS_LEAST = 3,  /* unanswered, before who is no neighbour is named */
    QUESTIONS_SPARSE = 2, /* the same where heartbeats are sparse */
    ELDERS_FIRST = 4,     /* of those who are older are asked at first, then four times as many */
    PUTS_OFF_FOR = 16,    /* watched at the most, where whoever is heard puts off the next look */
    QUESTIONS_AT_ONCE = MESSAGES_PER_STEP_MAX / 2, /* a step leaves room for other messages */
};

static void clear_verdict(struct core *core, uint32_t position)
{
    if (verdict_clear(core, position)) {
        core->detector.detect_ms = earlier(core->detector.detect_ms,
                                           core->now_ms + core->timing.silent_ms);
    }
}

void detector_heard(struct core *core, const struct message *message, uint32_t position)
{
    struct peer_signs *signs = &core->peers[position].signs;

    if (core_hands_on(core, message)) {
        return; /* It goes by way of others whatever its link to us is (U4c). */
    }
    if (message->relay) {
        signs->vouched_ms = core->now_ms; /* It lives, but its link to us is bad (R2). */
        return;
    }
    if (!message->fellow) {
        return; /* It lives, but in a view without us: no evidence for this one (H42). */
    }
    clear_verdict(core, position);
    verdict_end_verification(core, position);
    signs->heard_number = message->number;
    lease_on_echo(core, position, message->echo);
    signs->heard_ms = core->now_ms;
    signs->silent_from_ms = core->now_ms;
    core->detector.heard = true;
    watch_heard(core, position);
    signs->asked_ms = 0;
    /* What was on its way when the connection closed proves nothing against the closing. */
    if (core->now_ms > signs->closed_ms + core->timing.batch_ms) {
        signs->closed_ms = 0;
    }
}

/* --- Heartbeats --- */

static uint8_t questions_least(const struct core *core)
{
    return timing_is_sparse(&core->timing) ? QUESTIONS_SPARSE : QUESTIONS_LEAST;
}

/* Is it named by this node's heartbeats? On rings also who is a new neighbour that has not answered
 * yet, and was not heard of before (D9c), and who follows another (L2); who is no neighbour only
 * after several questions (D9e). */
static bool is_named(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];

    if (!core_has_rings(core) || !watch_is_on(core, position)) {
        return !hearing_is_heard(core, position);
    }
    if (peer->charge.verdict != VERDICT_NONE || peer->course.other_since_ms != 0) {
        return true;
    }
    if (peer->watch.unsure) {
        return core->now_ms >= peer->watch.begun_ms + timing_repair_ms(&core->timing);
    }
    return !hearing_is_heard(core, position) &&
           (peer->watch.edge || peer->watch.questions >= questions_least(core));
}

/* Of the neighbours, or of the others, or of both. */
enum whom { NEIGHBOURS = 1, OTHERS = 2 };

static void name_suspects(const struct core *core, struct heartbeat *heartbeat, unsigned whom)
{
    for (uint32_t k = 0; k < watch_count(core) && heartbeat->suspect_count < SUSPECTS_MAX; k++) {
        const uint32_t i = watch_at(core, k);
        if (core_is_self(core, i) || !is_named(core, i) ||
            (whom & (watch_is_edge(core, i) ? NEIGHBOURS : OTHERS)) == 0) {
            continue;
        }
        struct suspicion *suspicion = &heartbeat->suspects[heartbeat->suspect_count++];
        suspicion->age = core->view.members[i].age;
        suspicion->verdict = core->peers[i].charge.verdict;
    }
}

/* D1b: the oldest first. D9i: on rings, where there are too many, its neighbours before all others,
 * for those are who it can see. */
static void add_suspects(const struct core *core, struct heartbeat *heartbeat)
{
    if (core->now_ms < core->detector.late_until_ms) {
        return; /* D4 */
    }
    name_suspects(core, heartbeat, NEIGHBOURS | OTHERS);
    if (core_has_rings(core) && heartbeat->suspect_count == SUSPECTS_MAX) {
        heartbeat->suspect_count = 0;
        name_suspects(core, heartbeat, NEIGHBOURS);
        name_suspects(core, heartbeat, OTHERS);
    }
}

static bool was_late_lately(const struct core *core, uint64_t within_ms)
{
    return core->detector.late_last_ms != 0 &&
           core->now_ms < core->detector.late_last_ms + within_ms;
}

static struct message *make_heartbeat(struct core *core)
{
    lease_mark(core);
    struct message *message = outbox_message(core, MESSAGE_HEARTBEAT);

    if (message != NULL) {
        message->heartbeat.view = view_id_of(&core->view);
        message->heartbeat.view_hash = core->view.hash;
        message->heartbeat.late = was_late_lately(core, core->timing.fresh_ms);
        message->heartbeat.acting = standing_is_acting(core, core->now_ms);
        message->heartbeat.promised = lease_promised(core);
        message->heartbeat.leased = lease_given(core) != 0;
        message->heartbeat.handed_over = standing_tells_hand_over(core);
        add_suspects(core, &message->heartbeat);
    }
    return message;
}

/* R2: a link that has become bad is told once, by each end that holds a verdict. */
static void tell_bad_link(struct core *core, uint32_t position)
{
    struct peer_signs *signs = &core->peers[position].signs;
    const struct peer_charge *charge = &core->peers[position].charge;
    bool bad = hearing_link_is_bad(core, position) && charge->verdict != VERDICT_NONE &&
               hearing_relay_to(core, position) != VIEW_NONE;

    if (bad && !signs->told_bad) {
        outbox_notice_of(core, NOTICE_BAD_LINK, &core->view.members[position]);
    }
    signs->told_bad = bad;
}

/* D8: does this node answer the heartbeats of its coordinator? */
static bool is_answerer(const struct core *core)
{
    return core->position > 0 && core->position <= LEASE_ANSWERERS_MAX && watch_is_edge(core, 0);
}

/* D8: who answers lets its coordinator begin, so that one round is both. While anybody is named
 * that is sparse, what is told of it must not be lost (D2h). */
static uint64_t until_next_round_ms(const struct core *core, bool names_somebody)
{
    if (names_somebody && timing_is_sparse(&core->timing)) {
        return timing_repair_ms(&core->timing);
    }
    return is_answerer(core) ? timing_answerer_ms(&core->timing) : timing_round_ms(&core->timing);
}

/* To the neighbours of these halves, and to all others who are watched. */
static void send_round(struct core *core, uint8_t halves)
{
    struct message *message = make_heartbeat(core);
    bool names_somebody = message != NULL && message->heartbeat.suspect_count > 0;

    /* While anybody is suspected the evidence is judged at each heartbeat: what others said lapses
     * with time, and no event tells of it. */
    if (names_somebody) {
        verdict_evidence_changed(core);
    }
    for (uint32_t k = 0; k < watch_count(core); k++) {
        const uint32_t i = watch_at(core, k);
        if (!core_is_self(core, i) && watch_is_on(core, i) &&
            (names_somebody || watch_is_of_half(core, i, halves))) {
            tell_bad_link(core, i);
            outbox_send(core, message, i);
        }
    }
    watch_hold_lifelines(core);
    core->detector.heartbeat_ms =
        core->now_ms + random_jitter(&core->random, until_next_round_ms(core, names_somebody), 5);
    strangers_renew(core);
}

static void send_heartbeats(struct core *core)
{
    send_round(core, WATCH_BOTH_HALVES);
}

/* D8g: where heartbeats are sparse, each round goes to half of the neighbours, in turn. */
static void send_next_round(struct core *core)
{
    uint8_t half = core->detector.half;

    core->detector.half = WATCH_BOTH_HALVES - half;
    send_round(core, timing_is_sparse(&core->timing) ? half : WATCH_BOTH_HALVES);
}

/* D8: an answer to the coordinator, which gets one of the halves. */
static void answer_coordinator(struct core *core)
{
    if (core->peers[0].watch.halves != WATCH_BOTH_HALVES) {
        core->detector.half = core->peers[0].watch.halves;
    }
    send_next_round(core);
}

void detector_announce_acting(struct core *core)
{
    send_heartbeats(core);
}

/* D9: there was none while it was not watched. */
static void forget_lifeline(struct core *core, uint32_t position)
{
    struct peer_signs *signs = &core->peers[position].signs;

    if (core_has_rings(core)) {
        signs->linked = false;
        signs->was_linked = false;
        signs->closed_ms = 0;
        signs->asked_ms = 0;
        signs->kernel_ms = 0;
    }
}

/* D9e: from now on it is asked, and its silence counts: from the last sign of it, or from
 * `from_ms`, if nothing was heard of it since. */
static void attend(struct core *core, uint32_t position, uint64_t until_ms, uint64_t from_ms)
{
    struct peer_signs *signs = &core->peers[position].signs;

    if (core_is_self(core, position) || !watch_begin(core, position, until_ms)) {
        return;
    }
    forget_lifeline(core, position);
    signs->silent_from_ms = from_ms > signs->silent_from_ms ? from_ms : signs->silent_from_ms;
    core->detector.detect_ms = core->now_ms;
}

/* D9g: those of whom somebody has to know whether they live. */
static void attend_wanted(struct core *core)
{
    const struct timing *timing = &core->timing;

    if (!core->watching.wanted) {
        return;
    }
    watch_took_wishes(core);
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (watch_take_wish(core, i)) {
            attend(core, i, core->now_ms + timing->lost_ms,
                   core->now_ms - timing->fresh_ms + timing->verify_ms);
        }
    }
}

/* When each of the gone went, as this node saw it. */
static void map_gone(struct core *core, const struct installed *before)
{
    const struct view *former = before->view;
    uint64_t former_ms[GONE_MAX];

    memcpy(former_ms, core->detector.gone_ms, former->gone_count * sizeof former_ms[0]);
    for (uint32_t i = 0; i < core->view.gone_count; i++) {
        const struct gone *gone = view_find_gone(former, &core->view.gone[i].id);
        core->detector.gone_ms[i] = gone != NULL ? former_ms[gone - former->gone] : core->now_ms;
    }
}

void detector_on_view_installed(struct core *core, const struct installed *before)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct peer_watch *watch = &core->peers[i].watch;
        bool turned = watch->edge && watch->begun_ms == core->now_ms;
        if (view_has(before->view, &core->view.members[i].id) && !turned) {
            continue;
        }
        forget_lifeline(core, i);
        core->peers[i].signs.silent_from_ms = core->now_ms; /* Its silence counts from now (H13). */
        core->detector.detect_ms = core->now_ms; /* Looks at everyone and finds the next moment. */
    }
    map_gone(core, before);
}

void detector_announce_view(struct core *core, const struct installed *before)
{
    const struct view *former = before->view;

    if (view_is_empty(former)) {
        send_heartbeats(core);
        return;
    }
    struct message *message = NULL;
    bool other_coordinator = !id_equal(&core->view.members[0].id, &former->members[0].id);
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        bool leads_now = i == 0 && other_coordinator;
        bool is_new = core_has_rings(core) ? core->peers[i].watch.edge &&
                                                 core->peers[i].watch.begun_ms == core->now_ms
                                           : !view_has(former, &core->view.members[i].id);
        if (!core_is_self(core, i) && (leads_now || is_new)) {
            message = message != NULL ? message : make_heartbeat(core);
            outbox_send(core, message, i);
        }
    }
}

uint64_t detector_apart_ms(const struct core *core, const struct view *next)
{
    uint64_t longest_ms = 0;

    for (uint32_t i = 0; i < core->view.gone_count; i++) {
        uint64_t gone_ms = core->now_ms - core->detector.gone_ms[i];
        if (view_has(next, &core->view.gone[i].id) && gone_ms > longest_ms) {
            longest_ms = gone_ms;
        }
    }
    return longest_ms;
}

/* It is to judge, so whoever told it something learns whether it lives; the silence is counted as
 * if it had lasted for so long. */
static void attend_coordinator(struct core *core, uint64_t silence_ms)
{
    attend(core, 0, core->now_ms + core->timing.lost_ms, core->now_ms - silence_ms);
}

/* D9j: does the coordinator, which is heard, see to it alone that this one, who is dead, goes? Its
 * own death concerns everybody, and several may have been all who watched one more. */
static bool is_left_to_coordinator(struct core *core, uint32_t suspect)
{
    if (core_is_coordinator(core)) {
        return !watch_note_death(core);
    }
    return suspect != 0 && hearing_is_heard(core, 0);
}

/* It is asked one question later, for what is sent in this step may overtake what it is told. */
static void tell_coordinator(struct core *core, uint32_t suspect)
{
    attend_coordinator(core, core->timing.heartbeat_ms - timing_question_ms(&core->timing));
    watch_note_told(core, suspect);
    struct message *message = make_heartbeat(core);
    if (!core_is_coordinator(core)) {
        outbox_send(core, message, 0);
    }
    outbox_send(core, message, suspect);
}

static void tell_on_rings(struct core *core, uint32_t suspect)
{
    if (core->peers[suspect].charge.verdict == VERDICT_DEAD &&
        is_left_to_coordinator(core, suspect)) {
        tell_coordinator(core, suspect);
        return;
    }
    watch_tell(core, suspect); /* At the end of this turn. */
    if (core_is_coordinator(core)) {
        core->detector.detect_ms = core->now_ms; /* Everybody is asked in it (D9h). */
    }
}

/* A new verdict travels at once to the coordinator, or to the oldest who may succeed it, and to
 * the suspect, who may know better (D1, D5). */
static void tell_others(struct core *core, uint32_t suspect)
{
    if (core_has_rings(core)) {
        tell_on_rings(core, suspect);
        return;
    }
    struct message *message = make_heartbeat(core);
    uint32_t judge = 0;

    while (judge < core->view.member_count && core->peers[judge].charge.verdict != VERDICT_NONE) {
        judge++;
    }
    if (judge < core->view.member_count && !core_is_self(core, judge)) {
        outbox_send(core, message, judge);
    }
    outbox_send(core, message, suspect);
}

/* Does it say that it does not hear us: that we are silent, or suspect? */
static bool does_not_hear_us(const struct core *core, const struct heartbeat *heartbeat)
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

/* Is a heartbeat out of turn due to a peer, for it helps no more often than that? Notes it. */
static bool may_answer(struct core *core, uint32_t position)
{
    struct peer_signs *signs = &core->peers[position].signs;

    if (signs->answered_ms != 0 &&
        core->now_ms < signs->answered_ms + timing_repair_ms(&core->timing)) {
        return false;
    }
    signs->answered_ms = core->now_ms;
    return true;
}

/* D5: who learns that it is suspected says so, to the one who suspects it and to the coordinator.
 */
static void refute(struct core *core, uint32_t position)
{
    if (!may_answer(core, position)) {
        return;
    }
    struct message *message = make_heartbeat(core);

    outbox_send(core, message, position);
    if (position != 0 && !core_is_coordinator(core)) {
        outbox_send(core, message, 0);
    }
}

/* Given that there are as many as in its last one. */
static bool accuses_the_same(const struct heartbeat *heartbeat, const struct peer_doubts *doubts)
{
    for (uint8_t i = 0; i < heartbeat->suspect_count; i++) {
        if (heartbeat->suspects[i].age != doubts->list[i].age ||
            heartbeat->suspects[i].verdict != doubts->list[i].verdict) {
            return false;
        }
    }
    return true;
}

/* Z5c: it says so again, so no take-over is under way from which a view will come. */
static bool stays_bound_beyond(const struct core *core, const struct heartbeat *heartbeat,
                               const struct peer_signs *signs)
{
    return core_is_coordinator(core) && heartbeat->promised > core->view.epoch &&
           heartbeat->promised == signs->promised;
}

/* Z7c: what is said of a reign before it begins may be said by anybody, and is true of none. */
static bool is_of_our_reign(const struct core *core, const struct view_id *view, uint32_t position)
{
    return position == 0 && view->epoch == core->view.epoch &&
           id_equal(&view->coordinator, &core->view.members[0].id);
}

/* D9e: the coordinator judges everybody, the others those who are older; but who is dead concerns
 * none of these before the coordinator is (D9j). */
static bool has_to_judge(const struct core *core, uint32_t position, enum verdict told)
{
    if (core_is_coordinator(core) || core->watching.leads) {
        return true;
    }
    return position < core->position &&
           (told != VERDICT_DEAD || position == 0 || !hearing_is_heard(core, 0));
}

/* D9e: who is told of a doubt and has to judge asks for itself. */
static void heed_doubt(struct core *core, const struct suspicion *doubt)
{
    const struct timing *timing = &core->timing;
    uint32_t position = view_find_age(&core->view, doubt->age);

    if (position == VIEW_NONE || core_is_self(core, position) ||
        !has_to_judge(core, position, doubt->verdict)) {
        return;
    }
    bool known = watch_is_on(core, position);
    attend(core, position, core->now_ms + timing->lost_ms + timing->heartbeat_ms,
           core->now_ms - timing->silent_ms);
    if (doubt->verdict == VERDICT_DEAD && !known) {
        struct peer_signs *signs = &core->peers[position].signs;
        signs->was_linked = true; /* Somebody else's lifeline was closed. */
        signs->closed_ms = core->now_ms;
    }
}

static void heed_doubts(struct core *core, const struct heartbeat *heartbeat)
{
    if (heartbeat->view.lineage != core->view.lineage) {
        return;
    }
    for (uint8_t i = 0; i < heartbeat->suspect_count; i++) {
        heed_doubt(core, &heartbeat->suspects[i]);
    }
}

/* D9j: what was told while the coordinator was heard concerns this node now. */
static void heed_earlier_doubts(struct core *core)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        for (uint8_t k = 0; k < core->peers[i].signs.suspect_count; k++) {
            const struct suspicion *doubt = &core->doubts[i].list[k];
            if (hearing_accuses(core, i, doubt->age, core->now_ms)) {
                heed_doubt(core, doubt);
            }
        }
    }
}

void detector_on_heartbeat(struct core *core, const struct message *message, uint32_t position)
{
    const struct heartbeat *heartbeat = &message->heartbeat;
    struct peer_signs *signs = &core->peers[position].signs;
    const bool handed_over = heartbeat->handed_over &&
                             is_of_our_reign(core, &heartbeat->view, position);
    bool accused = heartbeat->suspect_count > 0;
    bool changed = heartbeat->suspect_count != signs->suspect_count ||
                   stays_bound_beyond(core, heartbeat, signs) || heartbeat->late != signs->late ||
                   handed_over != signs->handed_over ||
                   (accused && (!accuses_the_same(heartbeat, &core->doubts[position]) ||
                                core->now_ms >= signs->suspects_ms + core->timing.fresh_ms));

    /* What it says between its ACK and our COMMIT is what it held before; the next will tell. */
    if (!signs->acked || view_id_compare(&heartbeat->view, &signs->view) >= 0) {
        signs->view = heartbeat->view;
        signs->view_hash = heartbeat->view_hash;
        signs->said = true;
    }
    signs->acked = false;
    signs->late = heartbeat->late;
    signs->acting = heartbeat->acting;
    signs->promised = heartbeat->promised;
    signs->handed_over = handed_over;
    signs->suspect_count = heartbeat->suspect_count;
    memcpy(core->doubts[position].list, heartbeat->suspects,
           heartbeat->suspect_count * sizeof heartbeat->suspects[0]);
    signs->suspects_ms = core->now_ms;

    if (accused && does_not_hear_us(core, heartbeat)) {
        signs->unheard_ms = core->now_ms;
        refute(core, position);
    } else {
        signs->unheard_ms = 0;
    }
    if (core_has_rings(core)) {
        heed_doubts(core, heartbeat);
    }
    if (accused && timing_is_sparse(&core->timing) && !watch_is_on(core, position)) {
        detector_say(core, position); /* D2h */
    }
    if (position == 0 && is_answerer(core) && may_answer(core, position)) {
        /* D8: its leases are as old as the answers. Silences are looked at as with any round. */
        answer_coordinator(core);
        core->detector.detect_ms = core->now_ms;
    }
    if (changed) {
        verdict_evidence_changed(core);
    }
}

/* --- Silences --- */

/* A member that the view under way leaves out is expected to fall silent (E1); but a proposal
 * whose maker died must not shield anybody for ever. */
static bool is_on_its_way_out(const struct core *core, uint32_t position)
{
    return !view_is_empty(&core->change.pending) &&
           core->now_ms < core->change.accepted_ms + core->timing.prepare_ms &&
           !view_has(&core->change.pending, &core->view.members[position].id);
}

static void set_verdict(struct core *core, uint32_t position, enum verdict verdict)
{
    if (core->peers[position].charge.verdict != verdict && !is_on_its_way_out(core, position)) {
        verdict_set(core, position, verdict);
        tell_others(core, position);
    }
}

/* Nobody of that life listens at its address. With the lifeline closed under our hands before,
 * that is proof. One that never was open may be a matter of the network: then it takes more than
 * a heartbeat's time in which the member does not say otherwise (D2). */
static void on_nobody_there(struct core *core, uint32_t position)
{
    struct peer_signs *signs = &core->peers[position].signs;

    signs->linked = false;
    if (signs->closed_ms == 0) {
        signs->closed_ms = core->now_ms;
        signs->was_linked = false; /* No closing stands behind this, nor behind the next refusal. */
    }
    /* D9f: who asks about one that is no neighbour does so because of a doubt. */
    bool doubted = watch_is_asking(core, position) && !watch_is_edge(core, position);
    uint64_t patience_ms = signs->was_linked || doubted ? 0 : timing_missed_ms(&core->timing);
    uint64_t since_ms = signs->silent_from_ms < signs->closed_ms ? signs->silent_from_ms
                                                                 : signs->closed_ms;
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
    struct peer_signs *signs = &core->peers[position].signs;
    const struct peer_charge *charge = &core->peers[position].charge;
    switch (link->news) {
    case LINK_OPENED:
        signs->linked = true;
        signs->was_linked = true;
        numbers_proved(core, position);
        signs->closed_ms = 0;
        signs->kernel_ms = core->now_ms;
        if (charge->verdict == VERDICT_DEAD) {
            clear_verdict(core, position); /* That very life answered. */
        }
        break;
    case LINK_CLOSED:
        signs->linked = false;
        signs->closed_ms = core->now_ms;
        break;
    case LINK_REFUSED:
    case LINK_STRANGER:
        on_nobody_there(core, position);
        break;
    case LINK_FAILED:
        signs->linked = false;
        break;
    case LINK_KERNEL:
        signs->kernel_ms = core->now_ms;
        if (charge->verdict == VERDICT_LOST) {
            core->detector.detect_ms =
                core->now_ms; /* Its host is in sight again: judged anew at once. */
        }
        break;
    }
}

static void ask_kernel(struct core *core, uint32_t position)
{
    core->peers[position].signs.asked_ms = core->now_ms;
    outbox_kernel_ask(core, position);
}

/* Z6c: under guard strict a coordinator that is stalled does not act, so nothing is gained by being
 * patient with it. */
static uint64_t stall_ms_of(const struct core *core, uint32_t position)
{
    return core_is_strict(core) && position == 0 ? core->timing.lost_ms : core->timing.stall_ms;
}

/* D2e: soon after one another, but no longer when all has been tried. */
static uint64_t question_pause_ms(const struct core *core, uint32_t position)
{
    const struct timing *timing = &core->timing;
    const struct peer *peer = &core->peers[position];
    uint64_t tried_ms = peer->signs.silent_from_ms + timing->lost_ms + timing->verify_ms;
    bool tried = core->now_ms >= tried_ms &&
                 (!timing_is_sparse(timing) || peer->watch.questions > QUESTIONS_LEAST);

    return tried ? timing->heartbeat_ms : timing_question_ms(timing);
}

/* D2g: has it been asked, and had the time to answer? A loop that slept has asked nothing. */
static bool is_unanswered(const struct core *core, uint32_t position)
{
    const struct peer_watch *watch = &core->peers[position].watch;

    return !timing_is_sparse(&core->timing) ||
           (watch->questions > QUESTIONS_LEAST &&
            core->now_ms < watch->asked_ms + 2 * question_pause_ms(core, position));
}

/* When it is silent, if nothing is heard of it until then. */
static uint64_t silent_at_ms(const struct core *core, uint32_t position)
{
    const struct timing *timing = &core->timing;

    return core->peers[position].signs.silent_from_ms +
           (timing_is_sparse(timing) ? timing_missed_ms(timing) : timing->silent_ms);
}

/* With all the others, beating often, a question more would tell nothing (decision 33). */
static bool asks_on_doubt(const struct core *core)
{
    return core_has_rings(core) || timing_is_sparse(&core->timing);
}

/* D2e: when it is asked, if nothing is heard of it until then. Who is no neighbour sends no
 * heartbeats. */
static uint64_t doubtful_at_ms(const struct core *core, uint32_t position)
{
    const struct timing *timing = &core->timing;
    const struct peer *peer = &core->peers[position];

    if (peer->watch.unsure) {
        return peer->watch.begun_ms + timing_question_ms(timing);
    }
    return peer->signs.silent_from_ms +
           (watch_is_edge(core, position) ? timing_missed_ms(timing) : timing->heartbeat_ms);
}

/* Until then it counts as heard, if nothing is heard of it: 0, if it does not; NEVER_MS, if it is
 * not watched. */
static uint64_t heard_until_ms(const struct core *core, uint32_t position)
{
    if (!watch_is_on(core, position)) {
        return NEVER_MS;
    }
    if (core->peers[position].charge.verdict != VERDICT_NONE) {
        return 0;
    }
    return asks_on_doubt(core)
               ? earlier(silent_at_ms(core, position), doubtful_at_ms(core, position))
               : silent_at_ms(core, position);
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

    if (!watch_is_on(core, position)) {
        return NEVER_MS;
    }
    struct peer_signs *signs = &core->peers[position].signs;
    const struct peer_charge *charge = &core->peers[position].charge;
    uint64_t from = signs->silent_from_ms;
    uint64_t silence = core->now_ms - from;
    uint64_t again = (timing->lost_ms - timing->silent_ms) / 2;
    bool sparse = timing_is_sparse(timing);

    if (core->now_ms < silent_at_ms(core, position)) {
        return silent_at_ms(core, position);
    }
    if (charge->verdict == VERDICT_DEAD) {
        return NEVER_MS;
    }
    if (core->now_ms < core->detector.late_until_ms) {
        return core->detector.late_until_ms; /* D4 */
    }
    if (signs->asked_ms == 0 || core->now_ms >= signs->asked_ms + again) {
        ask_kernel(core, position);
    }
    bool answered = signs->kernel_ms >= from && core->now_ms < signs->kernel_ms + timing->lost_ms;
    uint64_t stall_ms = stall_ms_of(core, position);
    if (silence >= stall_ms && answered) {
        set_verdict(core, position, VERDICT_STALLED);
    } else if (silence >= timing->lost_ms && !answered && charge->verdict == VERDICT_NONE &&
               is_unanswered(core, position)) {
        set_verdict(core, position, VERDICT_LOST);
    } else if (answered && charge->verdict == VERDICT_LOST && silence < stall_ms) {
        REACHED(stalled_host_back_in_sight);
        clear_verdict(core, position); /* The host is back in sight: patience again. */
    }
    uint64_t next = signs->asked_ms + again;
    if (sparse && silence >= timing_inquiry_ms(timing)) {
        verdict_evidence_changed(core);
    } else if (sparse) {
        next = earlier(next, from + timing_inquiry_ms(timing));
    }
    if (silence < timing->lost_ms) {
        next = earlier(next, from + timing->lost_ms);
    } else if (silence < stall_ms) {
        next = earlier(next, from + stall_ms);
    }
    return next;
}

/* D2e: asks it soon after a heartbeat is missing, and again and again. Returns when to look
 * again. */
static uint64_t question(struct core *core, uint32_t position)
{
    const struct timing *timing = &core->timing;
    const struct peer_watch *watch = &core->peers[position].watch;
    const struct peer_charge *charge = &core->peers[position].charge;
    uint64_t pause_ms = question_pause_ms(core, position);

    if (!watch_is_on(core, position) || charge->verdict == VERDICT_DEAD) {
        return NEVER_MS;
    }
    if (core->now_ms < doubtful_at_ms(core, position)) {
        return doubtful_at_ms(core, position);
    }
    if (!hearing_is_heard(core, position)) { /* Not given up before it is heard, or gone. */
        (void)watch_begin(core, position, core->now_ms + 2 * timing->heartbeat_ms);
    }
    pause_ms += watch_count(core) / QUESTIONS_AT_ONCE; /* So that all of many get their turn. */
    if (watch->asked_ms == 0 || core->now_ms >= watch->asked_ms + pause_ms) {
        if (!outbox_has_room(core, QUESTIONS_AT_ONCE)) {
            return core->now_ms + 1;
        }
        (void)numbers_ask(core, position);
        watch_asked(core, position);
    }
    return watch->asked_ms + pause_ms;
}

static void attend_elders(struct core *core, uint32_t from, uint32_t to)
{
    const struct timing *timing = &core->timing;

    for (uint32_t i = from; i < core->position && i < to; i++) {
        attend(core, i, core->now_ms + timing->lost_ms,
               core->now_ms - timing->silent_ms + 2 * timing_question_ms(timing));
    }
}

/* D9h: is none of those who are older heard? Asks more of them while none answers. */
static bool leads(struct core *core)
{
    uint32_t rung = ELDERS_FIRST;

    for (uint32_t i = 0; i < core->position; i++) {
        if (watch_is_on(core, i) ? hearing_is_heard(core, i) : i == 0) {
            return false;
        }
        if (i == rung) {
            rung *= 4;
        }
        if (!watch_is_on(core, i)) {
            attend_elders(core, i, rung);
        }
        if (hearing_is_heard(core, i)) {
            return false;
        }
    }
    return core->position > 0;
}

/* D9h: who judges asks everybody. */
static void call_roll(struct core *core)
{
    const struct timing *timing = &core->timing;
    /* Where heartbeats are sparse somebody else may have heard it a round later (D2f). */
    uint64_t leaves_ms = timing_is_sparse(timing) ? timing_round_ms(timing) : timing->verify_ms;

    REACHED(roll_called);
    watch_called(core);
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        attend(core, i, core->now_ms + timing->lost_ms + timing->silent_ms,
               core->now_ms - timing->silent_ms + leaves_ms);
    }
}

static void look_at_doubts(struct core *core)
{
    if (!core_is_coordinator(core) && !hearing_is_heard(core, 0)) {
        heed_earlier_doubts(core);
    }
    bool leads_now = leads(core);
    bool begins = watch_lead(core, leads_now);
    bool accuses = false;

    for (uint32_t k = 0; k < watch_count(core); k++) {
        const uint32_t i = watch_at(core, k);
        if (!core_is_self(core, i) && watch_is_on(core, i) && !core->peers[i].watch.told &&
            is_named(core, i)) {
            watch_tell(core, i);
        }
        accuses = accuses || core->peers[i].charge.verdict != VERDICT_NONE;
    }
    if (accuses) { /* D9k: it waits for a view without that one. */
        attend_coordinator(core, core->timing.heartbeat_ms);
    }
    if (begins || (core->watching.report && (leads_now || core_is_coordinator(core)))) {
        call_roll(core);
        watch_tell(core, core->position);
    }
}

/* At once to all whom this node watches, and to the coordinator, who is to judge. */
static void report(struct core *core)
{
    watch_told(core);
    attend_coordinator(core, core->timing.silent_ms - 2 * timing_question_ms(&core->timing));
    send_heartbeats(core);
}

/* D2e: while all are heard the first of the questions may wait for the next round, if that comes no
 * later than the second would. */
static uint64_t put_off_to_round(const struct core *core, uint64_t look_ms)
{
    const uint64_t round_ms = core->detector.heartbeat_ms;

    return timing_is_sparse(&core->timing) && look_ms < round_ms &&
                   round_ms <= look_ms + timing_question_ms(&core->timing)
               ? round_ms
               : look_ms;
}

static void look_at_all(struct core *core)
{
    uint64_t next = NEVER_MS;
    bool all_are_heard = true;

    for (uint32_t k = 0; k < watch_count(core); k++) {
        const uint32_t i = watch_at(core, k);
        if (!core_is_self(core, i)) {
            all_are_heard = all_are_heard && heard_until_ms(core, i) > core->now_ms;
            next = earlier(next, look_at(core, i));
            next = asks_on_doubt(core) ? earlier(next, question(core, i)) : next;
        }
    }
    core->detector.detect_ms = all_are_heard ? put_off_to_round(core, next) : next;
    core->detector.heard = false;
    if (core_has_rings(core)) {
        look_at_doubts(core);
    }
}

/* Who was heard since the last look may be the one for whom the next one was to come: at rest there
 * is nothing to be seen then. The next round looks at all by itself. Who watches many leaves it at
 * that, for this is asked at each message. */
static void put_off_look(struct core *core)
{
    uint64_t next = NEVER_MS;

    if (!core->detector.heard || core->detector.detect_ms >= core->detector.heartbeat_ms ||
        watch_count(core) > PUTS_OFF_FOR) {
        return;
    }
    core->detector.heard = false;
    for (uint32_t k = 0; k < watch_count(core); k++) {
        const uint32_t i = watch_at(core, k);
        if (!core_is_self(core, i)) {
            next = earlier(next, heard_until_ms(core, i));
        }
        if (next <= core->detector.detect_ms) {
            return; /* It was for this one, or this one is not heard. */
        }
    }
    core->detector.detect_ms = put_off_to_round(core, next);
}

/* A loop that is late again and again is slow, not asleep: too little for others to have found this
 * node lost meanwhile. Were each time a sleep, it would never do anything for the others. */
static bool is_only_slow(const struct core *core, uint64_t late_ms)
{
    return was_late_lately(core, core->timing.stall_ms) && late_ms < timing_turn_ms(&core->timing);
}

static void start_afresh(struct core *core)
{
    core->detector.late_until_ms = core->now_ms + core->timing.fresh_ms;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        enum verdict verdict = core->peers[i].charge.verdict;
        follow_forget(core, i);
        if (verdict == VERDICT_LOST || verdict == VERDICT_STALLED) {
            clear_verdict(core, i);
        }
    }
    core->detector.detect_ms = core->now_ms;
}

bool detector_on_late(struct core *core, uint64_t late_ms)
{
    bool slow = is_only_slow(core, late_ms);

    core->counters.late_wakeups++;
    REACHED(was_late);
    core->detector.late_last_ms = core->now_ms;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        struct peer_signs *signs = &core->peers[i].signs;
        signs->silent_from_ms = earlier(signs->silent_from_ms + late_ms, core->now_ms);
    }
    if (slow) {
        REACHED(was_slow);
        return false;
    }
    start_afresh(core);
    return true;
}

void detector_say(struct core *core, uint32_t position)
{
    if (may_answer(core, position)) {
        outbox_send(core, make_heartbeat(core), position);
    }
}

void detector_vouch(struct core *core, uint32_t position)
{
    core->peers[position].signs.vouched_ms = core->now_ms;
}

void detector_on_acknowledged(struct core *core, uint32_t position, uint64_t asked_ms)
{
    struct peer_signs *signs = &core->peers[position].signs;

    lease_on_answer(core, position, asked_ms);
    signs->view = view_id_of(&core->view);
    signs->view_hash = core->view.hash;
    signs->acked = true;
    signs->said = false;
}

void detector_on_timing(struct core *core)
{
    core->detector.heartbeat_ms = earlier(
        core->detector.heartbeat_ms,
        core->now_ms + random_jitter(&core->random, until_next_round_ms(core, false), 5));
    core->detector.detect_ms = earlier(core->detector.detect_ms, core->now_ms);
}

void detector_reset(struct core *core)
{
    core->detector.heartbeat_ms = NEVER_MS;
    core->detector.half = 1;
    core->detector.detect_ms = NEVER_MS;
    core->detector.heard = false;
    core->detector.late_last_ms = 0;
    core->detector.late_until_ms = 0;
}

void detector_tick(struct core *core)
{
    attend_wanted(core);
    if (core->now_ms >= core->detector.heartbeat_ms) {
        send_next_round(core);
        look_at_all(core); /* Who is heard in time needs no turn of its own. */
    } else if (core->now_ms >= core->detector.detect_ms) {
        look_at_all(core);
    } else {
        put_off_look(core);
    }
    if (core->watching.report) {
        report(core);
    }
}
