#include "core/detection/detector.h"

#include <string.h>

#include "core/detection/doubts.h"
#include "core/detection/follow.h"
#include "core/detection/hearing.h"
#include "core/detection/lease.h"
#include "core/detection/numbers.h"
#include "core/detection/rounds.h"
#include "core/detection/signs.h"
#include "core/detection/silences.h"
#include "core/detection/standing.h"
#include "core/detection/verdict.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"

void detector_heard(struct core *core, const struct message *message, uint32_t position)
{
    if (message_is_spread(message)) {
        return; /* The message goes by way of others, whatever its sender's link to this node is
                   (U4c). */
    }
    if (message->relay) {
        signs_vouch(core, position); /* The sender lives, but its link to this node is bad (R2). */
        return;
    }
    if (!message->fellow) {
        return; /* The sender lives, but in a view without this node: no evidence for this view
                   (H42). */
    }
    silences_clear_verdict(core, position);
    verdict_answered(core, position);
    verdict_heard(core, position);
    signs_heard(core, position, message->number);
    lease_on_echo(core, position, message->echo);
    watch_heard(core, position);
}

/* Does the sender say that it does not hear this node, by naming it as silent or suspected? */
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

/* D5: who learns that it is suspected says so, to the one who suspects it and to the coordinator.
 * It asks for nothing (D8c), and so comes by the socket for beats, should the other one be flooded.
 */
static void refute(struct core *core, uint32_t position)
{
    if (!rounds_may_answer(core, position)) {
        return;
    }
    struct message *message = rounds_answer(core);

    outbox_send(core, message, position);
    if (position != 0 && !core_is_coordinator(core)) {
        outbox_send(core, message, 0);
    }
}

/* For a heartbeat that names as many as its sender's last one did. */
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

/* Z7c: what is said of a reign before it begins may be said by anybody, and is true of none. */
static bool is_of_our_reign(const struct core *core, const struct view_id *view, uint32_t position)
{
    return position == 0 && view->epoch == core->view.epoch &&
           id_equal(&view->coordinator, &core->view.members[0].id);
}

void detector_on_heartbeat(struct core *core, const struct message *message, uint32_t position)
{
    const struct heartbeat *heartbeat = &message->heartbeat;
    const struct peer_signs *signs = &core->peers[position].signs;
    const bool handed_over = heartbeat->handed_over &&
                             is_of_our_reign(core, &heartbeat->view, position);
    bool accused = heartbeat->suspect_count > 0;
    bool changed = heartbeat->suspect_count != signs->suspect_count ||
                   heartbeat->late != signs->late || handed_over != signs->handed_over ||
                   (accused && (!accuses_the_same(heartbeat, &core->doubts[position]) ||
                                core->now_ms >= signs->suspects_ms + core->timing.fresh_ms));

    signs_take_heartbeat(core, heartbeat, position, handed_over);
    if (accused && does_not_hear_us(core, heartbeat)) {
        signs_hears_us(core, position, false);
        refute(core, position);
    } else {
        signs_hears_us(core, position, true);
    }
    doubts_heed(core, heartbeat);
    if (accused && !watch_is_on(core, position)) {
        detector_say(core,
                     position); /* D2h: the sender may have to judge by what this node holds. */
    }
    if (changed) {
        verdict_evidence_changed(core);
    }
}

void detector_answer(struct core *core, const struct message *heartbeat, uint32_t position)
{
    if (heartbeat->heartbeat.asks && heartbeat->fellow && !heartbeat->relay) {
        rounds_give_lease(core, position);
    }
}

/* Nobody of that life listens at its address. After a lifeline that was open was closed, that is
 * proof. A lifeline that never was open may be a matter of the network: then it takes more than a
 * heartbeat's time in which the member does not say otherwise (D2b). A lifeline may outlast the
 * watch a little, and nothing is concluded from that (D9g). */
static void on_nobody_there(struct core *core, uint32_t position)
{
    const struct peer_signs *signs = &core->peers[position].signs;

    signs_nobody_there(core, position);
    if (!watch_is_on(core, position)) {
        return;
    }
    /* D9f: who asks about one that is no neighbour does so because of a doubt. */
    bool doubted = watch_is_asking(core, position) && !watch_is_edge(core, position);
    uint64_t patience_ms = signs->was_linked || doubted ? 0 : timing_missed_ms(&core->timing);
    uint64_t since_ms = signs->silent_from_ms < signs->closed_ms ? signs->silent_from_ms
                                                                 : signs->closed_ms;
    if (core->now_ms >= since_ms + patience_ms) {
        silences_set_verdict(core, position, VERDICT_DEAD);
    }
}

