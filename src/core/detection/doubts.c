#include "core/detection/doubts.h"

#include "core/detection/elders.h"
#include "core/detection/hearing.h"
#include "core/detection/rounds.h"
#include "core/detection/signs.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"

enum {
    ELDERS_FIRST = 4, /* of those who are older are asked at first, then four times as many */
};

/* D9e: from now on it is asked, and its silence counts: from the last sign of it, or from
 * `from_ms`, if nothing was heard of it since. */
static void attend(struct core *core, uint32_t position, uint64_t until_ms, uint64_t from_ms)
{
    if (core_is_self(core, position) || !watch_begin(core, position, until_ms)) {
        return;
    }
    signs_forget_lifeline(core, position);
    signs_not_silent_before(core, position, from_ms);
    signs_look_now(core);
}

void doubts_attend_wanted(struct core *core)
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

/* The coordinator is to judge, so whoever told it something has to learn whether it lives. Its
 * silence is counted as if it had lasted for so long. */
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

/* The coordinator is asked one question later, for what is sent in this step may overtake what it
 * is told. */
static void tell_coordinator(struct core *core, uint32_t suspect)
{
    attend_coordinator(core, core->timing.heartbeat_ms - timing_question_ms(&core->timing));
    watch_note_told(core, suspect);
    struct message *message = rounds_make(core);
    if (!core_is_coordinator(core)) {
        outbox_send(core, message, 0);
    }
    outbox_send(core, message, suspect);
}

/* D9e: the coordinator, and who leads, judges everybody; the others whom they would follow, and
 * those who are older than that one. */
static bool has_to_judge(const struct core *core, uint32_t position)
{
    if (core_is_coordinator(core) || core->watching.leads) {
        return true;
    }
    return position <= core->watching.elder;
}

void doubts_look_closely(struct core *core, uint32_t position)
{
    const bool put_off = core->now_ms >= core->peers[position].watch.until_ms;

    (void)watch_begin(core, position, core->now_ms + core->timing.lost_ms);
    if (put_off) {
        signs_look_now(core);
    }
}

/* D9e: who is told of a doubt and has to judge asks for itself. D9c: a new neighbour, which may
 * have to back the judge, goes on from what others hold. */
static void heed_doubt(struct core *core, const struct suspicion *doubt)
{
    const struct timing *timing = &core->timing;
    uint32_t position = view_find_age(&core->view, doubt->age);

    if (position == VIEW_NONE || core_is_self(core, position)) {
        return;
    }
    if (core->peers[position].watch.unheard_since_turn && doubt->verdict != VERDICT_NONE) {
        signs_silent_since(core, position, core->now_ms - timing->silent_ms);
    }
    if (watch_is_edge(core, position)) {
        doubts_look_closely(core, position);
    }
    if (!has_to_judge(core, position)) {
        return;
    }
    bool known = watch_is_on(core, position);
    attend(core, position, core->now_ms + timing->lost_ms + timing->heartbeat_ms,
           core->now_ms - timing->silent_ms);
    if (doubt->verdict == VERDICT_DEAD && !known) {
        signs_closed_elsewhere(core, position);
    }
}

void doubts_heed(struct core *core, const struct heartbeat *heartbeat)
{
    if (heartbeat->view.lineage != core->view.lineage) {
        return;
    }
    for (uint8_t i = 0; i < heartbeat->suspect_count; i++) {
        heed_doubt(core, &heartbeat->suspects[i]);
    }
}

static void heed_earlier_doubts(struct core *core)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const bool counts = hearing_is_accuser(core, i, core->now_ms);
        for (uint8_t k = 0; counts && k < core->peers[i].signs.suspect_count; k++) {
            heed_doubt(core, &core->doubts[i].list[k]);
        }
    }
}

/* Would this node follow that one, for all it knows? Nobody follows who is passed over (C1c). */
static bool would_follow(const struct core *core, uint32_t position)
{
    if (elders_are_passed_over(core, position)) {
        return false;
    }
    return watch_is_on(core, position) ? hearing_is_heard(core, position) : position == 0;
}

