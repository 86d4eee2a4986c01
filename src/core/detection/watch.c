#include "core/detection/watch.h"

#include <string.h>

#include "core/state/outbox.h"

enum {
    NEXT_WATCHED = 3, /* so many of the oldest the coordinator watches, for they are to follow it */
    LATE_SENDINGS = 2,
    UNHALVED = 2, /* so few neighbours get every round */
};

bool watch_is_edge(const struct core *core, uint32_t position)
{
    return core->peers[position].watch.neighbour;
}

bool watch_is_on(const struct core *core, uint32_t position)
{
    return watch_is_edge(core, position) || core->now_ms < core->peers[position].watch.until_ms;
}

uint32_t watch_count(const struct core *core)
{
    return core->watching.count;
}

uint32_t watch_at(const struct core *core, uint32_t index)
{
    return core->watching.list[index];
}

static void enlist(struct core *core, uint32_t position)
{
    struct watching *watching = &core->watching;
    uint32_t at = watching->count;

    while (at > 0 && watching->list[at - 1] > position) {
        at--;
    }
    if (at > 0 && watching->list[at - 1] == position) {
        return;
    }
    memmove(&watching->list[at + 1], &watching->list[at],
            (watching->count - at) * sizeof watching->list[0]);
    watching->list[at] = (uint16_t)position;
    watching->count++;
}

bool watch_is_of_half(const struct core *core, uint32_t position, uint8_t halves)
{
    return !watch_is_edge(core, position) || (core->peers[position].watch.halves & halves) != 0;
}

bool watch_is_asking(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];

    return peer->signs.heard_ms < peer->watch.begun_ms &&
           (!peer->watch.neighbour || peer->watch.unheard_since_turn);
}

/* How many of the oldest the coordinator watches: whom it asks for leases. Where voters lease all,
 * for everybody has to know whether it acts (Z9b). */
static uint32_t next_watched(const struct core *core)
{
    return larger32(core->plan.leases_asked, NEXT_WATCHED);
}

static bool is_guarded(const struct core *core, uint32_t a, uint32_t b)
{
    return (a == 0 || b == 0) && a + b <= next_watched(core);
}

bool watch_sees(const struct core *core, uint32_t observer, uint32_t subject)
{
    return rings_are_neighbours(&core->rings, observer, subject) ||
           is_guarded(core, observer, subject);
}

bool watch_takes_turns(const struct core *core)
{
    return core->view.member_count > UNHALVED + 1;
}

void watch_observers(const struct core *core, uint32_t subject, struct observers *out)
{
    const uint32_t members = core->view.member_count;
    uint32_t neighbours[RING_LISTED_MAX];
    uint32_t few = NEXT_WATCHED + 1 < members ? NEXT_WATCHED + 1 : members;

    out->everybody = !rings_are_listed(&core->rings) ||
                     (subject == 0 && next_watched(core) > NEXT_WATCHED);
    out->count = members;
    if (out->everybody) {
        return;
    }
    out->count = 0;
    for (uint32_t i = 0; i < few; i++) {
        if (i != subject && watch_sees(core, i, subject)) {
            out->list[out->count++] = i; /* The oldest watch it for other reasons, too. */
        }
    }
    const uint32_t count = rings_neighbours(&core->rings, subject, neighbours);
    for (uint32_t i = 0; i < count; i++) {
        if (neighbours[i] >= few) {
            out->list[out->count++] = neighbours[i];
        }
    }
}

bool watch_begin(struct core *core, uint32_t position, uint64_t until_ms)
{
    struct peer_watch *watch = &core->peers[position].watch;
    bool begins = !watch_is_on(core, position);

    watch->until_ms = until_ms > watch->until_ms ? until_ms : watch->until_ms;
    if (begins) {
        enlist(core, position);
        watch->begun_ms = core->now_ms;
        watch->questions = 0;
        watch->asked_ms = 0;
        watch->reported = false;
        watch->reported_to_neighbours = false;
        if (!watch->has_lifeline) {
            watch->has_lifeline = true;
            outbox_link(core, EFFECT_LINK_OPEN, &core->view.members[position]);
        }
    }
    return begins;
}

void watch_heard(struct core *core, uint32_t position)
{
    struct peer_watch *watch = &core->peers[position].watch;

    watch->unheard_since_turn = false;
    watch->reported = false;
    watch->reported_to_neighbours = false;
    watch->questions = 0;
}

void watch_asked(struct core *core, uint32_t position)
{
    struct peer_watch *watch = &core->peers[position].watch;

    watch->asked_ms = core->now_ms;
    if (watch->questions < UINT8_MAX) {
        watch->questions++;
    }
}

void watch_tell(struct core *core, uint32_t position)
{
    struct watching *watching = &core->watching;

    core->peers[position].watch.reported = true;
    watching->report = true;
    watching->news_ms = core->now_ms;
    if ((position == 0 && !core_is_coordinator(core)) ||
        core->peers[position].charge.verdict == VERDICT_DEAD) {
        watching->tell_ms = core->now_ms; /* All have to act on this, or it is certain. */
    }
}

void watch_note_told(struct core *core, uint32_t position)
{
    core->peers[position].watch.reported = true;
}

bool watch_is_untold(const struct core *core, uint32_t position)
{
    const struct peer_watch *watch = &core->peers[position].watch;

    return position != 0 && watch->neighbour && watch->reported && !watch->reported_to_neighbours &&
           core->peers[position].charge.verdict != VERDICT_DEAD;
}

void watch_told_others(struct core *core, uint32_t position)
{
    core->peers[position].watch.reported_to_neighbours = true;
}

