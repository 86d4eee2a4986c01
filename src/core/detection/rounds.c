#include "core/detection/rounds.h"

#include "core/detection/follow.h"
#include "core/detection/hearing.h"
#include "core/detection/lease.h"
#include "core/detection/standing.h"
#include "core/detection/verdict.h"
#include "core/detection/watch.h"
#include "core/state/outbox.h"

bool rounds_is_named(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];

    if (!watch_is_on(core, position)) {
        return !hearing_is_heard(core, position);
    }
    if (peer->charge.verdict != VERDICT_NONE || spell_is_on(&peer->course.other)) {
        return true;
    }
    if (follow_is_behind(core, position) && position != 0 && !watch_sees(core, 0, position)) {
        return true; /* The coordinator does not hear it, and has to remove it (L5b). */
    }
    if (peer->watch.unheard_since_turn) {
        return core->now_ms >= peer->watch.begun_ms + timing_repair_ms(&core->timing);
    }
    return !hearing_is_heard(core, position) && peer->watch.questions >= QUESTIONS_TO_NAME;
}

/* Of the neighbours, or of the others, or of both. */
enum whom { NEIGHBOURS = 1, OTHERS = 2 };

static void name_suspects(const struct core *core, struct heartbeat *heartbeat, unsigned whom)
{
    for (uint32_t k = 0; k < watch_count(core) && heartbeat->suspect_count < SUSPECTS_MAX; k++) {
        const uint32_t i = watch_at(core, k);
        if (core_is_self(core, i) || !rounds_is_named(core, i) ||
            (whom & (watch_is_edge(core, i) ? NEIGHBOURS : OTHERS)) == 0) {
            continue;
        }
        struct suspicion *suspicion = &heartbeat->suspects[heartbeat->suspect_count++];
        suspicion->age = core->view.members[i].age;
        suspicion->verdict = core->peers[i].charge.verdict;
    }
}

/* D1b: the oldest first. D9i: where there are too many, its neighbours before all others, for those
 * are who it can see. */
static void add_suspects(const struct core *core, struct heartbeat *heartbeat)
{
    if (core->now_ms < core->detector.late_until_ms) {
        return; /* D4b: what a sleeper knows is older than its sleep. */
    }
    name_suspects(core, heartbeat, NEIGHBOURS | OTHERS);
    if (heartbeat->suspect_count == SUSPECTS_MAX) {
        heartbeat->suspect_count = 0;
        name_suspects(core, heartbeat, NEIGHBOURS);
        name_suspects(core, heartbeat, OTHERS);
    }
}

struct message *rounds_answer(struct core *core)
{
    struct message *message = outbox_message(core, MESSAGE_HEARTBEAT);

    if (message != NULL) {
        message->heartbeat.view = view_id_of(&core->view);
        message->heartbeat.view_hash = core->view.hash;
        message->heartbeat.late = core_was_late_lately(core, core->timing.fresh_ms);
        message->heartbeat.acting = standing_is_acting(core, core->now_ms);
        message->heartbeat.handed_over = standing_tells_hand_over(core);
        add_suspects(core, &message->heartbeat);
    }
    return message;
}

struct message *rounds_make(struct core *core)
{
    lease_mark(core);
    struct message *message = rounds_answer(core);

    if (message != NULL) {
        message->heartbeat.asks = standing_asks_by_heartbeat(core);
    }
    return message;
}

void rounds_give_lease(struct core *core, uint32_t position)
{
    outbox_send_echo(core, rounds_answer(core), position);
    if (position == 0) {
        core->rounds.answered_ms = core->now_ms;
    }
}

/* D8e: it has just had a heartbeat, and will ask for the next. */
static bool was_just_answered(const struct core *core, uint32_t position)
{
    return position == 0 && core->rounds.answered_ms != 0 &&
           core->now_ms < core->rounds.answered_ms + core->timing.heartbeat_ms;
}

/* R2: a link that has become bad is told once, by each end that holds a verdict. */
static void tell_bad_link(struct core *core, uint32_t position)
{
    const struct peer_signs *signs = &core->peers[position].signs;
    const struct peer_charge *charge = &core->peers[position].charge;
    bool bad = hearing_link_is_bad(core, position) && charge->verdict != VERDICT_NONE &&
               hearing_relay_to(core, position) != VIEW_NONE;

    if (bad && !signs->told_bad) {
        outbox_notice_of(core, NOTICE_BAD_LINK, &core->view.members[position]);
    }
    core->peers[position].signs.told_bad = bad;
}

/* While anybody is named, what is told of it must not be lost (D2h). */
static uint64_t until_next_round_ms(const struct core *core, bool names_somebody)
{
    return names_somebody ? timing_repair_ms(&core->timing) : timing_round_ms(&core->timing);
}

static void begin_next_in(struct core *core, uint64_t pause_ms)
{
    core->rounds.next_ms = core->now_ms +
                           random_jitter(&core->random, pause_ms, ROUND_JITTER_PERCENT);
}

static bool names_anybody(const struct message *message)
{
    return message != NULL && message->heartbeat.suspect_count > 0;
}

/* To the neighbours of these halves, and to all others who are watched. */
static void send_to_halves(struct core *core, struct message *message, uint8_t halves)
{
    const bool names_somebody = names_anybody(message);

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
            if (names_somebody || !was_just_answered(core, i)) {
                outbox_send(core, message, i);
            }
        }
    }
    watch_hold_lifelines(core);
    begin_next_in(core, until_next_round_ms(core, names_somebody));
}

static void send_round(struct core *core, uint8_t halves)
{
    /* First: a question must not overtake what a heartbeat says (D6a). */
    standing_ask_with_round(core);
    send_to_halves(core, rounds_make(core), halves);
}

void rounds_send(struct core *core)
{
    send_round(core, WATCH_BOTH_HALVES);
}

void rounds_send_next(struct core *core)
{
    uint8_t half = core->rounds.half;

    core->rounds.half = half == WATCH_FIRST_HALF ? WATCH_SECOND_HALF : WATCH_FIRST_HALF;
    send_round(core, half);
}

bool rounds_may_answer(struct core *core, uint32_t position)
{
    return pause_pass(&core->peers[position].signs.answered, core->now_ms,
                      timing_repair_ms(&core->timing));
}

/* Who was to get the next round may be of the other half now, and would wait for one more. */
void rounds_on_view_installed(struct core *core)
{
    core->rounds.half = WATCH_BOTH_HALVES;
    core->rounds.answered_ms = 0;
}

void rounds_on_timing(struct core *core)
{
    const uint64_t next_ms = core->rounds.next_ms;

    begin_next_in(core, until_next_round_ms(core, false));
    core->rounds.next_ms = earlier(core->rounds.next_ms, next_ms);
}

void rounds_reset(struct core *core)
{
    core->rounds.next_ms = NEVER_MS;
    core->rounds.answered_ms = 0;
    core->rounds.half = WATCH_BOTH_HALVES;
}