static uint32_t find_elder(const struct core *core)
{
    uint32_t i = 0;

    while (i < core->position && !would_follow(core, i)) {
        i++;
    }
    return i;
}

/* D9e: what was told while somebody older was heard concerns this node once that one is not. */
static void look_for_elder(struct core *core)
{
    const uint32_t elder = find_elder(core);
    const bool others_count = !core_is_coordinator(core) && elder > core->watching.elder;

    watch_note_elder(core, elder);
    if (others_count) {
        heed_earlier_doubts(core);
    }
}

void doubts_tell(struct core *core, uint32_t suspect)
{
    if (core->peers[suspect].charge.verdict == VERDICT_DEAD &&
        is_left_to_coordinator(core, suspect)) {
        tell_coordinator(core, suspect);
        return;
    }
    watch_tell(core, suspect); /* It is told at the end of this turn. */
    if (core_is_coordinator(core)) {
        signs_look_now(core); /* Everybody is asked in it (D9h). */
    } else {
        look_for_elder(core);
    }
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
    /* Somebody else may have heard it a round later (D2f). */
    const uint64_t leaves_ms = timing_round_ms(timing);

    REACHED(roll_called);
    watch_called(core);
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        attend(core, i, core->now_ms + timing->lost_ms + timing->silent_ms,
               core->now_ms - timing->silent_ms + leaves_ms);
    }
}

void doubts_look(struct core *core)
{
    look_for_elder(core);
    bool leads_now = leads(core);
    bool begins = watch_lead(core, leads_now);
    bool accuses = false;

    for (uint32_t k = 0; k < watch_count(core); k++) {
        const uint32_t i = watch_at(core, k);
        if (!core_is_self(core, i) && watch_is_on(core, i) && !core->peers[i].watch.reported &&
            rounds_is_named(core, i)) {
            watch_tell(core, i);
        }
        accuses = accuses || core->peers[i].charge.verdict != VERDICT_NONE;
    }
    if (accuses) { /* D9k: this node waits for a view without that one. */
        attend_coordinator(core, core->timing.heartbeat_ms);
    }
    if (begins || (watch_is_to_call(core) && (leads_now || core_is_coordinator(core)))) {
        call_roll(core);
        watch_tell(core, core->position);
    }
}

/* D9d: the coordinator is to judge, and what is sent to it alone is little. */
static void report_to_coordinator(struct core *core)
{
    watch_told_coordinator(core);
    if (!core_is_coordinator(core)) {
        outbox_send(core, rounds_make(core), 0);
    }
}

static void send_to_other_watchers(struct core *core, struct message *message, uint32_t suspect)
{
    struct observers observers;

    watch_observers(core, suspect, &observers);
    for (uint32_t k = 0; k < observers.count; k++) {
        const uint32_t i = watch_observer(&observers, k);
        if (!core_is_self(core, i) && i != suspect && !watch_is_on(core, i)) {
            outbox_send(core, message, i);
        }
    }
}

/* D9d: they may have put off their looks at the one that this node reports (D2i). */
static void tell_other_watchers(struct core *core)
{
    struct message *message = NULL;

    if (core->now_ms < core->detector.late_until_ms) {
        return; /* D4: this node names nobody yet. */
    }
    for (uint32_t k = 0; k < watch_count(core); k++) {
        const uint32_t i = watch_at(core, k);
        if (!watch_is_untold(core, i)) {
            continue;
        }
        message = message != NULL ? message : rounds_make(core);
        if (message == NULL) {
            return; /* There is no room: they are told with the next report. */
        }
        watch_told_others(core, i);
        send_to_other_watchers(core, message, i);
    }
}

void doubts_report(struct core *core)
{
    const uint64_t silence_ms = core->timing.silent_ms - 2 * timing_question_ms(&core->timing);

    if (core->now_ms >= watch_tell_at_ms(core)) {
        watch_told(core);
        attend_coordinator(core, silence_ms);
        rounds_send(core);
        tell_other_watchers(core);
    } else if (watch_has_news(core)) {
        attend_coordinator(core, silence_ms);
        report_to_coordinator(core);
    }
}
