#include "core/detection/silences.h"

#include "core/detection/doubts.h"
#include "core/detection/hearing.h"
#include "core/detection/numbers.h"
#include "core/detection/rounds.h"
#include "core/detection/signs.h"
#include "core/detection/verdict.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"

enum {
    QUESTIONS_TO_LOSE = 4, /* unanswered, before a member is lost (D2g) */
    PUTS_OFF_FOR = 16,     /* watched at the most, where whoever is heard puts off the next look */
    QUESTIONS_AT_ONCE = MESSAGES_PER_STEP_MAX / 2, /* a step leaves room for other messages */
};

void silences_clear_verdict(struct core *core, uint32_t position)
{
    if (verdict_clear(core, position)) {
        signs_look_by(core, core->now_ms + core->timing.silent_ms);
    }
}

/* A member that the view under way leaves out is expected to fall silent (E1a); but a proposal
 * whose maker died must not shield anybody for ever. */
static bool is_on_its_way_out(const struct core *core, uint32_t position)
{
    return !view_is_empty(&core->change.pending) &&
           core->now_ms < core->change.accepted_ms + core->timing.prepare_ms &&
           !view_has(&core->change.pending, &core->view.members[position].id);
}

void silences_set_verdict(struct core *core, uint32_t position, enum verdict verdict)
{
    if (core->peers[position].charge.verdict != verdict && !is_on_its_way_out(core, position)) {
        verdict_set(core, position, verdict);
        /* D9k: it can say otherwise while it is watched, even where the watch was about to end. */
        (void)watch_begin(core, position, core->now_ms + 2 * core->timing.heartbeat_ms);
        signs_look_by(core, core->now_ms);
        doubts_tell(core, position);
    }
}

static void ask_kernel(struct core *core, uint32_t position)
{
    signs_kernel_asked(core, position);
    outbox_kernel_ask(core, position);
}

/* Z6c */
static uint64_t stall_ms_of(const struct core *core, uint32_t position)
{
    return position == 0 ? core->spans.stall_ms : core->timing.stall_ms;
}

/* Has the member been asked all that it takes to find it lost, and in vain? */
static bool was_tried(const struct core *core, uint32_t position)
{
    const struct timing *timing = &core->timing;
    const struct peer *peer = &core->peers[position];

    return core->now_ms >= peer->signs.silent_from_ms + timing->lost_ms + timing->verify_ms &&
           peer->watch.questions >= QUESTIONS_TO_LOSE;
}

/* D2e: questions follow each other soon, and more slowly once all has been tried. */
static uint64_t question_pause_ms(const struct core *core, uint32_t position)
{
    return was_tried(core, position) ? core->timing.heartbeat_ms
                                     : timing_question_ms(&core->timing);
}

/* D2g: has it been asked, and had the time to answer? A loop that slept has asked nothing; one that
 * is slow asks once in each of its turns. */
static bool is_unanswered(const struct core *core, uint32_t position)
{
    const struct peer_watch *watch = &core->peers[position].watch;
    const uint64_t lately_ms = 2 * timing_question_ms(&core->timing);

    return was_tried(core, position) ||
           (watch->questions >= QUESTIONS_TO_LOSE && core->now_ms < watch->asked_ms + lately_ms);
}

/* When a heartbeat of it is missing, if nothing is heard of it until then. */
static uint64_t missed_at_ms(const struct core *core, uint32_t position)
{
    return core->peers[position].signs.silent_from_ms + timing_missed_ms(&core->timing);
}

/* D2e: when it is asked, if nothing is heard of it until then. Who is no neighbour sends no
 * heartbeats. */