void detector_on_link(struct core *core, const struct link_event *link)
{
    uint32_t position = view_find(&core->view, &link->peer);

    if (position == VIEW_NONE || core_is_self(core, position)) {
        return;
    }
    const struct peer_charge *charge = &core->peers[position].charge;
    switch (link->news) {
    case LINK_OPENED:
        signs_link_opened(core, position);
        numbers_proved(core, position);
        if (charge->verdict == VERDICT_DEAD) {
            silences_clear_verdict(core, position); /* That very life answered the connection. */
        }
        break;
    case LINK_CLOSED:
        signs_link_closed(core, position);
        break;
    case LINK_REFUSED:
    case LINK_STRANGER:
        on_nobody_there(core, position);
        break;
    case LINK_FAILED:
        signs_link_failed(core, position);
        break;
    case LINK_KERNEL:
        signs_kernel_answered(core, position);
        if (charge->verdict == VERDICT_LOST) {
            signs_look_now(
                core); /* The host is in sight again, so the member is judged anew at once. */
        }
        break;
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
        /* A lifeline that is held already goes on: nobody says again that it is open. */
        bool turned = watch->neighbour && !watch->has_lifeline && watch->begun_ms == core->now_ms;
        if (view_has_at(before->view, &core->view.members[i]) && !turned) {
            continue;
        }
        signs_forget_lifeline(core, i);
        signs_silent_from_now(core, i); /* The silence of a new member counts from now (H13). */
        signs_look_now(core);           /* The look goes over everyone and finds the next moment. */
    }
    map_gone(core, before);
}

void detector_announce_view(struct core *core, const struct installed *before)
{
    const struct view *former = before->view;

    if (view_is_empty(former)) {
        rounds_send(core);
        return;
    }
    standing_ask_first(core);
    if (core_is_coordinator(core) && !agreed_equal(&core->view.agreed, &former->agreed)) {
        rounds_send(core); /* A3b: the others wait for it. */
        return;
    }
    struct message *message = NULL;
    bool other_coordinator = !id_equal(&core->view.members[0].id, &former->members[0].id);
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        bool leads_now = i == 0 && other_coordinator;
        bool is_new = core->peers[i].watch.neighbour &&
                      core->peers[i].watch.begun_ms == core->now_ms;
        if (!core_is_self(core, i) && (leads_now || is_new)) {
            message = message != NULL ? message : rounds_make(core);
            outbox_send(core, message, i);
        }
    }
}

void detector_announce_acting(struct core *core)
{
    rounds_send(core);
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

/* A loop that is late again and again is slow, not asleep: too little for others to have found this
 * node lost meanwhile. Were each time a sleep, it would never do anything for the others. */
static bool is_only_slow(const struct core *core, uint64_t late_ms)
{
    return core_was_late_lately(core, core->timing.stall_ms) &&
           late_ms < timing_turn_ms(&core->timing);
}

static void start_afresh(struct core *core)
{
    core->detector.late_until_ms = core->now_ms + core->timing.fresh_ms;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        enum verdict verdict = core->peers[i].charge.verdict;
        follow_forget(core, i);
        follow_note_ours(core, i);
        if (verdict == VERDICT_LOST || verdict == VERDICT_STALLED) {
            silences_clear_verdict(core, i);
        }
    }
    signs_look_now(core);
}

bool detector_on_late(struct core *core, uint64_t late_ms)
{
    bool slow = is_only_slow(core, late_ms);

    core->counters.late_wakeups++;
    REACHED(was_late);
    core->detector.late_last_ms = core->now_ms;
    signs_on_late(core, late_ms);
    if (slow) {
        REACHED(was_slow);
        return false;
    }
    start_afresh(core);
    return true;
}

void detector_say(struct core *core, uint32_t position)
{
    if (rounds_may_answer(core, position)) {
        outbox_send(core, rounds_make(core), position);
    }
}

void detector_vouch(struct core *core, uint32_t position)
{
    signs_vouch(core, position);
}

void detector_on_acknowledged(struct core *core, uint32_t position, uint64_t asked_ms)
{
    lease_on_answer(core, position, asked_ms);
    signs_acknowledged(core, position);
}

void detector_on_timing(struct core *core)
{
    rounds_on_timing(core);
    signs_look_by(core, core->now_ms);
}

void detector_reset(struct core *core)
{
    core->detector.late_last_ms = 0;
    core->detector.late_until_ms = 0;
}

void detector_tick(struct core *core)
{
    doubts_attend_wanted(core);
    if (core->now_ms >= core->rounds.next_ms) {
        rounds_send_next(core);
        silences_look(core); /* A member that is heard in time needs no turn of its own. */
    } else if (core->now_ms >= core->looking.next_ms) {
        silences_look(core);
    } else {
        silences_put_off_look(core);
    }
    doubts_report(core);
}

uint64_t detector_deadline_ms(const struct core *core)
{
    uint64_t due_ms = earlier(core->rounds.next_ms, core->looking.next_ms);

    due_ms = earlier(due_ms, earlier(watch_tell_at_ms(core), core->removal.verify_ms));
    return earlier(due_ms, standing_deadline_ms(core));
}