bool watch_note_death(struct core *core)
{
    struct watching *watching = &core->watching;
    uint64_t lately_ms = core->timing.lost_ms;
    bool alone = pause_is_over(&watching->died, core->now_ms);
    bool called = watching->called_ms != 0 && core->now_ms < watching->called_ms + lately_ms;

    pause_begin(&watching->died, core->now_ms, lately_ms);
    return !alone && !called;
}

void watch_told(struct core *core)
{
    core->watching.report = false;
    core->watching.tell_ms = core->now_ms + timing_question_ms(&core->timing);
    watch_told_coordinator(core);
}

void watch_told_coordinator(struct core *core)
{
    core->watching.judge_ms = core->now_ms;
}

bool watch_has_news(const struct core *core)
{
    return core->watching.report && core->watching.judge_ms < core->watching.news_ms;
}

uint64_t watch_tell_at_ms(const struct core *core)
{
    return core->watching.report ? core->watching.tell_ms : NEVER_MS;
}

bool watch_is_to_call(const struct core *core)
{
    return core->watching.report && core->watching.called_ms < core->watching.news_ms;
}

void watch_called(struct core *core)
{
    core->watching.called_ms = core->now_ms;
}

void watch_note_elder(struct core *core, uint32_t position)
{
    core->watching.elder = position;
}

bool watch_lead(struct core *core, bool leads)
{
    bool begins = leads && !core->watching.leads;

    core->watching.leads = leads;
    return begins;
}

void watch_want(struct core *core, uint32_t position)
{
    if (position < core->view.member_count && !core_is_self(core, position) &&
        !watch_is_on(core, position)) {
        core->peers[position].watch.wanted = true;
        core->watching.wanted = true;
    }
}

void watch_want_older(struct core *core, uint32_t position)
{
    for (uint32_t i = 0; i < position && i < core->view.member_count; i++) {
        watch_want(core, i);
    }
}

void watch_want_late(struct core *core, uint32_t position, uint32_t sendings)
{
    if (sendings >= LATE_SENDINGS) {
        watch_want(core, position);
    }
}

bool watch_take_wish(struct core *core, uint32_t position)
{
    bool wanted = core->peers[position].watch.wanted;

    core->peers[position].watch.wanted = false;
    return wanted;
}

void watch_took_wishes(struct core *core)
{
    core->watching.wanted = false;
}

void watch_hold_lifelines(struct core *core)
{
    struct watching *watching = &core->watching;
    uint32_t left = 0;

    for (uint32_t k = 0; k < watching->count; k++) {
        const uint16_t position = watching->list[k];
        struct peer_watch *watch = &core->peers[position].watch;
        const bool on = watch_is_on(core, position);
        if (on != watch->has_lifeline) {
            watch->has_lifeline = on;
            outbox_link(core, on ? EFFECT_LINK_OPEN : EFFECT_LINK_CLOSE,
                        &core->view.members[position]);
        }
        if (on) {
            watching->list[left++] = position;
        }
    }
    watching->count = left;
}

/* D9c: two that have just become neighbours have not heard each other yet. Two that are neighbours
 * no more go on for a while, for the other may not know of the view yet. */
static void set_neighbour(struct core *core, uint32_t position, bool neighbour, bool is_new)
{
    struct peer_watch *watch = &core->peers[position].watch;
    uint64_t heard_ms = core->peers[position].signs.heard_ms;

    if (neighbour && !watch->neighbour) {
        bool was_on = watch_is_on(core, position);
        watch->neighbour = true;
        if (!was_on) {
            watch->begun_ms = core->now_ms;
            watch->questions = 0;
            watch->asked_ms = 0;
            watch->reported = false;
            watch->reported_to_neighbours = false;
            watch->unheard_since_turn = !is_new &&
                                        core->now_ms >= heard_ms + core->timing.silent_ms;
        }
    } else if (!neighbour && watch->neighbour) {
        uint64_t until_ms = core->now_ms + 2 * core->timing.heartbeat_ms;
        watch->neighbour = false;
        watch->unheard_since_turn = false;
        watch->until_ms = until_ms > watch->until_ms ? until_ms : watch->until_ms;
    }
}

/* Members below that position get each round: all where there are two neighbours at most, and of a
 * coordinator those whose leases it needs (D8c), or a short outage would end its right to act. */
static uint32_t every_round_end(const struct core *core, uint32_t neighbours)
{
    if (neighbours <= UNHALVED) {
        return core->view.member_count;
    }
    return core_is_coordinator(core) ? core->plan.by_heartbeat : 0;
}

/* D8e: in turn one and the other half, by the order of the view: among five, each member then hears
 * somebody in each half of an interval, where by another order all others may speak to it at the
 * same time (decision 33). Up to two neighbours are of both. */
static void halve_neighbours(struct core *core)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (!core_is_self(core, i) && watch_is_edge(core, i)) {
            core->peers[i].watch.halves = count++ % 2 == 0 ? WATCH_FIRST_HALF : WATCH_SECOND_HALF;
        }
    }
    const uint32_t end = every_round_end(core, count);
    for (uint32_t i = 0; i < end && i < core->view.member_count; i++) {
        core->peers[i].watch.halves = WATCH_BOTH_HALVES;
    }
}

void watch_on_view_installed(struct core *core, const struct installed *before)
{
    rings_of(&core->rings, core->terms.watchers, &core->view);
    core->watching.count = 0;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (!core_is_self(core, i)) {
            set_neighbour(core, i, watch_sees(core, core->position, i),
                          !view_has(before->view, &core->view.members[i].id));
            if (watch_is_on(core, i) || core->peers[i].watch.has_lifeline) {
                core->watching.list[core->watching.count++] = (uint16_t)i;
            }
        }
    }
    halve_neighbours(core);
    core->watching.leads = false;
    core->watching.elder = 0;
}

void watch_reset(struct core *core)
{
    core->watching = (struct watching){.list = core->watching.list};
}