static uint64_t doubtful_at_ms(const struct core *core, uint32_t position)
{
    const struct timing *timing = &core->timing;
    const struct peer *peer = &core->peers[position];

    if (peer->watch.unheard_since_turn) {
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
    return earlier(missed_at_ms(core, position), doubtful_at_ms(core, position));
}

/* Looks at one silence and returns when to look at it again. Along the silence:
 *
 *      0         T_doubt  (again)  T_lost - T_verify   T_lost                        T_stall
 *      |------------|--------|-------------|-------------|-----------------------------|
 *    heard       ask the    ask       the coordinator  no answer to either: lost  answers, but the
 *                kernel    again      puts R1's        else keep asking           process: stalled
 */
static uint64_t look_at(struct core *core, uint32_t position)
{
    const struct timing *timing = &core->timing;

    if (!watch_is_on(core, position)) {
        return NEVER_MS;
    }
    const struct peer_signs *signs = &core->peers[position].signs;
    const struct peer_charge *charge = &core->peers[position].charge;
    uint64_t from = signs->silent_from_ms;
    uint64_t silence = core->now_ms - from;
    uint64_t again = (timing->lost_ms - timing->silent_ms) / 2;

    if (core->now_ms < missed_at_ms(core, position)) {
        return missed_at_ms(core, position);
    }
    if (charge->verdict == VERDICT_DEAD) {
        return NEVER_MS;
    }
    if (core->now_ms < core->detector.late_until_ms) {
        return core->detector.late_until_ms; /* D4b: what waits in the sockets comes first. */
    }
    if (signs->asked_ms == 0 || core->now_ms >= signs->asked_ms + again) {
        ask_kernel(core, position);
    }
    bool answered = signs->kernel_ms >= from && core->now_ms < signs->kernel_ms + timing->lost_ms;
    uint64_t stall_ms = stall_ms_of(core, position);
    if (silence >= stall_ms && answered) {
        silences_set_verdict(core, position, VERDICT_STALLED);
    } else if (silence >= timing->lost_ms && !answered && charge->verdict == VERDICT_NONE &&
               is_unanswered(core, position)) {
        silences_set_verdict(core, position, VERDICT_LOST);
    } else if (answered && charge->verdict == VERDICT_LOST && silence < stall_ms) {
        REACHED(stalled_host_back_in_sight);
        silences_clear_verdict(
            core, position); /* The host is back in sight, so its process is given time again. */
    }
    uint64_t next = signs->asked_ms + again;
    if (silence >= timing_inquiry_ms(timing)) {
        verdict_evidence_changed(core);
    } else {
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
    uint64_t pause_ms = question_pause_ms(core, position);

    if (!watch_is_on(core, position)) {
        return NEVER_MS;
    }
    if (core->now_ms < doubtful_at_ms(core, position)) {
        return doubtful_at_ms(core, position);
    }
    if (!hearing_is_heard(
            core, position)) { /* The watch does not end before the member is heard, or gone. */
        (void)watch_begin(core, position, core->now_ms + 2 * timing->heartbeat_ms);
    }
    pause_ms += watch_count(core) / QUESTIONS_AT_ONCE; /* The pause is longer where many are
                                                          watched, so that all get their turn. */
    if (watch->asked_ms == 0 || core->now_ms >= watch->asked_ms + pause_ms) {
        if (!outbox_has_room(core, QUESTIONS_AT_ONCE)) {
            return core->now_ms + 1;
        }
        (void)numbers_ask(core, position);
        watch_asked(core, position);
        signs_wondered(core);
    }
    return watch->asked_ms + pause_ms;
}

/* D2i: is there no hurry to look at this one, since whoever missed it half an interval sooner, or
 * the coordinator, tells of it in time? */
static bool waits_for_round(const struct core *core, uint32_t position)
{
    const struct peer_watch *watch = &core->peers[position].watch;

    return position != 0 && !watch->unheard_since_turn && core->now_ms >= watch->until_ms &&
           !core_is_coordinator(core) && signs_are_calm(core);
}

/* D2e: while all are heard the first of the questions may wait for the next round, if that comes no
 * later than the second would; or whenever it comes (D2i). */
static uint64_t put_off_to_round(const struct core *core, uint32_t position, uint64_t look_ms)
{
    const uint64_t round_ms = core->rounds.next_ms;
    const bool is_near = round_ms <= look_ms + timing_question_ms(&core->timing);

    return core->now_ms < look_ms && look_ms < round_ms &&
                   (is_near || waits_for_round(core, position))
               ? round_ms
               : look_ms;
}

static uint64_t look_and_ask(struct core *core, uint32_t position)
{
    const uint64_t next = look_at(core, position);

    return earlier(next, question(core, position));
}

void silences_look(struct core *core)
{
    uint64_t next = NEVER_MS;
    uint64_t next_if_heard = NEVER_MS;
    bool all_are_heard = true;

    for (uint32_t k = 0; k < watch_count(core); k++) {
        const uint32_t i = watch_at(core, k);
        if (!core_is_self(core, i)) {
            all_are_heard = all_are_heard && heard_until_ms(core, i) > core->now_ms;
            const uint64_t look_ms = look_and_ask(core, i);
            next = earlier(next, look_ms);
            next_if_heard = earlier(next_if_heard, put_off_to_round(core, i, look_ms));
        }
    }
    signs_look_at(core, all_are_heard ? next_if_heard : next);
    signs_looked(core);
    doubts_look(core);
}

void silences_put_off_look(struct core *core)
{
    uint64_t next = NEVER_MS;

    if (!core->looking.heard || core->looking.next_ms >= core->rounds.next_ms ||
        watch_count(core) > PUTS_OFF_FOR) {
        return;
    }
    signs_looked(core);
    for (uint32_t k = 0; k < watch_count(core); k++) {
        const uint32_t i = watch_at(core, k);
        if (!core_is_self(core, i)) {
            next = earlier(next, put_off_to_round(core, i, heard_until_ms(core, i)));
        }
        if (next <= core->looking.next_ms) {
            return; /* The next look was for this one, or this one is not heard. */
        }
    }
    signs_look_at(core, next);
}
